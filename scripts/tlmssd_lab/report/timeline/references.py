# SPDX-License-Identifier: BSD-3-Clause
"""Times of one group by reference to those of another: an event on a plane begins soon after its die's
operation, an operation begins and ends with segments of its channel, a request ends with a frame of
the link. Such a time is an index into the other group's, stored as a step, and a rest that is mostly the
same; together they are far smaller than the time itself. Any time can be stored so, and comes back exact.

The slice of the other group that a start refers to often holds more. Two encodings of columns beside those of
pack.py:
  there  the value under the same key of that slice
  row    from its lists of rows and planes: the row of the track's plane, from bit `shift` on, under `mask`
Frames of the link go one way or the other, one after another: they are stored in turn.
"""
import dataclasses
import re

import numpy as np

from tlmssd_lab.report.timeline.columns import Column, ListColumn, integers, spread
from tlmssd_lab.report.timeline.pack import SAMPLE, Packer, exceptions, mapped, plan
from tlmssd_lab.report.timeline.timeline import (
    CHANNELS,
    DIES,
    FIRMWARE,
    HOST,
    LINK,
    PLANES,
    Group,
    Timeline,
)

_PARENTS = {HOST: LINK, DIES: CHANNELS, PLANES: DIES}
_OVERHEAD = 200  # bytes that a reference must save to be worth its header


@dataclasses.dataclass
class Reference:
    """tracks[i]: which track of the parent the i-th track of the group looks at."""

    parent: Group
    edge: str  # "start" or "end" of the parent's slices
    tracks: list[int]

    def split(self, group: Group, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Steps and rests of (the first of) the group's times. The step leads from the index of the time
        before on the track, from 0 for the first, to that of the last of the parent's times that is not
        later; the rest is what is missing to the time."""
        steps, rests = np.zeros(len(times), np.int64), np.zeros(len(times), np.int64)
        edges, ranges = getattr(self.parent, self.edge), self.parent.ranges()
        for (low, high), track in zip(group.ranges(), self.tracks):
            high = min(high, len(times))
            if low >= high:
                continue
            near = edges[slice(*ranges[track])]
            index = np.maximum(np.searchsorted(near, times[low:high], side="right") - 1, 0)
            steps[low:high] = np.diff(index, prepend=0)
            rests[low:high] = times[low:high] - near[index]
        return steps, rests


def references(group: Group, timeline: Timeline) -> list[Reference]:
    """The references that the times of a group may use."""
    parent = timeline.groups.get(_PARENTS.get(group.name, ""))
    if parent is None:
        return []
    if parent.name == LINK:
        tracks = [[track] * len(group.tracks) for track in range(len(parent.tracks))]
    else:
        places = {_numbers(name): place for place, name in enumerate(parent.tracks)}
        depth = len(_numbers(parent.tracks[0])) if parent.tracks else 0
        tracks = [[places.get(_numbers(name)[:depth], -1) for name in group.tracks]]
    return [Reference(parent, edge, choice) for choice in tracks for edge in ("start", "end")
            if all(size == 0 or (track >= 0 and parent.sizes[track]) for size, track in zip(group.sizes, choice))]


def _numbers(track: str) -> tuple[str, ...]:
    """die 0/2/1 -> 0, 2, 1"""
    return tuple(re.findall(r"\d+", track))


@dataclasses.dataclass
class Near:
    """The slice of the parent that each slice's start refers to."""

    reference: Reference
    slices: np.ndarray

    def header(self, group: Group, key: str, column: Column) -> dict | None:
        """That of a column which follows from the parent's slices, else None."""
        values = column.values
        if column.texts is not None or not len(values) or values.min() == values.max():
            return None
        other = self.reference.parent.columns.get(key)
        if isinstance(other, Column) and other.texts is None and other.unit == column.unit:
            others = exceptions(other.values[self.slices], values)
            if others is not None:
                return {"as": "there", "key": key} | others
        rows = self._rows(group)
        if rows is not None and values.min() >= 0 and not column.unit:
            mask = (1 << int(values.max()).bit_length()) - 1
            for shift in range(20):
                if (rows >> shift & mask == values).all():
                    return {"as": "row", "shift": shift, "mask": mask, "planes_of": _planes(group)}
        return None

    def _rows(self, group: Group) -> np.ndarray | None:
        """The row on the slice's own plane."""
        rows, planes = (self.reference.parent.columns.get(key) for key in ("rows", "planes"))
        if group.name != PLANES or not isinstance(rows, ListColumn) or not isinstance(planes, ListColumn) \
                or (rows.counts != planes.counts).any():
            return None
        counts = rows.counts[self.slices]
        items = spread(rows.offsets()[self.slices], counts)
        mine = np.repeat(np.repeat(_planes(group), group.sizes), counts) == planes.items[items]
        owners = np.repeat(np.arange(len(counts)), counts)[mine]
        if not np.array_equal(owners, np.arange(len(counts))):
            return None
        return rows.items[items[mine]]


def _planes(group: Group) -> list[int]:
    return [int((_numbers(name) or "0")[-1]) for name in group.tracks]


def pack_times(packer: Packer, group: Group, timeline: Timeline) -> tuple[dict, Near | None]:
    """Columns of starts and ends: plain ones are `gap` (from the end of the slice before on the track, from
    0 for the first) and `duration`; those by a reference are `start` and `end`; `turn` stands for `gap`
    where all slices of the group, in order of time, are stored by their tracks and the gaps between them."""
    before = np.concatenate(([0], group.end[:-1]))[:len(group.start)]
    before[[first for first, after in group.ranges() if first < after]] = 0
    choices = references(group, timeline)
    start, chosen = _pack(packer, group, choices, "gap", group.start - before, "start", group.start)
    cycles = _cycles(group) if group.name == FIRMWARE else None
    end = ("duration", cycles) if cycles else _pack(
        packer, group, choices, "duration", group.end - group.start, "end", group.end)[0]
    return dict([start, end]), chosen


def _turns(group: Group) -> tuple[np.ndarray, np.ndarray]:
    """Tracks, and gaps from the end of the slice before, of all slices in order of their starts."""
    order = np.argsort(group.start, kind="stable")
    before = np.concatenate(([0], group.end[order][:-1]))[:len(order)]
    return np.repeat(np.arange(len(group.tracks)), group.sizes)[order], group.start[order] - before


def _cycles(group: Group) -> dict | None:
    """A step of the firmware lasts as long as the cycles of its modules together."""
    modules = {key: np.maximum(column.values, 0) for key, column in group.columns.items()
             if isinstance(column, Column) and column.texts is None and not column.unit}
    total = sum(modules.values(), start=np.zeros(len(group.start), np.int64))
    if not total.any():
        return None
    longest = int(total.argmax())
    period = int(group.end[longest] - group.start[longest]) // int(total[longest])
    if (total * period != group.end - group.start).any():
        return None
    return {"as": "sum", "of": list(modules), "times": period}


def _pack(packer: Packer, group: Group, choices: list[Reference], plain: str, values: np.ndarray, told: str,
          times: np.ndarray) -> tuple[tuple[str, dict], Near | None]:
    """The smallest, judged by a sample of slices: (key, header)."""
    def cost(choice: Reference) -> int:
        return sum(plan(part).cost for part in choice.split(group, times[:SAMPLE]))

    best = min(choices, key=cost, default=None)
    if best is not None and cost(best) + _OVERHEAD < plan(values[:SAMPLE]).cost:
        steps, rests = best.split(group, times)
        ranges, near = best.parent.ranges(), np.empty(len(times), np.int64)
        for (low, high), track in zip(group.ranges(), best.tracks):
            near[low:high] = ranges[track][0] + np.cumsum(steps[low:high])
        return (told, {"group": best.parent.name, "edge": best.edge, "tracks": best.tracks,
                       "steps": packer.column(steps), "rests": packer.column(rests)}), Near(best, near)
    planned = plan(values)
    if group.name == LINK and plain == "gap":
        tracks, gaps = map(plan, _turns(group))
        if tracks.cost + gaps.cost + _OVERHEAD < planned.cost:
            return ("turn", {"tracks": packer.add(tracks), "gaps": packer.add(gaps)}), None
    table = mapped(values, integers(group.columns["name"]).values) if plain == "duration" and len(values) else None
    if table is not None and planned.unsigned is not None:
        return (plain, {"as": "map", "of": "name"} | table), None
    return (plain, packer.add(planned)), None
