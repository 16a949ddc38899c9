# SPDX-License-Identifier: BSD-3-Clause
"""The plan in a fit's file. docs/guides/fit.md explains the keys."""

from __future__ import annotations

import math
import os
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tlmssd_lab.errors import LabInputError, nearest
from tlmssd_lab.fit.fio import METRICS, rows_of_fio
from tlmssd_lab.fit.rows import FIT, PREDICT, Row, checked_settings, row_of, rows_of_csv
from tlmssd_lab.ranges import Range
from tlmssd_lab.run.named import Program, config_path
from tlmssd_lab.run.settings import known_keys, unknown_key
from tlmssd_lab.yaml_files import YamlLines

_KEYS = ("title", "config", "set", "parameters", "rows", "table", "fio", "points", "timeout_s")
_PARAMETER_KEYS = ("from", "to", "log", "integer", "start")
_FIO_KEYS = ("file", "metrics", "use", "weight", "predict")


@dataclass(frozen=True)
class Parameter:
    """A key that is fitted. `start` is None where the device's own value is meant."""

    key: str
    range: Range
    start: float | None

    def value(self, unit: float) -> float | int:
        """0 gives the lower bound, 1 the upper."""
        found = self.range.at(min(max(unit, 0.0), 1.0))
        return found if self.range.integer else float(f"{found:.6g}")

    def unit(self, value: float) -> float:
        low, high = self.range.low, self.range.high
        if self.range.log:
            return math.log(value / low) / math.log(high / low)
        return (value - low) / (high - low)

    def step(self, unit: float, least: float) -> float:
        """At least `least`, and enough for a whole number to change."""
        if not self.range.integer:
            return least
        value = self.value(unit)
        other = value + 1 if value < self.range.high else value - 1
        return max(least, abs(self.unit(other) - self.unit(value)))


@dataclass(frozen=True)
class FitPlan:
    path: pathlib.Path
    title: str
    config: pathlib.Path
    settings: Mapping[str, str]
    parameters: Sequence[Parameter]
    rows: Sequence[Row]
    points: int
    timeout_s: float | None

    @property
    def fitted(self) -> list[Row]:
        return [row for row in self.rows if row.use == FIT]


def load(path: str | os.PathLike[str], program: Program = None) -> FitPlan:
    """Read and check a fit's file; `program` as in find_binary(). LabInputError names file, line, key
    and the nearest choice."""
    path = pathlib.Path(path)
    yaml = YamlLines(path)
    document = yaml.values
    if not isinstance(document, dict):
        raise LabInputError(f"{path}: a fit is a map of keys")
    for key in document:
        if key not in _KEYS:
            raise yaml.error(f"no such key{nearest(str(key), _KEYS)}", key)
    if not isinstance(document.get("config"), str):
        raise yaml.error("is missing" if "config" not in document else "must be a text", "config")
    if not isinstance(document.get("title", ""), str):
        raise yaml.error("must be a text", "title")
    parameters = _parameters(yaml, document)
    settings = _settings(yaml, document, "set")
    rows = _rows(yaml, document)
    points = document.get("points", 60 + 30 * len(parameters))
    if isinstance(points, bool) or not isinstance(points, int) or not 1 <= points <= 100_000:
        raise yaml.error(f"must be a whole number from 1 to 100000, not {points!r}", "points")
    timeout = document.get("timeout_s")
    if timeout is not None and not _is_number(timeout, above_zero=True):
        raise yaml.error(f"must be a number above 0, not {timeout!r}", "timeout_s")
    plan = FitPlan(
        path=path,
        title=document.get("title", path.stem),
        config=_device(yaml, document["config"], program),
        settings=settings,
        parameters=parameters,
        rows=rows,
        points=points,
        timeout_s=timeout,
    )
    if len(plan.fitted) < len(parameters):
        raise yaml.error(
            f"{len(parameters)} parameters and {len(plan.fitted)} rows to fit: there must be at "
            "least as many rows as parameters",
            "parameters",
        )
    for parameter in parameters:
        if parameter.key in settings:
            raise yaml.error("is a parameter, too", "set", parameter.key)
        for row in rows:
            if parameter.key in row.settings:
                raise LabInputError(f"{row.where}: {parameter.key}: is a parameter of the fit, too")
    return plan


def _is_number(value: Any, above_zero: bool = False) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return False
    return value > 0 or not above_zero


def _device(yaml: YamlLines, name: str, program: Program) -> pathlib.Path:
    """Beside the fit's file, from the repository's root, or a device's name."""
    if name and not _beside(yaml, name).is_file():
        try:
            found = config_path(name, program)
        except LabInputError as error:
            raise yaml.error(str(error), "config") from None
        if found.is_file():
            return found.absolute()
    return _file(yaml, name, "config")


def _file(yaml: YamlLines, name: Any, *place: Any) -> pathlib.Path:
    """Beside the fit's file."""
    if not isinstance(name, str) or not name:
        raise yaml.error("must be the name of a file", *place)
    path = _beside(yaml, name)
    if path.is_file():
        return path.absolute()
    near = nearest(path.name, os.listdir(path.parent)) if path.parent.is_dir() else ""
    raise yaml.error(f"{name}: no such file{near}", *place)


def _beside(yaml: YamlLines, name: str) -> pathlib.Path:
    return yaml.path.parent / os.path.expandvars(name)


def _settings(yaml: YamlLines, document: Mapping[str, Any], key: str) -> dict[str, str]:
    return checked_settings(document.get(key) or {}, lambda text: yaml.error(text, key))


def _parameters(yaml: YamlLines, document: Mapping[str, Any]) -> list[Parameter]:
    values = document.get("parameters")
    if not isinstance(values, dict) or not values:
        raise yaml.error("is missing or no map of keys", "parameters")
    return [_parameter(yaml, str(key), value) for key, value in values.items()]


def _parameter(yaml: YamlLines, key: str, value: Any) -> Parameter:
    place = ("parameters", key)
    if key not in known_keys():
        raise yaml.error(unknown_key(key), *place)
    if not isinstance(value, dict):
        raise yaml.error("must be a map with from and to", *place)
    for name in value:
        if name not in _PARAMETER_KEYS:
            raise yaml.error(f"no such key{nearest(str(name), _PARAMETER_KEYS)}", *place, name)
    for name in ("from", "to", "start"):
        if name in value or name != "start":
            if not _is_number(value.get(name)):
                text = "must be a number" if name in value else "is missing"
                raise yaml.error(text, *place, name)
    for name in ("log", "integer"):
        if not isinstance(value.get(name, False), bool):
            raise yaml.error("must be true or false", *place, name)
    low, high = value["from"], value["to"]
    if not low < high:
        raise yaml.error(f"from ({low}) must be less than to ({high})", *place, "from")
    if value.get("log") and low <= 0:
        raise yaml.error("must be above 0 with log", *place, "from")
    integer = value.get("integer", isinstance(low, int) and isinstance(high, int))
    start = value.get("start")
    if integer and any(isinstance(n, float) and n % 1 for n in (low, high, start or 0)):
        raise yaml.error("integer: bounds and start must be whole numbers", *place)
    if start is not None and not low <= start <= high:
        raise yaml.error(f"{start} is not in {low} to {high}", *place, "start")
    return Parameter(key, Range(low, high, None, value.get("log", False), integer), start)


def _rows(yaml: YamlLines, document: Mapping[str, Any]) -> list[Row]:
    rows: list[Row] = []
    if "table" in document:
        rows += rows_of_csv(_file(yaml, document["table"], "table"))
    listed = document.get("rows", [])
    if not isinstance(listed, list):
        raise yaml.error("must be a list of rows", "rows")
    for number, values in enumerate(listed):
        if not isinstance(values, dict):
            raise yaml.error("must be a map of keys", "rows", number)

        def refuse(text: str, key: str, number: int = number) -> LabInputError:
            return yaml.error(text, "rows", number, key)

        rows.append(row_of(values, f"{yaml.path}: row {number + 1}", refuse))
    fio = document.get("fio", [])
    if not isinstance(fio, list):
        raise yaml.error("must be a list of files of fio", "fio")
    for number, values in enumerate(fio):
        rows += _fio(yaml, number, values)
    if not rows:
        raise yaml.error("no rows: give rows, table or fio", "rows")
    seen: dict[str, int] = {}
    unique = []
    for row in rows:
        seen[row.name] = seen.get(row.name, 0) + 1
        many = seen[row.name] > 1
        unique.append(Row(**{**vars(row), "name": f"{row.name} ({seen[row.name]})"}) if many else row)
    return unique


def _fio(yaml: YamlLines, number: int, values: Any) -> list[Row]:
    place = ("fio", number)
    if not isinstance(values, dict):
        raise yaml.error("must be a map with file", *place)
    for key in values:
        if key not in _FIO_KEYS:
            raise yaml.error(f"no such key{nearest(str(key), _FIO_KEYS)}", *place, key)
    metrics = values.get("metrics", ["bw"])
    if not isinstance(metrics, list) or not metrics:
        raise yaml.error("must be a list", *place, "metrics")
    for metric in metrics:
        if metric not in METRICS:
            hint = nearest(str(metric), METRICS)
            raise yaml.error(f"'{metric}' is none of {', '.join(METRICS)}{hint}", *place, "metrics")
    use, weight = values.get("use", FIT), values.get("weight", 1.0)
    if use not in (FIT, PREDICT):
        raise yaml.error(f"'{use}' is neither fit nor predict", *place, "use")
    if not _is_number(weight, above_zero=True):
        raise yaml.error(f"must be a number above 0, not {weight!r}", *place, "weight")
    predict = values.get("predict", [])
    if not isinstance(predict, list):
        raise yaml.error("must be a list of jobs", *place, "predict")
    file = _file(yaml, values.get("file"), *place, "file")
    return rows_of_fio(file, metrics, use, float(weight), [str(name) for name in predict])
