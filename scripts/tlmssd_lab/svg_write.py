# SPDX-License-Identifier: BSD-3-Clause
"""Groups of painted things as the text of an SVG that is readable in light and dark."""

from __future__ import annotations

import math
from typing import Any
from xml.sax.saxutils import escape

from tlmssd_lab.svg_items import Box, Item, Steps

SCALE = 10  # units of the view box per point
# What black, white and the greys of frames become on a dark page.
DARK = {"#000000": "#e6e8eb", "#ffffff": "#16191d", "#b0b0b0": "#5a6068", "#cccccc": "#5a6068"}
LIGHT = {"#000000": "#1f2328"}
_LINE = 160  # characters, about
_LENGTHS = ("stroke-width", "font-size", "stroke-dasharray", "stroke-dashoffset")
_FONT = "'DejaVu Sans',Verdana,Arial,sans-serif"


class Writer:
    def __init__(self, width: float, height: float, title: str) -> None:
        self._width, self._height, self._title = width, height, title
        self._classes: dict[tuple[str, str], str] = {}  # rules in light and dark -> name
        self._markers: dict[str, tuple[str, str]] = {}
        self._clips: dict[Box, str] = {}

    def text(self, groups: list[list[Item]]) -> str:
        body = [line for group in groups for line in self._group(group)]
        size = f"{_whole(self._width)} {_whole(self._height)}"
        head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{self._width:.0f}pt" '
                f'height="{self._height:.0f}pt" viewBox="0 0 {size}" role="img">',
                f"<title>{escape(self._title)}</title>", "<style>", *self._rules(), "</style>"]
        parts = [text for _, text in self._markers.values()]
        for (x, y, right, low), name in self._clips.items():
            parts.append(f'<clipPath id="{name}"><path d="M{_whole(x)} {_whole(y)}H{_whole(right)}'
                         f'V{_whole(low)}H{_whole(x)}z"/></clipPath>')
        if parts:
            head += ["<defs>", *parts, "</defs>"]
        return "\n".join([*head, *body, "</svg>"]) + "\n"

    def _rules(self) -> list[str]:
        rules = [f"*{{stroke-linejoin:round}}text{{font-family:{_FONT};white-space:pre}}"]
        rules += [f".{name}{{{light}}}" for (light, _), name in self._classes.items()]
        dark = [f".{name}{{{rule}}}" for (_, rule), name in self._classes.items() if rule]
        return rules + ["@media (prefers-color-scheme:dark){", *dark, "}"] if dark else rules

    def _class(self, style: dict[str, str], fixed: bool, kind: str) -> str:
        style = dict(style)
        if kind == "text":
            style.setdefault("fill", "#000000")
        light, dark = [], []
        for name, value in sorted(style.items()):
            if name in _LENGTHS:
                numbers = value.removesuffix("px").split(",")
                value = ",".join(f"{SCALE * float(number):g}" for number in numbers)
                value += "px" if name == "font-size" else ""
            themed = name in ("fill", "stroke") and not fixed
            if themed and value in DARK and not (kind == "text" and value == "#ffffff"):
                dark.append(f"{name}:{DARK[value]}")
                value = LIGHT.get(value, value)
            light.append(f"{name}:{value}")
        return self._classes.setdefault((";".join(light), ";".join(dark)), f"s{len(self._classes)}")

    def _group(self, group: list[Item]) -> list[str]:
        first = group[0]
        if first.kind == "image":
            x, y, right, low = first.box
            cells = ' style="image-rendering:pixelated"' if first.style else ""
            return [f'<image x="{_whole(x)}" y="{_whole(y)}" width="{_whole(right - x)}" '
                    f'height="{_whole(low - y)}" preserveAspectRatio="none"{cells} '
                    f'href="{first.href}"/>']
        if first.kind == "text":
            name = self._class(first.style, first.fixed, "text")
            return [f'<g class="{name}">', *_filled(self._rows(group)), "</g>"]
        looks = dict(first.style) or {"fill": "none"}
        if first.marker is not None:
            looks["marker"] = f"url(#{self._marker(first)})"
        clip = ""
        if first.clip is not None:
            name = self._clips.setdefault(first.clip, f"c{len(self._clips)}")
            clip = f' clip-path="url(#{name})"'
        data = "\n".join(_filled([part for item in group for part in _data(item.steps)], ""))
        return [f'<path class="{self._class(looks, first.fixed, "path")}"{clip} d="{data}"/>']

    def _marker(self, item: Item) -> str:
        steps, style = item.marker or ([], ())
        key = repr(item.marker) + str(item.fixed)
        if key not in self._markers:
            name = f"m{len(self._markers)}"
            used = self._class(dict(style), item.fixed, "path")
            radius = _radius(steps)
            shape = f'<path class="{used}" d="{"".join(_data(steps))}"/>'
            if radius is not None:
                shape = f'<circle class="{used}" r="{_whole(radius)}"/>'
            self._markers[key] = (name, f'<marker id="{name}" markerUnits="userSpaceOnUse" '
                                        f'overflow="visible">{shape}</marker>')
        return self._markers[key][0]

    def _rows(self, group: list[Item]) -> list[str]:
        """Texts on one height as one element."""
        rows: dict[Any, list[Item]] = {}
        for number, item in enumerate(group):
            alone = item.turn or len(item.words) > 1
            rows.setdefault((number,) if alone else _whole(item.words[0][1]), []).append(item)
        parts = []
        for y, row in rows.items():
            if len(row) == 1:
                parts.append(self._text(row[0]))
                continue
            spans = [f'<tspan x="{_whole(x)}">{escape(text)}</tspan>'
                     for x, _, _, text in (item.words[0] for item in row)]
            parts += [f'<text y="{y}">' + spans[0], *spans[1:-1], spans[-1] + "</text>"]
        return parts

    def _text(self, item: Item) -> str:
        x, y, style, text = item.words[0]
        turn = ""
        if item.turn:
            turn = f' transform="rotate({item.turn:g} {_whole(x)} {_whole(y)})"'
        place = f'x="{_whole(x)}" y="{_whole(y)}"{turn}'
        rest = ""
        for sx, sy, sstyle, stext in item.words[1:]:
            size = sstyle.get("font-size", style.get("font-size", "10px")).removesuffix("px")
            rest += (f'<tspan x="{_whole(sx)}" y="{_whole(sy)}" '
                     f'style="font-size:{SCALE * float(size):g}px">{escape(stext)}</tspan>')
        return f"<text {place}>{escape(text)}{rest}</text>"


def _radius(steps: Steps) -> float | None:
    """Of a circle about 0, which matplotlib draws as eight curves."""
    ends = [math.hypot(*points[-1]) for _, points in steps if points]
    curves = sum(letter == "C" for letter, _ in steps)
    return ends[0] if curves == 8 and max(ends) - min(ends) < 0.02 * ends[0] else None


def _whole(value: float) -> int:
    return math.floor(SCALE * value + 0.5)


def _filled(parts: list[str], between: str = " ") -> list[str]:
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) < _LINE:
            lines[-1] += between.strip() + part
        else:
            lines.append(part)
    return lines


def _data(steps: Any) -> list[str]:
    """The steps as relative ones; each is rounded where it ends, so nothing adds up."""
    parts, at, start, last = [], (0, 0), (0, 0), ""
    for letter, points in steps:
        whole = [(_whole(x), _whole(y)) for x, y in points]
        if letter == "z":
            parts.append("z")
            at, last = start, "z"
            continue
        if letter == "M":
            parts.append(f"M{_pair(*whole[0])}")
            at = start = whole[0]
            last = "M"
            continue
        if letter == "L":
            dx, dy = whole[0][0] - at[0], whole[0][1] - at[1]
            name = "h" if dy == 0 else "v" if dx == 0 else "l"
            numbers = {"h": [dx], "v": [dy], "l": [dx, dy]}[name]
        else:
            name = letter.lower()
            numbers = [n for x, y in whole for n in (x - at[0], y - at[1])]
        text = "".join(f" {n}" if n >= 0 and i else str(n) for i, n in enumerate(numbers))
        if name == last:
            text = text if text.startswith("-") else " " + text
        parts.append(text if name == last else name + text)
        at, last = whole[-1], name
    return parts


def _pair(x: int, y: int) -> str:
    return f"{x}{y}" if y < 0 else f"{x} {y}"
