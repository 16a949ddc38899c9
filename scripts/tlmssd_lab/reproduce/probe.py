# SPDX-License-Identifier: BSD-3-Clause
"""Whether an experiment would give other figures today: a few of its points, short, and a hash of their results.

A row's stamp has the hash of the program that filled it in. Where the present program gives another one, code
on which the figure depends has changed its behaviour, and the row is stale. A change that leaves all results as
they are does not make it stale.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pathlib
from collections.abc import Sequence

from tlmssd_lab.errors import LabError
from tlmssd_lab.figures import experiment, experiment_points
from tlmssd_lab.figures.experiment import CLOSED, OWN, Experiment
from tlmssd_lab.figures.experiment_points import Point
from tlmssd_lab.figures.experiment_run import run_points
from tlmssd_lab.progress import Progress
from tlmssd_lab.run.errors import LabInterrupted
from tlmssd_lab.run.result import Result

REQUESTS = 300
OTHERS = ("wall", "config", "config_hash")  # of results.json: not what a run found


def probe_points(wanted: Experiment) -> list[Point]:
    """Presets only, since a piece of a trace may be missing: a point for each label of each dimension, of the
    first seed and load; each further load once; at most REQUESTS requests."""
    loads = [load for load in experiment_points.loads(wanted)[0] if load.trace is None]
    points = [
        point
        for point in experiment_points.points(wanted, loads)
        if point.seed == wanted.seeds[0] and point.arrival in (CLOSED, OWN)
    ]
    seen: set[tuple[str, str]] = set()
    found = []
    for point in points:
        labels = set(point.labels.items()) | {("", point.load.name)}
        if labels - seen:
            seen |= labels
            found.append(_short(point))
    return found


def _short(point: Point) -> Point:
    requests = min(int(point.settings.get("workload.requests", REQUESTS)), REQUESTS)
    return dataclasses.replace(point, settings={**point.settings, "workload.requests": str(requests)})


def probe(
    name: str,
    out: str | os.PathLike,
    jobs: int | None = None,
    binary: str | os.PathLike | None = None,
    progress: Progress | None = None,
) -> str:
    """Twelve hexadecimal digits. Raises LabError where a point fails."""
    wanted = experiment.load(name, False)
    folder = pathlib.Path(out).absolute() / name / "probe"
    done, interrupted = run_points(
        wanted, probe_points(wanted), folder, jobs=jobs, binary=binary, progress=progress
    )
    if interrupted:
        raise LabInterrupted("interrupted")
    results = []
    for item in done:
        if isinstance(item.outcome, LabError):
            raise item.outcome
        results.append((item.point.folder, item.outcome))
    return fingerprint(results)


def fingerprint(results: Sequence[tuple[str, Result]]) -> str:
    digest = hashlib.sha256()
    for name, result in results:
        kept = {key: value for key, value in result.json.items() if key not in OTHERS}
        digest.update(name.encode() + b"\0" + json.dumps(kept, sort_keys=True).encode() + b"\n")
    return digest.hexdigest()[:12]
