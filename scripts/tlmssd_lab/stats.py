# SPDX-License-Identifier: BSD-3-Clause
"""Means and confidence intervals by Student's t; docs/guides/compare.md has the formulas."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean and its confidence interval.

    Attributes:
        n: number of values.
        mean: their mean.
        low, high: bounds of the interval; None with fewer than two values.
    """

    n: int
    mean: float
    low: float | None
    high: float | None

    @property
    def half_width(self) -> float | None:
        """Half of high - low; None without an interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def excludes_zero(self) -> bool:
        """Whether 0 lies outside; False where there is no interval."""
        return (self.low is not None and self.low > 0) or (self.high is not None and self.high < 0)


def t_quantile(probability: float, degrees: int) -> float:
    """Quantile of Student's t distribution with `degrees` degrees of freedom."""
    from scipy.special import stdtrit  # slow to import, and only needed here

    return float(stdtrit(degrees, probability))


def mean_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """mean +- t * s / sqrt(n), t the (1 + confidence) / 2 quantile with n - 1 degrees of freedom
    and s the sample's standard deviation (divisor n - 1). Needs a value at least."""
    n = len(values)
    mean = statistics.mean(values)  # exact sums: equal values have a deviation of exactly 0
    if n < 2:
        return Interval(n, mean, None, None)
    half = t_quantile((1 + confidence) / 2, n - 1) * statistics.stdev(values) / math.sqrt(n)
    return Interval(n, mean, mean - half, mean + half)


def paired_interval(
    first: Sequence[float], other: Sequence[float], confidence: float = CONFIDENCE
) -> Interval:
    """mean_interval of the differences other - first, pair by pair."""
    return mean_interval([b - a for a, b in zip(first, other, strict=True)], confidence)


def percent(difference: float | None, base: Interval | None) -> float | None:
    """A difference in % of the base's mean; None where that mean is 0 or one of them is missing."""
    if difference is None or base is None or base.mean == 0:
        return None
    return 100 * difference / abs(base.mean)
