# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the reports of experiments: the results of all points, tables, numbers as text."""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tlmssd_lab.figures.experiment import CLOSED, Experiment
from tlmssd_lab.figures.experiment_points import ExperimentLoad
from tlmssd_lab.figures.experiment_run import Done
from tlmssd_lab.run.errors import LabInterrupted
from tlmssd_lab.run.metrics import METRICS, value_of
from tlmssd_lab.run.result import Result
from tlmssd_lab.stats import Interval, mean_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NONE = "-"


# Of these a report says how far the intervals reach, unless its table has others.
SPREAD = {
    "IOPS": "host.all.iops",
    "mean latency": "host.all.latency_us.mean",
    "99 % latency": "host.all.latency_us.p99",
}


@dataclass
class Report:
    """Markdown; drawings and CSV texts by the end of their file's name ("" for the only drawing)."""

    parts: list[str] = field(default_factory=list)
    drawings: dict[str, Figure] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    spread: Mapping[str, str] = field(default_factory=lambda: SPREAD)


class Data:
    """The outcomes of an experiment by load, arrival and labels."""

    def __init__(self, experiment: Experiment, done: Sequence[Done]) -> None:
        self.experiment = experiment
        self.done = done
        self.loads: list[ExperimentLoad] = []
        self._results: dict[tuple, dict[int, Result]] = {}
        for item in done:
            point = item.point
            if point.load.name not in [load.name for load in self.loads]:
                self.loads.append(point.load)
            if isinstance(item.outcome, Result):
                key = self._key(point.load.name, point.arrival, point.labels)
                self._results.setdefault(key, {})[point.seed] = item.outcome

    @staticmethod
    def _key(load: str, arrival: str, labels: Mapping[str, str]) -> tuple:
        return load, arrival, tuple(sorted(labels.items()))

    def where(self, **labels: str) -> Data:
        """The part with these labels, which its results then do without."""
        part = Data(self.experiment, [])
        part.done, part.loads, wanted = self.done, self.loads, set(labels.items())
        for (load, arrival, found), results in self._results.items():
            if wanted <= set(found):
                part._results[load, arrival, tuple(sorted(set(found) - wanted))] = results
        return part

    def labels(self, dimension: str) -> list[str]:
        return list(next(d.labels for d in self.experiment.dimensions if d.name == dimension))

    def results(self, load: str, arrival: str = CLOSED, **labels: str) -> dict[int, Result]:
        """By seed; what failed is not in it."""
        return self._results.get(self._key(load, arrival, labels), {})

    def mean(self, key: str, load: str, arrival: str = CLOSED, **labels: str) -> float | None:
        """Over the seeds; None where there is none or the value is undefined."""
        values = [value_of(r.json, key) for r in self.results(load, arrival, **labels).values()]
        known = [value for value in values if value is not None]
        return statistics.fmean(known) if known and len(known) == len(values) else None

    def each(self, key: str) -> Iterator[tuple[str, Interval]]:
        """Name and interval of every point that has the value; over the seeds."""
        for (load, arrival, labels), results in self._results.items():
            found = [value_of(result.json, key) for result in results.values()]
            known = [value for value in found if value is not None]
            if known:
                words = [load, *(label for _, label in labels), *([arrival] if arrival != CLOSED else [])]
                yield ", ".join(words), mean_interval(known)

    def lost(self) -> list[str]:
        """A line for each point that has no result."""
        lines = []
        for item in self.done:
            if not isinstance(item.outcome, Result):
                word = "interrupted" if isinstance(item.outcome, LabInterrupted) else "failed"
                lines.append(f"{item.point.name} ({word}): {str(item.outcome).splitlines()[0]}")
        return lines


def kinds(loads: Iterable[ExperimentLoad]) -> dict[str, list[str]]:
    """Names of the loads: presets; fitted, if there are any; pieces of traces."""
    found: dict[str, list[str]] = {"presets": [], "fitted": [], "pieces": []}
    for load in loads:
        found["pieces" if load.trace is not None else "fitted" if load.fitted else "presets"].append(load.name)
    if not found["fitted"]:
        del found["fitted"]
    return found


def total(values: Iterable[float | None]) -> float | None:
    """The sum; None where one of them is undefined."""
    found = 0.0
    for value in values:
        if value is None:
            return None
        found += value
    return found


def ratio(value: float | None, base: float | None) -> float | None:
    return value / base if value is not None and base else None


def gain(value: float | None, base: float | None) -> float | None:
    """value / base - 1 in %."""
    found = ratio(value, base)
    return None if found is None else 100 * (found - 1)


def reduction(value: float | None, base: float | None) -> float | None:
    """1 - value / base in %."""
    found = gain(value, base)
    return None if found is None else -found


def mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def geometric_mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None and value > 0]
    return math.exp(statistics.fmean(map(math.log, known))) if known else None


def number(value: float | None, decimals: int = 1) -> str:
    return NONE if value is None else f"{value:,.{decimals}f}"


def digits(value: float | None, significant: int = 3) -> str:
    """With `significant` digits, without an exponent."""
    if value is None:
        return NONE
    if value == 0:
        return "0"
    places = max(0, significant - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{places}f}"


def signed(value: float | None, decimals: int = 1) -> str:
    return NONE if value is None else f"{round(value, decimals) + 0.0:+.{decimals}f}"  # no -0.0


def table(headings: Sequence[str], rows: Sequence[Sequence[Any]], left: int = 1) -> str:
    """A Markdown table; all but the first `left` columns stand right."""
    lines = ["| " + " | ".join(headings) + " |"]
    lines.append("|" + "|".join("---" if i < left else "---:" for i in range(len(headings))) + "|")
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def caption(experiment: Experiment) -> str:
    """How the numbers were made: form, limits, seeds."""
    words = [f"`tlmssd-lab figure {experiment.name}{' --quick' if experiment.quick else ''}`"]
    if experiment.quick:
        words.append("**quick form**, with fewer loads and requests than the full one")
    limits = []
    if experiment.max_requests:
        limits.append(f"{experiment.max_requests:,} requests")
    if experiment.max_mib:
        limits.append(f"{experiment.max_mib:,} MiB")
    if limits:
        words.append(f"at most {' and '.join(limits)} a point")
    seeds = len(experiment.seeds)
    words.append(f"{seeds} seed{'s' if seeds > 1 else ''}")
    return "; ".join(words) + "."


def intervals(data: Data, keys: Mapping[str, str] = SPREAD) -> str:
    """How far the 95 % intervals of the points reach, in % of their means: what a table of means alone hides."""
    if len(data.experiment.seeds) < 2:
        return "One seed: no intervals."
    parts = []
    for name, key in keys.items():
        widths = {
            where: 100 * half / abs(found.mean)
            for where, found in data.each(key)
            if (half := found.half_width) is not None and found.mean
        }
        if widths:
            widest = max(widths, key=widths.__getitem__)
            parts.append(
                f"{name} ± {digits(statistics.median(widths.values()), 2)} (median of the points), "
                f"at most ± {digits(widths[widest], 2)} ({widest})"
            )
    if not parts:
        return "No point has two seeds: no intervals."
    return "95 % intervals over the seeds, in % of a point's mean: " + "; ".join(parts) + "."


def csv_text(experiment: Experiment, done: Sequence[Done]) -> str:
    """A row per point: what it was, and the figures that compare and diff show."""
    names = [dimension.name for dimension in experiment.dimensions]
    keys = [metric.key for metric in METRICS]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["load", *names, "arrival", "seed", "status", "requests", *keys])
    for record in records(done):
        row = [record["load"], *(record["labels"][name] for name in names)]
        row += [record["arrival"], record["seed"], record["status"]]
        if "figures" in record:
            row += [record["requests"], *record["figures"].values()]
        writer.writerow(row)
    return text.getvalue()


def records(done: Sequence[Done]) -> list[dict[str, Any]]:
    """For --json: a map per point. `status` is "done", or the first line of the error."""
    found: list[dict[str, Any]] = []
    for item in done:
        point, outcome = item.point, item.outcome
        record = {
            "load": point.load.name,
            "labels": dict(point.labels),
            "arrival": point.arrival,
            "seed": point.seed,
        }
        if isinstance(outcome, Result):
            figures = {metric.key: value_of(outcome.json, metric.key) for metric in METRICS}
            record |= {"status": "done", "requests": outcome.all.count, "figures": figures}
        else:
            record["status"] = str(outcome).splitlines()[0]
        found.append(record)
    return found
