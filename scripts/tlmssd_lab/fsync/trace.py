# SPDX-License-Identifier: BSD-3-Clause
"""Trace events of a guest's kernel, as `scripts/linux --trace` brings them out.

The file holds tracefs' `trace` twice: first as text, whose times are microseconds, then with the option `raw`, whose
times are nanoseconds. Line by line they are the same events.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tlmssd_lab.errors import LabInputError

RAW = "tlmssd-raw"  # the line between the two
_TEXT = re.compile(r"\s*(?P<task>.+)-(?P<pid>\d+)\s+\[\d+\]\s+\S+\s+(?P<time>\d+\.\d{6}): "
                   r"(?P<name>\w+):\s?(?P<rest>.*)")
_RAW = re.compile(r"(?P<pid>\d+) \d+ (?P<time>\d+) ")
_ENTRIES = re.compile(r"# entries-in-buffer/entries-written: (\d+)/(\d+)")


@dataclass(frozen=True)
class Event:
    """`time`: nanoseconds of the guest's clock."""

    time: int
    task: str
    pid: int
    name: str
    rest: str


def read_trace(path: pathlib.Path) -> list[Event]:
    """In the order of their times. LabInputError."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise LabInputError(f"{path}: {error.strerror}") from None
    return list(_events(str(path), text))


def _events(name: str, text: str) -> Iterator[Event]:
    lines = text.split("\n")
    if RAW not in lines:
        raise LabInputError(f"{name}: no line '{RAW}': not a trace of scripts/linux --trace, or not all of it")
    at = lines.index(RAW)
    for line in lines[:at]:
        if (found := _ENTRIES.match(line)) and found[1] != found[2]:
            raise LabInputError(f"{name}: the kernel's buffer was too small: {found[1]} of {found[2]} events are left; "
                                "trace a shorter command")
    texts, raws = _numbered(lines[:at], 1), _numbered(lines[at + 1:], at + 2)
    if len(texts) != len(raws):
        raise LabInputError(f"{name}: {len(texts)} events as text, but {len(raws)} raw")
    before = 0
    for (number, line), (_, raw_line) in zip(texts, raws, strict=True):
        found, raw = _TEXT.match(line), _RAW.match(raw_line)
        if found is None or raw is None:
            raise LabInputError(f"{name}:{number}: not an event: {line[:60]}")
        time = int(raw["time"])
        if raw["pid"] != found["pid"] or abs(time - int(found["time"].replace(".", "")) * 1000) > 1000:
            raise LabInputError(f"{name}:{number}: the raw event is another one")
        if time < before:
            raise LabInputError(f"{name}:{number}: time runs backward")
        before = time
        yield Event(time, found["task"].strip(), int(found["pid"]), found["name"], found["rest"].strip())


def _numbered(lines: list[str], first: int) -> list[tuple[int, str]]:
    return [(number, line) for number, line in enumerate(lines, first) if line and not line.startswith("#")]
