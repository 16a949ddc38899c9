# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as CSV and JSON. docs/lab.md lists the columns and keys."""

from __future__ import annotations

import csv
import io
import json
import os
import pathlib
from typing import TYPE_CHECKING, Any

from tlmssd_lab.compare.stats import Interval
from tlmssd_lab.compare.variants import varied_keys
from tlmssd_lab.files import write_whole
from tlmssd_lab.run.result import Result

if TYPE_CHECKING:
    from tlmssd_lab.compare.compare import Comparison, Group, Row

SCHEMA = "tlmssd-compare-1"
NAME = "compare.json"
_STATUS = {0: "done", 2: "unfit", 3: "failed", 130: "interrupted"}

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


def columns(comparison: Comparison) -> list[str]:
    return [
        "workload",
        "variant",
        "config",
        *varied_keys(comparison.variants),
        "status",
        "message",
        *_FIGURES,
    ]


def percent(difference: float | None, base: Interval | None) -> float | None:
    """A difference in per cent of the base's mean; None where that says nothing."""
    if difference is None or base is None or base.mean == 0:
        return None
    return 100 * difference / abs(base.mean)


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


def csv_text(comparison: Comparison) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns(comparison), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records(comparison))
    return text.getvalue()


def document(comparison: Comparison, beside: pathlib.Path | None = None) -> dict[str, Any]:
    """The JSON document; folders of runs are given relative to `beside`, where that is named."""
    return {
        "schema": SCHEMA,
        "status": "interrupted" if comparison.full else _STATUS[comparison.status],
        "seeds": comparison.seeds,
        "confidence": comparison.confidence,
        "figures": {metric.key: {"unit": metric.unit} for metric in comparison.metrics},
        "workloads": [
            {
                "workload": group.load.name,
                "trace": os.fspath(group.load.trace.path) if group.load.trace else None,
                "base": group.base.name if group.base else None,
                "variants": [_variant(group, row, beside) for row in group.rows],
            }
            for group in comparison.groups
        ],
    }


def _variant(group: Group, row: Row, beside: pathlib.Path | None) -> dict[str, Any]:
    done = row.status == "done"
    return {
        "variant": row.name,
        "config": row.variant.config,
        "settings": dict(row.variant.settings),
        "status": row.status,
        "message": row.message,
        "runs": [
            {
                "seed": run.seed,
                "folder": _relative(run.folder, beside),
                "config_hash": run.outcome.config_hash if isinstance(run.outcome, Result) else None,
                "message": "" if isinstance(run.outcome, Result) else str(run.outcome),
            }
            for run in row.runs
        ],
        "figures": {
            key: {
                "values": row.values(key),
                **_interval(figure),
            }
            for key, figure in row.figures.items()
        }
        if done
        else {},
        "differences": {
            key: {
                **_interval(change),
                "percent": percent(change.mean, group.base.figures[key]) if change else None,
                "differs": change.excludes_zero if change and change.n > 1 else None,
            }
            for key, change in row.differences.items()
        }
        if done
        else {},
    }


def _interval(interval: Interval | None) -> dict[str, float | None]:
    if interval is None:
        return {"mean": None, "ci_low": None, "ci_high": None}
    return {"mean": interval.mean, "ci_low": interval.low, "ci_high": interval.high}


def _relative(folder: pathlib.Path | None, beside: pathlib.Path | None) -> str | None:
    if folder is None:
        return None
    return os.path.relpath(folder, beside) if beside is not None else os.fspath(folder)


def write_csv(comparison: Comparison, path: pathlib.Path) -> None:
    write_whole(path, csv_text(comparison))


def write_json(comparison: Comparison, path: pathlib.Path) -> None:
    write_whole(path, json.dumps(document(comparison, path.parent), indent=1) + "\n")
