# SPDX-License-Identifier: BSD-3-Clause
"""Matplotlib's SVG in a tenth of its size: integers in tenths of a point, a class per style, one
path per series, cells of a map as a few pixels. Labels and data points stay; light and dark have
colours."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from tlmssd_lab.svg_image import data_url
from tlmssd_lab.svg_items import (
    Box, Item, Steps, box_of, fix_colours, grown, inside, merged, stroke, text_box, union)
from tlmssd_lab.svg_write import Writer

_NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")
_DROPPED = ("font-family", "stroke-dashoffset")
_DEFAULTS = {"stroke-linejoin": "round", "text-anchor": "start", "font-weight": "400"}


def compact(svg: bytes, title: str) -> bytes:
    """The drawing `svg` of matplotlib, small. Equal bytes for equal drawings."""
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
        for name in [name for name in element.attrib if "}" in name]:
            element.set(name.rpartition("}")[2], element.attrib[name])
    width, height = (float(x) for x in root.get("viewBox", "").split()[2:])
    items = _Reader(root).items
    fix_colours(items)
    return Writer(width, height, title).text(merged(items)).encode()


class _Reader:
    def __init__(self, root: ElementTree.Element) -> None:
        self._parts = {e.get("id"): e for e in root.iter("path") if e.get("id")}
        self._clips = {e.get("id"): _rectangle(e[0]) for e in root.iter("clipPath")}
        self._uses: dict[str, int] = {}
        for use in root.iter("use"):
            name = use.get("href", "")[1:]
            self._uses[name] = self._uses.get(name, 0) + 1
        self.items: list[Item] = []
        for child in root:
            self._read(child, None)

    def _read(self, element: ElementTree.Element, clip: Box | None) -> None:
        tag = element.tag
        if tag in ("defs", "metadata", ""):
            return
        found = re.match(r"url\(#(.*)\)", element.get("clip-path", ""))
        clip = self._clips[found[1]] if found else clip
        if tag == "g" and element.get("transform"):
            self._moved_text(element)
        elif tag == "g":
            for child in element:
                self._read(child, clip)
        elif tag == "path":
            self._path(_steps(element.get("d", "")), _style(element), clip)
        elif tag == "use":
            self._use(element, clip)
        elif tag == "text":
            self._text(element)
        elif tag == "image":
            self._image(element, clip)
        else:
            raise ValueError(f"svg_compact: <{tag}> is unknown")

    def _path(self, steps: Steps, style: dict[str, str], clip: Box | None) -> None:
        if not steps or style.get("fill") == style.get("stroke") == "none":
            return
        page = {"fill": "#ffffff"}
        first = self.items[:1]
        if style == page and any(i.style == page and inside(box_of(steps), i.box) for i in first):
            return  # of axes on the drawing's own
        box = grown(box_of(steps), stroke(style))
        if clip is not None and inside(box, grown(clip, 1 + stroke(style))):
            clip = None
        self.items.append(Item("path", style, box, steps, clip=clip))

    def _use(self, element: ElementTree.Element, clip: Box | None) -> None:
        name = element.get("href", "")[1:]
        part = self._parts[name]
        style = {**_style(element), **_style(part)}
        x, y = float(element.get("x", 0)), float(element.get("y", 0))
        steps = _steps(part.get("d", ""))
        if len(steps) == 2 or self._uses[name] == 1:  # a tick, or an area
            if len(steps) == 2:
                style.setdefault("fill", "none")
            self._path(_moved(steps, x, y), style, clip)
            return
        box = grown(box_of(_moved(steps, x, y)), stroke(style))
        mark = (_rounded(steps), tuple(sorted(style.items())))
        last = self.items[-1] if self.items else None
        if last is not None and last.marker == mark and last.clip is None and not last.style:
            last.steps.append(("L", [(x, y)]))
            last.box = union(last.box, box)
            return
        self.items.append(Item("path", {}, box, [("M", [(x, y)])], mark))

    def _text(self, element: ElementTree.Element) -> None:
        x, y, turn = _place(element)
        self._words([(x, y, _style(element), element.text or "")], turn)

    def _moved_text(self, group: ElementTree.Element) -> None:
        x, y, turn = _place(group)
        (text,) = group.iter("text")
        spans = list(text.iter("tspan")) or [text]
        if turn and len(spans) > 1:
            raise ValueError("svg_compact: a formula that is turned is unknown")
        self._words([(x + float(s.get("x", "0").split()[0]), y + float(s.get("y", 0)),
                      {**_style(group), **_style(text), **_style(s)}, s.text or "")
                     for s in spans], turn)

    def _words(self, words: list[tuple[float, float, dict[str, str], str]], turn: float) -> None:
        words = [each for each in words if each[3].strip()]
        if not words:
            return
        boxes = [text_box(x, y, looks, text, turn) for x, y, looks, text in words]
        box = boxes[0]
        for each in boxes[1:]:
            box = union(box, each)
        style = words[0][2]
        self.items.append(Item("text", style, box, words=words, turn=turn % 360))

    def _image(self, element: ElementTree.Element, clip: Box | None) -> None:
        flip = re.match(r"scale\(1 -1\) translate\(0 ([-\d.]+)\)", element.get("transform", ""))
        x, y, width, height = (float(element.get(n, 0)) for n in ("x", "y", "width", "height"))
        if flip is not None:
            y = -y - float(flip[1]) - height
        box = (x, y, x + width, y + height)
        url, cells = data_url(element.get("href", ""), flip is not None)
        if cells and clip is not None and all(abs(a - b) < 1 for a, b in zip(box, clip)):
            box = clip  # matplotlib widens a picture to whole pixels
        style = {"image-rendering": "pixelated"} if cells else {}
        self.items.append(Item("image", style, box, href=url))


def _rectangle(element: ElementTree.Element) -> Box:
    x, y, width, height = (float(element.get(n, 0)) for n in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def _place(element: ElementTree.Element) -> tuple[float, float, float]:
    """Where a text stands and how far it is turned, in degrees."""
    text = element.get("transform", "")
    x, y = float(element.get("x", 0)), float(element.get("y", 0))
    move, turn = r"(?:translate\((\S+) (\S+)\))?", r"(?:rotate\((\S+?)(?: (\S+) (\S+))?\))?"
    found = re.fullmatch(f"{move} ?{turn}", text)
    about = found and (found[4] is None or (float(found[4]), float(found[5])) == (x, y))
    if not found or not about or (found[1] and (x or y)):
        raise ValueError(f"svg_compact: transform '{text}' is unknown")
    return float(found[1] or x), float(found[2] or y), float(found[3] or 0)


def _style(element: ElementTree.Element) -> dict[str, str]:
    """Without what is the default."""
    pairs = (each.split(":", 1) for each in element.get("style", "").split(";") if ":" in each)
    style = {name.strip(): value.strip() for name, value in pairs}
    if style.get("stroke", "none") != "none":
        style.setdefault("stroke-width", "1")
    return {name: value for name, value in style.items()
            if name not in _DROPPED and _DEFAULTS.get(name) != value}


def _steps(text: str) -> Steps:
    steps: Steps = []
    for letter, rest in re.findall(r"([MLQCz])([^MLQCz]*)", text):
        numbers = [float(x) for x in _NUMBER.findall(rest)]
        steps.append((letter, list(zip(numbers[::2], numbers[1::2]))))
    return steps


def _moved(steps: Steps, x: float, y: float) -> Steps:
    return [(letter, [(a + x, b + y) for a, b in points]) for letter, points in steps]


def _rounded(steps: Steps) -> Steps:
    return [(letter, [(round(a, 2), round(b, 2)) for a, b in points]) for letter, points in steps]
