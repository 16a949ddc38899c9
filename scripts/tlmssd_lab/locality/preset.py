# SPDX-License-Identifier: BSD-3-Clause
"""The preset of a workload with locality, as YAML."""

from __future__ import annotations

import dataclasses
import textwrap

import numpy as np

from tlmssd_lab.locality import fit
from tlmssd_lab.locality.arrivals import Arrivals, fit_arrivals, gaps_of
from tlmssd_lab.locality.stack import Flags, Ints, Requests, accesses, distances

_WIDTH = 116
_SECTOR = 512
_SPARE = 1.1  # of the footprint, over what the trace touches
_MIB = 1 << 20


@dataclasses.dataclass(frozen=True)
class Model:
    reads: fit.Side
    writes: fit.Side
    block: int  # bytes
    blocks: int  # that are touched
    arrivals: Arrivals


def fit_model(requests: Requests, block: int, chosen: slice, blocks: int | None = None) -> Model:
    """From a part of the requests; those before it are on the stack. `blocks`: touched by all of them."""
    block_sectors = block // _SECTOR
    uses = accesses(requests, block_sectors)
    distance = distances(uses.block)
    counted: Flags = np.zeros(len(requests), dtype=bool)
    counted[chosen] = True
    sides = [
        fit.fit_side(requests, uses, distance, counted, write, block_sectors)
        for write in (False, True)
    ]
    touched = int((distance == 0).sum()) if blocks is None else blocks
    gaps = gaps_of(requests.arrival_s[chosen])
    return Model(sides[0], sides[1], block, touched, fit_arrivals(gaps))


def text(model: Model, requests: int, about: list[str]) -> str:
    lines = [f"# {line}" for part in about for line in textwrap.wrap(part, _WIDTH - 2)]
    reads, writes = model.reads.requests, model.writes.requests
    rw = "randrw" if reads and writes else "randread" if reads else "randwrite"
    lines += [f"rw: {rw}", f"requests: {requests}"]
    if rw == "randrw":
        lines += [f"reads: {reads}", f"writes: {writes}"]
    footprint = int(np.ceil(model.blocks * model.block * _SPARE / _MIB))
    longest = max((run.sectors for side in (model.reads, model.writes) for run in side.runs), default=1)
    footprint = max(footprint, -(-4 * longest * _SECTOR // _MIB))
    lines += [f"locality_footprint: {footprint}m", f"locality_block: {model.block}"]
    for word, side in (("read", model.reads), ("write", model.writes)):
        if side.requests:
            lines += _folded(f"locality_{word}_runs", _runs(side))
            lines += _folded(f"locality_{word}_reuse", _reuse(side, 0 if word == "read" else 2))
    return "\n".join(lines + _arrivals(model.arrivals)) + "\n"


def _arrivals(arrivals: Arrivals) -> list[str]:
    if arrivals.rate == 0:
        return ["mode: closed"]
    lines = ["mode: open", f"rate_iops: {arrivals.rate:.10g}"]
    if arrivals.burst == 1:
        return [*lines, "rate_process: poisson"]
    return [
        *lines,
        "rate_process: bursts",
        f"burst_requests: {arrivals.burst:.6g}",
        f"burst_gap_us: {arrivals.gap_s * 1e6:.6g}",
    ]


def _size(sectors: int) -> str:
    return f"{sectors // 2}k" if sectors % 2 == 0 else str(sectors * _SECTOR)


def _runs(side: fit.Side) -> list[str]:
    return [
        _size(run.sectors)
        + ("" if run.request == run.sectors else f"x{_size(run.request)}")
        + ("+" if run.more else "")
        + f"/{run.weight}"
        for run in side.runs
    ]


def _reuse(side: fit.Side, own: int) -> list[str]:
    """`own`: the state whose weight may stand alone."""
    out = []
    for of_class in side.reuse:
        steps = [f"new/{of_class.new}"]
        for limit, weights in of_class.steps:
            alone = sum(weights) == weights[own]
            steps.append(f"{limit}/" + (str(weights[own]) if alone else "+".join(map(str, weights))))
        steps[0] = f"{of_class.blocks}={steps[0]}"
        out += [*steps[:-1], f"{steps[-1]},"]
    out[-1] = out[-1].rstrip(",")
    return out


def _folded(key: str, parts: list[str]) -> list[str]:
    """Blanks do not count in these texts; a part that ends with a comma has no colon after it."""
    joined = " ".join(part if part.endswith(",") or i + 1 == len(parts) else part + ":" for i, part in enumerate(parts))
    wrapped = textwrap.wrap(joined, _WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return [f"{key}: >-", *(f"  {line}" for line in wrapped)]


def touched_blocks(requests: Requests, block: int) -> int:
    uses: Ints = accesses(requests, block // _SECTOR).block
    return len(np.unique(uses))
