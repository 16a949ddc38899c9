# SPDX-License-Identifier: BSD-3-Clause
"""Pictures inside an SVG: a map of cells with one pixel per cell, a raster with few colours."""

from __future__ import annotations

import base64
import io
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL.Image import Image as PngImage

_COLOURS = 16  # of a raster with several series: with the steps of their edges
_STEPS = 4  # of opacity of a raster with one series
_CELL = 1.5  # pixels on the mean, at least, for a picture to be one of cells


def data_url(url: str, flipped: bool) -> tuple[str, bool]:
    """The picture of `url` small and with the first row on top; whether it is one of cells."""
    from PIL import Image

    raw = base64.b64decode(url.partition("base64,")[2])
    picture = Image.open(io.BytesIO(raw)).convert("RGBA")
    if flipped:
        picture = picture.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    columns = _starts(picture)
    rows = _starts(picture.transpose(Image.Transpose.TRANSPOSE))
    cells = _even(columns, picture.width) and _even(rows, picture.height)
    if cells:
        small: PngImage = Image.new("RGBA", (len(columns), len(rows)))
        small.putdata([_pixel(picture, x, y) for y in rows for x in columns])
        opaque = all(_pixel(small, x, y)[3] == 255 for y in range(small.height)
                     for x in range(small.width))
        picture = small.convert("RGB") if opaque else small
        options: dict[str, Any] = {}
    else:
        picture, options = _few_colours(picture)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", optimize=True, **options)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode(), cells


def _pixel(picture: PngImage, x: int, y: int) -> tuple[int, ...]:
    value = picture.getpixel((x, y))
    assert isinstance(value, tuple)  # of a picture with red, green, blue and opacity
    return value


def _few_colours(picture: PngImage) -> tuple[PngImage, dict[str, Any]]:
    """And how to save it. A raster of one series needs the steps of its edges only."""
    from PIL import Image

    raw = picture.tobytes()
    colours = Counter(raw[i:i + 3] for i in range(0, len(raw), 4) if raw[i + 3] > 127)
    solid = [colour for colour, _ in colours.most_common()] or [bytes(3)]
    if any(max(abs(a - b) for a, b in zip(solid[0], other)) > 8 for other in solid):
        return picture.quantize(_COLOURS, Image.Quantize.FASTOCTREE), {}
    step = 255 // (_STEPS - 1)
    small = Image.frombytes("P", picture.size, bytes(
        (alpha + step // 2) // step for alpha in picture.getchannel("A").tobytes()))
    small.putpalette(list(solid[0]) * _STEPS)
    return small, {"transparency": bytes(step * i for i in range(_STEPS)), "bits": 2}


def _starts(picture: PngImage) -> list[int]:
    """Where a column differs from that before it."""
    columns = [picture.crop((x, 0, x + 1, picture.height)).tobytes() for x in range(picture.width)]
    return [x for x, column in enumerate(columns) if x == 0 or column != columns[x - 1]]


def _even(starts: list[int], size: int) -> bool:
    """Cells of one width, up to a pixel."""
    width = size / len(starts)
    return width >= _CELL and all(abs(x - i * width) <= 1.5 for i, x in enumerate(starts))
