# SPDX-License-Identifier: BSD-3-Clause
"""Report of the thesis's Fig. 9: SOST and its parts on BlueSSD."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures.data import (
    Data,
    Report,
    digits,
    geometric_mean,
    mean,
    number,
    ratio,
    reduction,
    signed,
    table,
)
from tlmssd_lab.figures.experiment import CLOSED
from tlmssd_lab.run.metrics import value_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# In closed loop a request arrives with its tag, so the sum of response times is that of latencies.
MEAN, COUNT, TIME = "host.all.response_us.mean", "host.all.count", "sim.time_s"
_TOP = 120  # of the drawings' axis


def _total(data: Data, load: str, device: str, scheme: str) -> float | None:
    """Total response time in seconds: the sum over all requests."""
    labels = {"device": device, "scheme": scheme}
    count, value = data.mean(COUNT, load, **labels), data.mean(MEAN, load, **labels)
    return None if count is None or value is None else count * value / 1e6


def _limiter(data: Data, load: str, device: str, scheme: str) -> str:
    found = data.results(load, CLOSED, device=device, scheme=scheme)
    return "/".join(sorted({result.limiter for result in found.values()})) or "-"


def bluessd_parts(data: Data) -> Report:
    report = Report()
    schemes, devices = data.labels("scheme"), data.labels("device")
    base, host = data.experiment.base["scheme"], data.experiment.paper["host"]
    said = data.experiment.paper["sost_against_host"]
    full = data.experiment.subject["scheme"]
    for device in devices:
        rows = []
        for load in data.loads:
            totals = {s: _total(data, load.name, device, s) for s in schemes}
            row = [load.name, digits(totals[base])]
            row += [number(None if (r := ratio(totals[s], totals[base])) is None else 100 * r)
                    for s in schemes if s != base]
            row += [signed(reduction(totals[full], totals[host]))]
            times = [data.mean(TIME, load.name, device=device, scheme=s) for s in (full, host)]
            row += [signed(reduction(*times)), _limiter(data, load.name, device, full)]
            rows.append(row)
        heads = ["load", f"{base}, s", *(s for s in schemes if s != base)]
        heads += [f"{full} / {host}, %", "its makespan, %", "limiter"]
        text = f"**{device}**: total response time, {base} = 100; the thesis: {full} needs {said}"
        report.parts.append(f"{text} less than {host}.\n\n{table(heads, rows)}")
    report.parts.append(_parts(data, full))
    report.drawings[""] = _bars(data, base)
    return report


def bluessd_bounds(data: Data) -> Report:
    """Response times, what HOST and SOST gain, and how much of the run the dies of the base stand idle: more than
    that share no order can gain where dies are the bound."""
    base, full = data.experiment.base["scheme"], data.experiment.subject["scheme"]
    host = data.experiment.paper["host"]
    rows = []
    for load in data.loads:
        for device in data.labels("device"):
            means = {s: data.mean(MEAN, load.name, device=device, scheme=s) for s in (base, host, full)}
            row = [load.name, device, *(digits(value) for value in means.values())]
            row += [signed(reduction(means[host], means[base])), signed(reduction(means[full], means[host]))]
            row += [number(_idle(data, load.name, device, base)), _limiter(data, load.name, device, host)]
            rows.append(row)
    heads = ["load", "device", *(f"{s}, us" for s in (base, host, full))]
    heads += [f"{host} lower, %", f"{full} lower than {host}, %", f"dies idle under {base}, %", f"bound of {host}"]
    said = data.experiment.paper
    text = f"Mean response times. The thesis: {host} {said['host_against_in_order']} below {base}, "
    text += f"{full} {said['sost_against_host']} below {host}."
    return Report([f"{text}\n\n{table(heads, rows, left=2)}"])


def _idle(data: Data, load: str, device: str, scheme: str) -> float | None:
    """Share of the run in which a die serves no operation, mean over the dies, %."""
    shares = []
    for result in data.results(load, CLOSED, device=device, scheme=scheme).values():
        sizes = [value_of(result.json, f"config.geometry.{side}") for side in ("channels", "ways", "dies")]
        factors = [value_of(result.json, "sim.time_s"), *sizes]
        known = [factor for factor in factors if factor is not None]
        if len(known) == len(factors):
            shares.append(ratio(value_of(result.json, "flash.die_idle_s"), math.prod(known)))
    mean_share = mean(shares)
    return None if mean_share is None else 100 * mean_share


def _parts(data: Data, full: str) -> str:
    """The worth of each part: the geometric mean over the loads of the time without it."""
    devices = data.labels("device")
    rows = []
    for scheme in data.labels("scheme"):
        row = [scheme]
        for device in devices:
            values = [
                ratio(
                    _total(data, load.name, device, scheme), _total(data, load.name, device, full)
                )
                for load in data.loads
            ]
            found = geometric_mean(values)
            row.append(signed(None if found is None else 100 * (found - 1)))
        rows.append(row)
    heads = [f"response time against {full}, %", *devices]
    return "Geometric means over the loads:\n\n" + table(heads, rows)


def _bars(data: Data, base: str) -> Figure:
    from matplotlib import colormaps

    devices, schemes = data.labels("device"), data.labels("scheme")
    columns = 3
    drawing, axes = new_drawing(columns, 12, 3.0 * -(-len(devices) // columns), len(devices))
    colours = colormaps["tab20"]
    for place, device in zip(axes, devices):
        for i, load in enumerate(data.loads):
            reference = _total(data, load.name, device, base)
            for j, scheme in enumerate(schemes):
                value = ratio(_total(data, load.name, device, scheme), reference) or 0
                width = 0.8 / len(schemes)
                spot = i - 0.4 + width * (j + 0.5)
                place.bar(spot, 100 * value, width, color=colours(j % 20),
                          label=scheme if i == 0 else None)
                if 100 * value > _TOP:  # barrier is far beyond what tells the others apart
                    place.text(spot, _TOP, f"{100 * value:.0f}", fontsize=5, ha="center", va="bottom")
        place.set_xticks(range(len(data.loads)), [load.name for load in data.loads], fontsize=6,
                         rotation=20)
        place.set_ylim(0, _TOP)
        place.set_title(device, fontsize=8, pad=12)
    axes[0].set_ylabel(f"total response time, {base} = 100")
    handles, names = axes[0].get_legend_handles_labels()
    drawing.legend(handles, names, fontsize=7, ncols=6, loc="outside lower center")
    return drawing
