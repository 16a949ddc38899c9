# SPDX-License-Identifier: BSD-3-Clause
"""Reports of PAQ's Fig. 2: latency and bandwidth over transfer size, and by how much random reads are
slower than the other patterns (latency of random reads by the other's, minus 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures.data import NONE, Data, Report, gain, number, signed, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LATENCY, RATE = "host.all.latency_us.mean", "host.all.mb_s"
RANDOM_READS, RANDOM_WRITES = "random reads", "random writes"


def size_name(size: str) -> str:
    """As the paper's axis has it."""
    count = int(size)
    return f"{count} B" if count < 1024 else f"{count // 1024} KiB"


def _penalty(data: Data, other: str, **labels: str) -> float | None:
    """Per cent; the other pattern's latency is the base."""
    load = data.loads[0].name
    return gain(data.mean(LATENCY, load, pattern=RANDOM_READS, **labels),
                data.mean(LATENCY, load, pattern=other, **labels))


def paq_fig2(data: Data) -> Report:
    load, report = data.loads[0].name, Report([])
    patterns, sizes = data.labels("pattern"), data.labels("size")
    others = [pattern for pattern in patterns if pattern != RANDOM_READS]
    for drive in data.labels("drive"):
        low, high = data.experiment.paper["penalty_percent"][drive]
        rows, found = [], []
        for size in sizes:
            labels = {"drive": drive, "size": size}
            cells = [size_name(size)]
            for pattern in patterns:
                cells.append(number(data.mean(LATENCY, load, pattern=pattern, **labels), 0))
            for pattern in patterns:
                cells.append(number(data.mean(RATE, load, pattern=pattern, **labels), 1))
            cells += [signed(_penalty(data, other, **labels), 0) for other in others]
            found.append(_penalty(data, RANDOM_WRITES, **labels))
            rows.append(cells)
        heads = ["size", *(f"{pattern}, us" for pattern in patterns)]
        heads += [f"{pattern}, MB/s" for pattern in patterns]
        heads += [f"random reads against {other}, %" for other in others]
        known = [value for value in found if value is not None]
        within = sum(low <= value <= high for value in known)
        span = f"{min(known):.0f} to {max(known):.0f} %" if known else NONE
        report.parts.append(
            f"**{drive}**: random reads take {span} longer than random writes; measured were {low} to "
            f"{high} %; {within} of {len(found)} sizes are within.\n\n{table(heads, rows)}"
        )
    report.drawings[""] = _curves(data)
    return report


def _curves(data: Data) -> Figure:
    drives, load = data.labels("drive"), data.loads[0].name
    sizes = data.labels("size")
    drawing, places = new_drawing(len(drives), 4.6 * len(drives), 6.4, 2 * len(drives))
    for i, (key, unit) in enumerate(((LATENCY, "ms"), (RATE, "MB/s"))):
        for j, drive in enumerate(drives):
            place = places[i * len(drives) + j]
            for pattern in data.labels("pattern"):
                spots = [(n, data.mean(key, load, drive=drive, size=size, pattern=pattern))
                         for n, size in enumerate(sizes)]
                known = [(n, v / 1000 if unit == "ms" else v) for n, v in spots if v is not None]
                place.plot(*(zip(*known) if known else ([], [])), "o-", markersize=3, label=pattern)
            place.set_xticks(range(len(sizes)), [size_name(size) for size in sizes], fontsize=6)
            place.set_title(drive, fontsize=8)
            place.set_ylabel(f"mean latency, {unit}" if unit == "ms" else unit)
            place.set_ylim(0, None)
    places[0].legend(fontsize=7)
    return drawing


def paq_fig2_causes(data: Data) -> Report:
    """Per cent by which random reads are slower than each other pattern, a row a change and size."""
    load = data.loads[0].name
    others = [pattern for pattern in data.labels("pattern") if pattern != RANDOM_READS]
    rows = []
    for drive in data.labels("drive"):
        for change in data.labels("change"):
            for size in data.labels("size"):
                labels = {"drive": drive, "change": change, "size": size}
                latency = data.mean(LATENCY, load, pattern=RANDOM_READS, **labels)
                cells = [signed(_penalty(data, other, **labels), 0) for other in others]
                rows.append([drive, change, size_name(size), number(latency, 0), *cells])
    heads = ["drive", "change", "size", "random reads, us", *(f"against {o}, %" for o in others)]
    return Report([table(heads, rows, 3)])
