# SPDX-License-Identifier: BSD-3-Clause
"""One fsync of a guest on one time axis: system call, block layer, controller, SSD, dies and buses."""
