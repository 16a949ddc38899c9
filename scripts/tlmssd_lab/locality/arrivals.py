# SPDX-License-Identifier: BSD-3-Clause
"""Bursts of arrivals: gaps that are exponential with one of two means (docs/explanation/locality.md)."""

from __future__ import annotations

import dataclasses

import numpy as np

from tlmssd_lab.locality.stack import Floats

_ROUNDS = 300  # of expectation and maximisation
_LEAST_RATIO = 3.0  # of the two means; below it the gaps are taken as of one Poisson process
_SHORTEST_S = 1e-9


@dataclasses.dataclass(frozen=True)
class Arrivals:
    """`burst`: mean number of requests of a burst, 1: a Poisson process. `gap_s`: mean gap inside a burst."""

    rate: float  # requests per second; 0: there are no times
    burst: float = 1.0
    gap_s: float = 0.0

    def variation(self) -> float:
        """Squared coefficient of variation of the gaps; 1: a Poisson process."""
        if self.rate == 0:
            return 0.0
        mean = 1 / self.rate
        between = self.burst * mean - (self.burst - 1) * self.gap_s
        share = 1 / self.burst
        return 2 * (share * between**2 + (1 - share) * self.gap_s**2) / mean**2 - 1


def gaps_of(arrival_s: Floats) -> Floats:
    return np.maximum(np.diff(arrival_s), 0.0)


def variation(gaps: Floats) -> float:
    mean = float(gaps.mean()) if len(gaps) else 0.0
    return float(gaps.var()) / mean**2 if mean > 0 else 0.0


def fit_arrivals(gaps: Floats) -> Arrivals:
    """The mixture of two exponentials that makes these gaps most likely; their mean is met exactly."""
    mean = float(gaps.mean()) if len(gaps) else 0.0
    if mean <= 0:
        return Arrivals(0.0)
    seen = np.maximum(gaps, _SHORTEST_S)
    middle = np.median(seen)
    within, between = float(seen[seen <= middle].mean()), float(seen[seen >= middle].mean())
    share = 0.5  # of the gaps between bursts
    for _ in range(_ROUNDS):
        long = share / between * np.exp(-seen / between)
        short = (1 - share) / within * np.exp(-seen / within)
        belongs = long / np.maximum(long + short, 1e-300)
        belongs[seen > 50 * between] = 1.0  # where both are 0 in floating point
        share = float(np.clip(belongs.mean(), 1e-6, 1 - 1e-6))
        between = float((belongs * seen).sum() / belongs.sum())
        within = float(((1 - belongs) * seen).sum() / max((1 - belongs).sum(), 1e-9))
    if between < _LEAST_RATIO * within:
        return Arrivals(1 / mean)
    return Arrivals(1 / mean, 1 / share, within)
