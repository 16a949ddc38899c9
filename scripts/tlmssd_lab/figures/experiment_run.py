# SPDX-License-Identifier: BSD-3-Clause
"""Runs the points of an experiment, each in its own folder. A finished point is not run again."""

from __future__ import annotations

import functools
import os
import pathlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.figures.experiment import CLOSED, OWN, Experiment
from tlmssd_lab.figures.experiment_points import Point, at_rate, base_labels
from tlmssd_lab.files import FullDisk
from tlmssd_lab.progress import Progress, Tracker
from tlmssd_lab.run.errors import LabInterrupted
from tlmssd_lab.run.point import PointRun, program_hash, run_point
from tlmssd_lab.run.process import Runner, default_jobs, find_binary, in_pool
from tlmssd_lab.run.result import Result


@dataclass(frozen=True)
class Done:
    """A point and what came of it."""

    point: Point
    outcome: Result | LabError


def run_points(
    experiment: Experiment,
    points: Sequence[Point],
    folder: pathlib.Path,
    *,
    jobs: int | None = None,
    binary: str | os.PathLike | None = None,
    progress: Progress | None = None,
) -> tuple[list[Done], bool]:
    """Every point's outcome, in the order given, and whether Ctrl-C came in between. Points in open
    loop run when their base has its IOPS; where it has none, they say so."""
    program = find_binary(binary)
    runner = Runner()
    tracker = Tracker(len(points), jobs or default_jobs(), progress)
    work = functools.partial(
        _outcome, experiment, folder, program, program_hash(program), tracker, FullDisk()
    )
    first = [point for point in points if point.arrival in (CLOSED, OWN)]
    done = _wave(work, first, jobs, runner)
    saturation = {
        _place(d.point.load.name, d.point.labels, d.point.seed): d.outcome
        for d in done
        if d.point.arrival == CLOSED
    }
    ready: list[Point] = []
    for point in points[len(first) :]:
        labels = base_labels(experiment, point)
        base = saturation.get(_place(point.load.name, labels, point.seed))
        iops = base.all.iops if isinstance(base, Result) else None
        if iops:
            ready.append(at_rate(point, iops))
            continue
        error: LabError = LabInputError("its base in closed loop has no IOPS, so there is no saturation")
        if isinstance(base, LabInterrupted) or runner.interrupted:
            error = LabInterrupted("interrupted")
        done.append(Done(point, error))
    done += _wave(work, ready, jobs, runner)
    order = {_name(point): number for number, point in enumerate(points)}
    return sorted(done, key=lambda d: order[_name(d.point)]), runner.interrupted


def _wave(
    work: Callable[[Point, Runner], Result | LabError],
    points: Sequence[Point],
    jobs: int | None,
    runner: Runner,
) -> list[Done]:
    if not points:
        return []
    outcomes = in_pool(work, points, jobs or default_jobs(), runner)
    return [Done(point, outcome) for point, outcome in zip(points, outcomes, strict=True)]


def _place(load: str, labels: Mapping[str, str], seed: int) -> tuple:
    return load, tuple(sorted(labels.items())), seed


def _name(point: Point) -> tuple:
    return _place(point.load.name, point.labels, point.seed), point.arrival


def _outcome(
    experiment: Experiment,
    folder: pathlib.Path,
    program: pathlib.Path,
    version: str,
    tracker: Tracker,
    disk: FullDisk,
    point: Point,
    runner: Runner,
) -> Result | LabError:
    work = PointRun(
        folder / "points" / point.folder,
        point.config or experiment.config,
        point.settings,
        preset=point.load.preset,
        trace=point.load.trace,
        log=experiment.log,
        labels={
            "load": point.load.name,
            "labels": dict(point.labels),
            "arrival": point.arrival,
            "seed": point.seed,
        },
    )
    started = time.monotonic()
    try:
        if disk.error is not None:
            raise disk.error
        found, seconds = run_point(work, program, version, runner)
        tracker.ended(point.name, seconds)
        return found
    except LabInterrupted as error:
        return error
    except LabError as error:
        error = disk.of(error)
        tracker.ended(point.name, time.monotonic() - started, error)
        return error
