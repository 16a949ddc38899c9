# SPDX-License-Identifier: BSD-3-Clause
"""Reads a timeline (docs/guides/timeline.md) into columns, a few integers a slice. Times: picoseconds."""
import dataclasses
import pathlib
from typing import Literal

import numpy as np

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.report.timeline.columns import Column, ListColumn, integers, joined, keys_of, spread
from tlmssd_lab.report.timeline.lines import Block, Part, blocks_of

PS_PER_US = 1_000_000
HOST, LINK, FIRMWARE, CHANNELS, DIES, PLANES = (
    "host requests", "link", "firmware", "channels", "dies", "planes")
GROUPS = (HOST, LINK, FIRMWARE, CHANNELS, DIES, PLANES)


@dataclasses.dataclass
class Group:
    """The slices of a group of tracks: those of the first track in order of time, then those of the
    second, ..."""

    name: str
    tracks: list[str]
    sizes: list[int]  # slices of each track
    start: np.ndarray
    end: np.ndarray
    columns: dict[str, Column | ListColumn]

    def ranges(self) -> list[tuple[int, int]]:
        """First slice of each track, and the first after it."""
        ends = np.cumsum(self.sizes).tolist()
        return list(zip([0, *ends], ends))


@dataclasses.dataclass
class Arrows:
    """From host requests to flash operations, by operation: slices are those of their groups."""

    operation: np.ndarray
    request: np.ndarray
    submit: np.ndarray  # when the firmware submitted the operation

    def __len__(self) -> int:
        return len(self.operation)


@dataclasses.dataclass
class Timeline:
    groups: dict[str, Group]
    arrows: Arrows
    end: int  # of the last slice
    cut_at: int | None  # slices that start at this time or later were left out

    def slices(self) -> int:
        return sum(len(group.start) for group in self.groups.values())


def read_timeline(path: pathlib.Path, max_slices: int) -> Timeline:
    """The timeline of a file. Of more than `max_slices` slices the later part is cut off."""
    reader = _Reader(path)
    count, cut_at = 0, None
    for block in blocks_of(path):
        if cut_at is None and count + block.slices() >= max_slices:
            first, block = block.split(max_slices - count)
            reader.add(first, None)
            cut_at = reader.last_start
        count += block.slices()
        reader.add(block, cut_at)
    try:
        groups = reader.groups()
    except (KeyError, TypeError, ValueError) as error:
        raise LabInputError(f"{path}: unexpected event: {error}") from None
    end = max((int(group.end.max()) for group in groups.values() if len(group.end)), default=0)
    return Timeline(groups, reader.arrows(groups), end, cut_at)


class _Reader:
    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.processes: dict[int, str] = {}
        self.threads: dict[int, tuple[str, int]] = {}  # track -> name and process
        self.kinds: dict[bytes, list[Part]] = {}
        self.ends: dict[str, list[Part]] = {"s": [], "f": []}
        self.last_start = 0

    def add(self, block: Block, before: int | None) -> None:
        """Add the slices that start before that time."""
        for head in block.heads:
            try:
                if head["name"] == "process_name":
                    self.processes[head["pid"]] = head["args"]["name"]
                elif head["name"] == "thread_name":
                    self.threads[head["tid"]] = (head["args"]["name"], head["pid"])
            except (KeyError, TypeError) as error:
                raise LabInputError(f"{self.path}: unexpected event {head}: {error}") from None
        for phase, kind, part in block.parts():
            if before is not None and not (part.start < before).all():
                part = part.where(part.start < before)
            if phase == "X":
                self.kinds.setdefault(kind, []).append(part)
                self.last_start = max(self.last_start, int(part.start.max(initial=0)))
            else:
                self.ends[phase].append(part)

    def groups(self) -> dict[str, Group]:
        found: dict[str, list[Part]] = {}
        for kind in list(self.kinds):
            parts = self.kinds.pop(kind)
            for tid in sorted(set(np.concatenate([np.unique(part.tid) for part in parts]).tolist())):
                if tid not in self.threads:
                    raise KeyError(f"track {tid} has no name")
            names = {self._group_of(tid) for part in parts for tid in np.unique(part.tid).tolist()}
            if len(names) > 1:
                raise ValueError(f"one process holds {' and '.join(sorted(names))}")
            for name in names:
                found.setdefault(name, []).extend(parts)
        for tid in self.threads:
            found.setdefault(self._group_of(tid), [])
        return {name: self._group(name, found.pop(name)) for name in list(found)}

    def _group_of(self, tid: int) -> str:
        return self.processes[self.threads[tid][1]]

    def _group(self, name: str, parts: list[Part]) -> Group:
        tids = [tid for tid in self.threads if self._group_of(tid) == name]
        place = np.full(max(self.threads) + 1, -1, dtype=np.int16 if len(tids) < 2**15 else np.int64)
        place[tids] = np.arange(len(tids))
        tracks = [self.threads[tid][0] for tid in tids]
        if not parts:
            return Group(name, tracks, [0] * len(tids), np.empty(0, np.int64), np.empty(0, np.int64), {})
        track = np.concatenate([place[part.tid] for part in parts])
        rows = np.argsort(track, kind="stable")
        sizes = [len(part.tid) for part in parts]
        columns = {}
        for key in keys_of(part.columns for part in parts):
            try:
                columns[key] = joined([part.columns.pop(key, None) for part in parts], sizes).take(rows)
            except ValueError as error:
                raise ValueError(f"'{key}' of {name}: {error}") from None
        return Group(name, tracks, np.bincount(track, minlength=len(tids)).tolist(),
                     np.concatenate([part.start for part in parts])[rows],
                     np.concatenate([part.end for part in parts])[rows], columns)

    def arrows(self, groups: dict[str, Group]) -> Arrows:
        none = np.empty(0, np.int64)
        host, dies = groups.get(HOST), groups.get(DIES)
        if not self.ends["s"] or not self.ends["f"] or host is None or dies is None:
            return Arrows(none, none, none)
        (host_tid, submit, begin_id), (die_tid, begun, end_id) = (
            (np.concatenate([part.tid for part in parts]), np.concatenate([part.start for part in parts]),
             np.concatenate([integers(part.columns["id"]).values for part in parts]))
            for parts in (self.ends["s"], self.ends["f"]))
        _, mine, other = np.intersect1d(begin_id, end_id, return_indices=True)
        operation = self._slices_at(dies, die_tid[other], begun[other], "left")
        request = self._slices_at(host, host_tid[mine], submit[mine], "right") - 1
        first = np.concatenate(([0], np.cumsum(host.sizes)))[self._places(host, host_tid[mine])]
        submit = submit[mine]
        good = (operation < len(dies.start)) & (request >= first)
        good[good] = dies.start[operation[good]] == begun[other][good]
        operation, request, first, submit = (
            values[good] for values in (operation, request, first, submit))
        numbers, causes = host.columns.get("request"), dies.columns.get("request")
        if not isinstance(numbers, Column) or not isinstance(causes, ListColumn):
            return Arrows(none, none, none)
        kept = np.zeros(len(operation), dtype=bool)
        for _ in range(2):  # the slice before, where one ends as the next begins
            wrong = np.flatnonzero(~kept)
            counts = causes.counts[operation[wrong]]
            items = causes.items[spread(causes.offsets()[operation[wrong]], counts)]
            arrow = np.repeat(wrong, counts)
            kept[arrow[items == numbers.values[request[arrow]]]] = True
            request = np.where(kept | (request <= first), request, request - 1)
        rows = np.lexsort((submit, request, operation))
        rows = rows[kept[rows]]
        return Arrows(operation[rows], request[rows], submit[rows])

    def _places(self, group: Group, tids: np.ndarray) -> np.ndarray:
        """Which tracks of the group these are."""
        place = np.full(max(self.threads) + 1, -1)
        mine = [tid for tid in self.threads if self._group_of(tid) == group.name]
        place[mine] = np.arange(len(mine))
        found = place[tids]
        if (found < 0).any():
            raise LabInputError(f"{self.path}: unexpected event: an arrow outside {group.name}")
        return found

    def _slices_at(self, group: Group, tids: np.ndarray, now: np.ndarray,
                   side: Literal["left", "right"]) -> np.ndarray:
        """Where in the group each time belongs among the starts of its track; len(start): behind all
        of the track's."""
        places = self._places(group, tids)
        found = np.empty(len(tids), np.int64)
        for place, (low, high) in enumerate(group.ranges()):
            mine = places == place
            at = np.searchsorted(group.start[low:high], now[mine], side=side)
            found[mine] = np.where(at < high - low, low + at, len(group.start)) if side == "left" else low + at
        return found


def find_request(timeline: Timeline, tag: int, issued_us: float) -> int | None:
    """The firmware's number of the request that got this tag at this time; None: not there."""
    host = timeline.groups.get(HOST)
    numbers = host.columns.get("request") if host else None
    if host is None or numbers is None or f"tag {tag}" not in host.tracks or issued_us is None:
        return None
    low, high = host.ranges()[host.tracks.index(f"tag {tag}")]
    wanted = round(issued_us * PS_PER_US)
    index = low + int(np.searchsorted(host.start[low:high], wanted - 1000))
    if index < high and abs(int(host.start[index]) - wanted) <= 1000:
        found = numbers.at(index)
        return found if isinstance(found, int) else None
    return None
