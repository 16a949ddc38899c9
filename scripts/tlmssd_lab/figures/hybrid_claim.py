# SPDX-License-Identifier: BSD-3-Clause
"""Report of a claim: a scheduler against the best of its rivals on each point, at steady state.

A point is a device (dimension `device`) and a load. `subject` names the scheduler; `paper.rivals` those it is compared
with, `paper.within_percent`, `.points_percent`, `.worst_percent` and `.write_gain` the claim. The best rival is chosen
for each figure by its mean over the seeds; ratios are seed by seed, with 95 % intervals (Student's t). A figure is
better or worse only where its interval leaves 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures.data import NONE, Data, Report, digits, geometric_mean, number, ratio, table
from tlmssd_lab.figures.plain import values, with_interval
from tlmssd_lab.stats import Interval, mean_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLOSED = "closed"
# Name, key, whether more is better.
FIGURES = [
    ("throughput", "host.all.iops", True),
    ("mean", "host.all.latency_us.mean", False),
    ("p99", "host.all.latency_us.p99", False),
    ("p99.9", "host.all.latency_us.p999", False),
]
FREE_BLOCKS = 0.25  # of a plane: a steady state ends with what it began with
TIMES_DEFERRED = 10  # pages that a run must write, in pages that a scheduler may defer


@dataclass(frozen=True)
class Margin:
    """Of one figure on one point: how many times better than the best rival, above 1 where it is better."""

    device: str
    load: str
    figure: str
    rival: str
    times: Interval

    @property
    def better(self) -> bool:
        return self._low > 1

    @property
    def worse(self) -> bool:
        return self._high < 1

    def loses_more_than(self, share: float) -> bool:
        """The whole interval is below 1 - share."""
        return self._high < 1 - share

    def within(self, share: float) -> bool:
        """The mean is better, or worse by at most `share`."""
        return self.times.mean >= 1 - share

    @property
    def _low(self) -> float:
        return self.times.mean if self.times.low is None else self.times.low

    @property
    def _high(self) -> float:
        return self.times.mean if self.times.high is None else self.times.high


def _points(data: Data) -> Iterator[tuple[str, str]]:
    for device in data.labels("device"):
        for load in data.loads:
            yield device, load.name


def _values(data: Data, key: str, device: str, load: str, scheme: str) -> dict[int, float]:
    return values(data, key, load, CLOSED, {"device": device, "scheme": scheme})


def margins(data: Data) -> list[Margin]:
    """Of all points and figures that have results of the subject and of a rival."""
    found = []
    for device, load in _points(data):
        for name, key, more in FIGURES:
            margin = _margin(data, device, load, name, key, more)
            if margin is not None:
                found.append(margin)
    return found


def _margin(data: Data, device: str, load: str, name: str, key: str, more: bool) -> Margin | None:
    ours = _values(data, key, device, load, data.experiment.subject["scheme"])
    theirs = {rival: _values(data, key, device, load, rival) for rival in data.experiment.paper["rivals"]}
    means = {rival: sum(each.values()) / len(each) for rival, each in theirs.items() if each}
    if not ours or not means:
        return None
    rival = (max if more else min)(means, key=means.__getitem__)
    pairs = [ratio(ours[seed], theirs[rival][seed]) for seed in ours if seed in theirs[rival]]
    times = [each if more else 1 / each for each in pairs if each]
    return Margin(device, load, name, rival, mean_interval(times)) if times else None


def writes(data: Data, device: str, load: str) -> bool:
    """Garbage collection runs on this point."""
    return any(_values(data, "ftl.gc.blocks_erased", device, load, data.experiment.subject["scheme"]).values())


def write_gain(data: Data) -> Interval | None:
    """Throughput over the best rival, geometric mean over the points with garbage collection, by seed."""
    subject, rivals = data.experiment.subject["scheme"], data.experiment.paper["rivals"]
    by_seed = []
    for seed in data.experiment.seeds:
        times = []
        for device, load in _points(data):
            if not writes(data, device, load):
                continue
            ours = _values(data, "host.all.iops", device, load, subject).get(seed)
            best = max((_values(data, "host.all.iops", device, load, rival).get(seed, 0.0) for rival in rivals),
                       default=0.0)
            times.append(ratio(ours, best))
        mean = geometric_mean(times)
        if mean is not None:
            by_seed.append(mean)
    return mean_interval(by_seed) if by_seed else None


def hybrid_claim(data: Data) -> Report:
    """Verdicts first, then the margins, then whether the runs were steady."""
    found = margins(data)
    report = Report([_verdicts(data, found), _counts(found), _losses(found), _margins_table(data, found)])
    report.parts.append(_variants(data))
    report.parts.append(_steady(data))
    report.drawings[""] = _dots(data, found)
    return report


def _verdicts(data: Data, found: list[Margin]) -> str:
    paper = data.experiment.paper
    within, worst = paper["within_percent"] / 100, paper["worst_percent"] / 100
    by_point: dict[tuple[str, str], list[Margin]] = {}
    for margin in found:
        by_point.setdefault((margin.device, margin.load), []).append(margin)
    good = sum(all(margin.within(within) for margin in each) for each in by_point.values())
    share = 100 * good / len(by_point) if by_point else 0.0
    bad = [margin for margin in found if margin.loses_more_than(worst)]
    gain = write_gain(data)
    lines = [
        _verdict(share >= paper["points_percent"],
                 f"best or within {paper['within_percent']:g} % of the best in all four figures on {good} of "
                 f"{len(by_point)} points ({share:.0f} %; claimed {paper['points_percent']:g} %)"),
        _verdict(bool(found) and not bad,
                 f"on no point worse by more than {paper['worst_percent']:g} %"
                 + (f": {len(bad)} of {len(found)} figures are" if bad else "")),
        _verdict(gain is not None and _low(gain) >= paper["write_gain"],
                 f"throughput {'-' if gain is None else with_interval(gain, lambda mean: digits(mean, 3))} times the best "
                 f"rival's, mean of points with garbage collection (claimed {paper['write_gain']:g})"),
    ]
    return "\n".join(lines)


def _low(interval: Interval) -> float:
    return interval.mean if interval.low is None else interval.low


def _verdict(holds: bool, claim: str) -> str:
    return f"- **{'holds' if holds else 'does not hold'}**: {claim}"


def _counts(found: list[Margin]) -> str:
    rows = []
    for name, _, _ in FIGURES:
        of = [margin for margin in found if margin.figure == name]
        rows.append([name, len(of), sum(m.better for m in of), sum(not m.better and not m.worse for m in of),
                     sum(m.worse for m in of), sum(m.loses_more_than(0.02) for m in of),
                     sum(m.loses_more_than(0.1) for m in of)])
    heads = ["figure", "points", "better than the best rival", "no difference", "worse", "by more than 2 %",
             "by more than 10 %"]
    return table(heads, rows)


def _losses(found: list[Margin]) -> str:
    lost = sorted((margin for margin in found if margin.worse), key=lambda margin: margin.times.mean)
    if not lost:
        return "It loses on no point."
    lines = [f"- {m.device}, {m.load}: {m.figure} {_times(m)} times as good as {m.rival}" for m in lost]
    return "Where it loses:\n\n" + "\n".join(lines)


def _times(margin: Margin) -> str:
    return with_interval(margin.times, lambda mean: digits(mean, 3))


def _margins_table(data: Data, found: list[Margin]) -> str:
    at = {(m.device, m.load, m.figure): m for m in found}
    rows = []
    for device, load in _points(data):
        row = [device, load]
        for name, _, _ in FIGURES:
            margin = at.get((device, load, name))
            row.append(NONE if margin is None else f"{_times(margin)} ({margin.rival})")
        rows.append(row)
    heads = ["device", "load", *(f"{name}: times better than" for name, _, _ in FIGURES)]
    return "Margins over the best rival, in brackets; below 1 it is worse.\n\n" + table(heads, rows, 2)


def _variants(data: Data) -> str:
    """Throughput of each scheme as a share of the subject's, geometric mean over the points with garbage collection."""
    subject = data.experiment.subject["scheme"]
    rows = []
    for scheme in data.labels("scheme"):
        row = [scheme]
        for name, key, more in FIGURES:
            logs: dict[int, list[float]] = {}
            for device, load in _points(data):
                if not writes(data, device, load):
                    continue
                ours, its = (_values(data, key, device, load, each) for each in (subject, scheme))
                for seed in ours:
                    each = ratio(ours[seed], its.get(seed))
                    if each:
                        logs.setdefault(seed, []).append(math.log(each if more else 1 / each))
            means = [math.exp(sum(each) / len(each)) for each in logs.values()]
            row.append(with_interval(mean_interval(means), lambda mean: digits(mean, 3)) if means else NONE)
        rows.append(row)
    heads = [f"{subject} against", *(f"{name}: times better" for name, _, _ in FIGURES)]
    return "Geometric means over the points with garbage collection.\n\n" + table(heads, rows)


def _steady(data: Data) -> str:
    """Write amplification, free blocks and bounds of each scheme; a star where a run was not steady."""
    rows, broken = [], 0
    for device, load in _points(data):
        for scheme in data.labels("scheme"):
            row, stars = _steady_row(data, device, load, scheme)
            broken += stars
            rows.append([device, load, scheme, *row])
    heads = ["device", "load", "scheme", "WAF", "erases", "free at start", "free at end", "times deferred", "IOPS",
             "mean us", "p99 us", "p99.9 us", "bound", "reached, %"]
    text = (
        "Steady state: write amplification, blocks erased, erased blocks of a plane as the measured part begins and ends, "
        "and the host's pages written in pages that a scheduler may defer (one block of each plane). A star: garbage collection runs, "
        f"and the free blocks differ by more than {FREE_BLOCKS:g}, or fewer than {TIMES_DEFERRED} times the deferrable "
        f"pages were written ({broken} runs' means)."
    )
    return f"{text}\n\n{table(heads, rows, 3)}"


def _steady_row(data: Data, device: str, load: str, scheme: str) -> tuple[list[str], int]:
    def mean(key: str) -> float | None:
        found = _values(data, key, device, load, scheme).values()
        return sum(found) / len(found) if found else None

    waf, erases = mean("ftl.waf"), mean("ftl.gc.blocks_erased")
    start, end = mean("ftl.free_blocks.start"), mean("ftl.free_blocks.end")
    written = mean("ftl.host_pages_written")
    results = data.results(load, device=device, scheme=scheme).values()
    deferrable = [_deferrable(result.json) for result in results]
    deferred = ratio(written, deferrable[0]) if deferrable else None
    collects = bool(erases)
    moved = collects and start is not None and end is not None and abs(end - start) > FREE_BLOCKS
    short = collects and deferred is not None and deferred < TIMES_DEFERRED
    bounds = sorted({result.json["bound"]["limiter"] for result in results})
    reached = mean("bound.fraction_of_bound")
    row = [
        number(waf, 2), number(erases, 0), number(start, 2), number(end, 2) + ("*" if moved else ""),
        number(deferred, 1) + ("*" if short else ""),
        *(digits(mean(key), 4) for _, key, _ in FIGURES),
        "/".join(bounds) or NONE, number(None if reached is None else 100 * reached, 0),
    ]
    return row, int(moved) + int(short)


def _deferrable(document: dict) -> float:
    """Pages of one block of each plane."""
    geometry = document["config"]["geometry"]
    return math.prod(geometry[key] for key in ("channels", "ways", "dies", "planes", "pages"))


def _dots(data: Data, found: list[Margin]) -> Figure:
    from matplotlib.ticker import NullFormatter, ScalarFormatter

    drawing, axes = new_drawing(len(FIGURES), 3.2 * len(FIGURES))
    devices = data.labels("device")
    for place, (name, _, _) in zip(axes, FIGURES):
        for i, device in enumerate(devices):
            of = [m.times.mean for m in found if m.figure == name and m.device == device]
            place.plot([i] * len(of), of, linestyle="", marker="o", markersize=3, alpha=0.6)
        place.axhline(1, color="black", linewidth=0.8)
        place.set_yscale("log")
        place.yaxis.set_major_formatter(ScalarFormatter())  # the log formatter misses a font
        place.yaxis.set_minor_formatter(NullFormatter())
        place.set_xticks(range(len(devices)), devices, fontsize=7, rotation=30)
        place.set_title(f"{name}: times better than the best rival, a dot a load", fontsize=8)
    return drawing
