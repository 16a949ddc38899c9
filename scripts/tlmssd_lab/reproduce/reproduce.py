# SPDX-License-Identifier: BSD-3-Clause
"""Runs the points that rows are made of and fills the rows in; checks that rows are what their figures say."""

from __future__ import annotations

import datetime
import os
import pathlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.figures import experiment, experiment_points
from tlmssd_lab.figures.data import Data
from tlmssd_lab.figures.experiment import CLOSED, OWN, REPRODUCE, Experiment
from tlmssd_lab.figures.experiment_points import Point
from tlmssd_lab.figures.experiment_run import Done, run_points
from tlmssd_lab.files import held
from tlmssd_lab.progress import Progress
from tlmssd_lab.reproduce import page, rows
from tlmssd_lab.reproduce.probe import fingerprint, probe_points
from tlmssd_lab.reproduce.rows import RUN, SPAN, Row
from tlmssd_lab.reproduce.values import asked, parsed, place, value_of_row
from tlmssd_lab.run.errors import LabInterrupted
from tlmssd_lab.run.process import ROOT
from tlmssd_lab.run.result import Result

OUT = "out/reproduce"


@dataclass(frozen=True)
class Options:
    """Where the rows are, where points run, how many at a time, with which program."""

    file: pathlib.Path = rows.FILE
    page: pathlib.Path = page.PAGE
    out: str | os.PathLike = OUT
    jobs: int | None = None
    binary: str | os.PathLike | None = None
    progress: Progress | None = None


@dataclass(frozen=True)
class Work:
    """An experiment's form for rows, with the points that some rows are made of."""

    wanted: Experiment
    points: list[Point]
    options: Options

    @property
    def device(self) -> pathlib.Path:
        """From the repository, where it is in it."""
        file = self.wanted.config.resolve()
        return file.relative_to(ROOT) if file.is_relative_to(ROOT) else file

    def run(self, points: Sequence[Point], folder: str) -> list[Done]:
        where = pathlib.Path(self.options.out).absolute() / self.wanted.name / folder
        with held(where):
            done, interrupted = run_points(
                self.wanted, points, where,
                jobs=self.options.jobs, binary=self.options.binary, progress=self.options.progress,
            )
        if interrupted:
            raise LabInterrupted("interrupted")
        return done

    def probe(self) -> str:
        done = self.run(probe_points(self.points), "probe")
        return fingerprint([(item.point.folder, item.outcome) for item in done])

    def data(self) -> Data:
        done = self.run(self.points, "rows")
        for item in done:
            if isinstance(item.outcome, LabError):
                raise item.outcome
        return Data(self.wanted, done)


def by_experiment(wanted: Iterable[Row]) -> dict[str, list[Row]]:
    """Without rows that need none."""
    found: dict[str, list[Row]] = {}
    for row in wanted:
        if row.experiment:
            found.setdefault(row.experiment, []).append(row)
    return found


def work(name: str, group: Sequence[Row], options: Options) -> Work:
    wanted = experiment.load(name, form=REPRODUCE)
    loads, missing = experiment_points.loads(wanted)
    if missing:
        raise LabInputError(f"{name}: {missing[0]}")
    places = asked(group, wanted, loads)
    for load, arrival, labels in list(places):
        if arrival not in (CLOSED, OWN):  # its rate is a share of the base's
            places.add(place(load, CLOSED, {**dict(labels), **wanted.base}))
    points = [
        point
        for point in experiment_points.points(wanted, loads)
        if place(point.load.name, point.arrival, point.labels) in places
    ]
    return Work(wanted, points, options)


def measure(wanted: Sequence[Row], options: Options) -> list[Row]:
    """The rows with the figures of runs made now. Raises LabError where a point fails or is interrupted."""
    groups = by_experiment(wanted)
    for group in groups.values():
        for row in group:
            parsed(row)  # before any run
    found = {}
    for name, group in groups.items():
        seal = _stamp(name, options)
        runs = work(name, group, options)
        data = runs.data()
        for row in group:
            found[row.id] = _filled(row, data, str(runs.device), seal)
    return [found.get(row.id, rows.filled(row)) for row in wanted]


def _stamp(name: str, options: Options) -> str:
    """Of all rows of an experiment, whichever were asked for."""
    group = by_experiment(rows.read(options.file))[name]
    return work(name, group, options).probe()


def _filled(row: Row, data: Data, device: str, seal: str) -> Row:
    found = value_of_row(row, data)
    if found is None:
        raise LabInputError(f"{row.id}: value_from: a seed has no such value")
    named = row.judge == "name"
    value = _text(found.value)
    if found.most is not None and _text(found.most) != value:
        value += SPAN + _text(found.most)
    return rows.filled(
        row,
        device=device,
        seeds=" ".join(map(str, data.experiment.seeds)),
        revision=" ".join(_revisions(data.done)),
        date=datetime.date.today().isoformat(),
        probe=seal,
        value=found.name if named else value,
        value_low="" if named else _text(found.low),
        value_high="" if named else _text(found.high),
    )


def _revisions(done: Iterable[Done]) -> list[str]:
    results = [item.outcome for item in done if isinstance(item.outcome, Result)]
    return sorted({str(result.json["wall"]["git"]) for result in results})


def _text(value: float) -> str:
    return f"{value:.5g}"


def update(names: Sequence[str], options: Options, write: bool = False) -> list[Row]:
    """Runs what these rows need; `write`: into file and page. The rows that were asked for."""
    listed = rows.read(options.file)
    wanted = measure(rows.chosen(listed, names), options)
    if write:
        done = {row.id: row for row in wanted}
        listed = [_updated(row, done.get(row.id)) for row in rows.read(options.file)]
        rows.write(listed, options.file)
        page.write(listed, options.page)
    return wanted


def _updated(now: Row, done: Row | None) -> Row:
    """`now`: of the file as it is after the runs. A cause may have changed meanwhile, a claim may not."""
    if done is None or not done.measured:
        return rows.filled(now)
    found = rows.filled(done, cause=now.cause, cause_run=now.cause_run, page=now.page)
    if rows.claimed(found) != rows.claimed(now):
        raise LabInputError(f"{now.id}: its claim was changed while it was run")
    return found


def faults(names: Sequence[str], options: Options) -> list[str]:
    """A line for each thing that is wrong: verdicts, seals, the page, stale stamps, and other values than those of
    the rows that are run in full: those of `names`, without names the rows with `check` RUN."""
    listed = rows.read(options.file)
    found = [text for row in listed for text in _own_faults(row)]
    found += page.faults(listed, options.page)
    measured = [row for row in rows.chosen(listed, names) if row.measured]
    for name, group in by_experiment(measured).items():
        seal = _stamp(name, options)
        found += [
            f"{row.id}: stale: {name} gives other figures than at revision {row.revision}; "
            f"tlmssd-lab reproduce {row.id} --write"
            for row in group
            if row.probe != seal
        ]
    again = [row for row in measured if names or row.check == RUN]
    for old, new in zip(again, measure(again, options), strict=True):
        if (old.value, old.value_low, old.value_high) != (new.value, new.value_low, new.value_high):
            found.append(f"{old.id}: the value is {old.value} ({old.value_low} to {old.value_high}), but runs give "
                         f"{new.value} ({new.value_low} to {new.value_high})")
    return found


def _own_faults(row: Row) -> list[str]:
    """Faults that show without a run."""
    found = []
    if row.verdict != row.judged:
        found.append(f"{row.id}: the verdict is '{row.verdict}', but '{row.judged}' follows from its figures")
    if row.measured and row.seal != row.sealed:
        text = f"its claim or its value was changed without a run; tlmssd-lab reproduce {row.id} --write"
        found.append(f"{row.id}: {text}")
    if row.cause_run and row.cause_run not in experiment.names():
        found.append(f"{row.id}: cause_run: '{row.cause_run}' is no experiment")
    return found
