# SPDX-License-Identifier: BSD-3-Clause
"""The result of a fit as a table, as JSON and as a device file."""

from __future__ import annotations

import json
import os
import pathlib
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tlmssd_lab.files import write_whole
from tlmssd_lab.fit.plan import FitPlan
from tlmssd_lab.fit.rows import FIT, Row
from tlmssd_lab.fit.solve import Sensitivity
from tlmssd_lab.run.settings import text_of

SCHEMA = "tlmssd-fit-1"


@dataclass(frozen=True)
class Fitted:
    """`models`: of each row, None where it was not run; `message`: why the search ended early."""

    plan: FitPlan
    start: tuple[float, ...]
    best: tuple[float, ...]
    models: Sequence[float | None]
    sensitivity: Sensitivity | None
    tried: int
    runs: int
    status: int = 0
    message: str = ""

    @property
    def errors(self) -> list[float | None]:
        """model / measured - 1."""
        pairs = zip(self.models, self.plan.rows, strict=True)
        return [None if model is None else model / row.measured - 1 for model, row in pairs]

    def notes(self) -> list[str]:
        """Of each parameter; empty where there is nothing to say."""
        found = ["" for _ in self.plan.parameters]
        if self.sensitivity is not None:
            for group in self.sensitivity.alike:
                for number in group:
                    others = [self.plan.parameters[n].key for n in group if n != number]
                    found[number] = f"hardly distinguishable from {', '.join(others)}"
            for number, flat in enumerate(self.sensitivity.flat):
                if flat:
                    found[number] = "not identifiable: no fitted row depends on it here"
        for number, parameter in enumerate(self.plan.parameters):
            at = {parameter.range.low: "lower", parameter.range.high: "upper"}.get(self.best[number])
            if at and not found[number]:
                found[number] = f"at its {at} bound"
        return found


def _digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _per_cent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:+.1f} %"


def text(fitted: Fitted) -> str:
    from tabulate import tabulate

    plan = fitted.plan
    rows = [
        [row.name, row.unit, _digits(row.shown(row.measured)),
         _digits(None if model is None else row.shown(model)), _per_cent(error),
         f"{row.weight:g}", "fitted" if row.use == FIT else "predicted"]
        for row, model, error in zip(plan.rows, fitted.models, fitted.errors, strict=True)
    ]
    heading = ["row", "unit", "measured", "model", "error", "weight", "use"]
    align: tuple[str, ...] = ("left", "left", "right", "right", "right", "right", "left")
    parts = [plan.title, tabulate(rows, heading, disable_numparse=True, colalign=align)]
    parts.append("\n".join(_summary(fitted)))
    found = fitted.sensitivity
    table = []
    for number, (parameter, note) in enumerate(zip(plan.parameters, fitted.notes(), strict=True)):
        spread = found.standard_error[number] if found else None
        limits = parameter.range
        table.append([parameter.key, _digits(fitted.start[number]), f"{fitted.best[number]:.6g}",
                      _digits(spread), f"{limits.low:g} to {limits.high:g}", note])
    align = ("left", "right", "right", "right", "left", "left")
    parts.append(tabulate(table, ["parameter", "start", "fitted", "+-", "bounds", ""],
                          disable_numparse=True, colalign=align))
    if found is not None:
        keys = [parameter.key for parameter in plan.parameters]
        table = [[row.name, *(f"{value:+.2f}" for value in values)]
                 for row, values in zip(plan.fitted, found.elasticity, strict=True)]
        parts.append("Change of a row in % for a change of a parameter by 1 %:\n\n"
                     + tabulate(table, ["row", *keys], disable_numparse=True,
                                colalign=("left", *("right" for _ in keys))))
    if fitted.message:
        parts.append(fitted.message)
    return "\n\n".join(parts) + "\n"


def _summary(fitted: Fitted) -> list[str]:
    lines = []
    for use, word in ((FIT, "fitted"), ("predict", "predicted")):
        errors = [(abs(error), row.name)
                  for row, error in zip(fitted.plan.rows, fitted.errors, strict=True)
                  if row.use == use and error is not None]
        if errors:
            mean, (worst, name) = statistics.fmean(e for e, _ in errors), max(errors)
            lines.append(f"{len(errors)} {word} rows: mean error {100 * mean:.1f} %, "
                         f"largest {100 * worst:.1f} % ({name})")
    return [*lines, f"{fitted.tried} sets of parameters, {fitted.runs} runs"]


def document(fitted: Fitted) -> dict[str, Any]:
    plan, found = fitted.plan, fitted.sensitivity
    return {
        "schema": SCHEMA,
        "title": plan.title,
        "file": str(plan.path),
        "config": str(plan.config),
        "set": dict(plan.settings),
        "status": fitted.status,
        "message": fitted.message,
        "sets_tried": fitted.tried,
        "runs": fitted.runs,
        "parameters": [
            {
                "key": parameter.key,
                "start": fitted.start[number],
                "fitted": fitted.best[number],
                "from": parameter.range.low,
                "to": parameter.range.high,
                "standard_error": found.standard_error[number] if found else None,
                "identifiable": not found.flat[number] if found else None,
                "note": note,
            }
            for number, (parameter, note) in enumerate(
                zip(plan.parameters, fitted.notes(), strict=True)
            )
        ],
        "rows": [_row(fitted, number, row) for number, row in enumerate(plan.rows)],
    }


def _row(fitted: Fitted, number: int, row: Row) -> dict[str, Any]:
    model, error = fitted.models[number], fitted.errors[number]
    slopes = None
    if fitted.sensitivity is not None and row.use == FIT:
        values = fitted.sensitivity.elasticity[fitted.plan.fitted.index(row)]
        keys = [parameter.key for parameter in fitted.plan.parameters]
        slopes = dict(zip(keys, values, strict=True))
    return {
        "name": row.name,
        "where": row.where,
        "workload": row.preset,
        "set": dict(row.settings),
        "metric": row.metric,
        "unit": row.unit,
        "measured": row.shown(row.measured),
        "model": None if model is None else row.shown(model),
        "error_percent": None if error is None else 100 * error,
        "weight": row.weight,
        "use": row.use,
        "elasticity": slopes,
    }


def preset(fitted: Fitted, place: pathlib.Path) -> str:
    """YAML of a device that includes the fit's, for a file at `place`."""
    plan, found = fitted.plan, fitted.sensitivity
    uses = [row.use for row in plan.rows]
    name = os.path.relpath(plan.path.absolute(), place.parent)
    lines = [
        f"# {plan.title}: fitted by `tlmssd-lab fit` from {name}",
        f"# to {uses.count(FIT)} rows, {len(uses) - uses.count(FIT)} predicted. Model against measured:",
    ]
    for row, error in zip(plan.rows, fitted.errors, strict=True):
        word = "fitted" if row.use == FIT else "predicted"
        lines.append(f"#   {row.name}: {_per_cent(error)} ({word})")
    if plan.settings:
        pairs = ", ".join(f"{key}={value}" for key, value in plan.settings.items())
        lines.append(f"# All rows were run with {pairs} (not part of this file).")
    if fitted.message:
        lines.append(f"# {fitted.message}")
    tree: dict[str, Any] = {}
    for number, (parameter, note) in enumerate(zip(plan.parameters, fitted.notes(), strict=True)):
        if found is not None and found.flat[number]:
            lines.append(f"# {parameter.key} is left as it is: {note}.")
            continue
        spread = found.standard_error[number] if found else None
        limits = parameter.range
        comment = f"fitted in {limits.low:g} to {limits.high:g}"
        comment += f", standard error {spread:.3g}" if spread is not None else ""
        comment += f", {note}" if note else ""
        *sections, last = parameter.key.split(".")
        inside = tree
        for section in sections:
            inside = inside.setdefault(section, {})
        inside[last] = f"{text_of(parameter.key, fitted.best[number])}  # {comment}"
    base = os.path.relpath(plan.config.resolve(), place.parent.resolve())
    lines.append(f"include: {json.dumps(base)}")
    return "\n".join([*lines, *_yaml(tree, 0)]) + "\n"


def _yaml(tree: Mapping[str, Any], depth: int) -> list[str]:
    lines = []
    for key, value in tree.items():
        if isinstance(value, Mapping):
            lines += [f"{'  ' * depth}{key}:", *_yaml(value, depth + 1)]
        else:
            lines.append(f"{'  ' * depth}{key}: {value}")
    return lines


def write(
    fitted: Fitted, out: pathlib.Path, named: pathlib.Path | None, force: bool
) -> list[pathlib.Path]:
    """fit.txt, fit.json and preset.yaml in `out`; the device file at `named`, too, which must not
    exist without `force`."""
    files = {
        out / "fit.txt": text(fitted),
        out / "fit.json": json.dumps(document(fitted), indent=1) + "\n",
        out / "preset.yaml": preset(fitted, out / "preset.yaml"),
    }
    if named is not None:
        files[named] = preset(fitted, named)
    for path, content in files.items():
        write_whole(path, content, keep=path == named and not force)
    return list(files)
