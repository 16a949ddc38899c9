# SPDX-License-Identifier: BSD-3-Clause
"""The things that an SVG paints: their boxes, and which of them are painted as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

Point = tuple[float, float]
Box = tuple[float, float, float, float]
Steps = list[tuple[str, list[Point]]]


@dataclass
class Item:
    """One thing that is painted."""

    kind: str  # path, text or image
    style: dict[str, str]
    box: Box
    steps: Steps = field(default_factory=list)  # of a path
    marker: tuple | None = None  # steps and style of what stands on each vertex
    words: list[tuple[float, float, dict[str, str], str]] = field(default_factory=list)
    turn: float = 0  # degrees of a text
    clip: Box | None = None
    href: str = ""
    fixed: bool = False  # lies on a picture: keeps its colours

    def key(self) -> tuple:
        marker = None if self.marker is None else repr(self.marker)
        return (self.kind, tuple(sorted(self.style.items())), self.turn, self.clip, self.fixed, marker)


def stroke(style: dict[str, str]) -> float:
    return float(style.get("stroke-width", 1)) if style.get("stroke", "none") != "none" else 0.0


def box_of(steps: Steps) -> Box:
    points = [point for _, each in steps for point in each]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def text_box(x: float, y: float, style: dict[str, str], text: str, turn: float) -> Box:
    """About, and rather too large."""
    size = float(style.get("font-size", "10px").removesuffix("px"))
    long = 0.7 * size * len(text)
    left = {"middle": long / 2, "end": long}.get(style.get("text-anchor", "start"), 0)
    if abs(turn) > 1:
        return x - long - size, y - long - size, x + long + size, y + long + size
    return x - left, y - size, x - left + long, y + 0.3 * size


def grown(box: Box, by: float) -> Box:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def union(a: Box, b: Box) -> Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def inside(a: Box, b: Box) -> bool:
    return a[0] >= b[0] and a[1] >= b[1] and a[2] <= b[2] and a[3] <= b[3]


def meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def fix_colours(items: list[Item]) -> None:
    """Items on a map keep their colours: a map is the same in light and dark."""
    maps: list[Box] = []
    for item in items:
        if item.kind == "image" and item.style:
            maps.append(item.box)
        item.fixed = item.kind != "image" and any(inside(item.box, box) for box in maps)


def merged(items: list[Item]) -> list[list[Item]]:
    """Groups that are painted as one; an item joins an earlier group only across what it does not
    overlap, and areas join only where they do not overlap each other."""
    groups: list[list[Item]] = []
    for item in _with_markers(items):
        for group in reversed(groups):
            if group[0].key() == item.key() and _may_join(group, item):
                group.append(item)
                break
            if any(meet(other.box, item.box) for other in group):
                groups.append([item])
                break
        else:
            groups.append([item])
    return groups


def _may_join(group: list[Item], item: Item) -> bool:
    if item.kind == "text":
        return True
    if item.kind == "image":
        return False
    plain = item.style.get("fill") == "none" or not item.style
    if plain and not any(name.endswith("opacity") for name in item.style):
        return True
    margin = stroke(item.style)
    return not any(meet(grown(other.box, -margin - 0.05), grown(item.box, -margin - 0.05))
                   for other in group)


def _with_markers(items: Iterable[Item]) -> Iterator[Item]:
    """A line and the marks on its vertices as one item."""
    line: Item | None = None
    for item in items:
        if line is not None:
            same = item.marker is not None and not item.style and _vertices(item) == _vertices(line)
            if same and line.clip is None:
                line.marker = item.marker
                line.box = union(line.box, item.box)
                yield line
                line = None
                continue
            yield line
            line = None
        if item.kind == "path" and item.style.get("fill") == "none" and item.marker is None:
            line = item
        else:
            yield item
    if line is not None:
        yield line


def _vertices(item: Item) -> list[Point]:
    return [(round(x, 3), round(y, 3)) for _, points in item.steps for x, y in points]
