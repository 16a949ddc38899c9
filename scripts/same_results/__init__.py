# SPDX-License-Identifier: BSD-3-Clause
"""Modules of scripts/same-results: the proof that a restructuring changed no result."""
