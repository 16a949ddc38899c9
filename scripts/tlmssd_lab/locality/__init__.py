# SPDX-License-Identifier: BSD-3-Clause
"""Workload presets with locality, fitted to block traces."""
