# SPDX-License-Identifier: BSD-3-Clause
"""Reports of PAQ's figures: schemes over traces, spikes, queue size and channels."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures import plain
from tlmssd_lab.figures.data import (
    NONE,
    Data,
    Report,
    digits,
    gain,
    geometric_mean,
    mean,
    median,
    number,
    ratio,
    reduction,
    signed,
    table,
)
from tlmssd_lab.figures.experiment import CLOSED
from tlmssd_lab.stats import mean_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]

BASE = "vaq"
MB_S, IOPS = "host.all.mb_s", "host.all.iops"
LATENCY, RESPONSE = "host.all.latency_us.mean", "host.all.response_us.mean"
IDLE, CONTENTION = "flash.die_idle_s", "flash.contention_us"
WAIT, WAIT_FULL = "host.queue_wait_us.mean", "host.queue_wait_us.mean_when_full"
LOSS = 1.01  # more than that is a loss

# What the experiment's file calls a figure under `paper`.
_WORDS = {
    MB_S: "bandwidth",
    IOPS: "iops",
    LATENCY: "latency",
    IDLE: "idle_time",
    CONTENTION: "contention_time",
}
# Name, key, whether more is better.
_FIGURES = [
    ("bandwidth gain, %", MB_S, True),
    ("IOPS gain, %", IOPS, True),
    ("mean latency reduction, %", LATENCY, False),
    ("idle time reduction, %", IDLE, False),
    ("contention time reduction, % (medians)", CONTENTION, False),
]


def _change(data: Data, key: str, better: bool, load: str, scheme: str, arrival: str) -> float | None:
    value = data.mean(key, load, arrival, scheme=scheme)
    base = data.mean(key, load, arrival, scheme=BASE)
    return gain(value, base) if better else reduction(value, base)


def losses(data: Data, scheme: str, arrival: str) -> list[str]:
    """Loads on which the scheme is more than 1 % worse than VAQ, with by how much. Closed loop:
    bandwidth or mean latency; open loop, where bandwidth is what arrives: mean response time."""
    found = []
    keys = [(RESPONSE, "response")]
    if arrival == CLOSED:
        keys = [(LATENCY, "latency"), (MB_S, "bandwidth")]
    for load in data.loads:
        for key, word in keys:
            value = data.mean(key, load.name, arrival, scheme=scheme)
            base = data.mean(key, load.name, arrival, scheme=BASE)
            worse = ratio(base, value) if key == MB_S else ratio(value, base)
            if worse is not None and worse > LOSS:
                found.append(f"{load.name} ({word} {100 * (worse - 1):.1f} %)")
                break
    return found


def paq_schemes(data: Data) -> Report:
    report = Report()
    for arrival in data.experiment.arrivals:
        if arrival == CLOSED:
            report.parts.append(_summary(data))
        report.parts.append(_verdict(data, arrival))
        report.parts += _tables(data, arrival)
    report.drawings[""] = _bars(data)
    return report


def _summary(data: Data) -> str:
    paper, subject = data.experiment.paper, data.experiment.subject["scheme"]
    own = set(paper["presets"])
    presets = [load.name for load in data.loads if load.name in own]
    pieces = [load.name for load in data.loads if load.trace is not None]
    schemes = [scheme for scheme in data.labels("scheme") if scheme != BASE]

    def over(figure: tuple, loads: Sequence[str], scheme: str) -> list[float]:
        _, key, better = figure
        found = [_change(data, key, better, load, scheme, CLOSED) for load in loads]
        return [value for value in found if value is not None]

    rows = []
    for figure in _FIGURES:
        said = paper.get(_WORDS[figure[1]], {})
        # Contention is next to nothing on some loads, so that a change of it can be thousands of %.
        average = median if figure[1] == CONTENTION else mean
        row = [figure[0], *(signed(average(over(figure, presets, scheme))) for scheme in schemes)]
        row += [said.get("mean", NONE), signed(max(over(figure, presets, subject), default=None))]
        row += [said.get("max", NONE)]
        row += [signed(average(over(figure, pieces, scheme))) for scheme in schemes]
        rows.append(row)
    heads = ["against VAQ, closed loop"]
    heads += [f"{scheme.upper()} mean" for scheme in schemes]
    heads += ["paper: PAQ2 mean", f"{subject.upper()} max", "paper: max"]
    heads += [f"pieces: {scheme.upper()} mean" for scheme in schemes]
    text = f"Means over {len(presets)} presets of the paper's traces and {len(pieces)} real pieces."
    return f"{text}\n\n{table(heads, rows)}"


def _verdict(data: Data, arrival: str) -> str:
    what = "closed loop" if arrival == CLOSED else f"open loop at {arrival} of VAQ's saturation"
    lines = []
    for scheme in data.labels("scheme"):
        if scheme == BASE:
            continue
        lost = losses(data, scheme, arrival)
        text = f"loses on {len(lost)} of {len(data.loads)}: {', '.join(lost)}" if lost else (
            f"loses on none of {len(data.loads)} loads"
        )
        lines.append(f"- {scheme.upper()}, {what}: {text}.")
    return "\n".join(lines)


def _tables(data: Data, arrival: str) -> list[str]:
    """All figures of all schemes, two of them a table."""
    schemes, subject = data.labels("scheme"), data.experiment.subject["scheme"]
    lost = {text.split(" (")[0] for text in losses(data, subject, arrival)}
    what = "Closed loop" if arrival == CLOSED else f"Open loop at {arrival} of VAQ's saturation"
    first = [("MB/s", MB_S, 1.0), ("kIOPS", IOPS, 1e-3)]
    second = [("mean latency us", LATENCY, 1.0)]
    if arrival != CLOSED:
        first, second = [("mean response us", RESPONSE, 1.0), *second], first
    third = [("idle s", IDLE, 1.0), ("contention ms", CONTENTION, 1e-3)]
    parts = []
    for columns in (first, second, third):
        heads = ["load"]
        for unit, _, _ in columns:
            heads += [f"{unit}: {schemes[0].upper()}", *(s.upper() for s in schemes[1:])]
        rows = []
        for load in data.loads:
            row = [load.name]
            for _, key, factor in columns:
                values = [data.mean(key, load.name, arrival, scheme=s) for s in schemes]
                row += [digits(None if value is None else factor * value) for value in values]
            if columns is first:
                count = data.mean("host.all.count", load.name, arrival, scheme=BASE)
                row += [number(count, 0), "yes" if load.name in lost else "no"]
            rows.append(row)
        heads += ["requests", f"{subject.upper()} loses"] if columns is first else []
        parts.append(f"{what}:\n\n{table(heads, rows)}")
    return parts


def _bars(data: Data) -> Figure:
    drawing, axes = new_drawing(2, 11, 0.16 * len(data.loads) + 1.5)
    names = [load.name for load in data.loads]
    for place, (title, key, better) in zip(axes, (_FIGURES[0], _FIGURES[2])):
        for number_, scheme in enumerate(s for s in data.labels("scheme") if s != BASE):
            values = [_change(data, key, better, load, scheme, CLOSED) or 0 for load in names]
            spots = [i + 0.2 * (number_ - 1.5) for i in range(len(names))]
            place.barh(spots, values, 0.2, label=scheme.upper())
        place.set_yticks(range(len(names)), names, fontsize=6)
        place.invert_yaxis()
        place.axvline(0, color="black", linewidth=0.6)
        place.set_xlabel(f"{title} against VAQ")
        said = data.experiment.paper.get(_WORDS[key], {}).get("mean")
        if said is not None:
            place.axvline(said, color="grey", linestyle="--", linewidth=0.8, label="paper: PAQ2")
    axes[0].legend(fontsize=7)
    return drawing


def paq_spikes(data: Data) -> Report:
    """Fig. 13: the latencies of the first requests of a trace, one by one, in the order in which
    they were issued: with a seed the same requests for all schemes, as there is one queue in closed
    loop. The table is of the requests of all seeds, the drawing of those of the first."""
    report = Report()
    for load in data.loads:
        logs: dict[str, dict[int, Floats]] = {}
        for scheme in data.labels("scheme"):
            for seed, result in data.results(load.name, scheme=scheme).items():
                log = result.log.sort_values("issue_ns", kind="stable")
                logs.setdefault(scheme, {})[seed] = log["latency_us"].to_numpy()
        if BASE in logs:
            report.parts.append(_spike_table(data, load.name, logs))
            first = min(logs[BASE])
            shown = {scheme: of_seed[first] for scheme, of_seed in logs.items() if first in of_seed}
            report.drawings[f"-{load.name}"] = _spike_drawing(f"{load.name}, seed {first}", shown)
    return report


def _times(values: Floats, base: Floats) -> Floats:
    n = min(len(values), len(base))
    return values[:n] / base[:n]


def _spike_table(data: Data, load: str, logs: dict[str, dict[int, Floats]]) -> str:
    rows = []
    base = np.concatenate(list(logs[BASE].values()))
    for scheme, of_seed in logs.items():
        values = np.concatenate(list(of_seed.values()))
        both = [seed for seed in of_seed if seed in logs[BASE]]
        against = np.concatenate([_times(of_seed[seed], logs[BASE][seed]) for seed in both])
        row = [scheme, number(values.mean(), 0), signed(reduction(values.mean(), base.mean()))]
        row += [number(float(sorted(values)[int(0.999 * (len(values) - 1))]), 0)]
        row += [number(values.max(), 0), f"{100 * (against > 2).mean():.2f} %"]
        row.append(digits(against.max()))
        iops = data.mean(IOPS, load, scheme=scheme)
        rows.append([*row, signed(gain(iops, data.mean(IOPS, load, scheme=BASE)))])
    heads = [load, "mean us", "mean reduction, %", "p99.9 us", "max us"]
    heads += ["above twice VAQ's", "most times VAQ's", "IOPS gain, %"]
    return table(heads, rows)


def _spike_drawing(load: str, logs: dict[str, Floats]) -> Figure:
    drawing, axes = new_drawing(len(logs), 3.2 * len(logs), 3)
    for place, (scheme, values) in zip(axes, logs.items()):
        place.plot(values / 1000, linestyle="", marker=".", markersize=1, rasterized=True)
        place.axhline(values.mean() / 1000, color="black", linewidth=0.8)
        place.set_ylim(0, 1.05 * max(v.max() for v in logs.values()) / 1000)
        place.set_title(scheme, fontsize=8)
        place.set_xlabel(f"request of {load}")
    axes[0].set_ylabel("latency, ms")
    return drawing


def paq_causes(data: Data) -> Report:
    """The gain of PAQ2 on one device after the other, each of which takes a cause away."""
    rows = []
    schemes = [scheme for scheme in data.labels("scheme") if scheme != BASE]
    for scheme, device in itertools.product(schemes, data.labels("device")):

        def of(key: str, load: str, scheme: str, device: str = device) -> float | None:
            return data.mean(key, load, device=device, scheme=scheme)

        names = [load.name for load in data.loads]
        gains = [gain(of(MB_S, name, scheme), of(MB_S, name, BASE)) for name in names]
        latency = [reduction(of(LATENCY, name, scheme), of(LATENCY, name, BASE)) for name in names]
        row = [scheme, device, *map(signed, gains), signed(mean(gains)), signed(mean(latency))]
        rows.append(row)
    said = data.experiment.paper["bandwidth"]["mean"]
    heads = ["scheme", "device", *(load.name for load in data.loads), "mean"]
    heads.append("mean latency reduction, %")
    text = f"Bandwidth gain over VAQ in %, closed loop; the paper's mean for PAQ2 is {said}."
    return Report([f"{text}\n\n{table(heads, rows, left=2)}"])


def paq_contention(data: Data) -> Report:
    """How much less contention time the subject has than the base, seed by seed: a column each device."""
    subject = data.experiment.subject["scheme"]
    devices = data.labels("device")
    rows = []
    falls = dict.fromkeys(devices, 0)  # loads whose whole interval is above 0
    for load in data.loads:
        row = [load.name]
        for device in devices:
            ours, base = (
                plain.values(data, CONTENTION, load.name, CLOSED, {"device": device, "scheme": scheme})
                for scheme in (subject, BASE)
            )
            found = [reduction(ours[seed], base[seed]) for seed in ours if seed in base]
            known = [change for change in found if change is not None]
            if not known:
                row.append(NONE)
                continue
            change = mean_interval(known)
            falls[device] += (change.mean if change.low is None else change.low) > 0
            row.append(plain.with_interval(change, signed))
        rows.append(row)
    rows.append(["falls on", *(f"{falls[device]} of {len(data.loads)}" for device in devices)])
    text = f"Contention time of {subject.upper()}, % less than that of {BASE.upper()}, seed by seed; closed loop."
    return Report([f"{text}\n\n{table(['load', *devices], rows)}"])


def paq_sweep(data: Data) -> Report:
    """Figs. 14 and 15: IOPS and the wait for a place in the queue over one size."""
    size = next(d.name for d in data.experiment.dimensions if d.name != "scheme")
    sizes, schemes = data.labels(size), data.labels("scheme")
    blocks = [(CLOSED, IOPS, 1e-3, "kIOPS", geometric_mean)]
    for share in data.experiment.arrivals:
        if share != CLOSED:
            blocks.append((share, WAIT, 1.0, f"wait us at {share}", mean))
            blocks.append((share, WAIT_FULL, 1.0, f"AWT us at {share}", mean))
    report = Report()
    drawing, axes = new_drawing(2, 10)
    for number_, (arrival, key, factor, unit, average) in enumerate(blocks):

        def of(label: str, scheme: str) -> float | None:
            labels = {size: label, "scheme": scheme}
            found = average(data.mean(key, load.name, arrival, **labels) for load in data.loads)
            return None if found is None else factor * found

        rows = []
        for label in sizes:
            values = [of(label, scheme) for scheme in schemes]
            changes = [signed(gain(v, values[0])) for v in values[1:]] if arrival == CLOSED else []
            rows.append([label, *map(digits, values), *changes])
        heads = [size, *(f"{unit} {s.upper()}" for s in schemes)]
        heads += [f"{s.upper()} / VAQ, %" for s in schemes[1:]] if arrival == CLOSED else []
        report.parts.append(table(heads, rows))
        if number_ < len(axes):
            for scheme, style in zip(schemes, itertools.cycle(["-", "--", "-", ":"])):
                spots = [(int(label), of(label, scheme)) for label in sizes]
                known = [(x, y) for x, y in spots if y is not None]
                if known:
                    axes[number_].plot(*zip(*known), style, marker="o", label=scheme.upper())
                    axes[number_].set_xscale("log", base=2)
            axes[number_].set_xticks([int(label) for label in sizes], sizes)
            axes[number_].set_xlabel(size)
            axes[number_].set_ylabel(unit)
    if axes[0].lines:
        axes[0].legend(fontsize=7)
    report.drawings[""] = drawing
    names = ", ".join(load.name for load in data.loads)
    report.parts.append(
        f"Over {names}: geometric means of IOPS in closed loop, means of waits. Waits are in open loop"
        " at that share of VAQ's saturation with the same size: of all requests, and (AWT) of those"
        " that found the queue full; - where none did."
    )
    return report
