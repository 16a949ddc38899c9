# SPDX-License-Identifier: BSD-3-Clause
"""Report of the spread over the channels by number of requests (CAWR, Table 4), and of its exponent."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Mapping, Sequence

from tlmssd_lab.figures.cawr import LEAST_MOVED, MOVED, OPERATIONS, value_of_channels, variation
from tlmssd_lab.figures.data import NONE, Data, Report, digits, gain, signed, table
from tlmssd_lab.figures.experiment import OWN
from tlmssd_lab.figures.plain import with_interval
from tlmssd_lab.run.metrics import value_of
from tlmssd_lab.stats import mean_interval

REQUESTS = "requests"  # the dimension


def exponent(spread: Mapping[float, float]) -> float | None:
    """Slope of ln(spread) over ln(requests) by least squares; -0.5 for independent draws. None with fewer than two
    spreads above 0."""
    known = {math.log(n): math.log(value) for n, value in spread.items() if value > 0}
    if len(known) < 2:
        return None
    return statistics.linear_regression(list(known), list(known.values())).slope


def _spreads(data: Data, operation: str, load: str, labels: Mapping[str, str]) -> dict[int, float]:
    """By seed; a seed without such operations has no value."""
    results = data.results(load, OWN, **labels)
    found = {seed: variation(value_of_channels(r.json, OPERATIONS[operation])) for seed, r in results.items()}
    return {seed: value for seed, value in found.items() if value is not None}


def _shown(found: Sequence[float], decimals: int) -> str:
    return with_interval(mean_interval(found), lambda mean: f"{mean:.{decimals}f}") if found else NONE


def _exponents(lengths: Sequence[str], spreads: Sequence[Mapping[int, float]]) -> list[float]:
    """A slope per seed."""
    seeds = sorted(set().union(*spreads))
    by_seed = [{float(n): found[seed] for n, found in zip(lengths, spreads, strict=True) if seed in found}
               for seed in seeds]
    return [slope for slope in map(exponent, by_seed) if slope is not None]


def cawr_length(data: Data) -> Report:
    """For each load, scheme and operation the spread at each length, and the slope; then pages moved."""
    lengths = data.labels(REQUESTS)
    others = [d for d in data.experiment.dimensions if d.name != REQUESTS]
    names = [dimension.name for dimension in others]
    paper = data.experiment.paper["variation"]
    report = Report()
    for load in (each.name for each in data.loads):
        rows = []
        for labels in _combinations(others):
            for operation in OPERATIONS:
                spreads = [_spreads(data, operation, load, {**labels, REQUESTS: n}) for n in lengths]
                its = paper.get(load, {}).get(labels["scheme"], {}).get(operation)
                cells = [_shown(list(found.values()), 4) for found in spreads]
                slope = _shown(_exponents(lengths, spreads), 2)
                rows.append([*labels.values(), operation, NONE if its is None else digits(its), *cells, slope])
        heads = [*names, "operations", "paper", *(f"{int(n):,}" for n in lengths), "exponent"]
        report.parts.append(
            f"**{load}**: coefficient of variation over the channels, by number of requests; exponent: slope of its"
            f" logarithm over that of the requests, seed by seed\n\n{table(heads, rows, len(names) + 1)}"
        )
    report.parts.append(_moved(data, lengths))
    return report


def _combinations(dimensions: Sequence) -> list[dict[str, str]]:
    names = [dimension.name for dimension in dimensions]
    return [dict(zip(names, each, strict=True)) for each in itertools.product(*(d.labels for d in dimensions))]


def _moved(data: Data, lengths: Sequence[str]) -> str:
    """Pages moved by garbage collection, CAWR over CCF-LRU in turn, seed by seed."""
    others = [d for d in data.experiment.dimensions if d.name not in (REQUESTS, "scheme")]
    rows = []
    for load, labels in itertools.product((each.name for each in data.loads), _combinations(others)):
        cells = []
        for n in lengths:
            mine, its = ({seed: value_of(r.json, MOVED) for seed, r in
                          data.results(load, OWN, **labels, scheme=scheme, requests=n).items()}
                         for scheme in ("cawr", "rr"))
            changes = [gain(mine[seed], its[seed]) for seed in mine if (its.get(seed) or 0) >= LEAST_MOVED]
            known = [change for change in changes if change is not None]
            cells.append(with_interval(mean_interval(known), signed) if known else NONE)
        rows.append([load, *labels.values(), *cells])
    heads = ["load", *(d.name for d in others), *(f"{int(n):,}" for n in lengths)]
    return (
        f"Pages moved, CAWR over CCF-LRU in turn, %, by number of requests, where the latter moves {LEAST_MOVED:,}:"
        f"\n\n{table(heads, rows, len(others) + 1)}"
    )
