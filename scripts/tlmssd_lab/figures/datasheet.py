# SPDX-License-Identifier: BSD-3-Clause
"""Report of six datasheet figures of each drive: measured, the model's, and which are fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures.data import NONE, Data, Report, digits, gain, signed, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATE = "host.all.mb_s"


def datasheet(data: Data) -> Report:
    """A row for each datasheet figure and drive; below it how many are within the tolerance."""
    names, load = data.labels("figure"), data.loads[0].name
    tolerance = data.experiment.paper["within_percent"]
    measured, fitted = data.experiment.paper["measured"], data.experiment.paper["fitted"]
    rows, within, predicted, predicted_within, total = [], 0, 0, 0, 0
    for drive in data.labels("drive"):
        for figure in names:
            rate = data.mean(RATE, load, figure=figure, drive=drive)
            error = gain(rate, measured[drive][figure])
            cause = fitted[drive].get(figure)
            good = error is not None and abs(error) <= tolerance
            total += 1
            within += good
            predicted += cause is None
            predicted_within += good and cause is None
            word = NONE if error is None else "yes" if good else "**no**"
            how = f"fitted: {cause}" if cause else "predicted"
            reals = digits(measured[drive][figure]), digits(rate), signed(error)
            rows.append([drive, figure, how, *reals, word])
    heads = ["drive", "figure", "", "measured, MB/s", "model, MB/s", "error, %"]
    heads.append(f"within {tolerance} %")
    summary = (
        f"{within} of {total} datasheet figures are within {tolerance} %; "
        f"{predicted} were predicted, and {predicted_within} predictions are within it."
    )
    return Report([table(heads, rows, 3), summary], {"": _bars(data, load)})


def _bars(data: Data, load: str) -> Figure:
    drives, names = data.labels("drive"), data.labels("figure")
    measured, fitted = data.experiment.paper["measured"], data.experiment.paper["fitted"]
    drawing, places = new_drawing(len(drives), 4.0 * len(drives), 3.2)
    for place, drive in zip(places, drives, strict=True):
        spots = range(len(names))
        rates = [data.mean(RATE, load, figure=figure, drive=drive) or 0 for figure in names]
        colours = ["tab:orange" if figure in fitted[drive] else "tab:blue" for figure in names]
        place.bar([x - 0.2 for x in spots], [measured[drive][c] for c in names], 0.4, color="0.75")
        place.bar([x + 0.2 for x in spots], rates, 0.4, color=colours)
        place.set_xticks(list(spots), names)
        place.set_title(f"{drive}: measured, fitted, predicted (grey, orange, blue)", fontsize=8)
        place.set_ylabel("MB/s")
    return drawing
