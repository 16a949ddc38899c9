# SPDX-License-Identifier: BSD-3-Clause
"""The result of a comparison: groups of rows, and a record for each figure of each row."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tlmssd_lab.stats import CONFIDENCE, Interval, percent
from tlmssd_lab.compare.variants import Load, Variant, varied_keys
from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.html_text import NONE, plain_table
from tlmssd_lab.run.errors import LabInterrupted
from tlmssd_lab.run.metrics import Metric, value_of
from tlmssd_lab.run.result import Result

if TYPE_CHECKING:
    import pandas

_FIGURES = [
    "figure",
    "unit",
    "seeds",
    "mean",
    "ci_low",
    "ci_high",
    "difference",
    "difference_ci_low",
    "difference_ci_high",
    "difference_percent",
    "differs",
]


@dataclass(frozen=True)
class Run:
    """One run of a row: its seed, its folder (None where it was a temporary one), and its result or
    error."""

    seed: int
    folder: pathlib.Path | None
    outcome: Result | LabError

    @property
    def result(self) -> Result:
        """The result; raises the error of a run that has none."""
        if isinstance(self.outcome, LabError):
            raise self.outcome
        return self.outcome


@dataclass
class Row:
    """A variant under one load.

    Attributes:
        name: short name of the variant.
        variant: its configuration and keys.
        runs: one per seed.
        status: "done"; "unfit": the input is refused; "failed": an error of the model; "interrupted".
        message: message of the program, where it is not done.
        figures: key of results.json and the interval of its mean; None where a seed lacks the value.
            Empty where the row is not done.
        differences: key and the interval of the paired difference from the group's base, in the
            unit of the figure. Empty for the base.
    """

    name: str
    variant: Variant
    runs: list[Run]
    status: str  # done; unfit: its input is refused; failed: an error of the model; interrupted
    message: str = ""
    figures: dict[str, Interval | None] = field(default_factory=dict)
    differences: dict[str, Interval | None] = field(default_factory=dict)  # to the group's base

    def values(self, key: str) -> list[float] | None:
        """The value of a key for each seed; None where a seed lacks it."""
        values = [value_of(run.result.json, key) for run in self.runs]
        known = [value for value in values if value is not None]
        return known if len(known) == len(values) else None


@dataclass
class Group:
    """All variants under one load. `base` is the first row that is done, None where none is."""

    load: Load
    rows: list[Row]
    base: Row | None = None

    def base_figure(self, key: str) -> Interval | None:
        """The figure of the base; None without one."""
        return None if self.base is None else self.base.figures.get(key)


@dataclass
class Comparison:
    """The runs of `compare`.

    Attributes:
        groups: one per load, in the order of the loads.
        variants: all variants.
        seeds: seeds that every variant has run with.
        metrics: the compared keys of results.json.
        confidence: level of the intervals, 0 to 1.
        interrupted: whether Ctrl-C ended it; seeds that were not finished are left out then.
        full: message of a full disk, or an empty text; unfinished seeds are left out then, too.
    """

    groups: list[Group]
    variants: list[Variant]
    seeds: list[int]
    metrics: list[Metric]
    confidence: float = CONFIDENCE
    interrupted: bool = False
    full: str = ""

    @property
    def rows(self) -> list[Row]:
        """The rows of all groups."""
        return [row for group in self.groups for row in group.rows]

    @property
    def status(self) -> int:
        """Exit status of the command: 130 interrupted, 3 the model failed in a run, 2 a value was refused
        or the disk is full, else 0."""
        if self.interrupted:
            return LabInterrupted.status
        if any(row.status == "failed" for row in self.rows):
            return 3
        return 0 if self.refused is None and not self.full else 2

    @property
    def refused(self) -> Row | None:
        """The first row with a value that every variant was refused with, such as a misspelt name. Two
        values that only conflict with each other are no error."""
        rows_of: dict[tuple[str, str], list[Row]] = {}
        for row in self.rows:
            rows_of.setdefault(("config", row.variant.config), []).append(row)
            for setting in row.variant.settings.items():
                rows_of.setdefault(setting, []).append(row)
        for rows in rows_of.values():
            if all(row.status == "unfit" for row in rows):
                return rows[0]
        return None

    @property
    def frame(self) -> pandas.DataFrame:
        """One row per load, variant and figure, as the CSV file has them: `workload`, `variant`,
        `config`, a column per varied key, `status`, `message`, `figure` (key of results.json),
        `unit`, `seeds`, `mean`, `ci_low`, `ci_high`, `difference` to the first variant with its
        interval and percentage, `differs` (whether the interval excludes 0)."""
        import pandas

        return pandas.DataFrame(records(self), columns=columns(self))


    def _repr_html_(self) -> str:
        """For each load the means of the variants and their differences from the first."""
        return "".join(_html(self, group) for group in self.groups)


class LabNotWritten(LabInputError):
    """compare.json cannot be written; `comparison` is what it would have held."""

    def __init__(self, message: str, comparison: Comparison) -> None:
        super().__init__(message)
        self.comparison = comparison


def columns(comparison: Comparison) -> list[str]:
    """The keys of each record, which head the columns of the CSV file."""
    return [
        "workload",
        "variant",
        "config",
        *varied_keys(comparison.variants),
        "status",
        "message",
        *_FIGURES,
    ]


def records(comparison: Comparison) -> list[dict[str, Any]]:
    """A row for each load, variant and figure; one without a figure for what did not run."""
    rows = []
    for group in comparison.groups:
        for row in group.rows:
            head = {
                "workload": group.load.name,
                "variant": row.name,
                "config": row.variant.config,
                **{key: row.variant.settings.get(key) for key in varied_keys(comparison.variants)},
                "status": row.status,
                "message": row.message,
            }
            if row.status != "done":
                rows.append({**head, **dict.fromkeys(_FIGURES)})
            for metric in comparison.metrics if row.status == "done" else ():
                rows.append({**head, **_figure(group, row, metric.key, metric.unit)})
    return rows


def _figure(group: Group, row: Row, key: str, unit: str) -> dict[str, Any]:
    figure = row.figures[key]
    change = row.differences.get(key)
    values = [key, unit, len(row.runs)]
    values += [figure.mean, figure.low, figure.high] if figure else [None] * 3
    values += [change.mean, change.low, change.high] if change else [None] * 3
    values.append(percent(change.mean, group.base_figure(key)) if change else None)
    values.append(change.excludes_zero if change and change.n > 1 else None)
    return dict(zip(_FIGURES, values, strict=True))


_DIFFERENCES = (("host.all.iops", "IOPS"), ("host.all.latency_us.mean", "mean"),
                ("host.all.latency_us.p99", "p99"))


def _html(comparison: Comparison, group: Group) -> str:
    """One table: intervals of the means, then paired differences in % of the first variant's mean."""
    columns = [(metric, metric.column) for metric in comparison.metrics if metric.column is not None]
    head = ["variant", *(column[0] for _, column in columns)]
    several = sum(row.status == "done" for row in group.rows) > 1
    head += [f"\u0394 {name} %" for _, name in _DIFFERENCES] if several else []
    rows = []
    for row in group.rows:
        cells = [row.name]
        if row.status != "done":
            cells += [f"{row.status}: {row.message}"] + [""] * (len(head) - 2)
        else:
            cells += [_cell(row.figures[metric.key], *column[1:]) for metric, column in columns]
            cells += [_change(group, row, key) for key, _ in _DIFFERENCES] if several else []
        rows.append(cells)
    seeds = f"{len(comparison.seeds)} seed{'s' if len(comparison.seeds) != 1 else ''}"
    caption = f"{group.load.name}, {seeds}"
    if len(comparison.seeds) > 1:
        caption += f"; \u00b1 and [ ]: {100 * comparison.confidence:g} % intervals"
    if several and group.base is not None:
        caption += f"; \u0394: difference from {group.base.name}, * where the interval excludes 0"
    return plain_table(caption, head, rows)


def _cell(figure: Interval | None, factor: float, decimals: int) -> str:
    if figure is None:
        return NONE
    text = f"{figure.mean * factor:,.{decimals}f}"
    half = figure.half_width
    return text if half is None else f"{text} \u00b1 {half * factor:,.{decimals}f}"


def _change(group: Group, row: Row, key: str) -> str:
    change = row.differences.get(key)
    base = group.base_figure(key)
    if change is None or row is group.base:
        return ""
    mean, low, high = (percent(value, base) for value in (change.mean, change.low, change.high))
    if mean is None:
        return NONE
    interval = "" if low is None or high is None else f" [{low:+.1f}, {high:+.1f}]"
    return f"{mean:+.1f}{interval}{' *' if change.excludes_zero else ''}"
