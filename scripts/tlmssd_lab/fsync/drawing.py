# SPDX-License-Identifier: BSD-3-Clause
"""One fsync as SVG: a row for each layer from the system call to the dies, on one axis of time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tlmssd_lab.fsync.device import Slice
from tlmssd_lab.fsync.fsync import OneFsync
from tlmssd_lab.fsync.join import Joined
from tlmssd_lab.html_text import escape, number
from tlmssd_lab.stages import STAGE_LOOKS, STAGE_TEXTS, STAGES

WIDTH, LEFT, RIGHT = 1200, 170, 16
_BAR, _STEP, _GAP, _TOP, _LOW = 13, 16, 8, 44, 48
#: Colours of what has no stage, on light and dark ground.
_FILLS = {"call": ("#aab4bf", "#8b95a1"), "file_system": ("#c9d1d9", "#4a525c"), "block_layer": ("#cc79a7", "#cc79a7"),
          "fetch": ("#999999", "#999999"), "completion": ("#666666", "#bbbbbb"), "ssd": ("#8ab6d6", "#8ab6d6")}
_PART_TEXTS = {"file_system": "file system", "block_layer": "block layer", "fetch": "issue and fetch", "ssd": "SSD",
               "completion": "completion"}
_MODULES = ("hil", "buffer", "ftl", "sched")


@dataclass
class Bar:
    """[begin, end) in picoseconds of simulated time. `look`: its class."""

    begin: int
    end: int
    look: str
    words: str
    label: str = ""


@dataclass
class Row:
    name: str
    lanes: list[list[Bar]] = field(default_factory=list)


def svg(one: OneFsync) -> str:
    """The whole picture."""
    rows = _rows(one)
    height = _TOP + sum(len(row.lanes) * _STEP + _GAP for row in rows) + _LOW
    scale = (WIDTH - LEFT - RIGHT) / max(one.end - one.begin, 1)

    def at(time: int) -> float:
        return LEFT + (min(max(time, one.begin), one.end) - one.begin) * scale

    lines = [f'<svg class="fsync" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
             f'height="{height}" role="img">', f"<title>{escape(one.title)}</title>", f"<style>{_style()}</style>",
             f'<rect class="page" width="{WIDTH}" height="{height}"/>', *_axis(one, at, height - _LOW)]
    y = _TOP
    for row in rows:
        lines.append(f'<text class="r" x="{LEFT - 8}" y="{y + 10}">{escape(row.name)}</text>')
        for lane in row.lanes:
            lines += [_bar(bar, at, y) for bar in lane]
            y += _STEP
        y += _GAP
    return "\n".join([*lines, *_legend(height - _LOW + 20), "</svg>"]) + "\n"


def _rows(one: OneFsync) -> list[Row]:
    requests = one.requests
    rows = [
        Row("system call", [[Bar(one.begin, one.end, "call", one.title, one.call)]]),
        Row("waits for", [[Bar(left, right, part, f"{_PART_TEXTS[part]}, {micros(right - left)}", _PART_TEXTS[part])
                           for left, right, part in one.spans]]),
        Row("block layer", _packed(requests, lambda r: (r.queued, r.completed), _block_bars)),
        Row("controller", _packed(requests, lambda r: (r.issued, r.completed), _controller_bars)),
        Row("SSD, by stage", _packed(requests, lambda r: (r.begin, r.end), _stage_bars)),
    ]
    for group, look in (("link", _link), ("firmware", _firmware), ("channels", _segment), ("dies", _operation)):
        rows += _tracks(one.slices, group, look)
    return rows


def _packed(requests: Sequence[Joined], span: Callable[[Joined], tuple[int, int]],
            bars: Callable[[Joined], list[Bar]]) -> list[list[Bar]]:
    """Each request in the first lane that is free at its begin."""
    lanes: list[list[Bar]] = []
    ends: list[int] = []
    for request in sorted(requests, key=span):
        begin, end = span(request)
        free = next((i for i, busy in enumerate(ends) if busy <= begin), len(lanes))
        if free == len(lanes):
            lanes.append([])
            ends.append(0)
        lanes[free] += bars(request)
        ends[free] = end
    return lanes or [[]]


def _named(request: Joined) -> str:
    block = request.block
    return "flush" if block.kind == "flush" else f"{block.kind} of sector {block.sector} + {block.sectors}"


def _block_bars(r: Joined) -> list[Bar]:
    name = f"{_named(r)}, {r.block.flags}, by {r.block.task}"
    outstanding = f"{name}: outstanding {micros(r.completed - r.issued)}"
    return [Bar(r.queued, r.issued, "block_layer", f"{name}: queued {micros(r.issued - r.queued)}"),
            Bar(r.issued, r.completed, "outstanding", outstanding, r.block.kind)]


def _controller_bars(r: Joined) -> list[Bar]:
    return [Bar(r.issued, r.begin, "fetch", f"{_named(r)}: issue and fetch {micros(r.begin - r.issued)}"),
            Bar(r.end, r.completed, "completion", f"{_named(r)}: completion {micros(r.completed - r.end)}")]


def _stage_bars(r: Joined) -> list[Bar]:
    bars, at = [], r.begin
    for stage in STAGES:
        time = r.device.stages[stage]
        bars.append(Bar(at, at + time, stage, f"{_named(r)}: {STAGE_TEXTS[stage]} {micros(time)}"))
        at += time
    return bars


def _tracks(slices: Iterable[Slice], group: str, look: Callable[[str], str]) -> list[Row]:
    """A row for each track that has slices, in the order of the timeline."""
    rows: dict[str, Row] = {}
    for each in slices:
        if each.group == group:
            name = f"link {each.track}" if group == "link" else each.track
            row = rows.setdefault(each.track, Row(name, [[]]))
            words = f"{each.name}, {micros(each.end - each.begin)}"
            row.lanes[0].append(Bar(each.begin, each.end, look(each.name), words, each.name))
    return list(rows.values())


def _link(_: str) -> str:
    return "link"


def _firmware(name: str) -> str:
    first = name.split("+", maxsplit=1)[0]
    return first if first in _MODULES else "file_system"


def _segment(_: str) -> str:
    return "transfer"


def _operation(_: str) -> str:
    return "cell"


def _bar(bar: Bar, at: Callable[[int], float], y: int) -> str:
    x, right = at(bar.begin), at(bar.end)
    if bar.end <= bar.begin or right <= LEFT:
        return ""
    width = max(right - x, 0.6)
    text = ""
    if bar.label and width > 7 * len(bar.label) + 4:
        text = f'<text class="k" x="{x + width / 2:.1f}" y="{y + 10}">{escape(bar.label)}</text>'
    return (f'<g><title>{escape(bar.words)}</title><rect class="{bar.look}" x="{x:.2f}" y="{y}" width="{width:.2f}" '
            f'height="{_BAR}"/>{text}</g>')


def _axis(one: OneFsync, at: Callable[[int], float], low: int) -> list[str]:
    """Microseconds from the begin of the system call."""
    length = (one.end - one.begin) / 1e6
    step = 10 ** math.floor(math.log10(max(length, 1e-3) / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if length / (step * factor) <= 10)
    lines = [f'<text class="l" x="{LEFT}" y="16">{escape(one.title)}</text>']
    for tick in range(int(length / step) + 1):
        x = at(one.begin + round(tick * step * 1e6))
        lines.append(f'<path class="grid" d="M{x:.1f} {_TOP - 6}V{low}"/><text class="p" x="{x:.1f}" y="{_TOP - 10}">'
                     f"{number(round(tick * step, 3))}{' µs' if tick == 0 else ''}</text>")
    return lines


def _legend(y: int) -> list[str]:
    """Two rows."""
    lines = []
    half = (len(STAGES) + 1) // 2
    for place, stage in enumerate(STAGES):
        x, low = LEFT + place % half * (WIDTH - LEFT) // half, y + place // half * _STEP
        lines.append(f'<rect class="{stage}" x="{x}" y="{low - 9}" width="10" height="10"/>'
                     f'<text class="l p" x="{x + 14}" y="{low}">{escape(STAGE_TEXTS[stage])}</text>')
    return lines


def _style() -> str:
    light = [f".{stage}{{fill:{colour}}}" for stage, (colour, _) in STAGE_LOOKS.items()]
    light += [f".{name}{{fill:{fill}}}" for name, (fill, _) in _FILLS.items()]
    dark = [f".{name}{{fill:{fill}}}" for name, (_, fill) in _FILLS.items()]
    return (".fsync text{font:11px 'DejaVu Sans',Verdana,Arial,sans-serif;text-anchor:middle;fill:#1f2328}"
            ".fsync .r{text-anchor:end}.fsync .l{text-anchor:start}.fsync .p{font-size:10px;fill:#656d76}"
            ".fsync .k{font-size:10px;fill:#111}.page{fill:#fff}.grid{stroke:#e3e6eb}"
            ".outstanding{fill:#dbeaf7;stroke:#3b6ea5}" + "".join(light) +
            "@media (prefers-color-scheme:dark){.fsync text{fill:#e6e8eb}.fsync .k{fill:#111}.fsync .p{fill:#a4adb8}"
            ".page{fill:#16191d}.grid{stroke:#33383f}" + "".join(dark) + "}")


def micros(picoseconds: int) -> str:
    return f"{number(picoseconds / 1e6)} µs"
