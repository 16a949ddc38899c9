# SPDX-License-Identifier: BSD-3-Clause
"""Coverage points of the RTL: read from Verilator's files, summed over instances and shapes, and excused."""
from __future__ import annotations

import dataclasses
import pathlib
import re
import typing

KINDS = ("line", "toggle", "expr", "fsm", "cross")
PAGES = {"v_line": "line", "v_branch": "line", "v_toggle": "toggle", "v_expr": "expr", "v_user": "cross"}


class Problem(Exception):
    """A wrong file."""


class Point(typing.NamedTuple):
    """What is counted: where, and what is there. `what` of a toggle is signal[bit]:from->to."""

    kind: str
    file: str
    line: int
    column: int
    what: str


def plain(text: str) -> str:
    """An expression without what hangs on the shape: widths of constants and the places of bits that are constants."""
    text = re.sub(r"\b(\d+)'[hsd]+([0-9a-f]+)\b", lambda m: str(int(m[2], 16)), text)
    return re.sub(r"\[\d+:\d+\]|\+:\d+", "", text)


def point_of(keys: str) -> Point | None:
    """The point of one line of a coverage file; None for what is not counted."""
    fields = dict(part.split("\x02", 1) for part in keys.split("\x01") if part)
    page, _, _ = fields.get("page", "").partition("/")
    if page not in PAGES:
        return None
    name = pathlib.Path(fields["f"]).name
    kind = PAGES[page]
    what = fields["o"]
    if kind == "cross":
        # Known by its name alone.
        return Point("fsm" if re.match(r"(state|arc)_", what) else "cross", name, 1, 1, what)
    if name.endswith("_cover.sv"):
        return None
    if kind == "expr":
        what = plain(what)
    elif kind == "line":
        what = f"{page[2:]} {what}"
    return Point(kind, name, int(fields["l"]), int(fields["n"]), what)


def read(folder: pathlib.Path) -> dict[Point, int]:
    """Count by point, the sum over all files, instances and shapes. Problem: a file that is cut off or broken."""
    points: dict[Point, int] = {}
    known: dict[str, Point | None] = {}
    for path in sorted(folder.glob("*.dat")):
        number = 0
        try:
            text = path.read_text(encoding="utf-8")
            if not text.endswith("\n"):
                raise ValueError("its last line has no end")
            for number, line in enumerate(text.splitlines(), 1):
                if line.startswith("C '"):
                    keys, count = line[3:].rsplit("' ", 1)
                    if keys not in known:
                        known[keys] = point_of(keys)
                    point = known[keys]
                    if point is not None:
                        points[point] = points.get(point, 0) + int(count)
        except (ValueError, KeyError) as problem:
            raise Problem(f"{path}:{number}: not a whole coverage file; run the tests again ({problem})") from None
    return points


@dataclasses.dataclass
class Excuse:
    """An entry of a list in tb/rtl: points of one file and kind that no run can reach (unreachable.txt), or that no
    test reaches (unreached.txt)."""

    file: str
    kind: str
    what: str
    reason: str
    number: int
    source: str = "unreachable.txt"
    pattern: re.Pattern[str] = dataclasses.field(init=False)
    used: int = 0
    reached: list[Point] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        """`{a-b}` in `what`: a number from a to b; `{a-b%m}`: below 1024, with such a remainder by m; `*`: anything,
        which may not stand alone."""
        if not re.search(r"[A-Za-z]{2}", self.what):
            raise Problem(f"tb/rtl/{self.source}:{self.number}: names nothing: {self.what}")
        parts = re.split(r"(\{\d+-\d+(?:%\d+)?\}|\*)", self.what)
        self.pattern = re.compile("".join(self.part(part) for part in parts))

    @staticmethod
    def part(text: str) -> str:
        """A part of `what` as a regular expression."""
        if text == "*":
            return ".*"
        if found := re.fullmatch(r"\{(\d+)-(\d+)(?:%(\d+))?\}", text):
            low, high, modulus = int(found[1]), int(found[2]), int(found[3] or 0)
            numbers: typing.Iterable[int] = range(low, high + 1)
            if modulus:
                numbers = [number for number in range(1024) if low <= number % modulus <= high]
            return "(" + "|".join(str(number) for number in numbers) + ")"
        return re.escape(text)


def excuses(path: pathlib.Path) -> list[Excuse]:
    """The entries of a file: `= reason`, over several lines if need be, then lines `file | kind | what` that it holds
    for."""
    entries = []
    reason = before = ""
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        going_on, before = before.startswith("= "), text
        if text.startswith("= "):
            reason = f"{reason} {text[2:].strip()}" if going_on else text[2:].strip()
        elif text.strip() and not text.startswith("#"):
            fields = [field.strip() for field in text.split(" | ", 2)]
            if len(fields) != 3 or not all(fields) or fields[1] not in KINDS or not reason:
                raise Problem(f"{path.name}:{number}: not `file | kind | what` below a `= reason`: {text}")
            entries.append(Excuse(fields[0], fields[1], fields[2], reason, number, path.name))
    return entries


def excused(points: dict[Point, int], entries: list[Excuse],
            text_of: typing.Callable[[Point], str]) -> dict[Point, str]:
    """Reason by point that was not reached. Notes in the entries what they are for, and what was reached."""
    reasons: dict[Point, str] = {}
    by_place: dict[tuple[str, str], list[Excuse]] = {}
    for entry in entries:
        by_place.setdefault((entry.file, entry.kind), []).append(entry)
    for point, count in points.items():
        for entry in by_place.get((point.file, point.kind), []):
            if entry.pattern.fullmatch(text_of(point)):
                if count == 0:
                    entry.used += 1
                    reasons[point] = entry.reason
                else:
                    entry.reached.append(point)
    return reasons
