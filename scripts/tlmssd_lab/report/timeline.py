# SPDX-License-Identifier: BSD-3-Clause
"""Reads a timeline (docs/timeline.md) into columns, a few integers a slice. Times: picoseconds."""
import array
import bisect
import dataclasses
import gzip
import itertools
import json
import pathlib
from collections.abc import Iterator
from typing import Any

from tlmssd_lab.errors import LabInputError

PS_PER_US = 1_000_000
HOST, LINK, FIRMWARE, CHANNELS, DIES, PLANES = (
    "host requests", "link", "firmware", "channels", "dies", "planes")
_BATCH = 2000  # lines parsed at a time
GROUPS = (HOST, LINK, FIRMWARE, CHANNELS, DIES, PLANES)


@dataclasses.dataclass
class Track:
    """Slices of one track, in order of time; `args[i]` belongs to slice i."""

    name: str
    group: str
    names: list[str] = dataclasses.field(default_factory=list)
    start: array.array = dataclasses.field(default_factory=lambda: array.array("q"))
    end: array.array = dataclasses.field(default_factory=lambda: array.array("q"))
    args: list[dict[str, Any]] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Arrow:
    """From a host request to a flash operation: indices of slices within their tracks."""

    host_track: int  # among the tracks of HOST
    host_slice: int
    submit: int  # when the firmware submitted the operation
    die_track: int  # among the tracks of DIES
    die_slice: int


@dataclasses.dataclass
class Timeline:
    tracks: dict[str, list[Track]]  # by group, in the file's order
    arrows: list[Arrow]
    end: int  # of the last slice
    cut_at: int | None  # slices that start at this time or later were left out

    def slices(self) -> int:
        return sum(len(t.start) for tracks in self.tracks.values() for t in tracks)


def picoseconds(us: float) -> int:
    """Exact below 2^52 ps (1.25 hours): a double is nearer than half a picosecond."""
    return round(us * PS_PER_US)


def events_of(path: pathlib.Path) -> Iterator[dict]:
    """Trace events of a file as tlmssd writes it: one a line, so memory does not grow with it."""
    try:
        opened = gzip.open(path, "rt", encoding="ascii") if path.suffix == ".gz" else open(
            path, encoding="ascii")
        with opened as lines:
            first = next(lines, "")
            if not first.startswith('{"displayTimeUnit":"ns","traceEvents":['):
                raise LabInputError(f"{path}: not a timeline of tlmssd (see docs/timeline.md)")
            number = 2
            while batch := list(itertools.islice(lines, _BATCH)):
                yield from _parsed(path, number, batch)
                number += len(batch)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise LabInputError(f"{path}: cannot be read: {error}") from None


def _parsed(path: pathlib.Path, number: int, lines: list[str]) -> list[dict]:
    """The events of whole lines, the first of which has this number; `]}` ends the file."""
    texts = [text for line in lines if (text := line.strip().rstrip(",")) not in ("]}", "")]
    try:
        return json.loads(f"[{','.join(texts)}]")
    except ValueError:
        for place, line in enumerate(lines, number):  # which one is it?
            text = line.strip().rstrip(",")
            try:
                json.loads("null" if text in ("]}", "") else text)
            except ValueError as error:
                raise LabInputError(f"{path}:{place}: {error}") from None
        raise


def read_timeline(path: pathlib.Path, max_slices: int) -> Timeline:
    """The timeline of a file. Of more than `max_slices` slices the later part is cut off."""
    tracks: dict[int, Track] = {}
    groups: dict[int, str] = {}
    starts: dict[int, tuple[int, int]] = {}
    ends: dict[int, tuple[int, int]] = {}
    count = 0
    cut_at: int | None = None
    for event in events_of(path):
        try:
            phase, tid = event["ph"], event["tid"]
            if phase == "M":
                if event["name"] == "process_name":
                    groups[event["pid"]] = event["args"]["name"]
                elif event["name"] == "thread_name":
                    tracks[tid] = Track(event["args"]["name"], groups[event["pid"]])
                continue
            start = picoseconds(event["ts"])
            if cut_at is not None and start >= cut_at:
                continue
            if phase == "X":
                track = tracks[tid]
                track.names.append(event["name"])
                track.start.append(start)
                track.end.append(start + picoseconds(event["dur"]))
                track.args.append(event.get("args", {}))
                count += 1
                if count == max_slices:
                    cut_at = max(t.start[-1] for t in tracks.values() if t.start)
            elif phase == "s":
                starts[event["id"]] = (tid, start)
            elif phase == "f":
                ends[event["id"]] = (tid, start)
        except (KeyError, TypeError) as error:
            raise LabInputError(f"{path}: unexpected event {event}: {error}") from None
    by_group: dict[str, list[Track]] = {}
    for track in tracks.values():
        by_group.setdefault(track.group, []).append(track)
    arrows = _arrows(tracks, by_group, starts, ends)
    end = max((track.end[-1] for track in tracks.values() if track.end), default=0)
    return Timeline(by_group, arrows, end, cut_at)


def _arrows(tracks, by_group, starts, ends) -> list[Arrow]:
    number = {id(track): index for group in by_group.values() for index, track in enumerate(group)}
    arrows = []
    for arrow, (die_tid, begun) in ends.items():
        if arrow not in starts:
            continue
        host_tid, submit = starts[arrow]
        host, die = tracks[host_tid], tracks[die_tid]
        operation = bisect.bisect_left(die.start, begun)
        if operation == len(die.start) or die.start[operation] != begun:
            continue
        causes = die.args[operation].get("request", ())
        last = bisect.bisect_right(host.start, submit) - 1
        for request in (last, last - 1):  # two where one ends as the next begins
            if request >= 0 and host.args[request].get("request") in causes:
                arrows.append(Arrow(number[id(host)], request, submit,
                                    number[id(die)], operation))
                break
    return arrows


def find_request(timeline: Timeline, tag: int, issued_us: float) -> int | None:
    """The firmware's number of the request that got this tag at this time; None: not there."""
    for track in timeline.tracks.get(HOST, ()):
        if track.name == f"tag {tag}":
            wanted = picoseconds(issued_us)
            for index in (bisect.bisect_left(track.start, wanted - 1000),):
                if index < len(track.start) and abs(track.start[index] - wanted) <= 1000:
                    return track.args[index].get("request")
    return None
