# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the reports of page allocation: a value of a load and an order, and means over both."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tlmssd_lab.figures.data import Data, mean, ratio, total
from tlmssd_lab.run.metrics import value_of

IOPS, LATENCY = "host.all.iops", "host.all.latency_us.mean"

Value = Callable[[str, str], "float | None"]  # of a load and an order


def results_of(data: Data, load: str, order: str, **labels: str) -> list:
    return [r.json for r in data.results(load, order=order, **labels).values()]


def mean_of(data: Data, key: str, **labels: str) -> Value:
    return lambda load, order: data.mean(key, load, order=order, **labels)


def channel_share(data: Data, name: str) -> Value:
    """Per cent of the run, mean over the channels."""

    def value(load: str, order: str) -> float | None:
        shares = []
        for document in results_of(data, load, order):
            time = value_of(document, "sim.time_s")
            channels = document.get("flash", {}).get("channels", [])
            shares += [ratio(value_of(channel, name), time) for channel in channels]
        found = mean(shares)
        return None if found is None else min(100.0, 100 * found)

    return value


def wait_time(data: Data) -> Value:
    """Waiting time to resolve conflicts: heads of the queue for a package, operations for the channel."""
    package = mean_of(data, "flash.conflict_wait_us.package")
    channel = mean_of(data, "flash.conflict_wait_us.channel")

    def value(load: str, order: str) -> float | None:
        return total([package(load, order), channel(load, order)])

    return value


def parallel_share(data: Data, **labels: str) -> Value:
    """Share of flash transactions with any flash-level parallelism, %."""
    none = mean_of(data, "flash.parallelism.none", **labels)

    def value(load: str, order: str) -> float | None:
        share = none(load, order)
        return None if share is None else 100 - share

    return value


def bus_share(data: Data) -> Value:
    """bus / (bus + cell) of a package's time, %."""
    bus, cell = mean_of(data, "flash.breakdown.bus"), mean_of(data, "flash.breakdown.cell")

    def value(load: str, order: str) -> float | None:
        b, c = bus(load, order), cell(load, order)
        return None if b is None or c is None or b + c == 0 else 100 * b / (b + c)

    return value


def mean_over(
    value: Value, loads: Iterable[str], orders: Iterable[str], base: str | None = None
) -> float | None:
    """Mean over orders of the mean over loads; with `base`, of the ratios to that order's value."""
    loads = list(loads)

    def one(load: str, order: str) -> float | None:
        found = value(load, order)
        return found if base is None else ratio(found, value(load, base))

    return mean(mean(one(load, order) for load in loads) for order in orders)


def percent(found: float | None) -> float | None:
    return None if found is None else 100 * (found - 1)
