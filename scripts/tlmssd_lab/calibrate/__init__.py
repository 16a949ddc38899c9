# SPDX-License-Identifier: BSD-3-Clause
"""The cycles of the native CPU from those of the instruction set simulator."""
