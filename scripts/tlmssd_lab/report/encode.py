# SPDX-License-Identifier: BSD-3-Clause
"""A timeline as packed columns: one header and one blob a group."""
import numpy as np

from .columns import Column, ListColumn
from .pack import MISSING, Packer
from .timeline import FIRMWARE, GROUPS, HOST, Group, Timeline


def encode(timeline: Timeline) -> dict:
    """{end, cut_at, groups: [{name, tracks, slices, columns, blob}], arrows}"""
    groups = [_group(timeline.groups[name]) for name in GROUPS if name in timeline.groups]
    return {"end": timeline.end, "cut_at": timeline.cut_at, "groups": groups,
            "arrows": _arrows(timeline)}


def _group(group: Group) -> dict:
    packer = Packer()
    before = np.concatenate(([0], group.end[:-1]))[:len(group.start)]
    before[[first for first, after in group.ranges() if first < after]] = 0
    columns = {"gap": packer.column(group.start - before), "duration": packer.column(group.end - group.start)}
    if group.name == FIRMWARE:
        columns["most"] = _column(packer, _most(group))
    for key, column in group.columns.items():
        if group.name == HOST and key == "arrival_us" and isinstance(column, Column):
            # Mostly 0, and shorter than a time of day.
            key, column = "wait_us", Column(np.where(column.values == MISSING, MISSING, group.start - column.values),
                                            "ps")
        columns[key] = _column(packer, column)
    return {"name": group.name, "tracks": [list(track) for track in zip(group.tracks, group.sizes)],
            "slices": len(group.start), "columns": columns, "blob": packer.blob()}


def _most(group: Group) -> Column:
    """The room with the most cycles, the first of equals: it colours a step."""
    rooms = [key for key, column in group.columns.items() if isinstance(column, Column) and key != "name"
             and column.texts is None]
    if not rooms:
        return Column(np.zeros(len(group.start), np.int64), texts=[None])
    most, best = np.zeros(len(group.start), np.int64), np.full(len(group.start), MISSING)
    for number, room in enumerate(rooms, 1):
        values = group.columns[room].values
        better = values > best
        most[better], best[better] = number, values[better]
    return Column(most, texts=[None, *rooms])


def _column(packer: Packer, column: Column | ListColumn) -> dict:
    if isinstance(column, ListColumn):
        return {"counts": packer.column(column.counts), "items": packer.column(column.items)}
    header = packer.column(column.values)
    if column.texts is not None:
        return header | {"texts": column.texts}
    return header | {"unit": "ps"} if column.unit else header


def _arrows(timeline: Timeline) -> dict:
    """Columns over arrows; slices are numbered through their group, in order of its tracks."""
    arrows, packer = timeline.arrows, Packer()
    begun = timeline.groups[HOST].start[arrows.request] if len(arrows) else arrows.submit
    columns = {"operation": packer.column(arrows.operation), "request": packer.column(arrows.request),
               "submit": packer.column(arrows.submit - begun)}
    return {"count": len(arrows), "columns": columns, "blob": packer.blob()}
