# SPDX-License-Identifier: BSD-3-Clause
"""Charts as SVG text. Colours are Okabe-Ito's; dashes, marks and hatching say the same without."""
import io
import math
import re
import warnings
from collections.abc import Sequence
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from tlmssd_lab.html_text import escape
from tlmssd_lab.report.runs import Run
from tlmssd_lab.run.latency import percentile_axes
from tlmssd_lab.stages import STAGE_LOOKS, STAGE_TEXTS, STAGES

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#b8ab00")
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)), (0, (10, 2)), (0, (1, 1)),
          (0, (4, 1, 1, 1, 1, 1)), (0, (3, 3)))
MARKS = "osD^vPXh"
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "|||", "---", "ooo")
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none", "text.parse_math": False, "font.size": 10, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.color": "#e3e6eb",
    "axes.axisbelow": True, "hatch.linewidth": 0.7, "axes.edgecolor": "#8a8f98",
    "axes.titlesize": 10.5, "axes.titlelocation": "left", "axes.titleweight": "bold",
    "lines.linewidth": 1.8, "svg.hashsalt": "tlmssd", "figure.facecolor": "none",
    "axes.facecolor": "none"}
_WIDTH = 12.0  # inches
# Colours that the page's style sheet sets, as they depend on its ground.
_OF_THE_PAGE = {"#e3e6eb": "grid", "#8a8f98": "axis", "#000000": "ink", "#ffffff": "paper"}


def _svg(name: str, label: str, figure: Figure) -> str:
    """The figure's SVG element, its ids made its own, equal for equal figures."""
    text = io.StringIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(text, format="svg", bbox_inches="tight", pad_inches=0.05,
                       metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\b(id="|href="#|url\(#)', rf"\g<1>{name}-", svg)
    for colour, variable in _OF_THE_PAGE.items():
        svg = re.sub(rf"\b(fill|stroke): {colour}", rf"\1: var(--{variable})", svg)
    size = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', svg)
    assert size is not None  # matplotlib always writes it
    width, height = float(size[1]), float(size[2])
    return svg.replace("<svg", f'<svg role="img" aria-label="{escape(label)}" '
                       f'style="width:100%;max-width:{width * 1.34:.0f}px;height:auto;'
                       f'aspect-ratio:{width:g}/{height:g}"', 1)


def _figure(height: float, rows: int = 1, **options: Any) -> tuple[Figure, Any]:
    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    return figure, figure.subplots(rows, **options)


def label_of(name: str) -> str:
    """A legend leaves out labels that begin with an underscore."""
    return "\u200b" + name if name.startswith("_") else name


def _legend(axes: Any, runs: Sequence[Run], marks: bool = False) -> None:
    handles = [Line2D([], [], color=COLOURS[run.index % 8], linestyle=DASHES[run.index % 8],
                      marker=MARKS[run.index % 8] if marks else None, markersize=5)
               for run in runs]
    axes.legend(handles, [label_of(run.name) for run in runs], loc="lower left", frameon=False,
                bbox_to_anchor=(0, 1.02), ncols=min(4, len(runs)), handlelength=3.5,
                borderaxespad=0)


def percentiles(curves: Sequence[tuple[Run, list[tuple[float, float]], bool]]) -> str:
    """Each curve: the run, (nines, microseconds) points, and whether it is every percentile."""
    with matplotlib.rc_context(_STYLE):
        figure, axes = _figure(4.0)
        for run, points, whole in curves:
            nines, latency = zip(*points)
            style = {"color": COLOURS[run.index % 8], "linestyle": DASHES[run.index % 8]}
            axes.plot(nines, latency, drawstyle="steps-pre" if whole else "default",
                      marker=None if whole else MARKS[run.index % 8], markersize=5, **style)
        percentile_axes(axes, [points for _, points, _ in curves])
        _legend(axes, [run for run, _, _ in curves], marks=not all(c[2] for c in curves))
        return _svg("pct", "Latency percentiles of each run; the table of runs has the values",
                    figure)


def over_time(runs: Sequence[Run], rows: Sequence[tuple[str, Sequence[str], float]],
              name: str, label: str) -> str:
    """Panels one above the other. A row: title, keys of a point (the second is drawn thin), scale.
    A key may be dotted."""
    with matplotlib.rc_context(_STYLE):
        figure, grid = _figure(0.6 + 1.75 * len(rows), len(rows), sharex=True, squeeze=False)
        for axes, (title, keys, scale) in zip(grid[:, 0], rows):
            for run in runs:
                for number, key in enumerate(keys):
                    points = run.get("series.points", [])
                    times = [point["t_s"] * 1e3 for point in points]
                    values = [_value(point, key, scale) for point in points]
                    axes.plot(times, values, color=COLOURS[run.index % 8],
                              linestyle=DASHES[run.index % 8],
                              linewidth=1.7 if number == 0 else 0.8)
            axes.set_title(title)
            axes.set_ylim(bottom=0)
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        grid[-1, 0].set_xlabel("simulated time since the start of measurement, ms")
        figure.legend([Line2D([], [], color=COLOURS[run.index % 8],
                              linestyle=DASHES[run.index % 8]) for run in runs],
                      [label_of(run.name) for run in runs], loc="outside upper left",
                      frameon=False, ncols=min(4, len(runs)), handlelength=3.5)
        return _svg(name, label, figure)


def _value(point: dict, key: str, scale: float) -> float:
    value: Any = point
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if isinstance(value, list):
        value = sum(value) / len(value) if value else None
    return math.nan if value is None else value * scale


def utilisation(runs: Sequence[Run]) -> str:
    names = list(dict.fromkeys(name for run in runs for name in run.busy()))
    bar = 0.8 / len(runs)
    with matplotlib.rc_context(_STYLE):
        figure, axes = _figure(0.9 + len(names) * max(0.27, 0.15 * len(runs)))
        for place, run in enumerate(runs):
            busy = run.busy()
            rows = [row + place * bar for row in range(len(names))]
            axes.barh(rows, [100 * busy.get(name, 0) for name in names], height=bar * 0.92,
                      align="edge", color=COLOURS[run.index % 8], edgecolor="white",
                      hatch=HATCHES[run.index % 8], linewidth=0.4)
        axes.set_yticks([row + 0.4 for row in range(len(names))], names)
        axes.invert_yaxis()
        axes.set_xlim(0, 100)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("busy, % of the simulated time")
        axes.legend([Patch(facecolor=COLOURS[run.index % 8], edgecolor="white",
                           hatch=HATCHES[run.index % 8]) for run in runs],
                    [label_of(run.name) for run in runs], loc="lower left", frameon=False,
                    bbox_to_anchor=(0, 1.01), ncols=min(4, len(runs)), borderaxespad=0)
        return _svg("use", "Busy part of the time of each resource; the table has the values",
                    figure)


def stages(runs: Sequence[Run], kinds: Sequence[tuple[str, str]]) -> str:
    """One stacked bar a run, in the order of the path; a panel for each (kind, title)."""
    with matplotlib.rc_context(_STYLE):
        figure, grid = _figure(0.9 + len(kinds) * (0.55 + 0.32 * len(runs)), len(kinds),
                               squeeze=False)
        for axes, (kind, title) in zip(grid[:, 0], kinds):
            for row, run in enumerate(runs):
                left = 0.0
                for stage, mean in (run.stage_means(kind) or {}).items():
                    colour, hatch = STAGE_LOOKS[stage]
                    axes.barh(row, mean, left=left, height=0.72, color=colour, hatch=hatch,
                              edgecolor="#333", linewidth=0.5)
                    left += mean
                axes.text(left, row, f"  {left:,.4g}", va="center", fontsize=9)
            axes.set_yticks(range(len(runs)), [run.name for run in runs])
            axes.invert_yaxis()
            axes.grid(axis="y", visible=False)
            axes.margins(x=0.08)
            axes.set_title(title)
        grid[-1, 0].set_xlabel("mean latency, \u00b5s")
        figure.legend([Patch(facecolor=look[0], hatch=look[1], edgecolor="#333", linewidth=0.5)
                       for look in STAGE_LOOKS.values()],
                      [STAGE_TEXTS[stage] for stage in STAGES], loc="outside upper left",
                      frameon=False, ncols=5, fontsize=9)
        return _svg("stg", "Mean latency of each run, stage by stage; the table has the values",
                    figure)
