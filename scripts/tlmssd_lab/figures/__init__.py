# SPDX-License-Identifier: BSD-3-Clause
"""Experiments: a file of configs/experiments/ to a table and a drawing, one file per report."""
