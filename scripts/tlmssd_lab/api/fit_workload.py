# SPDX-License-Identifier: BSD-3-Clause
"""lab.fit_workload: a workload preset with the locality of a block trace."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import tempfile
from collections.abc import Mapping
from typing import Any

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.files import write_whole
from tlmssd_lab.locality.arrivals import gaps_of, variation
from tlmssd_lab.locality.check import ALLOWED, Curves, curves, sizes_for
from tlmssd_lab.locality.preset import Model, fit_model, text, touched_blocks
from tlmssd_lab.locality.requests import load
from tlmssd_lab.locality.stack import Requests
from tlmssd_lab.run.run import Trace

_LEAST = 200  # requests
_SECTOR = 512
DEVICE = "device_256g"


@dataclasses.dataclass(frozen=True)
class WorkloadFit:
    """`held_out`: the half that was not fitted, `by_half`: what the fit of the other half makes; `piece` and
    `by_all`: the same for all of the trace. `yaml` is the preset, fitted to all of the trace."""

    name: str
    requests: int
    yaml: str
    fitted_half: Curves
    held_out: Curves
    by_half: Curves
    piece: Curves
    by_all: Curves
    arrivals: Mapping[str, float]
    messages: tuple[str, ...]

    @property
    def text(self) -> str:
        """The table that tlmssd-lab fit-workload prints."""
        lines = [
            f"{self.name}: {self.requests:,} requests; hit ratios in % of LRU caches, each empty at first; "
            f"*: beyond {ALLOWED:g} points",
            f"{'blocks':>9} {'half 1':>8} {'half 2':>8} {'fit of 1':>8} {'error':>6}"
            f" {'trace':>8} {'preset':>8} {'error':>6}",
        ]
        for i, size in enumerate(self.held_out.sizes):
            half, made = self.held_out.all[i], self.by_half.all[i]
            all_of_it, preset = self.piece.all[i], self.by_all.all[i]
            mark = " *" if abs(made - half) > ALLOWED else ""
            lines.append(
                f"{size:9} {self.fitted_half.all[i]:8.1f} {half:8.1f} {made:8.1f} {made - half:+6.1f}"
                f" {all_of_it:8.1f} {preset:8.1f} {preset - all_of_it:+6.1f}{mark}"
            )
        return "\n".join([*lines, *self.verdict(), *self._arrivals()]) + "\n"

    def verdict(self) -> list[str]:
        outside = len(self.by_half.outside(self.held_out))
        worst, at = self.by_half.worst(self.held_out)
        change = self.fitted_half.worst(self.held_out)
        own = self.by_half.worst(self.fitted_half)
        whole = self.by_all.worst(self.piece)
        reads, writes = (self.by_half.worst(self.held_out, part)[0] for part in ("reads", "writes"))
        within = (
            f"within {ALLOWED:g} points at all sizes"
            if outside == 0
            else f"NOT within {ALLOWED:g} points at {outside} of {len(self.held_out.sizes)} sizes"
        )
        return [
            f"held-out half: {within}; worst {worst:+.1f} at {at} blocks (reads {reads:+.1f}, writes {writes:+.1f})",
            f"the halves themselves differ by up to {change[0]:+.1f} at {change[1]}; "
            f"on its own half the fit is off by up to {own[0]:+.1f} at {own[1]}",
            f"preset, fitted to all: worst {whole[0]:+.1f} at {whole[1]} blocks",
        ]

    def _arrivals(self) -> list[str]:
        a = self.arrivals
        if a["rate"] == 0:
            return ["arrivals: the trace has no times; the preset is closed loop"]
        return [
            f"arrivals: {a['rate']:.4g} a second (halves {a['rate_1']:.4g}, {a['rate_2']:.4g}); bursts of "
            f"{a['burst']:.4g}; squared variation of the gaps {a['variation']:.3g}, of the preset {a['of_preset']:.3g}"
        ]

    @property
    def document(self) -> dict[str, Any]:
        def plain(part: Curves) -> dict[str, list[float]]:
            return {key: getattr(part, key).tolist() for key in ("sizes", "all", "reads", "writes")}

        parts = ("fitted_half", "held_out", "by_half", "piece", "by_all")
        return {
            "name": self.name,
            "requests": self.requests,
            "worst": self.by_half.worst(self.held_out)[0],
            "outside": self.by_half.outside(self.held_out),
            "worst_of_preset": self.by_all.worst(self.piece)[0],
            "arrivals": dict(self.arrivals),
            **{part: plain(getattr(self, part)) for part in parts},
        }


def fit_workload(
    trace: str | os.PathLike[str] | Trace,
    *,
    out: str | os.PathLike[str] | None = None,
    device: str = DEVICE,
    block: int = 4096,
    lenient: bool = False,
    settings: Mapping[str, Any] | None = None,
    about: str = "",
    seed: int = 1,
    binary: str | os.PathLike[str] | None = None,
) -> WorkloadFit:
    """Fit a workload with locality to a block trace (docs/explanation/locality.md).

    Arguments:
        trace: a block trace: a path, or Trace(path, format, columns).
        out: write the preset to this file.
        device: its size is the range of the addresses; trace and preset are not simulated.
        block: bytes of a block, the unit of distances.
        lenient: leave out broken lines of the trace.
        settings: keys of the trace, such as {"workload.dedup_us": 500}.
        about: a sentence about the trace, for the preset's first comment.
        seed: of the presets' requests that are compared with the trace.
        binary: the program. Default: as in lab.run.

    Returns:
        The fit of the first half beside the second, that of all beside all, and the preset.

    Raises:
        LabInputError: the trace cannot be read, or is too short. LabModelError: the program failed.
    """
    given = trace if isinstance(trace, Trace) else Trace(trace)
    keys = {key: str(value) for key, value in (settings or {}).items()}
    if block < _SECTOR or block % _SECTOR != 0 or block & (block - 1):
        raise LabInputError(f"block: {block} is not a power of two of at least {_SECTOR} bytes")
    requests, messages = load(device, trace=given, settings=keys, lenient=lenient, binary=binary)
    if len(requests) < _LEAST:
        raise LabInputError(f"{os.fspath(given.path)}: {len(requests)} reads and writes; a fit needs {_LEAST}")
    count = len(requests)
    halves = slice(0, count // 2), slice(count // 2, count)
    blocks = touched_blocks(requests, block)
    name = pathlib.Path(out).stem if out is not None else pathlib.Path(given.path).name.split(".")[0]
    half = fit_model(requests, block, halves[0], blocks)
    whole = fit_model(requests, block, slice(0, count))
    sectors = block // _SECTOR
    half_sizes = sizes_for(max(touched_blocks(requests.part(part), block) for part in halves))
    sizes = sizes_for(blocks)
    held_out = requests.part(halves[1])
    made_half = _made(half, name, len(held_out), device, seed, binary)
    made_all = _made(whole, name, count, device, seed, binary)
    found = WorkloadFit(
        name,
        count,
        "",
        curves(requests.part(halves[0]), sectors, half_sizes),
        curves(held_out, sectors, half_sizes),
        curves(made_half, sectors, half_sizes),
        curves(requests, sectors, sizes),
        curves(made_all, sectors, sizes),
        _arrivals(requests, halves, whole),
        tuple(messages),
    )
    source = pathlib.Path(given.path).name
    comments = [
        about or f"With the locality of the trace {source}.",
        f"Made by tlmssd-lab fit-workload from {source}; do not edit.",
        *found.verdict(),
    ]
    found = dataclasses.replace(found, yaml=text(whole, count, comments))
    if out is not None:
        write_whole(pathlib.Path(out), found.yaml)
    return found


def _made(model: Model, name: str, count: int, device: str, seed: int, binary: Any) -> Requests:
    with tempfile.TemporaryDirectory(prefix="tlmssd-lab-") as folder:
        preset = pathlib.Path(folder, f"{name}.yaml")
        preset.write_text(text(model, count, []), encoding="utf-8")
        return load(device, workload=preset, settings={"seed": str(seed)}, binary=binary)[0]


def _arrivals(requests: Requests, halves: tuple[slice, slice], model: Model) -> dict[str, float]:
    def rate(part: slice) -> float:
        gaps = gaps_of(requests.arrival_s[part])
        return 1 / float(gaps.mean()) if len(gaps) and gaps.sum() > 0 else 0.0

    return {
        "rate": model.arrivals.rate,
        "rate_1": rate(halves[0]),
        "rate_2": rate(halves[1]),
        "burst": model.arrivals.burst,
        "variation": variation(gaps_of(requests.arrival_s)),
        "of_preset": model.arrivals.variation(),
    }
