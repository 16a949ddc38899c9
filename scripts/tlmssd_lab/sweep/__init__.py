# SPDX-License-Identifier: BSD-3-Clause
"""Many points of a configuration's parameters, on this machine or a cluster."""
