# SPDX-License-Identifier: BSD-3-Clause
"""Keys of a device from what was measured on a real one."""
