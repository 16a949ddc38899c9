# SPDX-License-Identifier: BSD-3-Clause
"""reference/reproduction.csv: a row per published figure."""

from __future__ import annotations

import csv
import io
import pathlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from tlmssd_lab.errors import LabInputError, nearest
from tlmssd_lab.files import write_whole
from tlmssd_lab.reproduce.verdict import JUDGES, VERDICTS, Claim, Found, Judge, judge
from tlmssd_lab.run.process import ROOT

FILE = ROOT / "reference/reproduction.csv"


@dataclass(frozen=True)
class Row:
    """`paper_value` and `unit` are the paper's words. `judge` to `tolerance` are fixed before the run.
    `value_from` names the function of values.py and its arguments; `experiment` the runs that it takes.
    What follows is filled in by `tlmssd-lab reproduce`. `cause` is by hand, `cause_run` the experiment
    that shows it.
    """

    id: str
    paper: str
    figure: str
    metric: str
    over: str
    compares: str
    paper_value: str
    unit: str
    judge: str
    low: str
    high: str
    tolerance: str
    device: str
    experiment: str
    value_from: str
    seeds: str = ""
    revision: str = ""
    date: str = ""
    probe: str = ""
    value: str = ""
    value_low: str = ""
    value_high: str = ""
    verdict: str = ""
    cause: str = ""
    cause_run: str = ""
    page: str = ""

    @property
    def claim(self) -> Claim:
        name = self.paper_value if self.judge == "name" else ""
        numbers = (float(text or 0) for text in (self.low, self.high, self.tolerance))
        return Claim(cast(Judge, self.judge), *numbers, name)

    @property
    def found(self) -> Found | None:
        """None where no run has filled the row in."""
        if not self.value:
            return None
        seeds = 0 if self.seeds == "none" else len(self.seeds.split())
        if self.judge == "name":
            return Found(name=self.value, seeds=seeds)
        return Found(*(float(x) for x in (self.value, self.value_low, self.value_high)), seeds=seeds)

    @property
    def judged(self) -> str:
        """The verdict that follows from the row's own figures."""
        return judge(self.claim, self.found, bool(self.cause_run))


COLUMNS = tuple(field.name for field in fields(Row))
_NUMBERS = ("low", "high", "tolerance", "value", "value_low", "value_high")


def read(file: pathlib.Path = FILE) -> list[Row]:
    """Raises LabInputError that names line and column."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise LabInputError(f"{file}: {error.strerror}") from None
    reader = csv.reader(io.StringIO(text))
    head = next(reader, [])
    if tuple(head) != COLUMNS:
        wrong = next((name for name in head if name not in COLUMNS), "")
        hint = f"needs the columns {','.join(COLUMNS)}"
        if wrong:
            hint = f"unknown column '{wrong}'{nearest(wrong, COLUMNS)}"
        raise LabInputError(f"{file}:1: {hint}")
    rows: list[Row] = []
    for cells in reader:
        where = f"{file}:{reader.line_num}"
        if len(cells) != len(COLUMNS):
            raise LabInputError(f"{where}: {len(cells)} columns instead of {len(COLUMNS)}")
        row = Row(*cells)
        _check(row, where)
        if row.id in {other.id for other in rows}:
            raise LabInputError(f"{where}: id: '{row.id}' is there twice")
        rows.append(row)
    return rows


def _check(row: Row, where: str) -> None:
    def wrong(column: str, text: str) -> LabInputError:
        return LabInputError(f"{where}: {column}: {text}")

    for column, choices in (("judge", JUDGES), ("verdict", ("", *VERDICTS))):
        given = getattr(row, column)
        if given not in choices:
            hint = nearest(given, choices)
            raise wrong(column, f"'{given}' is none of {', '.join(filter(None, choices))}{hint}")
    named = row.judge == "name"
    for column in _NUMBERS:
        text = getattr(row, column)
        if text and not (named and column.startswith("value")) and not _is_number(text):
            raise wrong(column, f"'{text}' is not a number")
    if row.judge in ("number", "factor", "sign") and not (row.low and row.high):
        raise wrong("low", f"{row.judge} needs low and high")
    claim = row.claim
    if claim.low > claim.high:
        raise wrong("low", f"{row.low} is above high, {row.high}")
    if row.judge == "number" and not 0 <= claim.tolerance < 1:
        raise wrong("tolerance", f"'{row.tolerance}': a share of the value from 0 to below 1")
    if row.judge == "factor" and (claim.tolerance <= 1 or claim.low <= 0):
        raise wrong("tolerance", f"'{row.tolerance}': a factor above 1, of values above 0")
    if row.judge == "sign" and (claim.low, claim.high) not in ((1, 1), (-1, -1)):
        raise wrong("low", "sign needs 1 and 1, or -1 and -1")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def write(rows: Iterable[Row], file: pathlib.Path = FILE) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([getattr(row, name) for name in COLUMNS] for row in rows)
    write_whole(file, text.getvalue())


def chosen(rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """Those of these ids; an id may be the beginning of several. All without names."""
    found: list[Row] = []
    for name in names:
        wanted = [row for row in rows if row.id == name or row.id.startswith(name + "-")]
        if not wanted:
            hint = nearest(name, [row.id for row in rows])
            raise LabInputError(f"no row '{name}' in {FILE.name}{hint}")
        found += [row for row in wanted if row not in found]
    return found if names else list(rows)


def filled(row: Row, **changes: Any) -> Row:
    """With these columns, and the verdict that follows."""
    row = replace(row, **changes)
    return replace(row, verdict=row.judged)
