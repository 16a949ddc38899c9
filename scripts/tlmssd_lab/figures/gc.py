# SPDX-License-Identifier: BSD-3-Clause
"""Reports of garbage collection: write amplification against theory, hot and cold pages, lag."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures import gc_theory
from tlmssd_lab.figures.data import Data, Report, gain, mean, number, signed, table
from tlmssd_lab.run.metrics import value_of
from tlmssd_lab.run.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEADY, RUN = "precondition.waf", "ftl.waf"


def theory(policy: str, op: float, pages: int) -> float:
    """Of a label of the dimension `policy`."""
    if policy == "greedy":
        return gc_theory.greedy(op, pages)
    if policy == "fifo":
        return gc_theory.fifo(op)
    return gc_theory.choices(op, pages, 1 if policy == "random" else int(policy.split()[1]))


@dataclass
class Plane:
    """Numbers of a device that the theory needs; per plane."""

    logical: float  # pages
    blocks: int
    pages: int  # a block
    threshold: int

    @property
    def idle(self) -> float:
        """Blocks that hold no data when a victim is chosen in no time: those that are free, the host's
        new one with its first page, and that of garbage collection, half full on average."""
        return self.threshold + 1.5

    @property
    def usable(self) -> float:
        """Spare / logical pages without the idle blocks."""
        return (self.blocks - self.idle) * self.pages / self.logical - 1


def plane_of(result: Result | None) -> Plane | None:
    """None where there is no result."""
    if result is None:
        return None
    sizes = [value_of(result.json, f"config.geometry.{key}")
             for key in ("channels", "ways", "dies", "planes", "blocks", "pages")]
    more = [value_of(result.json, f"config.ftl.{key}") for key in ("over_provisioning", "gc.threshold_blocks")]
    known = [int(size) for size in sizes if size is not None]
    spare, threshold = more
    if len(known) < len(sizes) or spare is None or threshold is None:
        return None
    planes, whole = math.prod(known[:4]), math.prod(known)
    return Plane(int(whole / (1 + spare)) / planes, known[4], known[5], int(threshold))


def _plane(data: Data, load: str, **labels: str) -> Plane | None:
    return plane_of(next(iter(data.results(load, **labels).values()), None))


def gc_amplification(data: Data) -> Report:
    load, rows = data.loads[0].name, []
    lines: dict[str, list[tuple[float | None, float | None, float | None]]] = {}
    for policy in data.labels("policy"):
        for spare in data.labels("spare"):
            labels = {"policy": policy, "spare": spare}
            plane = _plane(data, load, **labels)
            steady, run = data.mean(STEADY, load, **labels), data.mean(RUN, load, **labels)
            op = plane.usable if plane else None
            expected = None if plane is None else theory(policy, plane.usable, plane.pages)
            lines.setdefault(policy, []).append((op, steady, expected))
            rows.append([policy, number(100 * float(spare), 0),
                         number(None if op is None else 100 * op, 2), number(steady, 3),
                         number(expected, 3), signed(gain(steady, expected)), number(run, 3)])
    heads = ["victim", "spare, %", "usable, %", "steady", "theory", "difference, %", "run"]
    gains = [gain(m, t) for row in lines.values() for _, m, t in row if m and t]
    errors = [abs(each) for each in gains if each is not None]
    least = data.experiment.paper["tolerance"]
    within = sum(error <= least for error in errors)
    text = (f"{within} of {len(errors)} are within {least} % of theory, the worst "
            f"{number(max(errors, default=None))} % away. `usable`: spare pages without the idle blocks; "
            "`theory`: at `usable`; `run`: what follows in simulated time.")
    report = Report([f"{text}\n\n{table(heads, rows)}"], spread={"write amplification when steady": STEADY, "in the run": RUN})
    report.drawings[""] = _curves(lines, _pages(data))
    return report


def _pages(data: Data) -> int:
    found = (plane_of(d.outcome) for d in data.done if isinstance(d.outcome, Result))
    return next((plane.pages for plane in found if plane), 0)


def _curves(lines: dict[str, list[tuple]], pages: int) -> Figure:
    drawing, (place,) = new_drawing(1, 7.0, 4.0)
    for i, (policy, spots) in enumerate(lines.items()):
        known = [(100 * op, measured) for op, measured, _ in spots if op and measured]
        place.plot(*zip(*known) if known else ([], []), "o", color=f"C{i}", label=policy)
        if pages:
            ops = [5 + step for step in range(0, 26, 1)]
            place.plot(ops, [theory(policy, op / 100, pages) for op in ops], color=f"C{i}", linewidth=1)
    place.set_xlabel("usable spare pages, % of the logical ones")
    place.set_ylabel("write amplification")
    place.set_ylim(0, None)
    place.legend(fontsize=8, title="lines: theory", title_fontsize=8)
    return drawing


def gc_hot_cold(data: Data) -> Report:
    load, rows, bars = data.loads[0].name, [], {}
    moved = data.labels("moved")
    for pattern in data.labels("pattern"):
        for policy in data.labels("policy"):
            values = [data.mean(STEADY, load, pattern=pattern, policy=policy, moved=m) for m in moved]
            bars[f"{pattern}\n{policy}"] = values
            row = [pattern, policy, *(number(v, 3) for v in values), signed(gain(*values))]
            rows.append([*row, number(_bound(data, load, pattern, policy), 3)])
    heads = ["writes", "victim", "own blocks", "behind the host's", "own blocks, %", "reference"]
    text = ("`own blocks, %`: change by `ftl.gc.separate: true`. `reference`: theory of greedy: under skew with "
            "hot and cold pages known beforehand and the spare divided best, uniform writes at `usable`.")
    report = Report([f"{text}\n\n{table(heads, rows, 2)}"], spread={"write amplification": STEADY})
    report.drawings[""] = _pairs(bars)
    return report


def _bound(data: Data, load: str, pattern: str, policy: str) -> float | None:
    plane = _plane(data, load, pattern=pattern, policy=policy, moved="true")
    if plane is None or policy != "greedy":
        return None
    shares = data.experiment.paper["shares"].get(pattern)
    if shares is None:
        return gc_theory.greedy(plane.usable, plane.pages)
    return gc_theory.apart(plane.usable, plane.pages, *shares)


def _pairs(bars: dict[str, list]) -> Figure:
    drawing, (place,) = new_drawing(1, 9.0, 3.6)
    for j, name in enumerate(("own blocks", "behind the host's")):
        heights = [values[j] or 0 for values in bars.values()]
        place.bar([i - 0.2 + 0.4 * j for i in range(len(bars))], heights, 0.4, label=name)
    place.set_xticks(range(len(bars)), bars, fontsize=6)
    place.set_ylabel("write amplification")
    place.legend(fontsize=8)
    return drawing


def gc_lag(data: Data) -> Report:
    load, rows, spare, lines = data.loads[0].name, [], [], {}
    queues = data.labels("queue")
    for free in data.labels("free"):
        plane = next(filter(None, (_plane(data, load, free=free, queue=q) for q in queues)), None)
        steady = mean(data.mean(STEADY, load, free=free, queue=q) for q in queues)
        values = [steady, *(data.mean(RUN, load, free=free, queue=q) for q in queues)]
        expected = gc_theory.greedy(plane.usable, plane.pages) if plane else None
        rows.append([free, number(expected, 2), *(number(v, 2) for v in values)])
        spare.append([free, number(plane.idle if plane else None), *_idle(plane, values)])
        lines[free] = values
    heads = ["free blocks", "theory", "no time", *queues]
    first = "Write amplification: in no time (preconditioning), then in runs by outstanding writes."
    second = "Blocks a plane that must be idle for greedy to have it (`rule`: threshold + 1.5)."
    report = Report([f"{first}\n\n{table(heads, rows)}",
                     f"{second}\n\n{table(['free blocks', 'rule', *heads[2:]], spare)}"],
                    spread={"write amplification": RUN})
    report.drawings[""] = _falls(lines, ["no time", *queues])
    return report


def _idle(plane: Plane | None, values: Iterable[float | None]) -> list[str]:
    if plane is None:
        return [number(None) for _ in values]
    return [number(None if v is None else gc_theory.idle_blocks(v, plane.blocks, plane.logical, plane.pages))
            for v in values]


def _falls(lines: dict[str, list], names: list[str]) -> Figure:
    drawing, (place,) = new_drawing(1, 7.0, 3.6)
    for free, values in lines.items():
        known = [(i, v) for i, v in enumerate(values) if v is not None]
        place.plot(*zip(*known) if known else ([], []), "o-", label=free)
    place.set_xticks(range(len(names)), names)
    place.set_ylabel("write amplification")
    place.legend(fontsize=7)
    return drawing
