# SPDX-License-Identifier: BSD-3-Clause
"""The figures that compare and diff show, and where they stand in results.json."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.stages import STAGES

_HIGHER = (".iops", ".mb_s", "buffer.hit_ratio")
_LOWER = re.compile(
    r"_us\.\w+$|_us$|_mj\.total$|^ftl\.(waf|gc\.pages_moved)$|\.(mismatches|violations)$"
)


@dataclass(frozen=True)
class Metric:
    """A figure. `weight`: how much a change matters in diff. `column`: its place in the table of
    compare, with heading, factor and decimals. `better`: the side that is an improvement."""

    key: str
    unit: str
    weight: float
    column: tuple[str, float, int] | None = None

    @property
    def better(self) -> str:
        """"higher", "lower", or empty where neither side is an improvement by itself."""
        if self.key.endswith(_HIGHER):
            return "higher"
        return "lower" if _LOWER.search(self.key) else ""


def _metrics() -> list[Metric]:
    found = [
        Metric("host.all.iops", "1/s", 4, ("kIOPS", 1e-3, 2)),
        Metric("host.all.mb_s", "MB/s", 4, ("MB/s", 1, 1)),
        Metric("host.all.latency_us.mean", "us", 4, ("mean us", 1, 1)),
        Metric("host.all.latency_us.p50", "us", 2),
        Metric("host.all.latency_us.p95", "us", 2),
        Metric("host.all.latency_us.p99", "us", 3, ("p99 us", 1, 1)),
        Metric("host.all.latency_us.p999", "us", 2, ("p99.9 us", 1, 1)),
        Metric("host.all.latency_us.p9999", "us", 1),
        Metric("host.all.latency_us.max", "us", 1),
        Metric("host.all.response_us.mean", "us", 2),
        Metric("host.all.response_us.p99", "us", 1),
    ]
    for kind in ("reads", "writes"):
        found += [
            Metric(f"host.{kind}.iops", "1/s", 2),
            Metric(f"host.{kind}.latency_us.mean", "us", 2),
            Metric(f"host.{kind}.latency_us.p99", "us", 2),
        ]
    found += [
        Metric("host.queue_wait_us.mean", "us", 1),
        Metric("ftl.waf", "", 3, ("WAF", 1, 2)),
        Metric("ftl.gc.pages_moved", "pages", 1),
        Metric("buffer.hit_ratio", "", 1),
        Metric("bound.fraction_of_bound", "", 2, ("of bound", 1, 3)),
        Metric("flash.die_operations", "", 1),
        Metric("flash.die_idle_s", "s", 1),
        Metric("flash.contention_us", "us", 1),
        Metric("flash.conflict_wait_us.channel", "us", 1),
        Metric("cpu.busy_fraction", "", 2),
        Metric("energy_mj.total", "mJ", 2),
        Metric("sim.time_s", "s", 2),
        Metric("integrity.mismatches", "", 9),
        Metric("checker.violations", "", 9),
    ]
    found += [Metric(f"stages.{stage}_us.mean", "us", 1) for stage in STAGES]
    return found


METRICS = _metrics()
BETTER = {metric.key: metric.better for metric in METRICS}


# Keys of results.json that have changed their name.
RENAMED = {
    "controller.counters.inside_max": "controller.counters.outstanding_max",
    "controller.mode": "controller.effective_mode",
    "flash.chip_transactions": "flash.package_operations",
    "flash.conflict_wait_us.chip": "flash.conflict_wait_us.package",
    "flash.transactions": "flash.die_operations",
    "wall.wheel_events": "wall.timer_callbacks",
    "workload.requests": "workload.source_requests",
}


def refuse_renamed(where: str, keys: Iterable[str]) -> None:
    """LabInputError where one of `keys` of results.json has another name now."""
    for key in keys:
        if key in RENAMED:
            raise LabInputError(f"{where}: '{key}' was renamed to '{RENAMED[key]}'")


def with_columns(keys: Sequence[str]) -> list[Metric]:
    """METRICS, and `keys` as further columns of the table, at its end."""
    metrics = list(METRICS)
    for key in dict.fromkeys(keys):
        known = next((metric for metric in metrics if metric.key == key), Metric(key, "", 1))
        if known.column is None:
            metrics = [metric for metric in metrics if metric.key != key]
            metrics.append(replace(known, column=(key, 1, 3)))
    return metrics


def value_of(document: Mapping[str, Any], key: str) -> float | None:
    """The number at a dotted key; None where it is null, undefined in this run or not there. A list
    of numbers (cpu.busy_fraction) counts by its mean."""
    place: Any = document
    for name in key.split("."):
        if isinstance(place, Mapping):
            place = place.get(name)
        elif isinstance(place, list) and name.isdigit() and int(name) < len(place):
            place = place[int(name)]
        else:
            return None
    if isinstance(place, list) and place and all(_is_number(item) for item in place):
        return statistics.fmean(place)
    return place if _is_number(place) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
