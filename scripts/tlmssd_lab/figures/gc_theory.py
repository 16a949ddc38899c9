# SPDX-License-Identifier: BSD-3-Clause
"""Write amplification of garbage collection under uniform random writes, as published:
docs/explanation/gc-victims.md has the equations and sources. `op` is spare / logical pages, n the pages of a block."""

from __future__ import annotations

import math
from collections.abc import Callable


def zero_of(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that grows is 0, between two points."""
    for _ in range(60):
        middle = (low + high) / 2
        if function(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def greedy(op: float, n: int) -> float:
    """(q / j + 1 / (j + 1) + ... + 1 / n) n / (1 + op) = n - j + q; A = n / (n - j + q). With so much spare
    that 1 + op is more than 1 + 1 / 2 + ... + 1 / n, victims are empty."""
    mean, harmonic = n / (1 + op), 0.0
    for j in range(n, 0, -1):
        q = (harmonic * mean - (n - j)) / (1 - mean / j) if mean != j else -1.0
        if 0 < q <= 1:
            return n / (n - j + q)
        harmonic += 1 / j
    return 1.0


def fifo(op: float) -> float:
    """u = exp(-(1 + op)(1 - u)), A = 1 / (1 - u)."""
    return 1 / zero_of(lambda g: g - 1 + math.exp(-(1 + op) * g), 1e-6, 1.0)


def choices(op: float, n: int, d: float) -> float:
    """d-choices, where blocks without an invalid page are not taken; 1 is random."""

    def shares(rate: float) -> list[float]:
        """Of blocks with more than i valid pages."""
        s = [0.0] * n
        s[n - 1] = whole = 1 / (rate * n)
        for i in range(n - 2, -1, -1):
            above = s[i + 1]

            def excess(x: float) -> float:
                return rate * (i + 1) * (x - above) - (1 - x**d) / (1 - whole**d)

            s[i] = zero_of(excess, above, 1.0)
        return s

    rate = zero_of(lambda r: n / (1 + op) - sum(shares(r)), 1.0001 / n, 10.0)
    s = shares(rate)
    victim = sum(1 - (1 - x**d) / (1 - s[n - 1] ** d) for x in s)
    return n / (n - victim)


def idle_blocks(waf: float, blocks: int, per_plane: float, n: int) -> float:
    """Blocks of a plane that must hold nothing for greedy to have this amplification; `per_plane`
    is its share of the logical pages."""
    most = blocks - per_plane / n * 1.001
    return zero_of(lambda idle: greedy((blocks - idle) * n / per_plane - 1, n) - waf, 0.0, most)


def apart(op: float, n: int, hot_pages: float, hot_writes: float) -> float:
    """Hot and cold pages in blocks of their own, each collected greedily, with the best division of
    the spare pages: nobody who only separates the two can be below."""
    best = math.inf
    for i in range(1, 1000):
        spare = op * i / 1000
        hot, cold = spare / hot_pages, (op - spare) / (1 - hot_pages)
        if min(hot, cold) > 0.002:
            found = hot_writes * greedy(hot, n) + (1 - hot_writes) * greedy(cold, n)
            best = min(best, found)
    return best
