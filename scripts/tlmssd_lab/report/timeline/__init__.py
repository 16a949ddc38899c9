# SPDX-License-Identifier: BSD-3-Clause
"""The timeline of a report: read from its file, packed into the page."""
