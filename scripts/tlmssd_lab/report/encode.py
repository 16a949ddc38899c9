# SPDX-License-Identifier: BSD-3-Clause
"""A timeline as packed columns: one header and one blob a group."""
from collections.abc import Iterable
from typing import Any

import numpy as np

from .pack import Packer, MISSING
from .timeline import DIES, FIRMWARE, GROUPS, HOST, Timeline, Track, picoseconds



def encode(timeline: Timeline) -> dict:
    """{end, cut_at, groups: [{name, tracks, slices, columns, blob}], arrows}"""
    groups = [_group(name, timeline.tracks[name]) for name in GROUPS if timeline.tracks.get(name)]
    return {"end": timeline.end, "cut_at": timeline.cut_at, "groups": groups,
            "arrows": _arrows(timeline)}


def _group(name: str, tracks: list[Track]) -> dict:
    packer = Packer()
    gaps, durations = [], []
    for track in tracks:
        start = np.array(track.start, dtype=np.int64)
        end = np.array(track.end, dtype=np.int64)
        gaps.append(start - np.concatenate(([0], end[:-1]))[:len(start)])
        durations.append(end - start)
    columns = {"gap": packer.column(np.concatenate(gaps)),
               "duration": packer.column(np.concatenate(durations)),
               "name": _texts(packer, (text for track in tracks for text in track.names))}
    args = [arg for track in tracks for arg in track.args]
    if name == HOST:
        _waits(tracks)
    if name == FIRMWARE:  # the room with the most cycles colours a step
        columns["most"] = _texts(packer, (max(arg, key=arg.get) if arg else None for arg in args))
    for key in _keys(args):
        columns[key] = _values(packer, [arg.get(key) for arg in args])
    return {"name": name, "tracks": [[track.name, len(track.start)] for track in tracks],
            "slices": len(args), "columns": columns, "blob": packer.blob()}


def _waits(tracks: Iterable[Track]) -> None:
    """arrival_us -> wait_us: mostly 0, and shorter than a time of day."""
    for track in tracks:
        for start, args in zip(track.start, track.args):
            arrival = args.pop("arrival_us", None)
            if arrival is not None:
                args["wait_us"] = (start - picoseconds(arrival)) / 1e6


def _keys(args: Iterable[dict]) -> list[str]:
    """All keys, those of the first shapes met first."""
    return list(dict.fromkeys(key for shape in dict.fromkeys(map(tuple, args)) for key in shape))


def _texts(packer: Packer, texts: Iterable[Any]) -> dict:
    index: dict[str | None, int] = {}
    column = packer.column([index.setdefault(text, len(index)) for text in texts])
    return column | {"texts": list(index)}


def _values(packer: Packer, values: list) -> dict:
    """A column of what JSON holds: integers, microseconds, texts or lists of integers."""
    kinds = set(map(type, values))
    if list in kinds:
        items = [item for value in values if value is not None for item in value]
        return {"counts": packer.column([0 if value is None else len(value) for value in values]),
                "items": packer.column(items)}
    if str in kinds:
        return _texts(packer, values)
    if float in kinds:
        return packer.column([MISSING if value is None else picoseconds(value)
                              for value in values]) | {"unit": "ps"}
    return packer.column([MISSING if value is None else int(value) for value in values])


def _arrows(timeline: Timeline) -> dict:
    """Columns over arrows; slices are numbered through their group, in order of its tracks."""
    first = {}
    for group in (HOST, DIES):
        sizes = [len(track.start) for track in timeline.tracks.get(group, ())]
        first[group] = np.concatenate(([0], np.cumsum(sizes))).astype(int).tolist()
    rows = sorted((first[DIES][a.die_track] + a.die_slice,
                   first[HOST][a.host_track] + a.host_slice, a.submit) for a in timeline.arrows)
    packer = Packer()
    hosts = timeline.tracks.get(HOST, ())
    begun = [start for track in hosts for start in track.start]
    columns = {"operation": packer.column([row[0] for row in rows]),
               "request": packer.column([row[1] for row in rows]),
               "submit": packer.column([row[2] - begun[row[1]] for row in rows])}
    return {"count": len(rows), "columns": columns, "blob": packer.blob()}


