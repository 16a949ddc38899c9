# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as text for a terminal: plain ASCII. Colour adds nothing that the text lacks."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from tabulate import tabulate

from tlmssd_lab.compare.model import Comparison, Group, Row
from tlmssd_lab.stats import Interval, percent
from tlmssd_lab.compare.variants import SHORT_KEYS, varied_keys
from tlmssd_lab.run.metrics import Metric, value_of
from tlmssd_lab.terminal import BOLD, PLAIN, Painter

_DIFFERENCES = ("host.all.iops", "host.all.latency_us.mean", "host.all.latency_us.p99")


def text_of(comparison: Comparison, painter: Painter = PLAIN) -> str:
    """For each load a table of means, a table of differences from the first variant, and the
    variants that did not run. `painter` colours significant differences."""
    parts = [_group(comparison, group, painter) for group in comparison.groups]
    notes = ["of bound: speed reached, as a fraction of what the busiest part (limiter) allows"]
    if len(comparison.seeds) > 1:
        level = f"{100 * comparison.confidence:g} %"
        notes += [
            f"+-, [..]: {level} confidence intervals (Student's t) over the seeds; paired: seed "
            "by seed",
            f"*: statistically significant ({level}): 0 lies outside the interval of the difference",
        ]
    if any(row.status == "done" for row in comparison.rows):
        parts.append("\n".join(notes))
    return "\n\n".join(parts)


def _group(comparison: Comparison, group: Group, painter: Painter) -> str:
    done = [row for row in group.rows if row.status == "done"]
    parts = []
    if done:
        parts.append(f"{_heading(comparison, group)}\n{_means(comparison, done)}")
    if group.base is not None and len(done) > 1:
        parts.append(
            f"difference to '{group.base.name}'"
            + (", paired by seed" if len(comparison.seeds) > 1 else "")
            + f"\n{_changes(comparison, group, done, painter)}"
        )
    lost = [row for row in group.rows if row.status != "done"]
    if lost:
        parts.append(
            f"{group.load.name}: did not run\n"
            + "\n".join(f"  {row.name} ({row.status}): {one_line(row.message)}" for row in lost)
        )
    return "\n\n".join(parts)


def _heading(comparison: Comparison, group: Group) -> str:
    """The load, and what all variants have in common."""
    first = comparison.variants[0]
    words = [group.load.name]
    words += [
        f"{key}={value}"
        for key, value in first.settings.items()
        if key not in varied_keys(comparison.variants)
    ]
    words += [] if _several_configs(comparison) else [first.config]
    return ", ".join(words) + _seeds(comparison.seeds)


def one_line(message: str) -> str:
    return "; ".join(message.splitlines())


def _seeds(seeds: Sequence[int]) -> str:
    return f", {len(seeds)} seeds ({seeds[0]} to {seeds[-1]})" if len(seeds) > 1 else ""


def _identity(comparison: Comparison, row: Row) -> list[str]:
    """The cells that say which variant this is; scheduler and controller as they really were."""
    result = row.runs[0].result
    cells = [row.variant.config] if _several_configs(comparison) else []
    cells += [result.scheduler, result.controller]
    return cells + [row.variant.settings.get(key, "-") for key in _other_keys(comparison)]


def _identity_headings(comparison: Comparison) -> list[str]:
    config = ["config"] if _several_configs(comparison) else []
    return config + [
        "scheduler",
        "controller",
        *(SHORT_KEYS.get(key, key) for key in _other_keys(comparison)),
    ]


def _several_configs(comparison: Comparison) -> bool:
    return len({variant.config for variant in comparison.variants}) > 1


def _other_keys(comparison: Comparison) -> list[str]:
    return [
        key
        for key in varied_keys(comparison.variants)
        if key not in ("scheduler", "controller.kind")
    ]


def _means(comparison: Comparison, rows: Sequence[Row]) -> str:
    columns = [(metric, *metric.column) for metric in comparison.metrics if metric.column]
    headings = _identity_headings(comparison)
    words = len(headings)
    headings += [heading for _, heading, _, _ in columns] + ["limiter", "wall s"]
    lines = []
    for row in rows:
        cells = _identity(comparison, row)
        cells += [
            _mean(row.figures[metric.key], factor, decimals)
            for metric, _, factor, decimals in columns
        ]
        limiters = dict.fromkeys(run.result.limiter for run in row.runs)
        wall = statistics.fmean(value_of(run.result.json, "wall.seconds") or 0 for run in row.runs)
        lines.append(cells + ["/".join(limiters), f"{wall:.2f}"])
    align = ["left"] * words + ["right"] * len(columns) + ["left", "right"]
    return _table(headings, lines, align)


def _mean(figure: Interval | None, factor: float, decimals: int) -> str:
    if figure is None:
        return "-"
    text = f"{figure.mean * factor:.{decimals}f}"
    if figure.half_width is not None:
        text += f" +-{figure.half_width * factor:.{decimals}f}"
    return text


def _changes(
    comparison: Comparison, group: Group, rows: Sequence[Row], painter: Painter
) -> str:
    metrics = [metric for metric in comparison.metrics if metric.key in _DIFFERENCES]
    headings = _identity_headings(comparison)
    words = len(headings)
    headings += [metric.column[0] for metric in metrics if metric.column is not None]
    lines = [
        _identity(comparison, row)
        + [
            _change(metric, row.differences[metric.key], group.base_figure(metric.key), painter)
            for metric in metrics
        ]
        for row in rows
        if row is not group.base
    ]
    return _table(headings, lines, ["left"] * words + ["right"] * len(metrics))


def _change(
    metric: Metric, change: Interval | None, base: Interval | None, painter: Painter
) -> str:
    """Such as "+3.1 % [+2.0, +4.2] *"; the star is bold, and the whole is green or red."""
    mean = percent(change.mean, base) if change is not None else None
    if change is None or mean is None:
        return "-"
    text = f"{mean:+.1f} %"
    low, high = percent(change.low, base), percent(change.high, base)
    if low is None or high is None:
        return text
    text += f" [{low:+.1f}, {high:+.1f}]"
    if not change.excludes_zero:
        return text + "  "
    return painter.judged(text, mean, metric.better) + " " + painter.paint("*", BOLD)


def _table(headings: Sequence[str], lines: Sequence[Sequence[str]], align: Sequence[str]) -> str:
    text = tabulate(
        lines, headers=headings, tablefmt="plain", colalign=align, disable_numparse=True
    )
    return "\n".join(line.rstrip() for line in text.splitlines())
