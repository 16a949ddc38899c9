# SPDX-License-Identifier: BSD-3-Clause
"""The Python lab of tlmssd: runs, comparisons and reports.

Start with `from tlmssd_lab import lab`.
"""

__version__ = "0.1.0"
