# SPDX-License-Identifier: BSD-3-Clause
"""Report of the map of performance: throughput of each page-allocation order beside its latency (Fig. 12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures.data import Data, Report, gain, mean, signed, table
from tlmssd_lab.figures.experiment import CLOSED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IOPS, RESPONSE = "host.all.iops", "host.all.response_us.mean"
GROUPS = {"C": "channel first", "W": "way first", "D": "die first", "P": "plane first"}


def palloc_map(data: Data) -> Report:
    """A row for each order, then for each group; latency at each arrival rate."""
    orders = data.labels("order")
    heads = ["IOPS, closed loop, %", *(f"latency, {_words(a)}, %" for a in data.experiment.arrivals)]
    rows = [[order, GROUPS[order[0]], *map(signed, _changes(data, [order]))] for order in orders]
    groups = []
    for letter, name in GROUPS.items():
        mine = [order for order in orders if order[0] == letter]
        if mine:
            groups.append([name, *map(signed, _changes(data, mine))])
    base = data.experiment.base["order"]
    loads = ", ".join(load.name for load in data.loads)
    report = Report()
    report.parts.append(
        f"Against {base}, means of the ratios over {loads}; latency from arrival to completion, open loop with Poisson"
        f" arrivals at a share of {base}'s IOPS. The paper: {data.experiment.paper['says']}.\n\n"
        + table(["group", *heads], groups)
    )
    report.parts.append(table(["order", "group", *heads], rows, 2))
    report.drawings[""] = _map(data)
    return report


def _words(arrival: str) -> str:
    return "closed loop" if arrival == CLOSED else f"at {arrival}"


def _changes(data: Data, orders: list[str]) -> list[float | None]:
    """% more than the base: IOPS in closed loop, then latency at each arrival."""
    return [_change(data, IOPS, CLOSED, orders)] + [
        _change(data, RESPONSE, arrival, orders) for arrival in data.experiment.arrivals
    ]


def _change(data: Data, key: str, arrival: str, orders: list[str]) -> float | None:
    base = data.experiment.base["order"]
    return mean(
        gain(data.mean(key, load.name, arrival, order=order), data.mean(key, load.name, arrival, order=base))
        for order in orders
        for load in data.loads
    )


def _map(data: Data) -> Figure:
    arrivals = data.experiment.arrivals
    drawing, axes = new_drawing(len(arrivals), 4.2 * len(arrivals), 3.6)
    for number, (place, arrival) in enumerate(zip(axes, arrivals, strict=True)):
        for letter, name in GROUPS.items():
            spots = []
            for order in data.labels("order"):
                changes = _changes(data, [order])
                x, y = changes[0], changes[1 + number]
                if order[0] == letter and x is not None and y is not None:
                    spots.append((x, y))
                    place.annotate(order, (x, y), fontsize=5)
            if spots:
                place.plot(*zip(*spots), "o", markersize=3, label=name)
        place.set_xlabel("IOPS, closed loop, %")
        place.set_ylabel(f"latency, {_words(arrival)}, %")
    if axes[0].lines:
        axes[0].legend(fontsize=7)
    return drawing
