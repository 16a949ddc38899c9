# SPDX-License-Identifier: BSD-3-Clause
"""Runs the experiments of rows and fills the rows in; checks that rows are what their figures say."""

from __future__ import annotations

import datetime
import os
import pathlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.figures import experiment, experiment_points
from tlmssd_lab.figures.data import Data
from tlmssd_lab.figures.experiment_run import Done, run_points
from tlmssd_lab.files import held
from tlmssd_lab.progress import Progress
from tlmssd_lab.reproduce import page, rows
from tlmssd_lab.reproduce.probe import probe
from tlmssd_lab.reproduce.rows import Row
from tlmssd_lab.reproduce.values import parsed, value_of_row
from tlmssd_lab.run.errors import LabInterrupted
from tlmssd_lab.run.result import Result

OUT = "out/figures"  # the folder of `tlmssd-lab figure`: its points are not run again


@dataclass(frozen=True)
class Options:
    """Where points run, how many at a time, with which program."""

    out: str | os.PathLike = OUT
    jobs: int | None = None
    binary: str | os.PathLike | None = None
    progress: Progress | None = None


def experiments_of(wanted: Iterable[Row]) -> dict[str, list[Row]]:
    """By the experiment that they need; rows without one (inputs) are left out."""
    found: dict[str, list[Row]] = {}
    for row in wanted:
        if row.experiment:
            found.setdefault(row.experiment, []).append(row)
    return found


def measure(wanted: Sequence[Row], options: Options) -> list[Row]:
    """The rows with the figures of runs made now. Raises LabError where a point fails or is interrupted."""
    for row in wanted:
        if row.experiment:
            parsed(row)  # before hours of runs
    found = {}
    for name, group in experiments_of(wanted).items():
        data = _run(name, options)
        seal = probe(name, options.out, options.jobs, options.binary, options.progress)
        for row in group:
            found[row.id] = _filled(row, data, seal)
    return [found.get(row.id, rows.filled(row)) for row in wanted]


def _run(name: str, options: Options) -> Data:
    wanted = experiment.load(name, False)
    loads, missing = experiment_points.loads(wanted)
    if missing:
        raise LabInputError(f"{name}: {missing[0]}")
    folder = pathlib.Path(options.out).absolute() / name
    with held(folder):
        done, interrupted = run_points(
            wanted, experiment_points.points(wanted, loads), folder,
            jobs=options.jobs, binary=options.binary, progress=options.progress,
        )
    if interrupted:
        raise LabInterrupted("interrupted")
    for item in done:
        if isinstance(item.outcome, LabError):
            raise item.outcome
    return Data(wanted, done)


def _filled(row: Row, data: Data, seal: str) -> Row:
    found = value_of_row(row, data)
    if found is None:
        raise LabInputError(f"{row.id}: value_from: a seed has no such value")
    named = row.judge == "name"
    return rows.filled(
        row,
        seeds=" ".join(map(str, data.experiment.seeds)),
        revision=" ".join(_revisions(data.done)),
        date=datetime.date.today().isoformat(),
        probe=seal,
        value=found.name if named else _text(found.value),
        value_low="" if named else _text(found.low),
        value_high="" if named else _text(found.high),
    )


def _revisions(done: Iterable[Done]) -> list[str]:
    results = [item.outcome for item in done if isinstance(item.outcome, Result)]
    return sorted({str(result.json["wall"]["git"]) for result in results})


def _text(value: float) -> str:
    return f"{value:.5g}"


def update(names: Sequence[str], options: Options) -> list[Row]:
    """Runs what these rows need, writes file and page. The rows that were asked for."""
    listed = rows.read()
    done = {row.id: row for row in measure(rows.chosen(listed, names), options)}
    listed = [done.get(row.id, rows.filled(row)) for row in listed]
    rows.write(listed)
    page.write(listed)
    return list(done.values())


def faults(names: Sequence[str], options: Options) -> list[str]:
    """A line for each thing that is wrong. Without names: verdicts, page, and whether rows are stale. With names:
    these rows are run in full, too, and must give the same values."""
    listed = rows.read()
    found = [
        f"{row.id}: the verdict is '{row.verdict}', but '{row.judged}' follows from its figures"
        for row in listed
        if row.verdict != row.judged
    ]
    found += page.faults(listed)
    wanted = rows.chosen(listed, names)
    for name, group in experiments_of(row for row in wanted if row.value).items():
        seal = probe(name, options.out, options.jobs, options.binary, options.progress)
        found += [
            f"{row.id}: stale: {name} has changed since revision {row.revision}; tlmssd-lab reproduce {row.id}"
            for row in group
            if row.probe != seal
        ]
    if names:
        again = measure([row for row in wanted if row.value], options)
        old = {row.id: row for row in wanted}
        found += [
            f"{row.id}: {row.value} ({row.value_low} to {row.value_high}) instead of {old[row.id].value}"
            for row in again
            if (row.value, row.value_low, row.value_high)
            != (old[row.id].value, old[row.id].value_low, old[row.id].value_high)
        ]
    return found
