# SPDX-License-Identifier: BSD-3-Clause
"""Report of the six corners of drives: measured, the model's, and which of them were fitted."""

from __future__ import annotations

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures.data import NONE, Data, Report, digits, gain, signed, table

RATE = "host.all.mb_s"


def corners(data: Data) -> Report:
    """A row a corner and drive; below it how many are within the tolerance and how many predicted."""
    names, load = data.labels("corner"), data.loads[0].name
    tolerance = data.experiment.paper["within_percent"]
    measured, fitted = data.experiment.paper["measured"], data.experiment.paper["fitted"]
    rows, within, predicted, predicted_within, total = [], 0, 0, 0, 0
    for drive in data.labels("drive"):
        for corner in names:
            rate = data.mean(RATE, load, corner=corner, drive=drive)
            error = gain(rate, measured[drive][corner])
            cause = fitted[drive].get(corner)
            good = error is not None and abs(error) <= tolerance
            total += 1
            within += good
            predicted += cause is None
            predicted_within += good and cause is None
            word = NONE if error is None else "yes" if good else "**no**"
            how = f"fitted: {cause}" if cause else "predicted"
            reals = digits(measured[drive][corner]), digits(rate), signed(error)
            rows.append([drive, corner, how, *reals, word])
    heads = ["drive", "corner", "", "measured, MB/s", "model, MB/s", "error, %"]
    heads.append(f"within {tolerance} %")
    summary = (
        f"{within} of {total} corners are within {tolerance} per cent; "
        f"{predicted} were predicted, and {predicted_within} of these are within it."
    )
    return Report([table(heads, rows, 3), summary], {"": _bars(data, load)})


def _bars(data: Data, load: str):
    drives, names = data.labels("drive"), data.labels("corner")
    measured, fitted = data.experiment.paper["measured"], data.experiment.paper["fitted"]
    drawing, places = new_drawing(len(drives), 4.0 * len(drives), 3.2)
    for place, drive in zip(places, drives, strict=True):
        spots = range(len(names))
        rates = [data.mean(RATE, load, corner=corner, drive=drive) or 0 for corner in names]
        colours = ["tab:orange" if corner in fitted[drive] else "tab:blue" for corner in names]
        place.bar([x - 0.2 for x in spots], [measured[drive][c] for c in names], 0.4, color="0.75")
        place.bar([x + 0.2 for x in spots], rates, 0.4, color=colours)
        place.set_xticks(list(spots), names)
        place.set_title(f"{drive}: measured, fitted, predicted (grey, orange, blue)", fontsize=8)
        place.set_ylabel("MB/s")
    return drawing
