# SPDX-License-Identifier: BSD-3-Clause
"""Report for any experiment: the figures that its file names, a row for each combination of labels.

`paper.columns` is a map of headings to keys of results.json or words of WORDS; `paper.in_percent` and `paper.thousands`
list headings that are shown times 100 or by the thousand. A value is the mean over the seeds with its 95 % interval.
With `base` a second table has the changes against the base's labels, seed by seed.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Mapping, Sequence

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.figures.data import NONE, Data, Report, digits, gain, signed, table
from tlmssd_lab.figures.experiment import CLOSED
from tlmssd_lab.figures.launch import listed
from tlmssd_lab.run.metrics import value_of
from tlmssd_lab.run.result import Result
from tlmssd_lab.stats import Interval, mean_interval

Labels = Mapping[str, str]


def _launch_ms(result: Result) -> float | None:
    """Mean time of a launch, without the first of each application."""
    times = [each["time_ms"] for each in listed(result) if each["number"] > 0]
    return statistics.fmean(times) if times else None


def _spent_s(result: Result) -> float | None:
    """Sum over all requests of the time from arrival to completion."""
    count, mean = (value_of(result.json, f"host.all.{key}") for key in ("count", "response_us.mean"))
    return None if count is None or mean is None else count * mean * 1e-6


WORDS: dict[str, Callable[[Result], "float | None"]] = {"launch_ms": _launch_ms, "spent_s": _spent_s}


def plain(data: Data) -> Report:
    """For each load and arrival the values, then the changes."""
    columns = columns_of(data)
    names = [dimension.name for dimension in data.experiment.dimensions]
    report = Report()
    for load, arrival in itertools.product((each.name for each in data.loads), data.experiment.arrivals):
        where = f"**{load}**" if arrival == CLOSED else f"**{load}**, arrivals: {arrival}"
        rows, changes = [], []
        for labels in combinations(data):
            cells = [_cell(data, key, load, arrival, labels, factor) for key, factor in columns.values()]
            rows.append([*labels.values(), *cells])
            base = {**labels, **data.experiment.base}
            if data.experiment.base and base != labels:
                cells = [_change(data, key, load, arrival, labels, base) for key, _ in columns.values()]
                changes.append([*labels.values(), *cells])
        report.parts.append(f"{where}\n\n{table([*names, *columns], rows, len(names))}")
        if changes:
            against = ", ".join(data.experiment.base.values())
            heads = table([*names, *columns], changes, len(names))
            report.parts.append(f"{where}: % more than with {against}, seed by seed\n\n{heads}")
    return report


def columns_of(data: Data) -> dict[str, tuple[str, float]]:
    """Key and factor by heading."""
    paper = data.experiment.paper
    columns = paper.get("columns")
    if not isinstance(columns, Mapping) or not columns:
        raise LabInputError(f"{data.experiment.name}: paper.columns: must be a map of headings to keys")
    factors = dict.fromkeys(paper.get("in_percent") or [], 100.0) | dict.fromkeys(paper.get("thousands") or [], 1e-3)
    for heading in factors:
        if heading not in columns:
            raise LabInputError(f"{data.experiment.name}: paper: '{heading}' is none of paper.columns")
    return {str(heading): (str(key), factors.get(heading, 1.0)) for heading, key in columns.items()}


def combinations(data: Data) -> list[dict[str, str]]:
    """Of the dimensions' labels, in the experiment's order."""
    names = [dimension.name for dimension in data.experiment.dimensions]
    labels = itertools.product(*(dimension.labels for dimension in data.experiment.dimensions))
    return [dict(zip(names, each, strict=True)) for each in labels]


def values(data: Data, key: str, load: str, arrival: str, labels: Labels) -> dict[int, float]:
    """By seed; without seeds that have no value."""
    take = WORDS.get(key) or (lambda result: value_of(result.json, key))
    found = {seed: take(result) for seed, result in data.results(load, arrival, **labels).items()}
    return {seed: value for seed, value in found.items() if value is not None}


def with_interval(found: Interval, show: Callable[[float], str], significant: int = 2) -> str:
    """Mean and half of the interval's width; the mean alone for one seed or where all seeds are equal."""
    half = found.half_width
    return show(found.mean) if not half else f"{show(found.mean)} ± {digits(half, significant)}"


def _cell(data: Data, key: str, load: str, arrival: str, labels: Labels, factor: float) -> str:
    found = [factor * value for value in values(data, key, load, arrival, labels).values()]
    return with_interval(mean_interval(found), lambda mean: digits(mean, 4)) if found else NONE


def _change(data: Data, key: str, load: str, arrival: str, labels: Labels, base: Labels) -> str:
    mine, its = values(data, key, load, arrival, labels), values(data, key, load, arrival, base)
    changes = [gain(mine[seed], its[seed]) for seed in mine if seed in its]
    known = [change for change in changes if change is not None]
    return with_interval(mean_interval(known), signed) if known else NONE
