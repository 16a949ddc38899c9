# SPDX-License-Identifier: BSD-3-Clause
"""Latency against percentile. The axis counts nines: 90 % is 1, 99 % is 2, 99.9 % is 3."""

from __future__ import annotations

import math
import pathlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tlmssd_lab.run import frames
from tlmssd_lab.run.metrics import value_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Points = list[tuple[float, float]]  # nines, microseconds
_REPORTED = (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p999", 0.999), ("p9999", 0.9999))


def nines(fraction: float) -> float:
    """0.99 gives 2."""
    return round(-math.log10(1 - fraction), 9)


def curve(
    document: Mapping[str, Any], log: pathlib.Path | None, kind: str = "all"
) -> tuple[Points, bool]:
    """The points of a run's curve in ascending order, and whether they are of every request.

    `document` is results.json, `kind` "all", "reads" or "writes". With a log each request counts,
    else the percentiles of results.json do; a percentile that the run is too short for has no
    point.
    """
    if log is not None:
        return _of_log(document, log, kind), True
    count = int(value_of(document, f"host.{kind}.count") or 0)
    points: dict[float, float | None] = {
        nines(fraction): value_of(document, f"host.{kind}.latency_us.{key}")
        for key, fraction in _REPORTED
        if count * (1 - fraction) >= 1 - 1e-9
    }
    if count > 1:
        largest = value_of(document, f"host.{kind}.latency_us.max")
        points[round(math.log10(count), 9)] = largest
    return sorted((nine, us) for nine, us in points.items() if us is not None), False


def _of_log(document: Mapping[str, Any], path: pathlib.Path, kind: str) -> Points:
    """Rank r of n has the fraction r / n; the largest has (n - 1) / n, as `max` above."""
    kinds = {"all": ("READ", "WRITE", "R", "W"), "reads": ("READ", "R"), "writes": ("WRITE", "W")}
    log = frames.log(path)
    warm_ns = 1e9 * (value_of(document, "warmup.time_s") or 0.0)
    rows = log[
        log["kind"].astype(str).str.upper().isin(kinds[kind])
        & (log["status"] == "ok")
        & (log["completion_ns"] >= warm_ns)
    ]
    latency = np.sort(rows["latency_us"].to_numpy())
    count = len(latency)
    if count < 2:
        return []
    steps = np.linspace(0, math.log10(count), 400)
    ranks = np.minimum(count, np.maximum(1, np.ceil((1 - 10.0**-steps) * count))).astype(int)
    ranks[-1] = count
    keep = np.concatenate((np.diff(ranks) > 0, [True]))
    return [
        (float(step), float(latency[rank - 1]))
        for step, rank in zip(steps[keep], ranks[keep], strict=True)
    ]


def percentile_axes(axes: Axes, curves: Iterable[Points]) -> None:
    """Percentiles on the x axis, microseconds on a logarithmic y axis, limits around `curves`."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    drawn = list(curves)
    top = max(2.0, *(points[-1][0] for points in drawn))
    first = min(points[0][0] for points in drawn)
    ticks = [(0.0, "0"), (-math.log10(0.5), "50"), (1.0, "90"), (-math.log10(0.05), "95")]
    ticks += [
        (float(n), "99" if n == 2 else f"99.{'9' * (n - 2)}") for n in range(2, int(top + 0.01) + 1)
    ]
    ticks = [tick for tick in ticks if tick[0] > first - 1e-6]
    axes.set_xticks([place for place, _ in ticks], [text for _, text in ticks])
    axes.set_yscale("log")
    values = [us for points in drawn for _, us in points if us > 0]
    axes.set_ylim(min(values) * 0.85, max(values) * 1.15)
    wide = max(values) > 6 * min(values)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if wide else tuple(range(1, 10))))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("percentile of requests (each step to the right: one nine more)")
    axes.set_ylabel("latency, \u00b5s")


def plot(
    document: Mapping[str, Any],
    log: pathlib.Path | None,
    kind: str,
    label: str,
    axes: Axes | None,
    cdf: bool,
) -> Axes | None:
    """The curve of one run beside those that `axes` has; None where the run has too few requests."""
    points, whole = curve(document, log, kind)
    if len(points) < 2:
        return None
    if axes is None:
        from matplotlib import pyplot

        _, axes = pyplot.subplots(figsize=(8, 4), layout="constrained")
    style = "steps-pre" if whole else "default"
    mark = None if whole else "o"
    if cdf:
        fractions = [1 - 10.0**-nine for nine, _ in points]
        latencies = [us for _, us in points]
        axes.plot(latencies, fractions, drawstyle=style, marker=mark, markersize=4, label=label)
        axes.set_xscale("log")
        axes.set_ylim(0, 1)
        axes.set_xlabel("latency, \u00b5s")
        axes.set_ylabel("part of the requests that are as fast or faster")
    else:
        axes.plot(*zip(*points, strict=True), drawstyle=style, marker=mark, markersize=4, label=label)
        percentile_axes(axes, [_points_of(line) for line in axes.get_lines()])
    axes.grid(visible=True, color="#e3e6eb")
    axes.legend(frameon=False)
    return axes


def _points_of(line: Any) -> Points:
    return list(zip(*(list(map(float, part)) for part in line.get_data()), strict=True))
