# SPDX-License-Identifier: BSD-3-Clause
"""Pictures inside an SVG: a map of cells with one pixel per cell, a raster with few colours."""

from __future__ import annotations

import base64
import io
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
        for row, y in enumerate(rows):
            for column, x in enumerate(columns):
                small.putpixel((column, row), _colour(picture.getpixel((x, y))))
        opaque = min(small.getchannel("A").tobytes()) == 255
        picture = small.convert("RGB") if opaque else small
    else:
        picture = _few_colours(picture)
    buffer = io.BytesIO()
    kept: dict[str, Any] = {str(name): value for name, value in picture.info.items()}
    picture.save(buffer, "PNG", optimize=True, **kept)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode(), cells


def _colour(pixel: Any) -> tuple[int, ...]:
    """The channels of a pixel in RGBA."""
    return tuple(pixel)


def _few_colours(picture: PngImage) -> PngImage:
    """A raster of one series needs the steps of its edges only."""
    from PIL import Image

    colours = [_colour(colour) for _, colour in picture.getcolors(1 << 24) or ()]
    solid = [colour[:3] for colour in colours if colour[3] > 127]
    if any(max(abs(a - b) for a, b in zip(solid[0], other)) > 8 for other in solid):
        return picture.quantize(_COLOURS, Image.Quantize.FASTOCTREE)
    step = 255 // (_STEPS - 1)
    small = Image.frombytes("P", picture.size, bytes(
        (alpha + step // 2) // step for alpha in picture.getchannel("A").tobytes()))
    small.putpalette(list(solid[0]) * _STEPS)
    small.info = {"transparency": bytes(step * i for i in range(_STEPS)), "bits": 2}
    return small


def _starts(picture: PngImage) -> list[int]:
    """Where a column differs from that before it."""
    columns = [picture.crop((x, 0, x + 1, picture.height)).tobytes() for x in range(picture.width)]
    return [x for x, column in enumerate(columns) if x == 0 or column != columns[x - 1]]


def _even(starts: list[int], size: int) -> bool:
    """Cells of one width, up to a pixel."""
    width = size / len(starts)
    return width >= _CELL and all(abs(x - i * width) <= 1.5 for i, x in enumerate(starts))
