# SPDX-License-Identifier: BSD-3-Clause
"""Times of one group told by those of another: what happens on a plane begins soon after its die's
operation does, an operation begins and ends with segments of its channel, a request ends with a frame of
the link. Such a time is an index into the other group's, told as a step, and a rest that is mostly the
same; together they are far smaller than the time itself. Any time can be told so, and comes back exact.
"""
import dataclasses
import re

import numpy as np

from .columns import Column
from .pack import SAMPLE, Packer, plan
from .timeline import CHANNELS, DIES, FIRMWARE, HOST, LINK, PLANES, Group, Timeline

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
    """What the times of a group may be told by."""
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


def pack_times(packer: Packer, group: Group, timeline: Timeline) -> dict:
    """Columns of starts and ends: plain ones are `gap` (from the end of the slice before on the track, from
    0 for the first) and `duration`; those by a reference are `start` and `end`."""
    before = np.concatenate(([0], group.end[:-1]))[:len(group.start)]
    before[[first for first, after in group.ranges() if first < after]] = 0
    choices = references(group, timeline)
    start = _pack(packer, group, choices, "gap", group.start - before, "start", group.start)
    cycles = _cycles(group) if group.name == FIRMWARE else None
    end = ("duration", cycles) if cycles else _pack(
        packer, group, choices, "duration", group.end - group.start, "end", group.end)
    return dict([start, end])


def _cycles(group: Group) -> dict | None:
    """A step of the firmware lasts as long as the cycles of its rooms together."""
    rooms = {key: np.maximum(column.values, 0) for key, column in group.columns.items()
             if isinstance(column, Column) and column.texts is None and not column.unit}
    total = sum(rooms.values(), start=np.zeros(len(group.start), np.int64))
    if not total.any():
        return None
    longest = int(total.argmax())
    period = int(group.end[longest] - group.start[longest]) // int(total[longest])
    if (total * period != group.end - group.start).any():
        return None
    return {"as": "sum", "of": list(rooms), "times": period}


def _pack(packer: Packer, group: Group, choices: list[Reference], plain: str, values: np.ndarray, told: str,
          times: np.ndarray) -> tuple[str, dict]:
    """The smallest, judged by a sample of slices: (key, header)."""
    def cost(choice: Reference) -> int:
        steps, rests = choice.split(group, times[:SAMPLE])
        return plan(steps).cost + plan(rests).cost

    best = min(choices, key=cost, default=None)
    if best is None or cost(best) + _OVERHEAD >= plan(values[:SAMPLE]).cost:
        return plain, packer.column(values)
    steps, rests = best.split(group, times)
    return told, {"group": best.parent.name, "edge": best.edge, "tracks": best.tracks,
                  "steps": packer.column(steps), "rests": packer.column(rests)}
