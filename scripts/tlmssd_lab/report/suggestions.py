# SPDX-License-Identifier: BSD-3-Clause
"""Next runs to try. Each follows from the figures of a run by one rule of a table.

A rule names settings that the configuration of the run accepts. Where they replace a choice that has keys of its
own, it says to leave these out. It never says how much the settings would gain: the next run shows that.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from tlmssd_lab.html_text import number, percent
from tlmssd_lab.report.runs import Run
from tlmssd_lab.stages import STAGE_TEXTS

NEAR = 0.7  # of its bound: from here on a faster limiter is the first thing to try
SHARE = 0.25  # of the mean latency that makes a stage worth a look
MOST, LEAST = 4, 2
_SATA_GBPS = (1.5, 3, 6)
_NCQ_TAGS = 32
_MAX_DEPTH, _MAX_LANES, _MAX_UNITS, _MAX_MHZ, _MAX_BUFFER, _MAX_SPARE = 1024, 16, 32, 100_000, 1024, 1.0
_TAIL = 10_000  # requests, so that ten are beyond p99.9


@dataclasses.dataclass(frozen=True)
class Suggestion:
    rule: str
    why: str  # a sentence from the figures
    what: str  # the experiment, in words
    settings: tuple[str, ...]  # each for a --set


_Found = tuple[str, str, tuple[str, ...]] | None
_Rule = Callable[[Run], _Found]


def suggestions(run: Run) -> list[Suggestion]:
    """Two to four, in the order of the table; no key twice. Fewer where the configuration has no such keys."""
    found: list[Suggestion] = []
    keys: set[str] = set()
    for name, rule, fills in RULES:
        if len(found) >= (LEAST if fills else MOST):
            continue
        answer = rule(run)
        if answer is None or keys & (mine := {setting.split("=")[0] for setting in answer[2]}):
            continue
        keys |= mine
        found.append(Suggestion(name, *answer))
    return found


def _key(run: Run, key: str) -> Any:
    return run.get(f"config.{key}")


def _near(run: Run, limiter: str) -> bool:
    return run.get("bound.limiter") == limiter and (run.get("bound.fraction_of_bound") or 0) >= NEAR


def _far(run: Run) -> bool:
    fraction = run.get("bound.fraction_of_bound")
    return fraction is not None and fraction < NEAR and run.get("bound.limiter") != "arrival"


def _share(run: Run, *stages: str) -> float:
    """Part of the mean latency that these stages are."""
    means = run.stage_means() or {}
    total = sum(means.values())
    return sum(means.get(stage, 0.0) for stage in stages) / total if total else 0.0


def _reached(run: Run, what: str) -> str:
    return f"The run is at {percent(run.get('bound.fraction_of_bound'))} of the bound of {what}."


def _may_leave_sata(run: Run) -> bool:
    """Whether no key is set that only a SATA link has."""
    plain = {"ncq": True, "queued_trim": False, "fifo_kib": "unlimited", "bit_error_rate": 0, "link": "fast"}
    return all(_key(run, f"sata.{key}") == value for key, value in plain.items())


def _link(run: Run) -> _Found:
    if not _near(run, "link"):
        return None
    why = _reached(run, "the host link")
    gbps, lanes = _key(run, "sata.gbps"), _key(run, "pcie.lanes")
    if _key(run, "host.kind") == "sata" and gbps in _SATA_GBPS[:-1]:
        faster = _SATA_GBPS[_SATA_GBPS.index(gbps) + 1]
        return why, "Try the next line rate of SATA.", (f"sata.gbps={faster:g}",)
    if _key(run, "host.kind") == "sata" and _may_leave_sata(run):
        return why, "Try NVMe over PCI Express, without keys that only SATA has.", ("host.kind=nvme",)
    if _key(run, "host.kind") == "nvme" and isinstance(lanes, int) and 2 * lanes <= _MAX_LANES:
        return why, "Try twice the lanes.", (f"pcie.lanes={2 * lanes}",)
    return None


def _cpu_busy(run: Run) -> str | None:
    """Why the firmware's core is worth a change."""
    busiest = max(run.core_busy(), default=0.0)
    if _near(run, "cpu"):
        return _reached(run, "the busiest core")
    return f"The busiest core is busy for {percent(busiest)} of the time." if busiest > 0.8 else None


def _clock(run: Run) -> _Found:
    mhz, why = _key(run, "cpu.mhz"), _cpu_busy(run)
    if why is None or not isinstance(mhz, int) or 2 * mhz > _MAX_MHZ:
        return None
    return why, "Try twice the clock.", (f"cpu.mhz={2 * mhz}",)


def _second_core(run: Run) -> _Found:
    cycles: dict[str, int] = run.get("cpu.cycles", {})
    modules = _key(run, "cpu.core_of")
    if _cpu_busy(run) is None or _key(run, "cpu.cores") != 1 or not isinstance(modules, dict) or not any(
            cycles.get(name) for name in modules):
        return None
    heaviest = max(modules, key=lambda name: cycles.get(name, 0))
    part = cycles[heaviest] / sum(cycles.values())
    return (f"The module {heaviest} takes {percent(part)} of the firmware's cycles.",
            "Try a second core for it.", ("cpu.cores=2", f"cpu.core_of.{heaviest}=1"))


def _plain_controller(run: Run) -> bool:
    """Whether no key is set that only some schedulers or controllers have."""
    plain = {"suspend": "none", "priorities": "none", "streams": "one", "issue_policy": "first_come",
             "cache_ops": "none"}
    return _key(run, "controller.kind") == "tlm" and all(
        _key(run, f"controller.{key}") in (None, value) for key, value in plain.items())


def _without_own_keys(run: Run) -> str:
    """Names keys that another scheduler refuses. The results do not show whether a device file sets them."""
    scheduler = str(_key(run, "scheduler"))
    section = "paq" if scheduler.startswith("paq") else scheduler
    return f", without the keys of {section}" if isinstance(_key(run, section), dict) else ""


def _cheaper_scheduler(run: Run) -> _Found:
    cycles: dict[str, int] = run.get("cpu.cycles", {})
    part = cycles.get("sched", 0) / max(1, sum(cycles.values()))
    if _cpu_busy(run) is None or part < SHARE or _key(run, "scheduler") == "inorder" or not _plain_controller(run):
        return None
    return (f"The scheduler takes {percent(part)} of the firmware's cycles.",
            f"Try one that decides less{_without_own_keys(run)}.", ("scheduler=inorder", "controller.mode=auto"))


def _depth(run: Run) -> _Found:
    depth = _key(run, "host.queue_depth")
    if not _near(run, "depth") or not isinstance(depth, int):
        return None
    why = _reached(run, "the queue depth")
    own, jobs = _key(run, "workload.iodepth"), _key(run, "workload.numjobs") or 1
    if isinstance(own, int) and own * jobs < depth:
        return why, "Let the workload keep more requests outstanding.", (f"workload.iodepth={min(2 * own, depth)}",)
    deeper, settings = min(2 * depth, _MAX_DEPTH), []
    if _key(run, "host.kind") == "sata" and not _key(run, "sata.extended_tags"):
        if depth >= _NCQ_TAGS:
            if not _may_leave_sata(run):
                return None
            settings.append("host.kind=nvme")
        else:
            deeper = min(deeper, _NCQ_TAGS)
    elif _key(run, "host.kind") == "sata":
        deeper = min(deeper, 256)
    if deeper <= depth or (_key(run, "host.kind") == "sata" and _key(run, "sata.ncq") is False):
        return None
    settings.append(f"host.queue_depth={deeper}")
    if isinstance(own, int) and own * jobs < deeper and _key(run, "workload.mode") == "closed":
        settings.append(f"workload.iodepth={-(-deeper // jobs)}")
    left = ", without keys that only SATA has" if "host.kind=nvme" in settings else ""
    return why, f"Try a deeper queue{left}.", tuple(settings)


def _reorder(run: Run) -> _Found:
    waits = _share(run, "sched", "wait_die")
    scheduler = _key(run, "scheduler")
    if not _far(run) or waits < SHARE or not _plain_controller(run):
        return None
    why = (f"Requests spend {percent(waits)} of their latency waiting for the scheduler or a die, at "
           f"{percent(run.get('bound.fraction_of_bound'))} of the bound.")
    if scheduler in ("serial", "barrier"):
        return why, "Try a scheduler that overlaps the dies.", ("scheduler=inorder", "controller.mode=auto")
    if run.get("controller.effective_mode") != "ooo" and scheduler != "host":
        return (why, f"Try a controller that reorders{_without_own_keys(run)}.",
                ("scheduler=host", "controller.mode=auto"))
    return None


def _twice(run: Run, key: str, why: str, what: str) -> _Found:
    count = _key(run, key)
    if not isinstance(count, int) or 2 * count > _MAX_UNITS:
        return None
    return why, what, (f"{key}={2 * count}",)


def _channels(run: Run) -> _Found:
    part = _share(run, "wait_bus", "transfer")
    if _near(run, "channel"):
        return _twice(run, "geometry.channels", _reached(run, "the busiest channel"), "Try twice the channels.")
    if part < SHARE:
        return None
    return _twice(run, "geometry.channels", f"Transfers and the wait for the bus are {percent(part)} of the latency.",
                  "Try twice the channels.")


def _dies(run: Run) -> _Found:
    if not _near(run, "die"):
        return None
    return _twice(run, "geometry.ways", _reached(run, "the busiest die"), "Try twice the packages per channel.")


def _spare(run: Run) -> _Found:
    waf, spare = run.get("ftl.waf"), _key(run, "ftl.over_provisioning")
    if waf is None or waf < 1.5 or not isinstance(spare, int | float) or not 0 < 2 * spare <= _MAX_SPARE:
        return None
    return (f"Garbage collection multiplies the programs: write amplification is {number(waf)}.",
            "Try more spare capacity.", (f"ftl.over_provisioning={2 * spare:g}",))


def _cache(run: Run) -> _Found:
    means = run.stage_means("writes") or {}
    if _key(run, "buffer.policy") != "none" or not run.get("host.writes.count") or not means.get("cell"):
        return None
    return ("Writes wait for the cell array, because the device has no write cache.",
            "Try a cache.", ("buffer.policy=lru",))


def _buffer(run: Run) -> _Found:
    hits, size = run.get("buffer.hit_ratio"), _key(run, "buffer.size_mib")
    if hits is None or not 0.05 <= hits <= 0.95 or not isinstance(size, int | float) or 2 * size > _MAX_BUFFER \
            or _key(run, "buffer.policy") == "none":
        return None
    return (f"{percent(hits)} of the accesses to the buffer are hits.", "Try a buffer of twice the size.",
            (f"buffer.size_mib={2 * size:g}",))


def _load(run: Run) -> _Found:
    if run.get("bound.limiter") != "arrival" or len(run.jobs()) > 1 or _key(run, "workload.mode") != "open" or \
            _key(run, "workload.rate_process") == "poisson":
        return None
    return ("The arrivals set the pace, so the throughput is that of the workload.",
            "See what the device can do when requests come at once.", ("workload.mode=closed",))


def _longer(run: Run) -> _Found:
    count, configured = run.get("host.all.count", 0), _key(run, "workload.requests")
    if count >= _TAIL or not isinstance(configured, int) or isinstance(configured, bool) or len(run.jobs()) > 1:
        return None
    return (f"A run of {number(count)} requests has fewer than ten beyond its p99.9.",
            f"Run {10 * configured:,} requests to see the tail.", (f"workload.requests={10 * configured}",))


def _stages(run: Run) -> _Found:
    if run.stage_means() is not None or _key(run, "observe.stages") is not False:
        return None
    return "The stages of the latency were not measured.", "Measure them.", ("observe.stages=true",)


def _seed(run: Run) -> _Found:
    seed = run.get("seed")
    if not isinstance(seed, int):
        return None
    return ("One run does not show how far chance moves the figures.", "Repeat it with another seed.",
            (f"seed={seed + 1}",))


def longest_stage(run: Run) -> str | None:
    """Where most of the mean latency goes, as a sentence."""
    means = run.stage_means()
    if not means or not sum(means.values()):
        return None
    first, second = sorted(means, key=lambda stage: means[stage], reverse=True)[:2]
    total = sum(means.values())
    return (f"Of a mean latency of {number(total)} \u00b5s, {percent(means[first] / total)} is "
            f"\u201c{STAGE_TEXTS[first]}\u201d and {percent(means[second] / total)} is "
            f"\u201c{STAGE_TEXTS[second]}\u201d.")


# Name, rule, whether it only fills up to LEAST: in the order in which they are tried.
RULES: tuple[tuple[str, _Rule, bool], ...] = (
    ("stages", _stages, False),
    ("link", _link, False),
    ("clock", _clock, False),
    ("second core", _second_core, False),
    ("cheaper scheduler", _cheaper_scheduler, False),
    ("depth", _depth, False),
    ("dies", _dies, False),
    ("reorder", _reorder, False),
    ("channels", _channels, False),
    ("spare", _spare, False),
    ("cache", _cache, False),
    ("buffer", _buffer, False),
    ("load", _load, False),
    ("longer", _longer, True),
    ("seed", _seed, True))
