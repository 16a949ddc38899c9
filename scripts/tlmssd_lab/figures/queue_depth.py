# SPDX-License-Identifier: BSD-3-Clause
"""Report of schedulers over queue depth: throughput and latency, and how busy the CPU is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures.data import Data, Report, mean, number, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IOPS, P99 = "host.all.iops", "host.all.latency_us.p99"


def _busiest(data: Data, load: str, **labels: str) -> float | None:
    """Fraction of the time for which the busiest core works."""
    return mean(max(r.json["cpu"]["busy_fraction"]) for r in data.results(load, **labels).values())


def queue_depth(data: Data) -> Report:
    schemes, depths = data.labels("scheme"), data.labels("depth")
    report = Report([])
    for load in (each.name for each in data.loads):
        for cpu in data.labels("cpu"):
            rows = []
            for depth in depths:
                labels = [{"cpu": cpu, "depth": depth, "scheme": scheme} for scheme in schemes]
                rates = [data.mean(IOPS, load, **each) for each in labels]
                tails = [data.mean(P99, load, **each) for each in labels]
                busy = [_busiest(data, load, **each) for each in labels]
                rows.append([depth, "kIOPS", *(number(None if v is None else v / 1000, 1) for v in rates)])
                rows.append(["", "p99, us", *(number(v, 0) for v in tails)])
                rows.append(["", "busiest core, %", *(number(None if v is None else 100 * v, 0) for v in busy)])
            report.parts.append(f"**{load}**, CPU: {cpu}\n\n{table(['depth', '', *schemes], rows, 2)}")
    report.drawings[""] = _curves(data, schemes, depths)
    return report


def _curves(data: Data, schemes: list[str], depths: list[str]) -> Figure:
    loads, cpus = [load.name for load in data.loads], data.labels("cpu")
    drawing, places = new_drawing(len(cpus), 5.0 * len(cpus), 3.2 * len(loads), len(loads) * len(cpus))
    for i, (load, cpu) in enumerate((load, cpu) for load in loads for cpu in cpus):
        for scheme in schemes:
            spots = [(int(d), data.mean(IOPS, load, cpu=cpu, depth=d, scheme=scheme)) for d in depths]
            known = [(depth, rate / 1000) for depth, rate in spots if rate is not None]
            places[i].plot(*zip(*known) if known else ([], []), "o-", markersize=3, label=scheme)
        places[i].set_xscale("log", base=2)
        places[i].set_title(f"{load}, CPU: {cpu}", fontsize=8)
        places[i].set_ylabel("kIOPS")
        places[i].set_ylim(0, None)
    places[0].legend(fontsize=7)
    return drawing
