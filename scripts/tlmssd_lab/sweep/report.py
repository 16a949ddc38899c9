# SPDX-License-Identifier: BSD-3-Clause
"""The page of a sweep: how many ran, the Pareto front, what each parameter does."""

from __future__ import annotations

import base64
import pathlib
from typing import TYPE_CHECKING

from tlmssd_lab.drawings import svg_of
from tlmssd_lab.files import write_whole
from tlmssd_lab.html_text import Html, escape, number, table
from tlmssd_lab.sweep.plan import Plan
from tlmssd_lab.sweep.table import front, means, parameter_names
from tlmssd_lab.sweep.worker import DONE

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REPORT = "report.html"
_ROWS = 200
_STYLE = """body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem}
table{border-collapse:collapse;margin:.5rem 0 1.5rem}caption{text-align:left;font-weight:600}
th,td{padding:.2rem .7rem;border-bottom:1px solid #ddd;text-align:left}td.n{text-align:right}
.scroll{overflow-x:auto}img{max-width:100%}"""


def write(plan: Plan, frame: pandas.DataFrame, out: pathlib.Path) -> pathlib.Path:
    """`out`/report.html, one file that needs no other."""
    parts = [f"<h1>{escape(plan.title)}</h1>", _summary(plan, frame)]
    best = means(plan, frame) if plan.objectives and not frame.empty else frame.head(0)
    if not best.empty:
        parts.append(_objectives(plan, frame, best))
        parts.append("<h2>Parameters</h2>" + "".join(_effects(plan, best)))
    parts.append(_failures(frame))
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(plan.title)}</title><style>{_STYLE}</style></head><body>"
        + "\n".join(parts)
        + "</body></html>\n"
    )
    write_whole(out / REPORT, page)
    return out / REPORT


def _summary(plan: Plan, frame: pandas.DataFrame) -> str:
    counts = {} if frame.empty else frame["status"].value_counts().to_dict()
    told = ", ".join(f"{count} {status}" for status, count in counts.items()) or "no point"
    revisions = sorted(set(frame["wall.git"].dropna())) if "wall.git" in frame.columns else []
    return (
        f"<p>Configuration {escape(plan.config.name)}, {escape(plan.method)}: {escape(told)}. "
        f"Revision {escape(', '.join(map(str, revisions)) or 'unknown')}. All figures are in "
        "points.parquet.</p>"
    )


def _objectives(plan: Plan, frame: pandas.DataFrame, best: pandas.DataFrame) -> str:
    keys = list(plan.objectives)
    names = parameter_names(plan, frame)
    if len(keys) == 1:
        up = plan.objectives[keys[0]]
        rows = best.sort_values(keys[0], ascending=not up, kind="stable").head(_ROWS)
        return "<h2>Best</h2>" + _rows(rows, names, keys, f"{'Most' if up else 'Least'} {keys[0]}")
    chosen = best[front(plan, best.assign(status=DONE)).to_numpy()].sort_values(keys[0], kind="stable")
    text = "<h2>Pareto front</h2><p>No other point is at least as good in all objectives and "
    text += f"better in one: {len(chosen)} of {len(best)}.</p>"
    text += _image(_scatter(plan, best, chosen, keys), "Objectives of all points, front marked")
    return text + _rows(chosen.head(_ROWS), names, keys, "The front")


def _rows(rows: pandas.DataFrame, names: list[str], keys: list[str], caption: str) -> str:
    head = [*names, *keys, "point"]
    lines = [
        [*(_cell(row[name]) for name in names), *(number(float(row[key])) for key in keys),
         Html(f'<a href="points/{escape(row["point"])}/results.json">{escape(row["point"])}</a>')]
        for _, row in rows.iterrows()
    ]
    texts = [*range(len(names)), len(head) - 1]
    return table(caption, head, lines, texts=texts)


def _cell(value: object) -> str:
    return number(float(value)) if isinstance(value, float) else str(value)


def _scatter(plan: Plan, best: pandas.DataFrame, chosen: pandas.DataFrame,
             keys: list[str]) -> Figure:
    from matplotlib.figure import Figure

    pairs = [(keys[0], key) for key in keys[1:]]
    drawing = Figure(figsize=(6 * len(pairs), 4.2), layout="constrained")
    for axes, (x, y) in zip(drawing.subplots(1, len(pairs), squeeze=False)[0], pairs):
        draw_front(plan, best, chosen, x, y, axes)
    return drawing


def draw_front(plan: Plan, best: pandas.DataFrame, chosen: pandas.DataFrame, x: str, y: str,
               axes: Axes) -> None:
    """The objectives `x` and `y` of all combinations and, marked, of those on the front."""
    axes.scatter(best[x], best[y], s=14, color="#9aa5b1", label="all")
    axes.scatter(chosen[x], chosen[y], s=26, color="#c2410c", label="front")
    axes.set_xlabel(f"{x} ({'more' if plan.objectives[x] else 'less'} is better)")
    axes.set_ylabel(f"{y} ({'more' if plan.objectives[y] else 'less'} is better)")
    axes.legend(frameon=False)


def _effects(plan: Plan, best: pandas.DataFrame) -> list[str]:
    """For each parameter, the objectives' means over all points with a value of it."""
    parts = []
    keys = list(plan.objectives)
    for name in parameter_names(plan, best):
        values = best[name]
        if values.nunique() < 2:
            continue
        groups = values
        if values.nunique() > 12 and values.dtype.kind in "if":
            import pandas

            groups = pandas.qcut(values, 6, duplicates="drop").astype(str)
        found = best.groupby(groups, sort=False)[keys]
        means_, sizes = found.mean(), found.size()
        rows = [
            [_cell(value), sizes[value], *(number(float(means_.loc[value, key])) for key in keys)]
            for value in means_.index
        ]
        parts.append(table(f"{name}: means over all points with a value", [name, "points", *keys],
                           rows))
    return parts


def _failures(frame: pandas.DataFrame) -> str:
    if frame.empty:
        return ""
    lost = frame[frame["status"] != DONE]
    if lost.empty:
        return ""
    rows = [[row["point"], row["status"], row["message"]] for _, row in lost.head(_ROWS).iterrows()]
    return "<h2>Not done</h2>" + table(f"{len(lost)} points", ["point", "status", "message"], rows,
                                       texts=(1, 2))


def _image(drawing: Figure, text: str) -> str:
    data = base64.b64encode(svg_of(drawing, text)).decode()
    return f'<img alt="{escape(text)}" src="data:image/svg+xml;base64,{data}">'
