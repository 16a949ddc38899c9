# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a fit from what fio has measured: the file of `fio --output-format=json`."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from tlmssd_lab.errors import LabInputError, nearest
from tlmssd_lab.fit.rows import FIT, PREDICT, Row

METRICS = ("bw", "iops", "mean", "p50", "p95", "p99", "p999", "p9999")
_PERCENTILES = {
    "p50": "50.000000",
    "p95": "95.000000",
    "p99": "99.000000",
    "p999": "99.900000",
    "p9999": "99.990000",
}
_SIDES = {
    "read": ("read",),
    "randread": ("read",),
    "write": ("write",),
    "randwrite": ("write",),
    "rw": ("read", "write"),
    "readwrite": ("read", "write"),
    "randrw": ("read", "write"),
}
_PLAIN = {  # options that the model has under the same name, as fio writes them
    "rwmixread", "rwmixwrite", "random_distribution", "percentage_random", "norandommap",
}  # fmt: skip
_SYNC = ("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap")
_HARMLESS = {  # of the host, or of how long fio measured: the model's run says how long it is
    "name", "description", "filename", "directory", "ioengine", "direct", "runtime", "time_based",
    "ramp_time", "size", "filesize", "number_ios", "io_size", "loops", "numjobs", "group_reporting",
    "stonewall", "thread", "randrepeat", "randseed", "allrandrepeat", "cpus_allowed", "invalidate",
    "clat_percentiles", "lat_percentiles", "percentile_list", "hipri", "fixedbufs", "registerfiles",
    "sqthread_poll", "userspace_reap", "refill_buffers", "iodepth_batch_submit", "log_avg_msec",
    "iodepth_batch_complete_min", "iodepth_batch_complete_max", "iodepth_low", "readonly",
    "write_bw_log", "write_lat_log", "write_iops_log", "fallocate", "create_on_open", "unlink",
    "eta", "disable_slat", "gtod_reduce", "numa_cpu_nodes", "wait_for_previous",
}  # fmt: skip


def rows_of_fio(
    path: pathlib.Path,
    metrics: Sequence[str],
    use: str = FIT,
    weight: float = 1.0,
    predicted: Sequence[str] = (),
) -> list[Row]:
    """A row for each metric of each job (of each direction where it is mixed). The jobs in
    `predicted` are held out. LabInputError names file, job and option."""
    jobs, common = _jobs(path)
    names = [str(job.get("jobname")) for job in jobs]
    for name in predicted:
        if name not in names:
            raise LabInputError(f"{path}: predict: no job '{name}'{nearest(name, names)}")
    rows: list[Row] = []
    for number, job in enumerate(jobs):
        where = f"{path}: job '{names[number]}'"
        options = {**common, **_mapping(job.get("job options"), f"{where}: job options")}
        if names.count(names[number]) > 1:
            raise LabInputError(
                f"{where}: is here {names.count(names[number])} times: run fio with group_reporting"
            )
        # fio writes no flags into the options; a stonewall begins a new group.
        if any(job.get("groupid") == other.get("groupid") for other in jobs[:number]):
            raise LabInputError(f"{where}: ran beside another job: give each job stonewall")
        settings, sides = _workload(options, where)
        for side in sides:
            for metric in metrics:
                key, value, unit = _measured(job, side, metric, where, len(sides) > 1)
                name = f"{names[number]} {side + ' ' if len(sides) > 1 else ''}{metric}"
                held = PREDICT if names[number] in predicted else use
                rows.append(Row(name, where, None, settings, key, value, unit, weight, held))
    return rows


def _jobs(path: pathlib.Path) -> tuple[list[Mapping[str, Any]], Mapping[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise LabInputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise LabInputError(f"{path}: no text in UTF-8") from None
    start = text.find("{")  # fio puts its warnings before
    try:
        document = json.loads(text[max(start, 0) :])
    except ValueError as error:
        raise LabInputError(f"{path}: no JSON of fio: {error}") from None
    jobs = document.get("jobs") if isinstance(document, dict) else None
    if not isinstance(jobs, list) or not jobs or not all(isinstance(job, dict) for job in jobs):
        raise LabInputError(f"{path}: no results of fio: 'jobs' is missing or empty")
    return jobs, _mapping(document.get("global options"), f"{path}: global options")


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise LabInputError(f"{where}: must be a map")
    return value


def _workload(options: Mapping[str, Any], where: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Settings of the model that do what the job did."""
    known = {*_HARMLESS, *_PLAIN, "rw", "readwrite", "bs", "blocksize", "iodepth"}
    for option in options:
        if option not in known:
            raise LabInputError(
                f"{where}: {option}: what this does is not taken over{nearest(option, known)}; "
                "give the job as a row with set"
            )
    rw = str(options.get("rw", options.get("readwrite", "read")))
    if rw not in _SIDES:
        raise LabInputError(f"{where}: rw: '{rw}' is none of {', '.join(_SIDES)}{nearest(rw, _SIDES)}")
    if str(options.get("direct", "0")) != "1":
        raise LabInputError(f"{where}: direct: must be 1: else the page cache was measured")
    size = str(options.get("bs", options.get("blocksize", "4k")))
    jobs = _whole(options, "numjobs", where)
    depth = jobs * _whole(options, "iodepth", where)
    if options.get("ioengine", "psync") in _SYNC:
        depth = jobs  # such an engine has one request open, whatever iodepth says
    settings = {
        "workload.rw": {"rw": "readwrite"}.get(rw, rw),
        "workload.bs": str(_bytes(size, where)),
        "host.queue_depth": str(depth),
    }
    if len(_SIDES[rw]) > 1:
        if "rwmixwrite" in options:
            settings["workload.rwmixread"] = str(100 - _whole(options, "rwmixwrite", where))
        elif "rwmixread" in options:
            settings["workload.rwmixread"] = str(options["rwmixread"])
    if rw.startswith("rand"):
        for option in ("random_distribution", "percentage_random"):
            if option in options:
                settings[f"workload.{option}"] = str(options[option])
        if options.get("random_distribution", "random") == "random":
            # fio visits each block once unless told not to.
            free = str(options.get("norandommap", "0")) != "0"
            settings["workload.norandommap"] = "true" if free else "false"
    return settings, _SIDES[rw]


def _whole(options: Mapping[str, Any], key: str, where: str) -> int:
    text = str(options.get(key, "1"))
    if not text.isdigit() or int(text) < 1:
        raise LabInputError(f"{where}: {key}: must be a whole number from 1, not '{text}'")
    return int(text)


def _bytes(text: str, where: str) -> int:
    """fio's size: k, m are 1024 and its square, as kb, kib, ki."""
    digits = text.rstrip("kKmMiIbB")
    power = {"": 0, "k": 1, "m": 2}.get(text[len(digits) :].lower().rstrip("ib"))
    if not digits.isdigit() or power is None:
        raise LabInputError(f"{where}: bs: '{text}' is no single size, as in 4k")
    return int(digits) * 1024**power


def _measured(
    job: Mapping[str, Any], side: str, metric: str, where: str, mixed: bool
) -> tuple[str, float, str]:
    """Key of results.json, value in its unit, unit of the table."""
    part = _mapping(job.get(side), f"{where}: {side}")
    if not part.get("total_ios"):
        raise LabInputError(f"{where}: {side}: has no requests (total_ios)")
    head = f"host.{side}s" if mixed else "host.all"
    if metric == "bw":
        key = "bw_bytes" if "bw_bytes" in part else "bw"
        factor = 1e-6 if key == "bw_bytes" else 1.024e-3
        return f"{head}.mb_s", _positive(part, key, f"{where}: {side}") * factor, "MB/s"
    if metric == "iops":
        return f"{head}.iops", _positive(part, "iops", f"{where}: {side}"), "IOPS"
    times, name = _mapping(part.get("clat_ns"), f"{where}: {side}.clat_ns"), "mean"
    at = f"{where}: {side}.clat_ns"
    if metric != "mean":
        times, name = _mapping(times.get("percentile"), f"{at}.percentile"), _PERCENTILES[metric]
        at += ".percentile"
    return f"{head}.latency_us.{metric}", _positive(times, name, at) * 1e-3, "us"


def _positive(part: Mapping[str, Any], key: str, where: str) -> float:
    value = part.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
        raise LabInputError(f"{where}.{key}: must be a number above 0, not {value!r}")
    return float(value)
