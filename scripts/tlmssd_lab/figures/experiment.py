# SPDX-License-Identifier: BSD-3-Clause
"""Experiments: what a file of configs/experiments/ asks for. docs/guides/figures.md explains the keys."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tlmssd_lab.errors import LabInputError, nearest
from tlmssd_lab.run.process import ROOT
from tlmssd_lab.run.settings import settings_of, text_of, with_files
from tlmssd_lab.yaml_files import read_yaml

FOLDER = ROOT / "configs/experiments"
CLOSED = "closed"
OWN = "own"  # open loop, at the times that the load itself has
_KEYS = {
    "title": str,
    "source": str,
    "page": str,
    "report": str,
    "config": str,
    "set": dict,
    "loads": dict,
    "limits": dict,
    "dimensions": dict,
    "base": dict,
    "subject": dict,
    "paper": dict,
    "arrivals": list,
    "seeds": int,
    "log": bool,
    "quick": dict,
    "reproduce": dict,
}
QUICK, REPRODUCE = "quick", "reproduce"  # keys with the settings of another form of an experiment
_NEEDED = ("title", "source", "page", "report", "config", "loads", "dimensions")
_LOADS = {"traces": dict, "presets": list, "fitted": list, "set_presets": dict, "set_traces": dict}
_TRACES = {"min_requests": int, "only": list}
_LIMITS = {"requests": int, "mib": int}


@dataclass(frozen=True)
class Dimension:
    """A name and, for each of its labels, the keys that make it; `configs`: the device file of
    labels that have one of their own."""

    name: str
    labels: Mapping[str, Mapping[str, str]]
    configs: Mapping[str, pathlib.Path] = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment:
    """One figure or table. `base`: labels to compare with; `subject`: those that a claim is about;
    `paper`: what the paper says, and other facts that the report needs; `arrivals`: closed, own,
    or a share of the base's closed-loop IOPS as text; `preset_settings`, `trace_settings`: keys for
    such loads only."""

    name: str
    title: str
    source: str
    page: str
    report: str
    config: pathlib.Path
    settings: Mapping[str, str]
    presets: Sequence[str]
    fitted: Sequence[str]  # presets with the locality of a real piece: `set_presets` is not for them
    preset_settings: Mapping[str, str]
    trace_settings: Mapping[str, str]
    traces: Mapping[str, Any] | None
    max_requests: int
    max_mib: int
    dimensions: Sequence[Dimension]
    base: Mapping[str, str]
    subject: Mapping[str, str]
    paper: Mapping[str, Any]
    arrivals: Sequence[str]
    seeds: Sequence[int]
    log: bool
    quick: bool


def names(folder: pathlib.Path = FOLDER) -> list[str]:
    """Of all experiments there; files whose names begin with _ hold parts."""
    return sorted(path.stem for path in folder.glob("*.yaml") if not path.stem.startswith("_"))


def find(name: str, folder: pathlib.Path = FOLDER) -> pathlib.Path:
    """The file of an experiment: a name in `folder`, or a path."""
    if "/" in name or name.endswith((".yaml", ".yml")):
        if not pathlib.Path(name).is_file():
            raise LabInputError(f"{name}: no such file")
        return pathlib.Path(name)
    known = names(folder)
    if name not in known:
        hint = nearest(name, known) or f": there are {', '.join(known) or 'none'}"
        raise LabInputError(f"'{name}' is no experiment{hint}")
    return folder / f"{name}.yaml"


def load(name: str, quick: bool = False, form: str = "") -> Experiment:
    """Read and check it; `form`: with the keys below this one (REPRODUCE). LabInputError names file and key."""
    path = find(name)
    document = read_yaml(path)
    if not isinstance(document, dict):
        raise LabInputError(f"{path}: an experiment is a map of keys")
    form = QUICK if quick else form
    if form:
        document = _merged(document, document.get(form) or {})
    _check(path, "", document, _KEYS)
    for key in _NEEDED:
        if key not in document:
            raise LabInputError(f"{path}: {key}: is missing")
    loads = document["loads"]
    limits = document.get("limits") or {}
    _check(path, "loads.", loads, _LOADS)
    _check(path, "loads.traces.", loads.get("traces") or {}, _TRACES)
    _check(path, "limits.", limits, _LIMITS)
    dimensions = [_dimension(path, *item) for item in document["dimensions"].items()]
    seeds = document.get("seeds", 1)
    if seeds < 1:
        raise LabInputError(f"{path}: seeds: {seeds} is less than 1")
    base = _chosen(path, "base", document.get("base") or {}, dimensions)
    return Experiment(
        name=path.stem,
        title=document["title"],
        source=document["source"],
        page=document["page"],
        report=document["report"],
        config=_config(path, document["config"]),
        settings=with_files(settings_of(document.get("set") or {}), path.parent),
        presets=[str(preset) for preset in loads.get("presets") or []],
        fitted=[str(preset) for preset in loads.get("fitted") or []],
        preset_settings=settings_of(loads.get("set_presets") or {}),
        trace_settings=settings_of(loads.get("set_traces") or {}),
        traces=loads.get("traces"),
        max_requests=limits.get("requests", 0),
        max_mib=limits.get("mib", 0),
        dimensions=dimensions,
        base=base,
        subject=_chosen(path, "subject", document.get("subject") or {}, dimensions),
        paper=document.get("paper") or {},
        arrivals=_arrivals(path, document.get("arrivals", [CLOSED]), base),
        seeds=list(range(1, seeds + 1)),
        log=document.get("log", False),
        quick=quick,
    )


def schedulers() -> list[str]:
    """Those of the program, from the schema of its keys."""
    schema = json.loads((ROOT / "configs/schema.json").read_text(encoding="utf-8"))
    return list(schema["properties"]["scheduler"]["enum"])


def _merged(document: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`over` on top: maps are joined, all else is replaced; a null takes a key away."""
    result = dict(document)
    for key, value in over.items():
        old = result.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            result[key] = _merged(old, value)
        else:
            result[key] = value
        if value is None:
            del result[key]
    return result


def _check(path: pathlib.Path, where: str, place: Mapping[str, Any], known: Mapping) -> None:
    for key, value in place.items():
        if key not in known:
            raise LabInputError(f"{path}: {where}{key}: no such key{nearest(str(key), known)}")
        kind = known[key]
        wrong = not isinstance(value, kind) or (kind is int and isinstance(value, bool))
        if wrong and value is not None:
            words = {str: "a text", dict: "a map", list: "a list", int: "a number", bool: "a truth"}
            raise LabInputError(f"{path}: {where}{key}: must be {words[kind]}")


def _config(path: pathlib.Path, text: str, where: str = "config") -> pathlib.Path:
    config = path.parent / text
    if not config.is_file():
        raise LabInputError(f"{path}: {where}: {text}: no such file")
    return config


def _dimension(path: pathlib.Path, name: str, value: Any) -> Dimension:
    """Labels with their keys; or {key: K, values: [...]}, the label being the value."""
    if not isinstance(value, Mapping) or not value:
        raise LabInputError(f"{path}: dimensions.{name}: must be a map of labels")
    if set(value) == {"key", "values"}:
        key, values = value["key"], value["values"]
        if values == "all" and key == "scheduler":
            values = schedulers()
        if not isinstance(values, list) or not values:
            raise LabInputError(f"{path}: dimensions.{name}.values: must be a list")
        texts = [text_of(key, item) for item in values]
        return Dimension(name, {text: {key: text} for text in texts})
    labels, configs = {}, {}
    for label, keys in value.items():
        if not isinstance(keys, Mapping):
            raise LabInputError(f"{path}: dimensions.{name}.{label}: must be a map of keys")
        if "config" in keys:
            where = f"dimensions.{name}.{label}.config"
            configs[str(label)] = _config(path, str(keys["config"]), where)
        rest = settings_of({key: keys[key] for key in keys if key != "config"})
        labels[str(label)] = with_files(rest, path.parent)
    return Dimension(name, labels, configs)


def _chosen(
    path: pathlib.Path, key: str, values: Mapping[str, Any], dimensions: Sequence[Dimension]
) -> dict[str, str]:
    """A label each of some dimensions."""
    chosen = {str(name): str(label) for name, label in values.items()}
    for name, label in chosen.items():
        labels = next((d.labels for d in dimensions if d.name == name), None)
        if labels is None:
            hint = nearest(name, [d.name for d in dimensions])
            raise LabInputError(f"{path}: {key}.{name}: no such dimension{hint}")
        if label not in labels:
            known = ", ".join(labels)
            raise LabInputError(
                f"{path}: {key}.{name}: there is no '{label}' (does this program lack it?): "
                f"there are {known}"
            )
    return chosen


def _arrivals(path: pathlib.Path, values: Sequence[Any], base: Mapping[str, str]) -> list[str]:
    texts = []
    for value in values:
        share = isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0
        if value not in (CLOSED, OWN) and not share:
            raise LabInputError(f"{path}: arrivals: {value!r} is no share, and not closed or own")
        texts.append(str(value))
    if set(texts) - {CLOSED, OWN} and (CLOSED not in texts or not base):
        raise LabInputError(f"{path}: arrivals: a share needs closed beside it, and a base")
    return texts
