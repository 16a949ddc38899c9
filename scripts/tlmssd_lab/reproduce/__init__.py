# SPDX-License-Identifier: BSD-3-Clause
"""The papers' figures beside this model's, judged by a program. docs/guides/reproduce.md explains it."""
