# SPDX-License-Identifier: BSD-3-Clause
"""Runs variants under loads with the same seeds and finds how surely they differ."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import pathlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tlmssd_lab.compare import export
from tlmssd_lab.compare.model import Comparison, Group, LabNotWritten, Row, Run
from tlmssd_lab.stats import mean_interval, paired_interval
from tlmssd_lab.compare.variants import Load, Variant, product
from tlmssd_lab.errors import LabError, LabFull, LabInputError
from tlmssd_lab.files import FullDisk, folder_names, held
from tlmssd_lab.progress import Progress, Tracker
from tlmssd_lab.run.errors import LabInterrupted
from tlmssd_lab.run.metrics import Metric, refuse_renamed, with_columns
from tlmssd_lab.run.named import config_path
from tlmssd_lab.run.point import PointRun, describe
from tlmssd_lab.run.process import Runner, default_jobs, find_binary, in_pool
from tlmssd_lab.run.result import Result
from tlmssd_lab.run.run import PathLike, Trace, run
from tlmssd_lab.run.settings import settings_of, text_of

_UNREADABLE = (": cannot read ", " is a folder, not a file", ": no preset '", "no device '")


@dataclass(frozen=True)
class _Task:
    load: Load
    variant: Variant
    name: str
    seed: int
    folder: pathlib.Path | None
    timeline: bool


def compare(
    configs: PathLike | Sequence[PathLike],
    *,
    schedulers: Sequence[str] = (),
    controllers: Sequence[str] = (),
    cpus: Sequence[str] = (),
    vary: Mapping[str, Sequence[Any]] | None = None,
    extra: Sequence[Mapping[str, Any]] = (),
    settings: Mapping[str, Any] | None = None,
    workloads: Sequence[PathLike] = (),
    traces: Sequence[PathLike | Trace] = (),
    seeds: int = 5,
    first_seed: int = 1,
    jobs: int | None = None,
    out: PathLike | None = None,
    timeline: bool = False,
    timeline_from: str | None = None,
    timeline_to: str | None = None,
    lenient: bool = False,
    metrics: Sequence[str] = (),
    binary: PathLike | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Run variants of a device under the same loads with the same seeds.

    The variants are each of `configs` with each combination of `schedulers`, `controllers`, `cpus`
    and the values in `vary`; then each of `configs` with each map of `extra`. A variant that cannot
    run becomes a row with its message.

    Arguments:
        configs: a device's name ("default") or device file, or a list of them.
        schedulers, controllers, cpus: values of scheduler, controller.kind and cpu.model.
        vary: key and its values, {"host.queue_depth": [1, 32]}.
        extra: further variants, each a map of keys.
        settings: values of keys for all variants.
        workloads, traces: the loads; each is compared separately. Without one: the workload of the
            device file.
        seeds: number of seeds; first_seed is the first one.
        jobs: number of runs at a time. Default: one per processor.
        out: folder for results.json of each run and compare.json.
        timeline: with `out`, also write the timeline of the first seed of each variant, from
            `timeline_from` to `timeline_to` (such as "1.5ms").
        lenient: leave out broken lines of traces and count them.
        metrics: more keys of results.json to compare.
        binary: the program. Default: $TLMSSD, the build of the repository, or `tlmssd` on PATH.
        progress: called with a Step after each run.

    Raises:
        LabInputError: before the first run, for a wrong argument or a file that cannot be read.
        LabNotWritten: compare.json cannot be written; `comparison` has the result.
    """
    configs = [configs] if isinstance(configs, (str, os.PathLike)) else list(configs)
    axes = {"scheduler": schedulers, "controller.kind": controllers, "cpu.model": cpus}
    axes = {
        key: [text_of(key, value) for value in values]
        for key, values in {**axes, **(vary or {})}.items()
        if values
    }
    variants = product(
        configs, axes, [settings_of(item) for item in extra], settings_of(settings or {})
    )
    _check(variants, seeds, timeline, out)
    refuse_renamed("metrics", metrics)
    window = {"timeline_from": timeline_from, "timeline_to": timeline_to}
    if not timeline and any(window.values()):
        raise LabInputError("timeline_from and timeline_to need timeline")
    loads = [Load(workload=os.fspath(name)) for name in workloads]
    loads += [Load(trace=trace if isinstance(trace, Trace) else Trace(trace)) for trace in traces]
    loads = loads or [Load()]
    numbers = list(range(first_seed, first_seed + seeds))

    tasks = _tasks(loads, variants, numbers, out, timeline)
    runner = Runner()
    program = find_binary(binary)
    _check_files(loads, variants, program, jobs or default_jobs())
    disk = FullDisk()
    tracker = Tracker(len(tasks), jobs or default_jobs(), progress)
    work = functools.partial(_run, program, lenient, window, tuple(metrics), tracker, disk)
    with contextlib.nullcontext() if out is None else held(pathlib.Path(out)):
        outcomes = in_pool(work, tasks, jobs or default_jobs(), runner)
        groups, done = _groups(loads, variants, list(zip(tasks, outcomes)))
        comparison = Comparison(
            groups,
            variants,
            [seed for seed in numbers if seed in done],
            with_columns(metrics),
            interrupted=runner.interrupted,
            full=str(disk.error or ""),
        )
        for group in groups:
            _evaluate(group, comparison.metrics)
        if out is not None:
            try:
                export.write_json(comparison, pathlib.Path(out) / export.NAME)
            except LabInputError as error:
                raise LabNotWritten(str(error), comparison) from None
    return comparison


def _groups(
    loads: Sequence[Load],
    variants: Sequence[Variant],
    ran: Sequence[tuple[_Task, Result | LabError]],
) -> tuple[list[Group], set[int]]:
    """And the seeds that every variant has run with."""
    undone = {task.seed for task, outcome in ran if isinstance(outcome, (LabInterrupted, LabFull))}
    names = [variant.name(variants) for variant in variants]
    groups = []
    for load in loads:
        rows = []
        for variant, name in zip(variants, names):
            runs = [
                Run(task.seed, task.folder, outcome)
                for task, outcome in ran
                if task.load is load and task.variant is variant
            ]
            rows.append(_row(name, variant, runs, undone))
        groups.append(Group(load, rows))
    return groups, {task.seed for task, _ in ran} - undone


def _check(variants: Sequence[Variant], seeds: int, timeline: bool, out: PathLike | None) -> None:
    if seeds < 1:
        raise LabInputError(f"seeds: {seeds} is less than 1")
    if timeline and out is None:
        raise LabInputError("timeline: needs a folder to keep it in (out)")
    for variant in variants:
        if "seed" in variant.settings:
            raise LabInputError(
                "seed: is chosen by seeds and first_seed, the same for every variant"
            )


def _check_files(
    loads: Sequence[Load], variants: Sequence[Variant], program: pathlib.Path, jobs: int
) -> None:
    """LabInputError where a trace, or another file that a key names, cannot be read. The program's
    own words: they name the file and where it was named. Other refusals are rows."""
    runner = Runner()

    def message(item: tuple[Load, Variant], runner: Runner) -> str:
        load, variant = item
        try:
            point = PointRun(
                pathlib.Path(),
                config_path(variant.config, program),
                variant.settings,
                preset=load.workload,
                trace=load.trace,
            )
            if not runner.interrupted:
                describe(point, program)
        except LabInputError as error:
            return str(error)
        except LabError:
            pass  # the run will say so
        return ""

    items = list(itertools.product(loads, variants))
    for text in in_pool(message, items, jobs, runner):
        if any(words in text for words in _UNREADABLE):
            raise LabInputError(text)
    if runner.interrupted:
        raise KeyboardInterrupt


def _tasks(
    loads: Sequence[Load],
    variants: Sequence[Variant],
    seeds: Sequence[int],
    out: PathLike | None,
    timeline: bool,
) -> list[_Task]:
    """Seed by seed, so that an interrupted comparison has whole seeds to compare."""
    load_folders = folder_names([load.name for load in loads])
    names = [variant.name(variants) for variant in variants]
    variant_folders = folder_names([name.replace(" ", "-") for name in names])
    tasks = []
    for seed, (load, load_folder), (variant, name, variant_folder) in itertools.product(
        seeds, zip(loads, load_folders), zip(variants, names, variant_folders)
    ):
        folder = None
        if out is not None:
            folder = pathlib.Path(
                out,
                load_folder if len(loads) > 1 else "",
                variant_folder,
                f"seed-{seed}" if len(seeds) > 1 else "",
            )
        title = name if len(loads) == 1 else f"{load.name}: {name}"
        title += f", seed {seed}" if len(seeds) > 1 else ""
        tasks.append(_Task(load, variant, title, seed, folder, timeline and seed == seeds[0]))
    return tasks


def _run(
    program: pathlib.Path,
    lenient: bool,
    window: Mapping[str, str | None],
    metrics: Sequence[str],
    tracker: Tracker,
    disk: FullDisk,
    task: _Task,
    runner: Runner,
) -> Result | LabError:
    timeline: dict[str, Any] = {"timeline": True, **window} if task.timeline else {}
    if disk.error is not None:
        return disk.error
    started = time.monotonic()
    outcome: Result | LabError
    try:
        outcome = run(
            task.variant.config,
            workload=task.load.workload,
            trace=task.load.trace,
            out=task.folder,
            runner=runner,
            binary=program,
            lenient=lenient,
            **timeline,
            overrides={**task.variant.settings, "seed": task.seed},
        )
        for key in metrics:
            outcome[key]  # a key that no result has is an error, not an empty column
    except LabError as error:
        outcome = disk.of(error)
    if not isinstance(outcome, LabInterrupted):
        tracker.ended(task.name, time.monotonic() - started)
    return outcome


def _row(name: str, variant: Variant, runs: list[Run], undone: set[int]) -> Row:
    kept = [item for item in runs if item.seed not in undone]
    if not kept:
        full = next((str(run.outcome) for run in runs if isinstance(run.outcome, LabFull)), "")
        told = full or "interrupted before its first seed was done"
        return Row(name, variant, [], "interrupted", told)
    # The worst word wins: an error of the model matters more than a refused input.
    errors = sorted(
        (item.outcome for item in kept if isinstance(item.outcome, LabError)),
        key=lambda error: -error.status,
    )
    if not errors:
        return Row(name, variant, kept, "done")
    return Row(name, variant, kept, "failed" if errors[0].status == 3 else "unfit", str(errors[0]))


def _evaluate(group: Group, metrics: Sequence[Metric]) -> None:
    done = [row for row in group.rows if row.status == "done"]
    if not done:
        return
    group.base = done[0]
    for row in done:
        for key in (metric.key for metric in metrics):
            values, base = row.values(key), done[0].values(key)
            row.figures[key] = mean_interval(values) if values is not None else None
            if row is not done[0]:
                row.differences[key] = (
                    None if base is None or values is None else paired_interval(base, values)
                )
