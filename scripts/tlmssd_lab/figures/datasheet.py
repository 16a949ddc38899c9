# SPDX-License-Identifier: BSD-3-Clause
"""Report of six datasheet figures of each drive: measured, the model's, and of what kind they are."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures.data import NONE, Data, Report, digits, gain, signed, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATE = "host.all.mb_s"
FITTED, SET, DUPLICATE, INDEPENDENT = KINDS = ("fitted", "set", "duplicate", "independent")
_COLOURS = {FITTED: "tab:orange", SET: "tab:red", DUPLICATE: "tab:green", INDEPENDENT: "tab:blue"}


def kind_of(data: Data, drive: str, figure: str) -> tuple[str, str]:
    """Kind of a figure, and the value or the figure that makes it so."""
    for kind in (FITTED, SET, DUPLICATE):
        cause = (data.experiment.paper.get(kind) or {}).get(drive, {}).get(figure)
        if cause:
            return kind, cause
    return INDEPENDENT, ""


def datasheet(data: Data) -> Report:
    """A row for each datasheet figure and drive; below it how many are within the tolerance."""
    load, tolerance = data.loads[0].name, data.experiment.paper["within_percent"]
    measured = data.experiment.paper["measured"]
    rows, within = [], dict.fromkeys(KINDS, 0)
    counts = dict(within)
    for drive in data.labels("drive"):
        for figure in data.labels("figure"):
            rate = data.mean(RATE, load, figure=figure, drive=drive)
            error = gain(rate, measured[drive][figure])
            kind, cause = kind_of(data, drive, figure)
            good = error is not None and abs(error) <= tolerance
            counts[kind] += 1
            within[kind] += good
            word = NONE if error is None else "yes" if good else "**no**"
            reals = digits(measured[drive][figure]), digits(rate), signed(error)
            rows.append([drive, figure, kind, cause, *reals, word])
    heads = ["drive", "figure", "kind", "by, of", "measured, MB/s", "model, MB/s", "error, %", f"within {tolerance} %"]
    told = ", ".join(f"{counts[kind]} {kind} ({within[kind]} within)" for kind in KINDS)
    summary = f"{sum(within.values())} of {len(rows)} datasheet figures are within {tolerance} %: {told}."
    return Report([table(heads, rows, 4), summary], {"": _bars(data, load)}, {"-corners": _csv(heads, rows)})


def _csv(heads: list[str], rows: list[list[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows([cell.strip("*") for cell in row] for row in rows)
    return text.getvalue()


def _bars(data: Data, load: str) -> Figure:
    drives, names = data.labels("drive"), data.labels("figure")
    measured = data.experiment.paper["measured"]
    drawing, places = new_drawing(len(drives), 4.0 * len(drives), 3.2)
    for place, drive in zip(places, drives, strict=True):
        place.bar([x - 0.2 for x in range(len(names))], [measured[drive][c] for c in names], 0.4, color="0.75",
                  label="measured")
        for kind in KINDS:
            spots = [x for x, figure in enumerate(names) if kind_of(data, drive, figure)[0] == kind]
            rates = [data.mean(RATE, load, figure=names[x], drive=drive) or 0 for x in spots]
            place.bar([x + 0.2 for x in spots], rates, 0.4, color=_COLOURS[kind], label=kind)
        place.set_xticks(list(range(len(names))), names)
        place.set_title(drive, fontsize=8)
        place.set_ylabel("MB/s")
    places[0].legend(fontsize=7)
    return drawing
