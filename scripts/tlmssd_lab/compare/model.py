# SPDX-License-Identifier: BSD-3-Clause
"""The results of a comparison: groups of rows, and a record for each figure of each row."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tlmssd_lab.compare.stats import CONFIDENCE, Interval, percent
from tlmssd_lab.compare.variants import Load, Variant, varied_keys
from tlmssd_lab.errors import LabError, LabInputError
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
    """A seed of a row: its folder, None where it was a temporary one, and its result or error."""

    seed: int
    folder: pathlib.Path | None
    outcome: Result | LabError


@dataclass
class Row:
    """A variant under one load. Figures and differences are empty unless status is done."""

    name: str
    variant: Variant
    runs: list[Run]
    status: str  # done; unfit: its input is refused; failed: an error of the model; interrupted
    message: str = ""
    figures: dict[str, Interval | None] = field(default_factory=dict)
    differences: dict[str, Interval | None] = field(default_factory=dict)  # to the group's base

    def values(self, key: str) -> list[float] | None:
        """One value per seed; None where any is undefined."""
        values = [value_of(run.outcome.json, key) for run in self.runs]
        return None if any(value is None for value in values) else values


@dataclass
class Group:
    """All variants under one load; `base` is the first that ran, None where none did."""

    load: Load
    rows: list[Row]
    base: Row | None = None


@dataclass
class Comparison:
    """What `compare` has found, and its exit status."""

    groups: list[Group]
    variants: list[Variant]
    seeds: list[int]  # those that every variant has run with
    metrics: list[Metric]
    confidence: float = CONFIDENCE
    interrupted: bool = False
    full: str = ""  # the message of a full disk: seeds that were not done then are left out

    @property
    def rows(self) -> list[Row]:
        return [row for group in self.groups for row in group.rows]

    @property
    def status(self) -> int:
        """130 interrupted, 3 where the model failed in any run, 2 where a value was refused or the
        disk was full, else 0."""
        if self.interrupted:
            return LabInterrupted.status
        if any(row.status == "failed" for row in self.rows):
            return 3
        return 0 if self.refused is None and not self.full else 2

    @property
    def refused(self) -> Row | None:
        """The first row of a value that was refused in every row, such as a misspelt name. Two values
        that conflict, and each run with others, are no error."""
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
        """The rows of the CSV file: one for each load, variant and figure."""
        import pandas

        return pandas.DataFrame(records(self), columns=columns(self))


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
    values.append(percent(change.mean, group.base.figures[key]) if change else None)
    values.append(change.excludes_zero if change and change.n > 1 else None)
    return dict(zip(_FIGURES, values, strict=True))
