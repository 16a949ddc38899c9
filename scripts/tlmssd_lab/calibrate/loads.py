# SPDX-License-Identifier: BSD-3-Clause
"""The workloads of `tlmssd-lab calibrate`: those that are fitted and those that are held out.

All are short runs on small devices, so that garbage collection works and the instruction set
simulator is soon through. Each general load runs under every scheduler of sched.def; the special
ones bring in what only some do. Held-out loads differ in device, mix, size, depth and clock.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tlmssd_lab.errors import LabInputError


@dataclass(frozen=True)
class Load:
    name: str
    device: Mapping[str, Any]
    settings: Mapping[str, Any]
    scheduler: str
    keys: Mapping[str, Any] = field(default_factory=dict)  # of the scheduler

    @property
    def label(self) -> str:
        return f"{self.scheduler} {self.name}"


def schedulers(root: pathlib.Path) -> list[str]:
    """The names in sched.def."""
    path = root / "firmware/hal/sched.def"
    try:
        names = re.findall(r"^SCHED\(\w+, (\w+),", path.read_text(encoding="utf-8"), re.MULTILINE)
    except OSError as error:
        raise LabInputError(f"{path}: {error.strerror}") from None
    if not names:
        raise LabInputError(f"{path}: names no scheduler")
    return names


def _device(page: int, spare: int, geometry: Sequence[int], **more: Any) -> dict[str, Any]:
    names = ("channels", "ways", "dies", "planes", "blocks", "pages")
    return {
        "nand": {
            "page_bytes": page,
            "spare_bytes": spare,
            "t_read_us": 50,
            "t_program_us": 400,
            "t_erase_us": 1000,
        },
        "geometry": dict(zip(names, geometry, strict=True)),
        "onfi": {"interface": "nvddr", "mode": 5},
        "host": {"kind": "direct"},
        **more,
    }


_SMALL = _device(8192, 448, (2, 2, 2, 2, 24, 16))
_WIDE = _device(4096, 224, (8, 4, 2, 2, 24, 16))
_FLAT = _device(4096, 224, (4, 2, 1, 1, 24, 32))

_CACHE = {"buffer.policy": "lru", "buffer.size_mib": 1}
_NO_CACHE = {"buffer.policy": "none", "buffer.size_mib": 1}
_AGED = {"ftl.over_provisioning": 0.5, "precondition.fill": 1.0, "precondition.overwrite": 0.2}
_FRESH = {"precondition.fill": 0.5, "precondition.overwrite": 0}
_CORES = {
    "cpu.cores": 4,
    "cpu.core_of.buffer": 1,
    "cpu.core_of.ftl": 2,
    "cpu.core_of.sched": 3,
}


def _work(rw: str, requests: int, depth: int, **keys: Any) -> dict[str, Any]:
    return {
        "workload.rw": rw,
        "workload.requests": requests,
        "host.queue_depth": depth,
        **{f"workload.{key}": value for key, value in keys.items()},
    }


def _arriving(per_second: int) -> dict[str, Any]:
    return {
        "workload.mode": "open",
        "workload.rate_iops": per_second,
        "workload.rate_process": "poisson",
    }


_MIXED = {**_AGED, **_CACHE, "buffer.flush_after_ms": 1}
_ODDS = {"flush_every": 50, "trim_percent": 5}

_GENERAL: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "mixed": (_SMALL, {**_MIXED, **_work("randrw", 600, 32, bs=6144, **_ODDS)}),
    "mixed-1": (_SMALL, {**_MIXED, **_work("randrw", 300, 1, bs=12288, **_ODDS)}),
    "reads": (_WIDE, {**_AGED, **_NO_CACHE, **_work("randread", 1000, 32, bs=4096)}),
    "reads-fresh": (_WIDE, {**_AGED, **_NO_CACHE, **_FRESH, **_work("randread", 400, 8)}),
    "large": (_WIDE, {**_AGED, **_NO_CACHE, **_work("randrw", 400, 16, bs=16384, fua=True)}),
    "sequential": (_SMALL, {**_AGED, **_CACHE, **_work("readwrite", 200, 4, bs=65536)}),
    "writes": (
        _FLAT,
        {
            **_AGED,
            **_NO_CACHE,
            "ftl.over_provisioning": 0.5,
            "ftl.gc.threshold_blocks": 2,
            **_work("randwrite", 800, 64, bs=4096),
        },
    ),
    "hits": (
        _WIDE,
        {**_AGED, **_CACHE, **_work("randrw", 1000, 32, bs=4096, random_distribution="zipf:1.2")},
    ),
    "rewrites": (
        _FLAT,
        {**_AGED, **_CACHE, **_work("randrw", 1000, 64, bs=4096, rwmixread=20, size="20%")},
    ),
    "overflow": (
        _WIDE,
        {
            **_AGED,
            **_CACHE,
            "precondition.overwrite": 0,
            "ftl.allocation": "PDWC",  # uneven queues: the leveler of sost has work
            **_work("randrw", 1200, 64, bs=4096, rwmixread=20),
        },
    ),
    "far": (
        _WIDE,
        {**_AGED, **_CACHE, "buffer.size_mib": 64, **_work("randrw", 500, 32, bs=8192)},
    ),
    "far-reads": (
        _WIDE,
        {**_AGED, **_NO_CACHE, "buffer.size_mib": 32, **_work("randrw", 500, 64, rwmixread=80)},
    ),
    "huge": (_SMALL, {**_AGED, **_CACHE, **_work("readwrite", 40, 8, bs=1048576)}),
    "cores": (_SMALL, {**_MIXED, **_CORES, **_work("randrw", 500, 32, bs=8192, **_ODDS)}),
}

_SPECIAL: list[tuple[str, str, str, Mapping[str, Any]]] = [
    # general load, its new name, scheduler, keys
    ("large", "queue-aware", "inorder", {"ftl.placement": "queue_aware"}),
    ("large", "alone", "vaq", {"vaq.join_adjacent": False}),
    ("mixed", "by-request", "vaq", {"vaq.block": "request"}),
    ("large", "by-request", "vaq", {"vaq.block": "request"}),
    ("large", "streams", "host", {"controller.streams": "per_request"}),
    ("mixed", "reads-first", "host", {"controller.priorities": "reads_first"}),
    ("large", "dies", "paq1", {"paq.cluster_limit": "die"}),
    ("reads", "block", "paq2", {"paq.wait": "block"}),
    ("large", "block", "paq1", {"paq.wait": "block"}),
    ("large", "aged", "paq2", {"paq.age_limit_us": 300}),
    ("mixed", "aged", "paq1", {"paq.age_limit_us": 200}),
    ("hits", "plain", "sost", {"sost.priorities": False, "sost.leveler": False}),
    ("mixed", "reads-first", "sost", {"sost.reads_first": True, "sost.ranges_mib": "0-1:2"}),
    ("hits", "hot", "sost", {"sost.hot_hits": 1, "sost.return_reads": 1}),
    ("hits", "no-hits", "sost", {"sost.hit_manager": False}),
    ("writes", "cost-benefit", "inorder", {"ftl.gc.policy": "cost_benefit"}),
    ("mixed", "window", "host", {"ftl.gc.policy": "windowed_greedy"}),
    ("large", "join-window", "vaq", {"vaq.join_window": 16}),
    ("hits", "cflru", "inorder", {"buffer.policy": "cflru"}),
    ("rewrites", "cflru", "host", {"buffer.policy": "cflru"}),
    ("rewrites", "ccf-lru", "inorder", {"buffer.policy": "ccf_lru"}),
    ("rewrites", "clock", "vaq", {"buffer.policy": "clock"}),
    ("hits", "lru-wsr", "inorder", {"buffer.policy": "lru_wsr"}),
    ("mixed", "fifo", "host", {"buffer.policy": "fifo"}),
    ("hits", "fab", "inorder", {"buffer.policy": "fab", "buffer.block_pages": 16}),
    ("rewrites", "clc", "host", {"buffer.policy": "clc", "buffer.block_pages": 8}),
    ("rewrites", "ref", "inorder", {"buffer.policy": "ref"}),
    ("mixed", "padded", "inorder",
     {"buffer.policy": "bplru", "buffer.page_padding": True, "buffer.block_pages": 8}),
    ("rewrites", "gating", "inorder", {"buffer.policy": "gating"}),
    ("rewrites", "cave", "inorder", {"buffer.policy": "cave"}),
    ("rewrites", "cawr", "inorder", {"buffer.policy": "cawr"}),
    ("rewrites", "cave-blocks", "host",
     {"buffer.policy": "cave", "buffer.cave_over": "bplru", "buffer.block_pages": 8}),
    ("hits", "cawr-block", "inorder", {"buffer.policy": "cawr_block", "buffer.block_pages": 8}),
    ("sequential", "read-ahead", "inorder", {"buffer.read_ahead": 8}),
    ("reads", "read-ahead", "host", {"buffer.policy": "lru", "buffer.read_ahead": 4}),
]

# Launches for the launch-recognising prefetcher; the buffer holds less than the applications read.
# Windows and sequences in fast memory ("small") and in DRAM.
_LAUNCHES = {
    **_AGED,
    **_CACHE,
    "host.queue_depth": 32,
    "workload.launches": 12,
    "workload.launch_apps": 3,
    "workload.launch_reads": 150,
    "workload.launch_bs": 8192,
    "workload.launch_cpu_ms": 10,
}
_LAUNCH_SPECIAL: list[tuple[str, str, Mapping[str, Any]]] = [
    ("fast", "inorder", {"prefetch.mode": "fast"}),
    ("small", "host", {"prefetch.mode": "baseline", "prefetch.sequence_pages": 64, "prefetch.match": 4}),
    ("phases", "inorder", {"prefetch.mode": "two_phase", "workload.launch_noise": 10, "prefetch.match": 2}),
    ("forgotten", "inorder", {"prefetch.mode": "fast", "prefetch.sequences": 2, "prefetch.anchors": 128}),
    ("wrong", "vaq", {"prefetch.mode": "two_phase", "workload.launch_detour": 2, "prefetch.sequence_pages": 256}),
]

_HELD_DEVICE = _device(8192, 448, (4, 2, 2, 2, 24, 16), host={"kind": "sata"})
_HELD_SMALL = _device(4096, 224, (2, 4, 2, 2, 24, 32))
_HELD_AGED = {"ftl.over_provisioning": 0.45, "precondition.fill": 1.0, "precondition.overwrite": 0.1}

_HELD: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "70-30": (
        _HELD_DEVICE,
        {
            **_HELD_AGED,
            **_FRESH,
            **_CACHE,
            **_arriving(5000),
            **_work("randrw", 2000, 24, bs=4096, rwmixread=70, random_distribution="zipf:0.9"),
        },
    ),
    "reads-16k": (
        _HELD_SMALL,
        {**_HELD_AGED, **_NO_CACHE, **_work("randread", 1500, 12, bs=16384)},
    ),
    "writes-8k": (
        _HELD_DEVICE,
        {**_HELD_AGED, **_CACHE, "cpu.mhz": 200, **_work("randwrite", 1500, 6, bs=8192)},
    ),
    "collecting": (
        _HELD_SMALL,
        {
            **_HELD_AGED,
            **_CACHE,
            "ftl.over_provisioning": 1.0,
            "precondition.overwrite": 0.4,
            **_arriving(200),
            **_work("randrw", 3000, 16, bs=6144, rwmixread=50, trim_percent=3),
        },
    ),
    "saturated": (
        _HELD_SMALL,
        {
            **_HELD_AGED,
            **_NO_CACHE,
            "cpu.mhz": 72,
            **_work("randrw", 1200, 32, bs=4096, rwmixread=80),
        },
    ),
}

_HELD_SPECIAL: list[tuple[str, str, str, Mapping[str, Any]]] = [
    ("70-30", "two-cores", "inorder", {"cpu.cores": 2, "cpu.core_of.sched": 1}),
    ("saturated", "two-cores", "vaq", {"cpu.cores": 2, "cpu.core_of.ftl": 1}),
    ("70-30", "queue-aware", "sost", {"ftl.placement": "queue_aware"}),
    ("70-30", "depth-1", "host", {"host.queue_depth": 1}),
]


def fitted_loads(names: Sequence[str]) -> list[Load]:
    """Of the schedulers `names`."""
    launches = [
        Load(f"launches {name}", _FLAT, _LAUNCHES, scheduler, keys)
        for name, scheduler, keys in _LAUNCH_SPECIAL
        if scheduler in names
    ]
    return _loads(_GENERAL, _SPECIAL, names) + launches


def held_out_loads(names: Sequence[str], quick: bool = False) -> list[Load]:
    """Of the schedulers `names`; quick: one load each, in turn."""
    if not quick:
        return _loads(_HELD, _HELD_SPECIAL, names)
    every = list(_HELD.items())
    return [
        Load(every[i % len(every)][0], *every[i % len(every)][1], scheduler=name)
        for i, name in enumerate(names)
    ]


def _loads(
    general: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]],
    special: Sequence[tuple[str, str, str, Mapping[str, Any]]],
    names: Sequence[str],
) -> list[Load]:
    loads = [
        Load(load, device, settings, scheduler)
        for scheduler in names
        for load, (device, settings) in general.items()
    ]
    for load, name, scheduler, keys in special:
        if scheduler in names:
            loads.append(Load(f"{load} {name}", *general[load], scheduler=scheduler, keys=keys))
    return loads
