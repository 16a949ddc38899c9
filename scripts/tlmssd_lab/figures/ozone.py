# SPDX-License-Identifier: BSD-3-Clause
"""Report of out-of-order execution against interleaving: response time and throughput, by device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures.data import (
    NONE,
    Data,
    Report,
    digits,
    gain,
    geometric_mean,
    ratio,
    reduction,
    signed,
    table,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEAN, SPEED = "host.all.response_us.mean", "host.all.mb_s"


def ozone(data: Data) -> Report:
    report = Report()
    base = data.experiment.base["scheme"]
    others = [scheme for scheme in data.labels("scheme") if scheme != base]
    for device in data.labels("device"):
        rows = []
        for load in data.loads:
            labels = {"device": device}
            first = data.mean(MEAN, load.name, scheme=base, **labels)
            row = [load.name, digits(first)]
            row += [signed(_lower(data, load.name, device, s, base)) for s in others]
            row += [signed(_more(data, load.name, device, s, base)) for s in others]
            rows.append(row)
        heads = ["load", f"{base}, us", *(f"{s}, time, %" for s in others)]
        heads += [f"{s}, MB/s, %" for s in others]
        report.parts.append(
            f"**{device}**: mean response time of {base}; by how much the others' is lower, and by"
            f" how much their throughput is higher.\n\n{table(heads, rows)}"
        )
    report.parts.append(_ranges(data, base, others))
    report.drawings[""] = _dots(data, base)
    return report


def _lower(data: Data, load: str, device: str, scheme: str, base: str) -> float | None:
    """Response time, % below that of `base`."""
    return reduction(*(data.mean(MEAN, load, device=device, scheme=s) for s in (scheme, base)))


def _more(data: Data, load: str, device: str, scheme: str, base: str) -> float | None:
    return gain(*(data.mean(SPEED, load, device=device, scheme=s) for s in (scheme, base)))


def _range(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{min(known):.0f} to {max(known):.0f}" if known else NONE


def _ranges(data: Data, base: str, others: Sequence[str]) -> str:
    paper = data.experiment.paper
    rows = []
    for device in data.labels("device"):
        for scheme in others:
            loads = [load.name for load in data.loads]
            times = [
                ratio(*(data.mean(MEAN, n, device=device, scheme=s) for s in (scheme, base)))
                for n in loads
            ]
            found = geometric_mean(times)
            rows.append([
                device,
                scheme,
                _range([_lower(data, n, device, scheme, base) for n in loads]),
                NONE if found is None else signed(100 * (1 - found)),
                _range([_more(data, n, device, scheme, base) for n in loads]),
            ])
    heads = ["device", "scheme", "time lower, %", "geometric mean, %", "MB/s more, %"]
    return (
        f"Over the loads; Ozone states {paper['response_time_lower']} lower response time and"
        f" {paper['throughput_more']} more throughput.\n\n{table(heads, rows, left=2)}"
    )


def _dots(data: Data, base: str) -> Figure:
    """Each load's reduction of the response time by the subject, a row of dots for each device."""
    subject = data.experiment.subject["scheme"]
    drawing, (place,) = new_drawing(1, 9.0, 3.6)
    devices = data.labels("device")
    for at, device in enumerate(devices):
        values = [_lower(data, load.name, device, subject, base) for load in data.loads]
        known = [value for value in values if value is not None]
        place.plot([at] * len(known), known, "o", markersize=4, alpha=0.6)
    place.axhspan(46, 88, alpha=0.12, label="Ozone")
    place.set_xticks(range(len(devices)), devices, fontsize=8)
    place.set_ylabel(f"response time of {subject} below {base}, %", fontsize=8)
    place.legend(fontsize=8)
    return drawing
