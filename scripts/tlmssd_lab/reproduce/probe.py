# SPDX-License-Identifier: BSD-3-Clause
"""Whether an experiment would give other figures today: a few of its points, short, and a hash of their results.

A row's stamp has the hash of the program that filled it in. Where the present program, device files and
workloads give another one, something on which the figure depends has changed, and the row is stale. A change
that leaves all figures of the short points as they are does not make it stale.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Sequence

from tlmssd_lab.errors import LabError
from tlmssd_lab.figures.experiment import CLOSED, OWN
from tlmssd_lab.figures.experiment_points import Point
from tlmssd_lab.run.metrics import value_of
from tlmssd_lab.run.result import Result

REQUESTS = 300
# Enough to notice a change of behaviour; new keys of results.json do not count as one.
FIGURES = (
    "host.all.count",
    "host.all.mb_s",
    "host.all.latency_us.mean",
    "host.all.latency_us.max",
    "host.all.response_us.mean",
    "host.reads.latency_us.mean",
    "host.writes.latency_us.mean",
    "host.queue_wait_us.mean",
    "buffer.hit_ratio",
    "flash.die_operations",
    "flash.die_idle_s",
    "flash.contention_us",
    "flash.parallelism.none",
    "ftl.waf",
    "ftl.gc.pages_moved",
    "ftl.gc.blocks_erased",
    "sim.time_s",
)


def probe_points(points: Sequence[Point]) -> list[Point]:
    """The first point with each label and each load; without pieces of traces, which may be missing, and
    arrivals that need another run; at most REQUESTS requests."""
    usable = [p for p in points if p.load.trace is None and p.arrival in (CLOSED, OWN)]
    seen: set[tuple[str, str]] = set()
    found = []
    for point in usable:
        labels = set(point.labels.items()) | {("", point.load.name)}
        if labels - seen:
            seen |= labels
            found.append(_short(point))
    return found


def _short(point: Point) -> Point:
    if "workload.launches" in point.settings:
        return point  # a load of launches has no number of requests, and takes less than a second
    requests = min(int(point.settings.get("workload.requests", REQUESTS)), REQUESTS)
    return dataclasses.replace(point, settings={**point.settings, "workload.requests": str(requests)})


def fingerprint(results: Sequence[tuple[str, Result | LabError]]) -> str:
    """Twelve hexadecimal digits. Raises the LabError of a point that failed."""
    digest = hashlib.sha256()
    for name, result in results:
        if isinstance(result, LabError):
            raise result
        kept = [value_of(result.json, key) for key in FIGURES]
        digest.update(name.encode() + b"\0" + json.dumps(kept).encode() + b"\n")
    return digest.hexdigest()[:12]
