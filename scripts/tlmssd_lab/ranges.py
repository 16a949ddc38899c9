# SPDX-License-Identifier: BSD-3-Clause
"""Ranges of numbers: what a sweep varies and a fit searches."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`; `steps` of them in a grid."""

    low: float
    high: float
    steps: int | None
    log: bool
    integer: bool

    def at(self, fraction: float) -> float | int:
        """0 gives `low`, 1 gives `high`."""
        if self.log:
            value = self.low * (self.high / self.low) ** fraction
        else:
            value = self.low + fraction * (self.high - self.low)
        value = min(max(value, self.low), self.high)
        return round(value) if self.integer else float(f"{value:.9g}")

    def grid(self) -> list[float | int]:
        assert self.steps is not None
        ends = max(1, self.steps - 1)
        return list(dict.fromkeys(self.at(number / ends) for number in range(self.steps)))
