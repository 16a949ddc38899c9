# SPDX-License-Identifier: BSD-3-Clause
"""Report of the crossover: where scheduling in firmware overtakes the out-of-order controller."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tlmssd_lab.figures.data import NONE, Data, Report, digits, mean, number, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HARDWARE, ORDER = "host RTL", "inorder"
TIE = 0.02  # schemes within 2 % of the best are as good as it
LUNS = 8  # a channel, in all points


@dataclass(frozen=True)
class Law:
    """docs/notebook/area.md, "Growth law": what does not grow, of a channel, of a LUN."""

    controller: str
    top: str  # as `scripts/synth --fit` names it
    lut4: tuple[int, int, int]
    sites: tuple[int, int, int]


OUT_OF_ORDER = Law(
    f"out of order: `{HARDWARE}`",
    "o3_controller, 256, 8",
    (2015, 1875, 128),
    (3784, 2993, 139),
)
IN_ORDER = Law(
    "the same in order: enough for all others",
    "o3_inorder, 256, 1",
    (1368, 701, 96),
    (2385, 988, 110),
)
ROUND_ROBIN = Law(
    "`round_robin`: in order, can less",
    "examples/own-rtl/round_robin, 256",
    (2959, 391, 7),
    (4245, 779, 17),
)
LAWS = (OUT_OF_ORDER, IN_ORDER, ROUND_ROBIN)


@dataclass(frozen=True)
class Kind:
    """One figure that schemes are compared by."""

    key: str
    name: str
    short: str
    more: bool  # is better


FIGURES = (
    Kind("host.all.iops", "throughput", "iops", True),
    Kind("host.all.latency_us.mean", "mean latency", "mean", False),
    Kind("host.all.latency_us.p99", "99 % latency", "p99", False),
    Kind("host.all.latency_us.p999", "99.9 % latency", "p999", False),
)

Spot = Mapping[str, str]


class _Values:
    """The figures of all points, each read once; larger is better in all of them."""

    def __init__(self, data: Data, load: str, figure: Kind) -> None:
        self._data, self._load, self._figure = data, load, figure

    def of(self, spot: Spot, scheme: str) -> float | None:
        value = self._data.mean(self._figure.key, self._load, **spot, scheme=scheme)
        if value is None or self._figure.more:
            return value
        return 1 / value if value else None

    def best(self, spot: Spot, schemes: list[str]) -> tuple[str, float] | None:
        found = [(name, value) for name in schemes if (value := self.of(spot, name)) is not None]
        return max(found, key=lambda item: item[1]) if found else None


def spots(data: Data) -> list[Spot]:
    names = [d.name for d in data.experiment.dimensions if d.name != "scheme"]
    return [dict(zip(names, labels))
            for labels in itertools.product(*(data.labels(name) for name in names))]


def crossover(data: Data) -> Report:
    schemes = data.labels("scheme")
    software = [name for name in schemes if name not in (HARDWARE, ORDER)]
    report = Report([])
    for load in (each.name for each in data.loads):
        values = {figure.short: _Values(data, load, figure) for figure in FIGURES}
        report.parts.append(f"**{load}**: in how many of the {len(spots(data))} devices a scheme is "
                            f"the best or within {100 * TIE:.0f} % of it")
        report.parts.append(_wins(data, schemes, values))
        for figure in FIGURES:
            what = (f"**{load}**: the slowest CPU clock, MHz, from which on the best scheduler in "
                    f"firmware has at least the {figure.name} of `{HARDWARE}` ")
            what += "(- : with none of them; equal within 2 % counts)"
            report.parts.append(what)
            report.parts.append(_thresholds(data, software, values[figure.short]))
            drawing = _maps(data, software, values[figure.short], f"{load}, {figure.name}")
            report.drawings[f"-{load}-{figure.short}"] = drawing
    report.parts += _costs(data, schemes)
    return report


def _wins(data: Data, schemes: list[str], values: Mapping[str, _Values]) -> str:
    rows = []
    for figure in FIGURES:
        counts = dict.fromkeys(schemes, 0)
        alone = dict.fromkeys(schemes, 0)
        for spot in spots(data):
            best = values[figure.short].best(spot, schemes)
            if best is None:
                continue
            near = [name for name in schemes
                    if (value := values[figure.short].of(spot, name)) is not None
                    and value >= best[1] * (1 - TIE)]
            for name in near:
                counts[name] += 1
            if len(near) == 1:
                alone[near[0]] += 1
        rows.append([figure.name, *(f"{counts[n]} ({alone[n]} alone)" for n in schemes)])
    return table(["", *schemes], rows)


def _ratio(values: _Values, spot: Spot, software: list[str]) -> float | None:
    """Of the best scheduler in firmware to the controller; above 1 firmware is ahead."""
    best, hardware = values.best(spot, software), values.of(spot, HARDWARE)
    return best[1] / hardware if best is not None and hardware else None


def _thresholds(data: Data, software: list[str], values: _Values) -> str:
    depths, clocks = data.labels("depth"), data.labels("clock")
    rows = []
    for nand, channels in itertools.product(data.labels("nand"), data.labels("channels")):
        row = [nand, channels]
        for depth in depths:
            place = {"nand": nand, "channels": channels, "depth": depth}
            row.append(_first(values, place, clocks, software))
        rows.append(row)
    return table(["NAND", "channels", *(f"depth {depth}" for depth in depths)], rows, 1)


def _first(values: _Values, place: Spot, clocks: list[str], software: list[str]) -> str:
    """The slowest clock with which, and with all faster ones, firmware is not behind."""
    found = NONE
    for clock in sorted(clocks, key=float, reverse=True):
        ratio = _ratio(values, {**place, "clock": clock}, software)
        if ratio is None or ratio < 1 - TIE:
            break
        found = clock
    return found


def _maps(data: Data, software: list[str], values: _Values, title: str) -> Figure:
    """A map a NAND and number of channels: clock by depth, the colour the ratio, a line where it
    crosses 1, in each place the best scheduler in firmware."""
    from matplotlib.colors import TwoSlopeNorm
    from matplotlib.figure import Figure as Drawing

    nands, channels = data.labels("nand"), data.labels("channels")
    depths, clocks = data.labels("depth"), data.labels("clock")
    drawing = Drawing(figsize=(3.4 * len(channels), 2.3 * len(nands) + 0.6), layout="constrained")
    axes = drawing.subplots(len(nands), len(channels), squeeze=False)
    norm = TwoSlopeNorm(1.0, 0.5, 1.5)
    image = None
    for (row, nand), (column, width) in itertools.product(enumerate(nands), enumerate(channels)):
        place = axes[row][column]
        grid: list[list[float]] = []
        for depth in depths:
            line: list[float] = []
            for clock in clocks:
                spot = {"nand": nand, "channels": width, "depth": depth, "clock": clock}
                ratio = _ratio(values, spot, software)
                line.append(float("nan") if ratio is None else ratio)
                best = values.best(spot, software)
                if best is not None:
                    dark = ratio is not None and not 0.65 < ratio < 1.3
                    place.text(len(line) - 1, len(grid), best[0][:2], ha="center", va="center",
                               fontsize=6, color="white" if dark else "black")
            grid.append(line)
        image = place.imshow(grid, origin="lower", aspect="auto", cmap="PuOr", norm=norm)
        if len(depths) > 1 and len(clocks) > 1 and _crosses(grid):
            place.contour(grid, levels=[1.0], colors="black", linewidths=1.2)
        place.set_xticks(range(len(clocks)), clocks, fontsize=6)
        place.set_yticks(range(len(depths)), depths, fontsize=6)
        place.set_title(f"{nand}, {width} channels", fontsize=7)
        if row == len(nands) - 1:
            place.set_xlabel("CPU clock, MHz", fontsize=7)
        if column == 0:
            place.set_ylabel("queue depth", fontsize=7)
    names = ", ".join(f"{name[:2]}: {name}" for name in software)
    words = f"{title}: best firmware scheduler ({names}) / {HARDWARE}; line: equal"
    drawing.suptitle(words, fontsize=9)
    if image is not None:
        bar = drawing.colorbar(image, ax=axes, shrink=0.6, extend="both")
        bar.ax.tick_params(labelsize=6)
    return drawing


def _crosses(grid: list[list[float]]) -> bool:
    known = [value for line in grid for value in line if value == value]
    return bool(known) and min(known) < 1 < max(known)


def _costs(data: Data, schemes: list[str]) -> list[str]:
    rows = []
    for load in (each.name for each in data.loads):
        for name, per_request in (("cycles of firmware a request", _cycles),
                                  ("uJ of NAND and bus a request", _energy)):
            row = [load, name]
            for scheme in schemes:
                found = [per_request(result.json) for spot in spots(data)
                         for result in data.results(load, **spot, scheme=scheme).values()]
                row.append(digits(mean(found)))
            rows.append(row)
    return [
        "**Costs**, means over all devices",
        table(["load", "", *schemes], rows, 2),
        *luts(data.labels("channels")),
    ]


def luts(channels: list[str]) -> list[str]:
    """Area of the controllers. A firmware that decides needs a controller that works in order."""
    counts = {
        law.controller: [
            base + int(c) * (channel + LUNS * lun)
            for base, channel, lun in (law.lut4, law.sites)
            for c in channels
        ]
        for law in LAWS
    }
    more, less = counts[OUT_OF_ORDER.controller], counts[IN_ORDER.controller]
    counts["reordering: the first less the second"] = [a - b for a, b in zip(more, less)]
    rows = [[name, *(number(count, 0) for count in found)] for name, found in counts.items()]
    kinds = [f"{kind}, {c} channels" for kind in ("LUT4", "LUT sites") for c in channels]
    return [
        f"**LUTs of the controllers**, {LUNS} LUNs per channel, 256 tags, by the growth laws of "
        "docs/notebook/area.md (LUT sites: with LUT RAM and carry chains)",
        table(["controller", *kinds], rows),
    ]


def _cycles(document: Mapping) -> float:
    return sum(document["cpu"]["cycles"].values()) / document["host"]["all"]["count"]


def _energy(document: Mapping) -> float:
    return 1e3 * document["energy_mj"]["total"] / document["host"]["all"]["count"]
