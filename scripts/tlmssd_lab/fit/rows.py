# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a fit: a workload, its measurement, and the figure of the model to compare with."""

from __future__ import annotations

import csv
import math
import pathlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tlmssd_lab.errors import LabInputError, nearest
from tlmssd_lab.run.settings import known_keys, settings_of, split_setting, unknown_key

FIT, PREDICT = "fit", "predict"
ROW_KEYS = ("name", "figure", "workload", "bs", "set", "value", "unit", "metric", "weight", "use")

RENAMED = {"corner": "figure"}

_SMALL, _LARGE = "4096", "131072"
DATASHEET_FIGURES: dict[str, tuple[str, str, int]] = {  # workload.rw, workload.bs, host.queue_depth
    "SR": ("read", _LARGE, 32),
    "SW": ("write", _LARGE, 32),
    "RR1": ("randread", _SMALL, 1),
    "RR32": ("randread", _SMALL, 32),
    "RW1": ("randwrite", _SMALL, 1),
    "RW32": ("randwrite", _SMALL, 32),
}
# What a unit measures, and its factor to the unit of results.json.
UNITS: dict[str, tuple[str, float]] = {
    "MB/s": ("mb_s", 1.0),
    "MiB/s": ("mb_s", 1.048576),
    "kB/s": ("mb_s", 1e-3),
    "KiB/s": ("mb_s", 1.024e-3),
    "GB/s": ("mb_s", 1e3),
    "IOPS": ("iops", 1.0),
    "kIOPS": ("iops", 1e3),
    "ns": ("latency", 1e-3),
    "us": ("latency", 1.0),
    "ms": ("latency", 1e3),
}
_TIMES = ("mean", "p50", "p95", "p99", "p999", "p9999", "max")
METRIC_KEYS: dict[str, str] = {  # dotted key of results.json and what it measures
    **{f"host.{who}.{what}": what for who in ("all", "reads", "writes") for what in ("mb_s", "iops")},
    **{
        f"host.{who}.{which}_us.{time}": "latency"
        for who in ("all", "reads", "writes")
        for which in ("latency", "response")
        for time in _TIMES
    },
}
_DEFAULT = {
    "mb_s": "host.all.mb_s",
    "iops": "host.all.iops",
    "latency": "host.all.latency_us.mean",
}


def _unknown(message: str, key: str) -> str:
    """The message for a key that no row has."""
    if key in RENAMED:
        return f"was renamed to '{RENAMED[key]}'"
    return f"{message}{nearest(key, ROW_KEYS)}"


@dataclass(frozen=True)
class Row:
    """`measured` in the unit of results.json, `shown` and `unit` as the table has it; `where` is
    file and line."""

    name: str
    where: str
    preset: str | None
    settings: Mapping[str, str]
    metric: str
    measured: float
    unit: str
    weight: float
    use: str

    @property
    def load(self) -> tuple[str | None, tuple[tuple[str, str], ...]]:
        """The workload and keys of its run; rows that are alike in both share a run."""
        return self.preset, tuple(sorted(self.settings.items()))

    def shown(self, value: float) -> float:
        """A value of results.json in the row's unit."""
        return value / UNITS[self.unit][1]


Refuse = Callable[[str, str], LabInputError]  # (text, key of the row)


def row_of(values: Mapping[str, Any], where: str, refuse: Refuse) -> Row:
    """A row from the keys of ROW_KEYS, texts or what YAML makes of them."""
    for key in values:
        if key not in ROW_KEYS:
            raise refuse(_unknown("no such key of a row", str(key)), str(key))
    settings: dict[str, str] = {}
    figure, preset = values.get("figure"), values.get("workload")
    if figure is not None and preset is not None:
        raise refuse("conflicts with figure; use one of them", "workload")
    if figure is None and preset is None and not values.get("set"):
        raise refuse("a row needs figure, workload or set", "figure")
    if figure is not None:
        if figure not in DATASHEET_FIGURES:
            hint = nearest(str(figure), DATASHEET_FIGURES)
            raise refuse(f"'{figure}' is none of {', '.join(DATASHEET_FIGURES)}{hint}", "figure")
        rw, size, depth = DATASHEET_FIGURES[figure]
        settings = {"workload.rw": rw, "workload.bs": size, "host.queue_depth": str(depth)}
    if preset is not None and not isinstance(preset, str):
        raise refuse("must be the name of a workload", "workload")
    if values.get("bs") is not None:
        settings["workload.bs"] = str(values["bs"])
    settings.update(checked_settings(values.get("set") or {}, lambda text: refuse(text, "set")))
    unit = values.get("unit")
    if unit not in UNITS:
        what = "is missing" if unit is None else f"'{unit}' is none of {', '.join(UNITS)}"
        raise refuse(what + nearest(str(unit), UNITS), "unit")
    kind, factor = UNITS[unit]
    metric = values.get("metric") or _DEFAULT[kind]
    if metric not in METRIC_KEYS:
        hint = nearest(str(metric), METRIC_KEYS)
        raise refuse(f"'{metric}' is no measured key of results.json{hint}", "metric")
    if METRIC_KEYS[metric] != kind:
        fitting = ", ".join(name for name, (k, _) in UNITS.items() if k == METRIC_KEYS[metric])
        raise refuse(f"'{unit}' conflicts with {metric}; use one of {fitting}", "unit")
    use = values.get("use", FIT)
    if use not in (FIT, PREDICT):
        raise refuse(f"'{use}' is neither fit nor predict{nearest(str(use), (FIT, PREDICT))}", "use")
    value = _number(values, "value", None, refuse)
    weight = _number(values, "weight", 1.0, refuse)
    name = values.get("name") or figure or preset or settings.get("workload.rw") or where
    return Row(str(name), where, preset, settings, metric, value * factor, unit, weight, use)


def checked_settings(
    values: Mapping[str, Any], refuse: Callable[[str], LabInputError]
) -> dict[str, str]:
    """Settings of a map, keys checked against the schema."""
    if not isinstance(values, Mapping):
        raise refuse("must be a map of keys")
    try:
        settings = settings_of(values)
    except LabInputError as error:
        raise refuse(str(error)) from None
    for key in settings:
        if key not in known_keys():
            raise refuse(f"'{key}' {unknown_key(key)}")
    return settings


def _number(
    values: Mapping[str, Any], key: str, default: float | None, refuse: Refuse
) -> float:
    value = values.get(key, default)
    if value is None:
        raise refuse("is missing", key)
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 < number < math.inf:
        raise refuse(f"must be a number above 0, not {value!r}", key)
    return number


def rows_of_csv(path: pathlib.Path) -> list[Row]:
    """A table with a heading; `set` is KEY=VALUE;KEY=VALUE, empty cells are absent, lines that
    begin with # are comments."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise LabInputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise LabInputError(f"{path}: no text in UTF-8") from None
    heading: list[str] | None = None
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        where = f"{path}:{number}"
        cells = [cell.strip() for cell in next(csv.reader([line]))]
        if heading is None:
            heading = cells
            for key in heading:
                if key not in ROW_KEYS:
                    raise LabInputError(f"{where}: {key}: {_unknown('no such column', key)}")
                if heading.count(key) > 1:
                    raise LabInputError(f"{where}: {key}: is given twice")
            continue
        if len(cells) != len(heading):
            raise LabInputError(
                f"{where}: {len(cells)} cells, but the heading has {len(heading)} columns"
            )

        def refuse(text: str, key: str, where: str = where) -> LabInputError:
            return LabInputError(f"{where}: {key}: {text}")

        values: dict[str, Any] = {k: cell for k, cell in zip(heading, cells) if cell}
        if "set" in values:
            try:
                parts = [part.strip() for part in values["set"].split(";") if part.strip()]
                values["set"] = dict(split_setting(part, "set") for part in parts)
            except LabInputError as error:
                raise LabInputError(f"{where}: {error}") from None
        rows.append(row_of(values, where, refuse))
    if not rows:
        raise LabInputError(f"{path}: no rows")
    return rows
