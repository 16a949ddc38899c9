# SPDX-License-Identifier: BSD-3-Clause
"""The documentation's site: its pages, its menu, and the interfaces that are read from the sources."""
