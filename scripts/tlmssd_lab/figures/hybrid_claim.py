# SPDX-License-Identifier: BSD-3-Clause
"""Report of a claim: a scheduler against every other, by geometric means of ratios over pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures.data import NONE, Data, Report, geometric_mean, ratio, table
from tlmssd_lab.run.metrics import value_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Name, key, whether more is better.
FIGURES = [
    ("throughput", "host.all.mb_s", True),
    ("mean latency", "host.all.latency_us.mean", False),
    ("p99 latency", "host.all.latency_us.p99", False),
]


@dataclass(frozen=True)
class Ratios:
    """subject / other of a figure for each piece: the geometric mean over the seeds."""

    by_piece: dict[str, float]
    more_is_better: bool

    @property
    def mean(self) -> float | None:
        return geometric_mean(self.by_piece.values())

    @property
    def worst(self) -> tuple[str, float] | None:
        if not self.by_piece:
            return None
        choose = min if self.more_is_better else max
        name = choose(self.by_piece, key=self.by_piece.__getitem__)
        return name, self.by_piece[name]

    @property
    def wins(self) -> bool:
        return self.mean is not None and (self.mean > 1 if self.more_is_better else self.mean < 1)

    def loses_more_than(self, share: float) -> bool:
        """On any piece."""
        if self.worst is None:
            return True
        value = self.worst[1]
        return value < 1 - share if self.more_is_better else value > 1 + share


def ratios(data: Data, key: str, better: bool, subject: str, other: str) -> Ratios:
    found = {}
    for load in data.loads:
        ours = data.results(load.name, scheme=subject)
        theirs = data.results(load.name, scheme=other)
        pairs = [
            ratio(value_of(ours[seed].json, key), value_of(theirs[seed].json, key))
            for seed in ours
            if seed in theirs
        ]
        value = geometric_mean(pairs)
        if value is not None:
            found[load.name] = value
    return Ratios(found, better)


def hybrid_claim(data: Data) -> Report:
    subject = data.experiment.subject["scheme"]
    tolerance = data.experiment.paper["worst_percent"] / 100
    others = [scheme for scheme in data.labels("scheme") if scheme != subject]
    rows, beaten, harmed = [], [], []
    for other in others:
        row = [other]
        for name, key, better in FIGURES:
            found = ratios(data, key, better, subject, other)
            row += [_text(found.mean), _worst(found)]
            if not found.wins:
                beaten.append(f"{name} against {other} ({_text(found.mean)})")
            if found.loses_more_than(tolerance):
                harmed.append(f"{name} against {other} ({_worst(found)})")
        rows.append(row)
    heads = [f"{subject} / ..."]
    for name, _, _ in FIGURES:
        heads += [f"{name}, geometric mean", "worst piece"]
    pieces = len(data.loads)
    verdicts = [
        _verdict(
            f"beats every other in throughput, mean and p99 latency over {pieces} pieces", beaten
        ),
        _verdict(f"on no piece more than {100 * tolerance:g} % worse", harmed),
    ]
    report = Report([table(heads, rows), "\n".join(verdicts), _all(data, subject, others)])
    report.drawings[""] = _dots(data, subject, others)
    return report


def _verdict(claim: str, against: Sequence[str]) -> str:
    return f"- **holds**: {claim}" if not against else (
        f"- **does not hold**: {claim}: {'; '.join(against)}"
    )


def _text(value: float | None) -> str:
    return NONE if value is None else f"{value:.3f}"


def _worst(found: Ratios) -> str:
    return NONE if found.worst is None else f"{found.worst[1]:.3f} {found.worst[0]}"


def _all(data: Data, subject: str, others: Sequence[str]) -> str:
    """Throughput for each piece."""
    rows = []
    for load in data.loads:
        row = [load.name, f"{load.rows:,}"]
        for _, key, better in FIGURES[:2]:
            row += [_text(ratios(data, key, better, subject, other).by_piece.get(load.name))
                    for other in others]
        rows.append(row)
    heads = ["piece", "its requests", *(f"MB/s / {other}" for other in others)]
    return table([*heads, *(f"mean us / {other}" for other in others)], rows)


def _dots(data: Data, subject: str, others: Sequence[str]) -> Figure:
    from matplotlib.ticker import NullFormatter, ScalarFormatter

    drawing, axes = new_drawing(len(FIGURES), 4.2 * len(FIGURES))
    for place, (name, key, better) in zip(axes, FIGURES):
        for i, other in enumerate(others):
            values = list(ratios(data, key, better, subject, other).by_piece.values())
            place.plot([i] * len(values), values, linestyle="", marker="o", markersize=3, alpha=0.6)
        place.axhline(1, color="black", linewidth=0.8)
        place.set_yscale("log")
        place.yaxis.set_major_formatter(ScalarFormatter())  # the log formatter misses a font
        place.yaxis.set_minor_formatter(NullFormatter())
        place.set_xticks(range(len(others)), others, fontsize=7, rotation=40)
        place.set_title(f"{name}: {subject} / other, a dot a piece", fontsize=8)
    return drawing
