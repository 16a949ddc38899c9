# SPDX-License-Identifier: BSD-3-Clause
"""Reports of real drives: datasheet figures over the number of requests, and makers' ratings."""

from __future__ import annotations

import statistics

from tlmssd_lab.figures.data import NONE, Data, Report, digits, gain, number, signed, table
from tlmssd_lab.figures.datasheet import RATE
from tlmssd_lab.figures.experiment import CLOSED
from tlmssd_lab.figures.plain import values, with_interval
from tlmssd_lab.stats import mean_interval

_UNITS = {"MB/s": RATE, "1/s": "host.all.iops"}


def datasheet_range(data: Data) -> Report:
    """The error of each figure by the number of requests, and the numbers at which every seed is within the
    tolerance."""
    load, paper = data.loads[0].name, data.experiment.paper
    counts, rows, all_hold = data.labels("requests"), [], 0
    for drive in data.labels("drive"):
        for figure in data.labels("figure"):
            cells, holds = [], []
            for count in counts:
                labels = {"requests": count, "figure": figure, "drive": drive}
                rates = values(data, RATE, load, CLOSED, labels).values()
                errors = [100 * (rate / paper["measured"][drive][figure] - 1) for rate in rates]
                good = bool(errors) and max(map(abs, errors)) <= paper["within_percent"]
                holds.append(good)
                shown = with_interval(mean_interval(errors), signed, 1) if errors else NONE
                cells.append(shown if good or not errors else f"**{shown}**")
            all_hold += all(holds)
            rows.append([drive, figure, *cells, _span(counts, holds)])
    heads = ["drive", "figure", *(number(int(count), 0) for count in counts), "holds at"]
    text = (
        f"Error in % of the measured rate, by requests; bold: a seed is more than {paper['within_percent']} % off."
        f" {all_hold} of {len(rows)} figures hold at all numbers."
    )
    return Report([text, table(heads, rows, 2)])


def _span(counts: list[str], holds: list[bool]) -> str:
    """The longest row of numbers of requests at which it holds."""
    best: list[str] = []
    row: list[str] = []
    for count, good in zip(counts, holds, strict=True):
        row = [*row, count] if good else []
        best = row if len(row) > len(best) else best
    if not best:
        return "none"
    if len(best) == len(counts):
        return "all"
    return number(int(best[0]), 0) + (f" to {number(int(best[-1]), 0)}" if len(best) > 1 else "")


def datasheet_rated(data: Data) -> Report:
    """A row for each rating."""
    load, tolerance = data.loads[0].name, data.experiment.paper["within_percent"]
    rows = []
    for label in data.labels("rating"):
        rated, unit = data.experiment.paper["rated"][label]
        found = list(values(data, _UNITS[unit], load, CLOSED, {"rating": label}).values())
        wafs = list(values(data, "ftl.waf", load, CLOSED, {"rating": label}).values())
        if not found:
            rows.append([label, unit, number(rated, 0), *[NONE] * 4])
            continue
        error = gain(statistics.fmean(found), rated)
        shown = with_interval(mean_interval(found), digits)
        word = "yes" if error is not None and abs(error) <= tolerance else "**no**"
        waf = digits(statistics.fmean(wafs)) if wafs else NONE
        rows.append([label, unit, number(rated, 0), shown, signed(error), waf, word])
    heads = ["rating", "unit", "rated", "model", "error, %", "WAF", f"within {tolerance} %"]
    return Report([table(heads, rows, 2)])
