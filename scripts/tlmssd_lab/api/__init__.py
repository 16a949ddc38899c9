# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps, fits and pages for lab.py and for the command line: one implementation of both."""
