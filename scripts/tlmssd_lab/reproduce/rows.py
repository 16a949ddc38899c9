# SPDX-License-Identifier: BSD-3-Clause
"""reference/reproduction.csv: a row per published figure."""

from __future__ import annotations

import csv
import hashlib
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
RUN, STAMP = "run", "stamp"
PAGE = "page"
VARIANTS = "Variants of "  # then a paper: its figures on another configuration than the one of the paper's rows
SPAN = ".."  # between the least and the greatest of a range


@dataclass(frozen=True)
class Row:
    """`paper_value` and `unit` are the paper's words. `judge` to `tolerance` are fixed before the run.
    `value_from`: the functions of values.py that the value is taken with; PAGE: there is none. `value` without a
    `probe` is in the words of the page, of `seeds`. `check`: RUN where `--check` runs the row in full, STAMP where it looks
    whether the experiment has changed. `seeds` to `seal` are filled in by `tlmssd-lab reproduce --write`; `seal` is a
    hash of claim and value, so that neither changes without the other. `cause` is by hand, `cause_run` the
    experiment that shows it.
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
    check: str = ""
    seeds: str = ""
    revision: str = ""
    date: str = ""
    probe: str = ""
    value: str = ""
    value_low: str = ""
    value_high: str = ""
    verdict: str = ""
    seal: str = ""
    cause: str = ""
    cause_run: str = ""
    page: str = ""

    @property
    def claim(self) -> Claim:
        name = self.paper_value if self.judge == "name" else ""
        low, high, tolerance = (float(text or 0) for text in (self.low, self.high, self.tolerance))
        return Claim(cast(Judge, self.judge), low, high, tolerance, name)

    @property
    def variant(self) -> bool:
        """Whether it repeats a figure on another configuration, and is not one of the papers' figures itself."""
        return self.paper.startswith(VARIANTS)

    @property
    def measured(self) -> bool:
        """Whether runs of this program have filled the row in; otherwise the value is the page's."""
        return bool(self.probe)

    @property
    def found(self) -> Found | None:
        """None where no runs have filled the row in."""
        if not self.measured:
            return None
        seeds = len(self.seeds.split())
        if self.judge == "name":
            return Found(name=self.value, seeds=seeds)
        value, _, most = self.value.partition(SPAN)
        low, high = float(self.value_low), float(self.value_high)
        return Found(float(value), low, high, seeds=seeds, most=float(most or value))

    @property
    def sealed(self) -> str:
        """The seal that the row's own claim and value have."""
        first, last = COLUMNS.index("id"), COLUMNS.index("value_high")
        text = "\0".join(getattr(self, name) for name in COLUMNS[first : last + 1])
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def judged(self) -> str:
        """The verdict that follows from the row's own figures."""
        return judge(self.claim, self.found, bool(self.cause_run))


COLUMNS = tuple(field.name for field in fields(Row))
_CLAIM = ("judge", "low", "high", "tolerance", "experiment", "value_from", "check")
_NUMBERS = ("low", "high", "tolerance", "value_low", "value_high")


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

    for column, choices in (("judge", JUDGES), ("verdict", ("", *VERDICTS)), ("check", ("", RUN, STAMP))):
        given = getattr(row, column)
        if given not in choices:
            hint = nearest(given, choices)
            raise wrong(column, f"'{given}' is none of {', '.join(filter(None, choices))}{hint}")
    for column in _NUMBERS:
        if getattr(row, column) and not _is_number(getattr(row, column)):
            raise wrong(column, f"'{getattr(row, column)}' is not a number")
    if row.measured and row.judge != "name" and not all(map(_is_number, row.value.split(SPAN, 1))):
        raise wrong("value", f"'{row.value}' is not a number")
    if row.judge in ("number", "level", "factor", "sign") and not (row.low and row.high):
        raise wrong("low", f"{row.judge} needs low and high")
    if bool(row.experiment) != (row.value_from not in ("", PAGE)):
        text = f"a row with an experiment has functions, others '{PAGE}' or nothing"
        raise wrong("value_from", f"'{row.value_from}': {text}")
    if bool(row.experiment) != bool(row.check):
        raise wrong("check", f"'{row.check}': a row with an experiment has {RUN} or {STAMP}, others nothing")
    claim = row.claim
    if claim.low > claim.high:
        raise wrong("low", f"{row.low} is above high, {row.high}")
    if row.judge in ("number", "level") and not 0 <= claim.tolerance < 1:
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
    """The rows with these ids; an id may be the beginning of several. All rows without names."""
    found: list[Row] = []
    for name in names:
        wanted = [row for row in rows if row.id == name or row.id.startswith(name + "-")]
        if not wanted:
            hint = nearest(name, [row.id for row in rows])
            raise LabInputError(f"no row '{name}' in {FILE.name}{hint}")
        found += [row for row in wanted if row not in found]
    return found if names else list(rows)


def claimed(row: Row) -> tuple[str, ...]:
    """The columns that are fixed before the run."""
    return tuple(getattr(row, name) for name in _CLAIM)


def filled(row: Row, **changes: Any) -> Row:
    """With these columns, and the verdict that follows. The seal is for a row with a new value."""
    row = replace(row, **changes)
    if changes:
        row = replace(row, seal=row.sealed)
    return replace(row, verdict=row.judged)
