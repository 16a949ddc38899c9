# SPDX-License-Identifier: BSD-3-Clause
"""Runs the rows of a fit with given parameters. A finished run is not made again."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
from collections.abc import Mapping, Sequence

import yaml

from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.fit.plan import FitPlan
from tlmssd_lab.fit.rows import Row
from tlmssd_lab.progress import Progress, Tracker
from tlmssd_lab.run.errors import LabInterrupted
from tlmssd_lab.run.metrics import value_of
from tlmssd_lab.run.point import PointRun, describe, program_hash, run_point
from tlmssd_lab.run.process import Runner, default_jobs, find_binary, in_pool
from tlmssd_lab.run.result import Result
from tlmssd_lab.run.settings import text_of

Values = tuple[float, ...]  # of the plan's parameters, in their order
_Job = tuple[Values, str | None, tuple[tuple[str, str], ...]]


class OutOfPoints(Exception):
    """The plan's `points` are used up."""


class Models:
    """Values of the model for rows; runs are in OUT/points/ID."""

    def __init__(
        self,
        plan: FitPlan,
        out: pathlib.Path,
        *,
        jobs: int | None = None,
        binary: str | os.PathLike | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._plan, self._out = plan, out
        self._jobs = jobs or default_jobs()
        self._program = find_binary(binary)
        self._version = program_hash(self._program)
        self._runner = Runner(plan.timeout_s)
        loads = len({row.load for row in plan.fitted})
        self._tracker = Tracker(plan.points * loads, self._jobs, progress, at_most=True)
        self._known: dict[_Job, Result] = {}
        self._tried: set[Values] = set()
        self.runs = 0  # that were really made

    @property
    def tried(self) -> int:
        """Sets of parameters."""
        return len(self._tried)

    def own_values(self) -> dict[str, float]:
        """Numbers of the device as its file has them, by dotted key."""
        point = PointRun(self._out, self._plan.config, dict(self._plan.settings))
        found: dict[str, float] = {}

        def add(place: Mapping, before: str) -> None:
            for key, value in place.items():
                if isinstance(value, Mapping):
                    add(value, f"{before}{key}.")
                elif isinstance(value, (int, float)) and not isinstance(value, bool):
                    found[f"{before}{key}"] = value

        add(yaml.safe_load(describe(point, self._program)) or {}, "")
        return found

    def at(
        self, sets: Sequence[Values], rows: Sequence[Row], unlimited: bool = False
    ) -> list[list[float]]:
        """For each set of parameters the rows' values in the units of results.json. Raises LabError,
        and OutOfPoints (never when `unlimited`)."""
        new = {values for values in sets} - self._tried
        if not unlimited and len(self._tried) + len(new) > self._plan.points:
            raise OutOfPoints
        wanted = {(values, *row.load): (values, row) for values in sets for row in rows}
        left = [item for job, item in wanted.items() if job not in self._known]
        outcomes = in_pool(self._attempt, left, self._jobs, self._runner) if left else []
        for (values, row), outcome in zip(left, outcomes, strict=True):
            if isinstance(outcome, Result):
                self._known[(values, *row.load)] = outcome
        if self._runner.interrupted:
            raise LabInterrupted("interrupted")
        for (values, row), outcome in zip(left, outcomes, strict=True):
            if isinstance(outcome, LabError):
                lines = str(outcome).splitlines() or ["no message"]
                raise type(outcome)(f"{row.where} ({row.name}) with {self._named(values)}: {lines[0]}")
        self._tried |= new
        return [[self._value(values, row) for row in rows] for values in sets]

    def known(self, values: Values, row: Row) -> float | None:
        """Without running anything."""
        if (values, *row.load) not in self._known:
            return None
        return self._value(values, row)

    def _named(self, values: Values) -> str:
        pairs = zip(self._plan.parameters, values)
        return ", ".join(f"{parameter.key}={value:g}" for parameter, value in pairs)

    def _value(self, values: Values, row: Row) -> float:
        found = value_of(self._known[(values, *row.load)].json, row.metric)
        if not found or found < 0:
            raise LabInputError(
                f"{row.where} ({row.name}): metric: {row.metric} is "
                f"{'0' if found == 0 else 'not defined'} in this workload"
            )
        return found

    def _attempt(self, item: tuple[Values, Row], runner: Runner) -> Result | LabError:
        values, row = item
        settings = {**self._plan.settings, **row.settings}
        settings |= {
            parameter.key: text_of(parameter.key, value)
            for parameter, value in zip(self._plan.parameters, values)
        }
        parts = json.dumps([row.preset, sorted(settings.items())])
        name = hashlib.sha256(parts.encode()).hexdigest()[:12]
        point = PointRun(self._out / "points" / name, self._plan.config, settings, row.preset)
        try:
            found, seconds = run_point(point, self._program, self._version, runner)
        except LabError as error:
            return error
        self.runs += seconds is not None
        self._tracker.ended(f"{row.name} with {self._named(values)}", seconds)
        return found
