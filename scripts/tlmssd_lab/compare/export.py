# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as CSV and JSON. docs/reference/comparison-files.md lists columns and keys."""

from __future__ import annotations

import csv
import io
import json
import os
import pathlib
from typing import Any

from tlmssd_lab.compare.model import Comparison, Group, Row, columns, records
from tlmssd_lab.stats import Interval, percent
from tlmssd_lab.files import write_whole
from tlmssd_lab.run.result import Result

SCHEMA = "tlmssd-compare-1"
NAME = "compare.json"
_STATUS = {0: "done", 2: "unfit", 3: "failed", 130: "interrupted"}


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
                "percent": percent(change.mean, group.base_figure(key)) if change else None,
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
