# SPDX-License-Identifier: BSD-3-Clause
"""`build_report(runs, output, title)` writes one self-contained HTML page on run folders."""
from tlmssd_lab.report.build import build_report

__all__ = ["build_report"]
