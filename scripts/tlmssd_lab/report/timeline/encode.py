# SPDX-License-Identifier: BSD-3-Clause
"""A timeline as packed columns: one header and one blob a group."""
import numpy as np

from tlmssd_lab.report.timeline.columns import Column, ListColumn, integers, lists_of, spread
from tlmssd_lab.report.timeline.kinds import kinds_of
from tlmssd_lab.report.timeline.pack import MISSING, Packer, mapped, plan
from tlmssd_lab.report.timeline.references import pack_times
from tlmssd_lab.report.timeline.timeline import DIES, GROUPS, HOST, Group, Timeline


def encode(timeline: Timeline) -> dict:
    """{end, cut_at, groups: [{name, tracks, slices, columns, blob}], arrows}"""
    groups = [_group(timeline.groups[name], timeline) for name in GROUPS if name in timeline.groups]
    return {"end": timeline.end, "cut_at": timeline.cut_at, "groups": groups,
            "arrows": _arrows(timeline)}


def _group(group: Group, timeline: Timeline) -> dict:
    packer = Packer()
    columns, near = pack_times(packer, group, timeline)
    names = integers(group.columns["name"]).values if "name" in group.columns else np.empty(0, np.int64)
    for key, column in group.columns.items():
        if group.name == HOST and key == "arrival_us" and isinstance(column, Column):
            # Mostly 0, and shorter than a time of day.
            key, column = "wait_us", Column(np.where(column.values == MISSING, MISSING, group.start - column.values),
                                            "ps")
        header = near.header(group, key, column) if near and isinstance(column, Column) else None
        columns[key] = header or _column(packer, column, None if key == "name" else names)
    columns["kind"] = _column(packer, Column(kinds_of(group).astype(np.int64)), names)
    return {"name": group.name, "tracks": [list(track) for track in zip(group.tracks, group.sizes)],
            "slices": len(group.start), "columns": columns, "blob": packer.blob()}


def _column(packer: Packer, column: Column | ListColumn, names: np.ndarray | None) -> dict:
    """names: index of each slice's name; columns that follow from it are stored once per name."""
    if isinstance(column, ListColumn):
        return {"counts": packer.column(column.counts), "items": packer.column(column.items)}
    planned = plan(column.values)
    table = mapped(column.values, names) if names is not None and planned.unsigned is not None else None
    header = packer.add(planned) if table is None else {"as": "map", "of": "name"} | table
    if column.texts is not None:
        return header | {"texts": column.texts}
    return header | {"unit": "ps"} if column.unit else header


def _arrows(timeline: Timeline) -> dict:
    """Columns over arrows; slices are numbered through their group, in order of its tracks."""
    arrows, packer = timeline.arrows, Packer()
    if not len(arrows):
        return {"count": 0, "columns": {key: packer.column([]) for key in ("operation", "request", "submit")},
                "blob": packer.blob()}
    items = _causes(timeline)
    columns = {"operation": packer.column(arrows.operation),
               "request": packer.column(arrows.request) if items is None else {
                   "as": "cause", "items": packer.column(items)},
               "submit": packer.column(arrows.submit - timeline.groups[HOST].start[arrows.request])}
    return {"count": len(arrows), "columns": columns, "blob": packer.blob()}


def _causes(timeline: Timeline) -> np.ndarray | None:
    """Which of the requests that its operation names each arrow comes from; None where two requests
    share a number, or numbers are too far apart for a table."""
    arrows, numbers = timeline.arrows, integers(timeline.groups[HOST].columns["request"]).values
    if numbers.min() < 0 or numbers.max() > 4 * len(numbers) + 100_000 or np.bincount(numbers).max() > 1:
        return None
    causes = lists_of(timeline.groups[DIES].columns["request"])
    counts = causes.counts[arrows.operation]
    first = np.cumsum(counts) - counts
    named = causes.items[spread(causes.offsets()[arrows.operation], counts)]
    found = np.flatnonzero(named == np.repeat(numbers[arrows.request], counts))
    arrow, places = np.unique(np.repeat(np.arange(len(counts)), counts)[found], return_index=True)
    return found[places] - first[arrow]
