# SPDX-License-Identifier: BSD-3-Clause
"""Lines of a timeline file, a block at a time, into columns. Events of one phase and process have the
same keys, so each such kind of line is parsed as a table."""
import dataclasses
import gzip
import json
import pathlib
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.report.timeline.columns import Column, ListColumn, as_column, times
from tlmssd_lab.report.timeline.pack import MISSING

_HEAD = b'{"displayTimeUnit":"ns","traceEvents":['
_BLOCK = 1 << 23  # bytes of text
_USUAL = (b'{"ph":"X",', b'{"ph":"s",', b'{"ph":"f",')
_KIND = 18  # characters that tell kinds of lines apart: {"ph":"X","pid":1,
_SLICES, _ARROWS = ("tid", "name", "ts", "dur"), ("tid", "id", "ts")
_TYPES = {"tid": pa.int64(), "id": pa.int64(), "name": pa.string(), "ts": pa.float64(), "dur": pa.float64()}


@dataclasses.dataclass
class Part:
    """Slices (phase X) or ends of arrows (s, f) of one kind of line, in the file's order."""

    tid: np.ndarray
    start: np.ndarray  # ps
    end: np.ndarray | None  # of slices
    columns: dict[str, Column | ListColumn]  # of slices: "name" and the args; of arrows: "id"

    def where(self, rows: np.ndarray) -> "Part":
        return Part(self.tid[rows], self.start[rows], None if self.end is None else self.end[rows],
                    {key: column.take(np.flatnonzero(rows)) for key, column in self.columns.items()})


class Block:
    """Whole lines of the file, the first of which has this number."""

    def __init__(self, path: pathlib.Path, first: int, lines: list[bytes]) -> None:
        self.path, self.first, self.lines = path, first, lines
        self.heads: list[dict[str, Any]] = []  # events of phase M
        self._kinds: dict[bytes, list[bytes]] = {}
        for line in lines:
            kind = self._kinds.get(line[:_KIND])
            if kind is None:
                line = line if line.startswith(_USUAL) else self._other(line)
                kind = self._kinds.setdefault(line[:_KIND], [])
            kind.append(line)
        self._kinds.pop(b"", None)

    def slices(self) -> int:
        return sum(len(lines) for kind, lines in self._kinds.items() if kind.startswith(b'{"ph":"X"'))

    def split(self, slices: int) -> tuple["Block", "Block"]:
        """The lines up to the one with this number of slices, and those after it."""
        seen = 0
        for at, line in enumerate(self.lines, 1):
            seen += line.startswith(b'{"ph":"X"')
            if seen == slices:
                return (Block(self.path, self.first, self.lines[:at]),
                        Block(self.path, self.first + at, self.lines[at:]))
        return self, Block(self.path, self.first + len(self.lines), [])

    def parts(self) -> Iterator[tuple[str, bytes, Part]]:
        """(phase, kind, part)"""
        for kind, lines in self._kinds.items():
            phase = chr(kind[7])
            try:
                yield phase, kind, _table(phase, lines)
            except (pa.ArrowException, pa.ArrowInvalid, ValueError):
                yield phase, kind, self._slowly(phase, lines)

    def _other(self, line: bytes) -> bytes:
        """A line that is written otherwise, as tlmssd writes it; empty where it is no slice or arrow."""
        text = line.strip().rstrip(b",")
        if text in (b"]}", b""):
            return b""
        try:
            event = json.loads(text)
        except ValueError as error:
            raise self._refusal(line, str(error)) from None
        phase = event.get("ph") if isinstance(event, dict) else None
        if phase is None:
            raise self._refusal(line, f"unexpected event {event}")
        if phase == "M":
            self.heads.append(event)
        if phase not in ("X", "s", "f"):
            return b""
        return json.dumps({"ph": phase, "pid": event.get("pid")} | event, separators=(",", ":")).encode("ascii")

    def _refusal(self, line: bytes, why: str) -> LabInputError:
        place = f":{self.first + self.lines.index(line)}" if line in self.lines else ""
        return LabInputError(f"{self.path}{place}: {why}")

    def _slowly(self, phase: str, lines: list[bytes]) -> Part:
        """Line by line: finds the one that is wrong, and takes what is right but unusual."""
        events = []
        for line in lines:
            try:
                event = json.loads(line.rstrip(b","))
            except ValueError as error:
                raise self._refusal(line, str(error)) from None
            numbers = [event.get(key) for key in ("ts", "dur") if key == "ts" or phase == "X"]
            if (type(event.get("tid")) is not int or not all(type(value) in (int, float) for value in numbers)
                    or not (isinstance(event.get("name"), str) and isinstance(event.get("args", {}), dict)
                            if phase == "X" else type(event.get("id")) is int)):
                raise self._refusal(line, f"unexpected event {event}")
            events.append(event)
        start = times([event["ts"] for event in events])
        tid = np.array([event["tid"] for event in events], dtype=np.int64)
        if phase != "X":
            return Part(tid, start, None, {"id": as_column([event["id"] for event in events])})
        args = [event.get("args", {}) for event in events]
        columns = {"name": as_column([event["name"] for event in events])}
        for key in dict.fromkeys(key for arg in args for key in arg):
            try:
                columns[key] = as_column([arg.get(key) for arg in args])
            except (ValueError, OverflowError) as error:
                raise LabInputError(f"{self.path}: '{key}' holds {error}") from None
        return Part(tid, start, start + times([event["dur"] for event in events]), columns)


def _table(phase: str, lines: list[bytes]) -> Part:
    """ValueError or ArrowException where the lines do not make a table."""
    needed = _SLICES if phase == "X" else _ARROWS
    table = pa.json.read_json(
        pa.BufferReader(b"\n".join(lines)),
        parse_options=pa.json.ParseOptions(explicit_schema=pa.schema([(key, _TYPES[key]) for key in needed])))
    table = table.combine_chunks()
    if len(table) != len(lines) or any(table[key].null_count for key in needed):
        raise ValueError("not one event a line")
    tid, start = table["tid"].to_numpy(), times(table["ts"].to_numpy())
    if phase != "X":
        return Part(tid, start, None, {"id": Column(table["id"].to_numpy())})
    columns: dict[str, Column | ListColumn] = {"name": _column(table["name"])}
    if "args" in table.column_names and not pa.types.is_null(table["args"].type):
        args = table.select(["args"]).flatten()
        for name in args.column_names:
            columns[name.removeprefix("args.")] = _column(args[name])
    return Part(tid, start, start + times(table["dur"].to_numpy()), columns)


def _column(values: pa.ChunkedArray) -> Column | ListColumn:
    values = values.combine_chunks()
    kind = values.type
    if pa.types.is_int64(kind):
        return Column(values.fill_null(MISSING).to_numpy())
    if pa.types.is_float64(kind):
        return Column(times(values.fill_null(float("nan")).to_numpy()), "ps")
    if pa.types.is_string(kind):
        coded = values.dictionary_encode("encode")
        return Column(coded.indices.to_numpy().astype(np.int64), texts=coded.dictionary.to_pylist())
    if pa.types.is_null(kind):
        return Column(np.full(len(values), MISSING))
    if pa.types.is_list(kind) and pa.types.is_int64(kind.value_type) and not values.values.null_count:
        counts = pc.list_value_length(values).fill_null(0).to_numpy().astype(np.int64)
        return ListColumn(counts, values.flatten().to_numpy())
    raise ValueError(f"a column of {kind}")


def blocks_of(path: pathlib.Path) -> Iterator[Block]:
    """The file in blocks, so memory does not grow with its text."""
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else open(path, "rb") as file:
            if not file.readline().startswith(_HEAD):
                raise LabInputError(f"{path}: not a timeline of tlmssd (see docs/guides/timeline.md)")
            number, rest = 2, b""
            while text := file.read(_BLOCK):
                whole, newline, rest = (rest + text).rpartition(b"\n")
                if newline:
                    block = Block(path, number, _lines(whole))
                    number += len(block.lines)
                    yield block
            if rest:
                yield Block(path, number, _lines(rest))
    except (OSError, EOFError, zlib.error) as error:
        raise LabInputError(f"{path}: cannot be read: {error}") from None


def _lines(text: bytes) -> list[bytes]:
    return text.rstrip(b",").split(b",\n") if text.count(b"\n") == text.count(b",\n") else [
        line.rstrip(b",\r ") for line in text.split(b"\n")]
