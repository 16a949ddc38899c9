# SPDX-License-Identifier: BSD-3-Clause
"""Variants under the same loads, and how surely they differ; two results beside each other."""
