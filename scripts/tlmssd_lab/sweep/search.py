# SPDX-License-Identifier: BSD-3-Clause
"""The search of a sweep: Optuna proposes parameters, runs answer with objectives."""

from __future__ import annotations

import json
import pathlib
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tlmssd_lab.checksums import read_results
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.run.metrics import value_of
from tlmssd_lab.run.result import RESULTS
from tlmssd_lab.sweep.plan import Parameter, Plan, SweepPoint, point_of
from tlmssd_lab.sweep.worker import DONE, Ended

if TYPE_CHECKING:
    import optuna

TRIALS = "trials.jsonl"


@dataclass
class _Asked:
    """A proposal, a point for each seed, and the points' answers."""

    trial: Any
    values: Mapping[str, Any]
    points: list[SweepPoint]
    ended: dict[str, Ended] = field(default_factory=dict)


class Search:
    """Asks for plan.points proposals, those of an earlier, interrupted search counted."""

    def __init__(self, plan: Plan, out: pathlib.Path) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._plan, self._out = plan, out
        self._study = optuna.create_study(
            directions=["maximize" if up else "minimize" for up in plan.objectives.values()],
            sampler=_sampler(plan),
        )
        self._distributions = {p.name: _distribution(p) for p in plan.parameters}
        self._asked: list[_Asked] = []
        self._number = 0
        self._earlier = _read(out / TRIALS)
        for values in self._earlier:  # asked again in the same order, so that the study is the same
            if set(values) != set(self._distributions) or not self._fits(values):
                raise LabInputError(
                    f"{out / TRIALS}: belongs to a search with other parameters: use another folder"
                )

    def ask(self) -> list[SweepPoint] | None:
        """The points of the next proposal; None when there have been all."""
        if self._number == self._plan.points:
            return None
        if self._number < len(self._earlier):
            self._study.enqueue_trial(self._earlier[self._number])
        trial = self._study.ask(self._distributions)
        self._number += 1
        values = dict(trial.params)
        if self._number > len(self._earlier):
            with open(self._out / TRIALS, "a", encoding="utf-8") as file:
                file.write(json.dumps(values) + "\n")
        seeds = range(1, self._plan.seeds + 1)
        found = [point_of(self._plan, values, seed) for seed in seeds]
        asked = _Asked(trial, values, found)
        twin = next((other for other in self._asked if other.values == values), None)
        if twin is not None:
            asked.ended = twin.ended  # its runs are these; the answers come once
        self._asked.append(asked)
        if twin is not None:
            self._finish(asked)
            return []
        return found

    def ready(self, under_way: int, slots: int) -> bool:
        """Whether the next proposal may be asked for: a proposal a worker, as each is better the
        more answers there are."""
        return under_way < slots

    def tell(self, point: SweepPoint, ended: Ended) -> None:
        for asked in self._asked:
            if asked.trial is not None and point.id in {p.id for p in asked.points}:
                asked.ended[point.id] = ended
                self._finish(asked)

    def _finish(self, asked: _Asked) -> None:
        import optuna

        if len(asked.ended) < len({p.id for p in asked.points}):
            return
        values = self._objectives(asked)
        trial, asked.trial = asked.trial, None
        if values is None:
            self._study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            self._study.tell(trial, values)

    def _objectives(self, asked: _Asked) -> list[float] | None:
        """Means over the seeds; None where one has none."""
        found = []
        for key in self._plan.objectives:
            numbers = []
            for point in asked.points:
                if asked.ended[point.id].status != DONE:
                    return None
                file = self._out / "points" / point.id / RESULTS
                value = value_of(read_results(file), key)
                if value is None:
                    return None
                numbers.append(value)
            found.append(statistics.fmean(numbers))
        return found

    def _fits(self, values: Mapping[str, Any]) -> bool:
        for name, distribution in self._distributions.items():
            choices = getattr(distribution, "choices", None)
            value = values[name]
            if choices is not None:
                if value not in choices:
                    return False
            elif not isinstance(value, (int, float)) or not _contains(distribution, value):
                return False
        return True


def _sampler(plan: Plan) -> optuna.samplers.BaseSampler:
    import optuna

    if plan.sampler == "tpe":
        return optuna.samplers.TPESampler(seed=plan.seed)
    if plan.sampler == "random":
        return optuna.samplers.RandomSampler(seed=plan.seed)
    # The first generation is random: an eighth of all, so that some follow.
    population = max(8, min(50, plan.points // 8))
    return optuna.samplers.NSGAIISampler(seed=plan.seed, population_size=population)


def _distribution(parameter: Parameter) -> optuna.distributions.BaseDistribution:
    from optuna.distributions import (
        CategoricalDistribution,
        FloatDistribution,
        IntDistribution,
    )

    limits = parameter.range
    if limits is None:
        return CategoricalDistribution(list(parameter.choices))
    if limits.integer:
        return IntDistribution(int(limits.low), int(limits.high), log=limits.log)
    return FloatDistribution(limits.low, limits.high, log=limits.log)


def _contains(distribution: Any, value: float) -> bool:
    """Whether a distribution of numbers has the value."""
    return bool(distribution.low <= value <= distribution.high)


def _read(path: pathlib.Path) -> list[dict[str, Any]]:
    """The proposals of an earlier search; a last line that is not whole is left out."""
    found = []
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                break
    return found
