# SPDX-License-Identifier: BSD-3-Clause
"""The plan in a sweep's file, and its points. docs/guides/sweep.md explains the keys."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import math
import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tlmssd_lab.errors import LabInputError, nearest
from tlmssd_lab.ranges import Range
from tlmssd_lab.run.metrics import refuse_renamed
from tlmssd_lab.run.named import Program, config_path
from tlmssd_lab.run.run import Trace
from tlmssd_lab.run.settings import known_keys, settings_of, text_of, unknown_key, with_files
from tlmssd_lab.yaml_files import read_yaml

GRID, LIST, LHS, SEARCH = "grid", "list", "lhs", "search"
SAMPLERS = ("nsga2", "tpe", "random")
WORKLOAD = "workload"  # as a parameter: presets
MAX_POINTS = 1_000_000
_KEYS: dict[str, type | tuple[type, ...]] = {
    "title": str,
    "config": str,
    "workload": (str, list),
    "trace": (str, dict),
    "set": dict,
    "method": str,
    "parameters": dict,
    "list": list,
    "points": int,
    "seed": int,
    "seeds": int,
    "objectives": dict,
    "sampler": str,
    "timeout_s": (int, float),
    "retries": int,
    "snapshot": (bool, str),
}
_RANGE_KEYS = ("from", "to", "steps", "log", "integer")
_TRACE_KEYS = ("file", "format", "columns")
_WORDS = {str: "a text", list: "a list", dict: "a map", int: "a whole number",
          float: "a number", bool: "true or false"}


@dataclass(frozen=True)
class Parameter:
    """A name, and either choices (label and the keys that it sets) or a range of one key."""

    name: str
    choices: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    range: Range | None = None
    originals: Mapping[str, Any] = field(default_factory=dict)  # of a label, as the file has it

    def value(self, value: Any) -> Any:
        """As the table shows it: a number where the file has one."""
        return self.originals.get(str(value), value) if self.range is None else value

    def settings(self, value: str | float) -> Mapping[str, str]:
        if self.range is not None:
            return {self.name: text_of(self.name, value)}
        return self.choices[str(value)]


@dataclass(frozen=True)
class Plan:
    """A sweep. `objectives`: dotted keys of results.json, True to maximise; `snapshot`: a file,
    True for one of each device, made once, or False."""

    path: pathlib.Path
    title: str
    config: pathlib.Path
    settings: Mapping[str, str]
    trace: Trace | None
    method: str
    parameters: Sequence[Parameter]
    points: int
    listed: Sequence[Mapping[str, Any]]
    seed: int
    seeds: int
    objectives: Mapping[str, bool]
    sampler: str
    timeout_s: float | None
    retries: int
    snapshot: bool | pathlib.Path


@dataclass(frozen=True)
class SweepPoint:
    """One run: the value of each parameter, and what it sets."""

    values: Mapping[str, Any]
    seed: int
    preset: str | None
    settings: Mapping[str, str]
    name: str

    @functools.cached_property
    def id(self) -> str:
        """Its folder's name: of all that it sets, so that it stays when the file grows."""
        parts = json.dumps([self.preset, sorted(self.settings.items())])
        return hashlib.sha256(parts.encode()).hexdigest()[:12]


def load(path: str | os.PathLike[str], program: Program = None) -> Plan:
    """Read and check a sweep's file; `program` as in find_binary(). LabInputError names file, key and
    the nearest choice."""
    path = pathlib.Path(path)
    return plan_of(read_yaml(path), path, program)


def plan_of(document: Any, path: pathlib.Path, program: Program = None) -> Plan:
    """The plan of a sweep's keys. Messages name `path`, and the folder of `path` is the place of
    relative files."""
    if not isinstance(document, dict):
        raise LabInputError(f"{path}: a sweep is a map of keys")
    _check(path, document)
    if "config" not in document:
        raise LabInputError(f"{path}: config: is missing")
    method = document.get("method", LIST if "list" in document else GRID)
    if method not in (GRID, LIST, LHS, SEARCH):
        hint = nearest(method, (GRID, LIST, LHS, SEARCH))
        raise LabInputError(f"{path}: method: '{method}' is none of grid, list, lhs, search{hint}")
    plan = Plan(
        path=path,
        title=document.get("title", path.stem),
        config=_config(path, document["config"], program),
        settings=_settings(path, "set", document.get("set") or {}),
        trace=_trace(path, document.get("trace")),
        method=method,
        parameters=_parameters(path, document, method),
        points=document.get("points", 0),
        listed=_listed(path, document.get("list") or []),
        seed=document.get("seed", 1),
        seeds=document.get("seeds", 1),
        objectives=_objectives(path, document.get("objectives") or {}),
        sampler=document.get("sampler", "nsga2"),
        timeout_s=document.get("timeout_s"),
        retries=document.get("retries", 1),
        snapshot=_snapshot(path, document.get("snapshot", False)),
    )
    _whole(plan, document)
    return plan


def points(plan: Plan) -> list[SweepPoint]:
    """All points of a grid, list or Latin hypercube, seed by seed; equal ones once."""
    found = [
        point_of(plan, values, seed)
        for seed in range(1, plan.seeds + 1)
        for values in combinations(plan)
    ]
    return list({point.id: point for point in found}.values())


def combinations(plan: Plan) -> Iterable[Mapping[str, Any]]:
    if plan.method == LIST:
        return [{k: v if isinstance(v, (str, int, float)) and not isinstance(v, bool)
                 else text_of(k, v) for k, v in item.items()} for item in plan.listed]
    names = [parameter.name for parameter in plan.parameters]
    if plan.method == GRID:
        axes = [p.range.grid() if p.range else list(p.choices) for p in plan.parameters]
        return [dict(zip(names, values)) for values in itertools.product(*axes)]
    from scipy.stats import qmc

    unit = qmc.LatinHypercube(d=len(names), rng=plan.seed).random(plan.points)
    return [
        {p.name: _at(p, float(fraction)) for p, fraction in zip(plan.parameters, row)}
        for row in unit
    ]


def _at(parameter: Parameter, fraction: float) -> Any:
    if parameter.range is not None:
        return parameter.range.at(fraction)
    labels = list(parameter.choices)
    return labels[min(int(fraction * len(labels)), len(labels) - 1)]


def point_of(plan: Plan, values: Mapping[str, Any], seed: int) -> SweepPoint:
    known = {parameter.name: parameter for parameter in plan.parameters}
    settings, preset = dict(plan.settings), None
    shown: dict[str, Any] = {}
    for name, value in values.items():
        if name == WORKLOAD:
            preset = str(value)
        elif plan.method == LIST:
            settings.update(with_files({name: text_of(name, value)}, plan.path.parent))
        else:
            settings.update(known[name].settings(value))
        shown[name] = known[name].value(value) if name in known else value
    settings["seed"] = str(seed)
    fixed = {name for name, parameter in known.items() if len(parameter.choices) == 1}
    words = [f"{name}={value}" for name, value in shown.items() if name not in fixed]
    words += [f"seed {seed}"] if plan.seeds > 1 else []
    return SweepPoint(shown, seed, preset, settings, ", ".join(words) or "the only point")


def _check(path: pathlib.Path, document: Mapping[str, Any]) -> None:
    for key, value in document.items():
        if key not in _KEYS:
            raise LabInputError(f"{path}: {key}: no such key{nearest(str(key), _KEYS)}")
        known = _KEYS[key]
        kinds = known if isinstance(known, tuple) else (known,)
        wrong = not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)
        if wrong:
            raise LabInputError(f"{path}: {key}: must be {' or '.join(_WORDS[k] for k in kinds)}")
    for key, least, most in (("points", 1, MAX_POINTS), ("seeds", 1, 1000), ("seed", 0, 2**31),
                             ("retries", 0, 100)):
        if key in document and not least <= document[key] <= most:
            raise LabInputError(f"{path}: {key}: {document[key]} is not in {least} to {most}")
    if "timeout_s" in document and not 0 < document["timeout_s"] < math.inf:
        raise LabInputError(f"{path}: timeout_s: must be above 0")
    if document.get("sampler", SAMPLERS[0]) not in SAMPLERS:
        hint = nearest(document["sampler"], SAMPLERS)
        raise LabInputError(f"{path}: sampler: must be one of {', '.join(SAMPLERS)}{hint}")


def _config(path: pathlib.Path, text: str, program: Program) -> pathlib.Path:
    """Beside the sweep's file, from the repository's root, or a device's name."""
    beside = path.parent / text
    try:
        choices = [beside] if beside.is_file() else [config_path(text, program)]
    except LabInputError as error:
        raise LabInputError(f"{path}: config: {error}") from None
    for choice in choices:
        if choice.is_file():
            return choice.absolute()
    raise LabInputError(f"{path}: config: {text}: no such file")


def _key(path: pathlib.Path, where: str, key: str) -> str:
    if key not in known_keys():
        raise LabInputError(f"{path}: {where}: '{key}' {unknown_key(key)}")
    return key


def _settings(path: pathlib.Path, where: str, values: Mapping[str, Any]) -> dict[str, str]:
    try:
        found = settings_of(values)
    except LabInputError as error:
        raise LabInputError(f"{path}: {where}: {error}") from None
    return with_files({_key(path, where, key): text for key, text in found.items()}, path.parent)


def _trace(path: pathlib.Path, value: Any) -> Trace | None:
    if value is None:
        return None
    if isinstance(value, str):
        value = {"file": value}
    for key in value:
        if key not in _TRACE_KEYS:
            raise LabInputError(f"{path}: trace.{key}: no such key{nearest(key, _TRACE_KEYS)}")
    if "file" not in value:
        raise LabInputError(f"{path}: trace.file: is missing")
    file = pathlib.Path(os.path.expandvars(value["file"]))
    file = (path.parent / file).absolute() if not file.is_absolute() else file
    if not file.is_file():
        raise LabInputError(f"{path}: trace: {file}: no such file")
    return Trace(str(file), value.get("format"), value.get("columns"))


def _snapshot(path: pathlib.Path, value: bool | str) -> bool | pathlib.Path:
    if isinstance(value, bool):
        return value
    file = (path.parent / value).absolute()
    if not file.is_file():
        raise LabInputError(f"{path}: snapshot: {value}: no such file")
    return file


def _objectives(path: pathlib.Path, values: Mapping[str, Any]) -> dict[str, bool]:
    refuse_renamed(f"{path}: objectives", map(str, values))
    for key, goal in values.items():
        if goal not in ("max", "min"):
            raise LabInputError(f"{path}: objectives.{key}: must be max or min, not {goal!r}")
    return {str(key): goal == "max" for key, goal in values.items()}


def _listed(path: pathlib.Path, values: Sequence[Any]) -> list[Mapping[str, Any]]:
    for number, item in enumerate(values, start=1):
        if not isinstance(item, Mapping) or not item:
            raise LabInputError(f"{path}: list: entry {number} must be a map of keys")
        for key in item:
            if key != WORKLOAD:
                _key(path, f"list: entry {number}", str(key))
    return list(values)


def _parameters(
    path: pathlib.Path, document: Mapping[str, Any], method: str
) -> list[Parameter]:
    workload = document.get(WORKLOAD, [])
    values = dict(document.get("parameters") or {})
    if workload:
        if WORKLOAD in values:
            raise LabInputError(f"{path}: workload: is in parameters, too")
        values = {WORKLOAD: workload if isinstance(workload, list) else [workload], **values}
    return [_parameter(path, str(name), value, method) for name, value in values.items()]


def _parameter(path: pathlib.Path, name: str, value: Any, method: str) -> Parameter:
    where = f"parameters.{name}"
    if isinstance(value, list) and value:
        if name == WORKLOAD:
            return Parameter(name, {str(item): {} for item in value})
        _key(path, "parameters", name)
        texts = [text_of(name, item) for item in value]
        numbers = all(isinstance(item, (int, float)) for item in value)
        originals = dict(zip(texts, value)) if numbers else {}
        choices = {text: with_files({name: text}, path.parent) for text in texts}
        return Parameter(name, choices, originals=originals)
    if not isinstance(value, Mapping) or not value:
        raise LabInputError(f"{path}: {where}: must be a list, a range or a map of labels")
    if "from" in value or "to" in value:
        _key(path, "parameters", name)
        return Parameter(name, range=_range(path, where, value, method))
    labels = {}
    for label, keys in value.items():
        if not isinstance(keys, Mapping):
            raise LabInputError(f"{path}: {where}.{label}: must be a map of keys")
        labels[str(label)] = _settings(path, f"{where}.{label}", keys)
    return Parameter(name, labels)


def _range(path: pathlib.Path, where: str, value: Mapping[str, Any], method: str) -> Range:
    for key in value:
        if key not in _RANGE_KEYS:
            raise LabInputError(f"{path}: {where}.{key}: no such key{nearest(str(key), _RANGE_KEYS)}")
    for key in ("from", "to"):
        number = value.get(key)
        if not isinstance(number, (int, float)) or isinstance(number, bool):
            raise LabInputError(f"{path}: {where}.{key}: must be a number")
    low, high = value["from"], value["to"]
    if not low < high:
        raise LabInputError(f"{path}: {where}: from must be less than to")
    log, steps = value.get("log", False), value.get("steps")
    if log and low <= 0:
        raise LabInputError(f"{path}: {where}: from must be above 0 with log")
    if steps is not None and (not isinstance(steps, int) or not 2 <= steps <= MAX_POINTS):
        raise LabInputError(f"{path}: {where}.steps: must be a whole number from 2")
    if method == GRID and steps is None:
        raise LabInputError(f"{path}: {where}.steps: is missing (a grid needs it)")
    if method != GRID and steps is not None:
        raise LabInputError(f"{path}: {where}.steps: is for grids; this is '{method}'")
    integer = value.get("integer", isinstance(low, int) and isinstance(high, int))
    return Range(low, high, steps, log, integer)


def _whole(plan: Plan, document: Mapping[str, Any]) -> None:
    """LabInputError where keys conflict or a key requires another one."""
    path, method = plan.path, plan.method
    if method == LIST:
        if not plan.listed:
            raise LabInputError(f"{path}: list: is missing or empty")
        if plan.parameters:
            raise LabInputError(f"{path}: parameters and workload conflict with method list; use list")
    else:
        if plan.listed:
            raise LabInputError(f"{path}: list: conflicts with method '{method}'; use method list")
        if not plan.parameters:
            raise LabInputError(f"{path}: parameters: is missing or empty")
    if (method in (LHS, SEARCH)) != ("points" in document):
        text = "is missing" if "points" not in document else f"conflicts with method '{method}'; use method lhs or search"
        raise LabInputError(f"{path}: points: {text}")
    if method == SEARCH and not plan.objectives:
        raise LabInputError(f"{path}: objectives: a search needs at least one")
    if "sampler" in document and method != SEARCH:
        raise LabInputError(f"{path}: sampler: requires method search")
    if plan.trace and any(WORKLOAD in item for item in
                          [*plan.listed, {p.name: 0 for p in plan.parameters}]):
        raise LabInputError(f"{path}: trace conflicts with workload; use one of them")
    if "seed" in plan.settings or any(
        "seed" in keys for p in plan.parameters for keys in p.choices.values()
    ):
        raise LabInputError(f"{path}: seed: is set by seeds: N (1 to N)")
    if method == GRID:
        sizes = [p.range.steps or 1 if p.range else len(p.choices) for p in plan.parameters]
        if math.prod(sizes) * plan.seeds > MAX_POINTS:
            raise LabInputError(f"{path}: {math.prod(sizes) * plan.seeds} points are too many")
