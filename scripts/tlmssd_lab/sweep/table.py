# SPDX-License-Identifier: BSD-3-Clause
"""The results of a sweep as one table: points.parquet, and questions to it in SQL."""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tlmssd_lab.checksums import read_results
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.files import write_whole
from tlmssd_lab.run.result import RESULTS
from tlmssd_lab.sweep.plan import Plan, SweepPoint
from tlmssd_lab.sweep.worker import DONE, Ended

if TYPE_CHECKING:
    import pandas

TABLE = "points.parquet"
_LEFT_OUT = ("config", "schema")
PARETO = "pareto"


def scalars(document: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Every number, text and truth of results.json by its dotted key, but for the configuration;
    lists are left out, but for the mean of cpu.busy_fraction."""
    found: dict[str, Any] = {}
    for name, value in document.items():
        key = before + name
        if isinstance(value, Mapping):
            if key not in _LEFT_OUT:
                found.update(scalars(value, key + "."))
        elif isinstance(value, (int, float, str, bool)) and key not in _LEFT_OUT:
            found[key] = value
        elif key == "cpu.busy_fraction" and isinstance(value, list) and value:
            found[key] = sum(value) / len(value)
    return found


def table(plan: Plan, out: pathlib.Path, points: Sequence[SweepPoint],
          ended: Mapping[str, Ended]) -> pandas.DataFrame:
    """A row per point that was reached, in the points' order."""
    import pandas

    rows = []
    for point in points:
        last = ended.get(point.id)
        if last is None:
            continue
        row: dict[str, Any] = {
            "point": point.id,
            "status": last.status,
            "message": last.message or None,
            **dict(point.values),
        }
        if last.status == DONE:
            found = _read(out / "points" / point.id / RESULTS)
            found.pop("status", None)  # `status` above is the point's
            row.update({k: v for k, v in found.items() if k not in point.values})
        row["seed"] = point.seed
        rows.append(row)
    frame = pandas.DataFrame(rows)
    for column in frame.columns:  # a parameter with labels and numbers
        kinds = {type(value) for value in frame[column].dropna()}
        if str in kinds and len(kinds) > 1:
            frame[column] = frame[column].map(lambda v: v if v is None else str(v))
    if len(plan.objectives) > 1 and not frame.empty:
        frame[PARETO] = front(plan, frame)
    return frame


def means(plan: Plan, frame: pandas.DataFrame) -> pandas.DataFrame:
    """The objectives' means over the seeds of each combination of parameters that has them all."""
    names = parameter_names(plan, frame)
    keys = [key for key in plan.objectives if key in frame.columns]
    done = frame[frame["status"] == DONE]
    if done.empty or len(keys) < len(plan.objectives):
        return done.head(0)
    grouped = done.groupby(names, sort=False, dropna=False)
    found = grouped[keys].mean().reset_index()
    found["point"] = grouped["point"].first().to_numpy()
    found["runs"] = grouped.size().to_numpy()
    return found[found[keys].notna().all(axis=1) & (found["runs"] == plan.seeds)]


def parameter_names(plan: Plan, frame: pandas.DataFrame) -> list[str]:
    names = [parameter.name for parameter in plan.parameters]
    names += [str(key) for item in plan.listed for key in item]
    return [name for name in dict.fromkeys(names) if name in frame.columns]


def front(plan: Plan, frame: pandas.DataFrame) -> pandas.Series:
    """Whether no other combination is at least as good in all objectives and better in one."""
    import pandas

    best = means(plan, frame)
    ups = list(plan.objectives.items())
    costs = [[-row[k] if up else row[k] for k, up in ups] for _, row in best.iterrows()]
    names = parameter_names(plan, frame)
    chosen = {
        tuple(map(str, row[names]))
        for cost, (_, row) in zip(costs, best.iterrows(), strict=True)
        if not any(_dominates(other, cost) for other in costs)
    }
    return pandas.Series(
        [tuple(map(str, row[names])) in chosen for _, row in frame.iterrows()], index=frame.index
    )


def _dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(a <= b for a, b in zip(one, other)) and list(one) != list(other)


def write(frame: pandas.DataFrame, out: pathlib.Path) -> None:
    """As a whole or not at all."""
    write_whole(out / TABLE, frame.to_parquet(index=False))


def query(folder: pathlib.Path, sql: str) -> pandas.DataFrame:
    """What DuckDB answers; the table is called `points`."""
    import duckdb

    file = folder / TABLE if folder.is_dir() else folder
    if not file.is_file():
        raise LabInputError(f"{file}: no such file: a sweep writes it")
    try:
        file.open("rb").close()
    except OSError as error:
        raise LabInputError(f"{file}: {error.strerror}") from None
    with duckdb.connect() as connection:
        try:
            name = str(file).replace("'", "''")
            connection.execute(f"create view points as select * from read_parquet('{name}')")
        except duckdb.Error:
            raise _damaged(file) from None
        try:
            answer = connection.execute(sql)
            if answer is None:
                raise LabInputError("SQL: asks nothing")
            return answer.df()
        except duckdb.Error as error:
            text = str(error)
            if f'Failed to read file "{file}"' in text:
                raise _damaged(file) from None
            raise LabInputError("SQL: " + _said(text)) from None


def _said(text: str) -> str:
    """A message of DuckDB as one line: without the piece of SQL and the arrow below it, which need
    lines of their own, and what was to be written out of JSON."""
    inner = re.search(r'"exception_message":("(?:[^"\\]|\\.)*")', text)
    if inner is not None:
        text = json.loads(inner[1])
    return " ".join(text.split("\nLINE ")[0].split())


def _damaged(file: pathlib.Path) -> LabInputError:
    return LabInputError(
        f"{file}: no Parquet file, or a damaged one: the command of its sweep writes it again"
    )


def _read(path: pathlib.Path) -> dict[str, Any]:
    try:
        return scalars(read_results(path))
    except (OSError, ValueError) as error:
        raise LabInputError(f"{path}: {error}") from None
