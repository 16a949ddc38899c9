# SPDX-License-Identifier: BSD-3-Clause
"""The points of an experiment: each load under each combination of its dimensions' labels."""

from __future__ import annotations

import csv
import dataclasses
import itertools
import os
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tlmssd_lab.errors import LabInputError, nearest
from tlmssd_lab.figures.experiment import CLOSED, FOLDER, OWN, Experiment
from tlmssd_lab.files import folder_name
from tlmssd_lab.run import named
from tlmssd_lab.run.process import ROOT
from tlmssd_lab.run.run import Trace
from tlmssd_lab.run.settings import settings_of
from tlmssd_lab.yaml_files import read_yaml

TRACES = FOLDER / "_traces.yaml"
_MIB = 1 << 20


@dataclass(frozen=True)
class ExperimentLoad:
    """A preset or several side by side, or a piece of a real trace with the number of requests that it has."""

    name: str
    preset: str | Sequence[str] | None = None
    fitted: bool = False  # a preset with the locality of a real piece
    trace: Trace | None = None
    rows: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Point:
    """One run."""

    load: ExperimentLoad
    labels: Mapping[str, str]  # one of each dimension
    arrival: str
    seed: int
    settings: Mapping[str, str]
    config: pathlib.Path | None = None  # None: the experiment's

    @property
    def name(self) -> str:
        words = [self.load.name, *self.labels.values()]
        words += [f"at {self.arrival}"] if self.arrival != CLOSED else []
        words += [f"seed {self.seed}"] if self.seed != 1 else []
        return ", ".join(words)

    @property
    def folder(self) -> str:
        labels = "+".join(folder_name(label) for label in self.labels.values())
        return f"{folder_name(self.load.name)}/{labels}/{self.arrival}-seed-{self.seed}"


def traces_folder() -> pathlib.Path:
    """$TLMSSD_TRACES, else shared/traces beside the repository."""
    given = os.environ.get("TLMSSD_TRACES")
    folder = pathlib.Path(given) if given else ROOT.parent / "shared/traces"
    if not (folder / "MANIFEST.csv").is_file():
        raise LabInputError(f"{folder}: no traces there (MANIFEST.csv): set TLMSSD_TRACES")
    return folder


def loads(experiment: Experiment) -> tuple[list[ExperimentLoad], list[str]]:
    """Presets first, then those fitted to a piece, then pieces of traces; and a line for each missing piece."""
    found = [_preset(experiment, name) for name in (*experiment.presets, *experiment.fitted)]
    missing: list[str] = []
    if experiment.traces is not None:
        try:
            pieces, missing = _pieces(experiment, traces_folder())
        except LabInputError as error:
            if not found:
                raise  # nothing is left to run
            pieces, missing = [], [f"all traces left out: {error}"]
        found += pieces
    if not found:
        raise LabInputError(f"{experiment.name}: no load is left: " + "; ".join(missing))
    return found, missing


def _preset(experiment: Experiment, name: str) -> ExperimentLoad:
    parts = name.split(" + ")  # side by side, a job each
    for part in parts:
        if named.find(named.WORKLOADS, part) is None:
            hint = nearest(part, named.names(named.WORKLOADS))
            key = "presets" if name in experiment.presets else "fitted"
            raise LabInputError(f"{experiment.name}: loads.{key}: no workload '{part}'{hint}")
    fitted = name not in experiment.presets
    settings = {} if fitted else dict(experiment.preset_settings)
    if experiment.max_requests:
        settings["workload.requests"] = str(experiment.max_requests)
    if experiment.max_mib and not fitted:  # a workload of runs is cut at a number of requests only
        settings["workload.io_size"] = f"{experiment.max_mib}m"
    return ExperimentLoad(name, preset=name if len(parts) == 1 else parts, fitted=fitted, settings=settings)


def _pieces(
    experiment: Experiment, folder: pathlib.Path
) -> tuple[list[ExperimentLoad], list[str]]:
    with open(folder / "MANIFEST.csv", encoding="utf-8", newline="") as file:
        manifest = {row["file"]: row for row in csv.DictReader(file)}
    listed = read_yaml(TRACES)
    wanted = (experiment.traces or {}).get("only")
    for name in wanted or ():
        if name not in listed:
            raise LabInputError(
                f"{experiment.name}: loads.traces.only: '{name}' is not in {TRACES.name}"
                + nearest(name, listed)
            )
    least = (experiment.traces or {}).get("min_requests", 0)
    found, missing = [], []
    for name, spec in listed.items():
        if wanted is not None and name not in wanted:
            continue
        row = manifest.get(spec["file"])
        if row is None or not (folder / spec["file"]).is_file():
            missing.append(f"{name} left out: {folder / spec['file']} is missing")
        elif int(row["rows"]) >= least:
            found.append(_piece(experiment, name, spec, folder, row))
    return found, missing


def _piece(
    experiment: Experiment,
    name: str,
    spec: Mapping[str, Any],
    folder: pathlib.Path,
    row: Mapping[str, str],
) -> ExperimentLoad:
    rows, size = int(row["rows"]), float(row["mean_size_B"])
    limit = experiment.max_requests or rows
    if experiment.max_mib:
        limit = min(limit, max(1, int(experiment.max_mib * _MIB / size)))
    settings = {**experiment.trace_settings, **settings_of(spec.get("set") or {})}
    settings["workload.requests"] = str(min(limit, rows))
    trace = Trace(str(folder / spec["file"]), spec["format"])
    return ExperimentLoad(name, trace=trace, rows=rows, settings=settings)


def points(experiment: Experiment, found: Sequence[ExperimentLoad]) -> list[Point]:
    """All of them, those at a share of the closed loop's IOPS last; seed by seed, so that what is
    interrupted has whole seeds. Those get their rate with `at_rate`."""
    result = []
    names = [dimension.name for dimension in experiment.dimensions]
    for arrival, seed, load in itertools.product(experiment.arrivals, experiment.seeds, found):
        for labels in itertools.product(*(d.labels for d in experiment.dimensions)):
            settings, config = {**experiment.settings, **load.settings}, None
            for dimension, label in zip(experiment.dimensions, labels, strict=True):
                settings.update(dimension.labels[label])
                config = dimension.configs.get(label, config)
            settings["workload.mode"] = CLOSED if arrival == CLOSED else "open"
            if load.preset is not None and arrival == CLOSED:
                settings["workload.rate_iops"] = "none"  # presets with times of their own have one
            settings["seed"] = str(seed)
            result.append(Point(load, dict(zip(names, labels)), arrival, seed, settings, config))
    return sorted(result, key=lambda point: point.arrival not in (CLOSED, OWN))


def at_rate(point: Point, closed_iops: float) -> Point:
    """The point with Poisson arrivals at its share of `closed_iops`, six digits of it."""
    rate = float(f"{float(point.arrival) * closed_iops:.6g}")
    settings = {**point.settings, "workload.rate_iops": repr(rate)}
    settings["workload.rate_process"] = "poisson"
    return dataclasses.replace(point, settings=settings)


def base_labels(experiment: Experiment, point: Point) -> dict[str, str]:
    """The labels of the point whose closed-loop IOPS are this one's saturation."""
    return {**point.labels, **experiment.base}
