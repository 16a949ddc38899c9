# SPDX-License-Identifier: BSD-3-Clause
"""Figures of a run that rows name by a word instead of a key of results.json."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping

from tlmssd_lab.figures.cawr import OPERATIONS, value_of_channels, variation
from tlmssd_lab.figures.data import Data, mean, ratio, total
from tlmssd_lab.figures.launch import PREFETCH, TIME, launches
from tlmssd_lab.figures.software_cost import cycles
from tlmssd_lab.run.metrics import value_of

Labels = Mapping[str, str]
Measure = Callable[[Data, str, str, Labels], "float | None"]  # of a load, an arrival and labels


def measured(data: Data, key: str, load: str, arrival: str, labels: Labels) -> float | None:
    """A key of results.json, or one of MEASURES."""
    if key in MEASURES:
        return MEASURES[key](data, load, arrival, labels)
    return data.mean(key, load, arrival, **labels)


def _parallel(data: Data, load: str, arrival: str, labels: Labels) -> float | None:
    """Share of flash transactions with any flash-level parallelism, %."""
    none = data.mean("flash.parallelism.none", load, arrival, **labels)
    return None if none is None else 100 - none


def _active(data: Data, load: str, arrival: str, labels: Labels) -> float | None:
    """Share of a package's time with its bus or its cells at work, %."""
    return total(data.mean(f"flash.breakdown.{part}", load, arrival, **labels) for part in ("bus", "cell"))


def _bus_share(data: Data, load: str, arrival: str, labels: Labels) -> float | None:
    """bus / (bus + cell) of a package's time, %."""
    bus = data.mean("flash.breakdown.bus", load, arrival, **labels)
    found = ratio(bus, _active(data, load, arrival, labels))
    return None if found is None else 100 * found


def _occupied(data: Data, load: str, arrival: str, labels: Labels) -> float | None:
    """Share of the run in which a channel has an operation, mean over the channels, %."""
    shares = []
    for result in data.results(load, arrival, **labels).values():
        time = value_of(result.json, "sim.time_s")
        channels = result.json.get("flash", {}).get("channels", [])
        shares += [ratio(value_of(channel, "occupied_s"), time) for channel in channels]
    found = mean(shares)
    return None if found is None else min(100.0, 100 * found)


def _variation(operation: str) -> Measure:
    """Standard deviation over mean of the channels' operations, those of garbage collection among them."""

    def value(data: Data, load: str, arrival: str, labels: Labels) -> float | None:
        results = data.results(load, arrival, **labels).values()
        return mean(variation(value_of_channels(r.json, OPERATIONS[operation])) for r in results)

    return value


def _launch(key: str) -> Measure:
    """Mean over the launches but each application's first."""

    def value(data: Data, load: str, arrival: str, labels: Labels) -> float | None:
        return mean(each[key] for each in launches(data, load, detour=None, **labels))

    return value


def _cycles(data: Data, load: str, arrival: str, labels: Labels) -> float | None:
    """Of the firmware's scheduler for each flash transaction."""
    return cycles(data, "sched", load, **labels)


def _latencies(data: Data, load: str, arrival: str, labels: Labels) -> dict[int, list[float]]:
    """By seed, in the order of issue."""
    return {
        seed: list(result.log.sort_values("issue_ns", kind="stable")["latency_us"])
        for seed, result in data.results(load, arrival, **labels).items()
    }


def _spikes(data: Data, load: str, arrival: str, labels: Labels) -> float | None:
    """Share of requests that take more than twice VAQ's latency of the same request, %."""
    mine = _latencies(data, load, arrival, labels)
    base = _latencies(data, load, arrival, {**labels, "scheme": "vaq"})
    shares = [
        100 * statistics.fmean(value > 2 * its for value, its in zip(mine[seed], base[seed]))
        for seed in mine
        if seed in base
    ]
    return mean(shares)


MEASURES: dict[str, Measure] = {
    "parallel": _parallel,
    "active": _active,
    "bus_share": _bus_share,
    "occupied": _occupied,
    "spikes": _spikes,
    "cycles": _cycles,
    "launch_ms": _launch(TIME),
    "launch_prefetch_ms": _launch(PREFETCH),
    "launch_depth": _launch("mean_depth"),
    **{f"variation_{operation}": _variation(operation) for operation in OPERATIONS},
}
