# SPDX-License-Identifier: BSD-3-Clause
"""Drawings with matplotlib: new ones, and a drawing as SVG."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_drawing(
    columns: int = 1, width: float = 9.0, height: float = 3.6, places: int = 0
) -> tuple[Figure, list]:
    """A figure and its axes, `columns` side by side and as many rows as `places` need; without the
    state of pyplot."""
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(width, height), layout="constrained")
    places = places or columns
    axes = drawing.subplots(-(-places // columns), columns, squeeze=False).ravel()
    for place in axes[places:]:
        place.set_visible(False)
    for place in axes[:places]:
        place.grid(axis="y", linewidth=0.4, alpha=0.6)
        place.spines[["top", "right"]].set_visible(False)
    return drawing, list(axes[:places])


def svg_of(drawing: Figure, title: str) -> bytes:
    """The same bytes for the same drawing; readable in light and dark."""
    import matplotlib

    from tlmssd_lab.svg_compact import compact

    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "tlmssd", "svg.fonttype": "none"}):
        drawing.savefig(buffer, format="svg", metadata={"Date": None}, bbox_inches="tight")
    return compact(buffer.getvalue(), title)
