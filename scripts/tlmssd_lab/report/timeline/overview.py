# SPDX-License-Identifier: BSD-3-Clause
"""The look of a long timeline as a whole, small enough to be drawn before its slices are unpacked: for
each track and kind the busy part of each of BINS equal spans of the run's time."""
import zlib

import numpy as np

from tlmssd_lab.report.timeline.dense import text_of
from tlmssd_lab.report.timeline.kinds import kinds_of
from tlmssd_lab.report.timeline.timeline import GROUPS, Timeline

FROM_SLICES = 200_000  # of a group: with fewer, unpacking takes no time that anybody notices
BINS = 2048
FULL = 255  # a byte that stands for a span that is busy all the time; 1: busy at all


def overview(timeline: Timeline) -> dict | None:
    """{bins, groups: [{name, kinds}], blob}: kinds are those that occur; the blob holds for each group,
    for each track, for each kind a byte a bin. None where the timeline is short."""
    if not timeline.end or max(map(len, (group.start for group in timeline.groups.values()))) < FROM_SLICES:
        return None
    edges = timeline.end // BINS * np.arange(BINS + 1) + timeline.end % BINS * np.arange(BINS + 1) // BINS
    groups, parts = [], []
    for name in GROUPS:
        if name not in timeline.groups:
            continue
        group = timeline.groups[name]
        slice_kinds = kinds_of(group)
        kinds = np.unique(slice_kinds).tolist()
        groups.append({"name": name, "kinds": kinds})
        for low, high in group.ranges():
            for kind in kinds:
                rows = low + np.flatnonzero(slice_kinds[low:high] == kind)
                busy = np.diff(_busy_until(edges, group.start[rows], group.end[rows]))
                parts.append(np.ceil(busy * (FULL / np.diff(edges).clip(1))).clip(0, FULL).astype(np.uint8).tobytes())
    blob = text_of(zlib.compress(b"".join(parts), 9))
    return {"bins": BINS, "groups": groups, "blob": blob}


def _busy_until(times: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Sum of the slices' parts before each time; slices in order, none over another."""
    sums = np.concatenate(([0], np.cumsum(end - start)))
    ended = np.searchsorted(end, times, side="right")
    under_way = np.append(start, np.iinfo(np.int64).max)[ended]
    return sums[ended] + np.maximum(times - under_way, 0)
