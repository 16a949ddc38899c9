# SPDX-License-Identifier: BSD-3-Clause
"""One fit from its plan to its result."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence

from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.fit.models import Models, OutOfPoints, Values
from tlmssd_lab.fit.plan import FitPlan
from tlmssd_lab.fit.report import Fitted
from tlmssd_lab.fit.solve import Model, Search, Sensitivity
from tlmssd_lab.progress import Progress
from tlmssd_lab.run.errors import LabInterrupted

_INTERRUPTED = "interrupted: this is the best so far"


def fit(
    plan: FitPlan,
    out: pathlib.Path,
    *,
    jobs: int | None = None,
    binary: str | os.PathLike | None = None,
    progress: Progress | None = None,
) -> Fitted:
    """Search, then the rows that are held out and the sensitivity. The reason of an early
    end (an interrupt, a point that fails) is in `status` and `message` of the result; LabError where
    nothing was found until then."""
    models = Models(plan, out, jobs=jobs, binary=binary, progress=progress)
    rows = plan.fitted
    start = _start(plan, models.own_values())
    limited = True

    def model(sets: Sequence[Values]) -> list[list[float]]:
        return models.at(sets, rows, unlimited=not limited)

    search = Search(
        plan.parameters, [row.measured for row in rows], [row.weight for row in rows], model
    )
    status, message = 0, ""
    found: Sensitivity | None = None
    try:
        try:
            search.run(start, min(4 * len(start), max(0, plan.points // 4)))
        except OutOfPoints:
            message = f"stopped after {models.tried} sets of parameters (points): "
            message += "perhaps not the best"
        limited = False
        if search.best is not None:
            models.at([search.best], plan.rows, unlimited=True)
            found = search.sensitivity()
            if _restore(search, start, found, model):
                models.at([search.best], plan.rows, unlimited=True)
                found = search.sensitivity()
    except (LabInterrupted, KeyboardInterrupt):
        status, message = LabInterrupted.status, _INTERRUPTED
    except LabError as error:
        if search.best is None:
            raise
        status, message = error.status, f"stopped: {error}"
    if search.best is None:
        if status:
            raise LabInterrupted("interrupted before the first set of parameters was run")
        raise LabInputError(f"{plan.path}: points: {plan.points} is too few to begin")
    values = [models.known(search.best, row) for row in plan.rows]
    return Fitted(
        plan, start, search.best, values, found, models.tried, models.runs, status, message
    )


def _start(plan: FitPlan, own: dict[str, float]) -> Values:
    """Of each parameter the start in the file, else the device's own value, else the middle."""
    start = []
    for parameter in plan.parameters:
        value = parameter.start if parameter.start is not None else own.get(parameter.key)
        if value is None or not parameter.range.low <= value <= parameter.range.high:
            value = parameter.value(0.5)
        start.append(int(value) if parameter.range.integer else float(value))
    return tuple(start)


def _restore(search: Search, start: Values, found: Sensitivity, model: Model) -> bool:
    """Parameters on which no row depends get their start back, if the cost stays the same."""
    assert search.best is not None
    values = tuple(s if flat else b for s, b, flat in zip(start, search.best, found.flat))
    if values == search.best:
        return False
    at_start = search.cost_of(model([values])[0])
    if at_start > search.cost * 1.01 + 1e-8:
        return False
    search.best, search.cost = values, at_start
    return True
