# SPDX-License-Identifier: BSD-3-Clause
"""One run of tlmssd: the program, its settings, its results."""
