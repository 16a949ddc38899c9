# SPDX-License-Identifier: BSD-3-Clause
"""Report of schemes over a grid of queue size by channels."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures.data import NONE, Data, Report, digits, gain, geometric_mean, signed, table
from tlmssd_lab.figures.experiment import CLOSED
from tlmssd_lab.figures.plain import values, with_interval
from tlmssd_lab.stats import mean_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IOPS = "host.all.iops"
ROWS, COLUMNS = "queue entries", "channels"


def _over_loads(data: Data, entries: str, channels: str, scheme: str) -> dict[int, float]:
    """Geometric mean of the loads' IOPS by seed."""
    labels = {ROWS: entries, COLUMNS: channels, "scheme": scheme}
    each = [values(data, IOPS, load.name, CLOSED, labels) for load in data.loads]
    seeds = set(each[0]).intersection(*each[1:]) if each else set()
    found = {seed: geometric_mean(one[seed] for one in each) for seed in sorted(seeds)}
    return {seed: value for seed, value in found.items() if value is not None}


def paq_grid(data: Data) -> Report:
    """IOPS of the base, then the gain of each other scheme, a row per queue size and a column per channel count."""
    base = data.experiment.base["scheme"]
    others = [scheme for scheme in data.labels("scheme") if scheme != base]
    names = ", ".join(load.name for load in data.loads)
    report = Report()
    cells = _cells(data, functools.partial(_rate, data, scheme=base))
    report.parts.append(f"kIOPS of {base.upper()}, closed loop, geometric mean over {names}\n\n{cells}")
    for scheme in others:
        cells = _cells(data, functools.partial(_gain, data, scheme=scheme, base=base))
        report.parts.append(f"IOPS of {scheme.upper()} above {base.upper()}, %, seed by seed\n\n{cells}")
    report.drawings[""] = _curves(data)
    return report


def _cells(data: Data, cell: Callable[[str, str], str]) -> str:
    channels = data.labels(COLUMNS)
    rows = [[entries, *(cell(entries, each) for each in channels)] for entries in data.labels(ROWS)]
    return table([f"{ROWS} \\ {COLUMNS}", *channels], rows)


def _rate(data: Data, entries: str, channels: str, scheme: str) -> str:
    found = [value / 1000 for value in _over_loads(data, entries, channels, scheme).values()]
    return with_interval(mean_interval(found), digits) if found else NONE


def _gain(data: Data, entries: str, channels: str, scheme: str, base: str) -> str:
    mine, its = (_over_loads(data, entries, channels, each) for each in (scheme, base))
    changes = [gain(mine[seed], its[seed]) for seed in mine if seed in its]
    known = [change for change in changes if change is not None]
    return with_interval(mean_interval(known), signed) if known else NONE


def _curves(data: Data) -> Figure:
    schemes = data.labels("scheme")
    drawing, axes = new_drawing(len(schemes), 4.2 * len(schemes), 3.2)
    for place, scheme in zip(axes, schemes, strict=True):
        for channels in data.labels(COLUMNS):
            spots = []
            for entries in data.labels(ROWS):
                found = list(_over_loads(data, entries, channels, scheme).values())
                if found:
                    spots.append((int(entries), sum(found) / len(found) / 1000))
            if spots:
                place.plot(*zip(*spots), "o-", markersize=3, label=f"{channels} channels")
                place.set_xscale("log", base=2)
                place.set_yscale("log", base=2)
        place.set_title(scheme.upper(), fontsize=8)
        place.set_xlabel(ROWS)
        place.set_ylabel("kIOPS")
    if axes[0].lines:
        axes[0].legend(fontsize=7)
    return drawing
