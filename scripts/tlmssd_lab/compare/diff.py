# SPDX-License-Identifier: BSD-3-Clause
"""The differences between two results: keys of the configuration, and figures."""

from __future__ import annotations

import json
import math
import os
import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tabulate import tabulate

from tlmssd_lab.run.metrics import BETTER, METRICS, value_of
from tlmssd_lab.run.result import Result, read_json, results_path
from tlmssd_lab.terminal import PLAIN, Painter

SCHEMA = "tlmssd-diff-1"
# Keys that name a run and measure nothing: they have lines of their own, or are in the configuration.
_IDENTITY = ("config_hash", "status", "calibrated")
_ELSEWHERE = ("schema", "seed", *_IDENTITY)  # the seed is a key of the configuration too
_MISSING = object()


@dataclass(frozen=True)
class Change:
    """A key and its two values. `rank` is the weight of the figure times |ln(after / before)|, so
    halving counts as doubling does; infinite where that is undefined (from 0, to null)."""

    key: str
    before: Any
    after: Any
    rank: float

    @property
    def absolute(self) -> float | None:
        """The value after minus the value before; None where one of them is no number."""
        return self.after - self.before if _numbers(self.before, self.after) else None

    @property
    def percent(self) -> float | None:
        """Relative to the value before, in %; None where that is 0 or one of them is no number."""
        if self.absolute is None or self.before == 0:
            return None
        return 100 * self.absolute / abs(self.before)


@dataclass(frozen=True)
class Diff:
    """The differences between two results.

    Attributes:
        header: changes of config_hash, status and calibrated.
        config: changes of the configuration.
        figures: changes of the key figures, the weightiest first.
        others: changes of all other keys outside `wall`, in the order of the file.
    """

    header: list[Change]
    config: list[Change]
    figures: list[Change]
    others: list[Change]

    @property
    def identical(self) -> bool:
        """Whether nothing differs."""
        return not (self.header or self.config or self.figures or self.others)


def diff(a: str | os.PathLike[str] | Result, b: str | os.PathLike[str] | Result) -> Diff:
    """The differences between two results; `wall`, which depends on the machine, is left out.

    Arguments:
        a, b: results, files results.json, or their folders; `a` is the one before.

    Raises:
        LabInputError: a file cannot be read, or is no result.
    """
    before, after = (_document(item) for item in (a, b))
    weights = {metric.key: metric.weight for metric in METRICS}
    header = list(
        _changes(
            {key: before.get(key) for key in _IDENTITY},
            {key: after.get(key) for key in _IDENTITY},
            weights,
        )
    )
    config = list(_changes(before.get("config", {}), after.get("config", {}), weights))
    figures = []
    for key in weights:
        old, new = value_of(before, key), value_of(after, key)
        if old != new:
            figures.append(_change(key, old, new, weights))
    shown = {change.key for change in figures}
    others = [
        change
        for change in _changes(_measured(before), _measured(after), weights)
        if change.key not in shown and change.key.rpartition(".")[0] not in shown
    ]
    return Diff(header, config, sorted(figures, key=lambda change: -change.rank), others)


def _document(item: str | os.PathLike[str] | Result) -> dict[str, Any]:
    return item.json if isinstance(item, Result) else read_json(results_path(pathlib.Path(item)))


def _measured(document: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value for key, value in document.items() if key not in ("wall", "config", *_ELSEWHERE)
    }


def _changes(before: Any, after: Any, weights: Mapping[str, float]) -> Iterator[Change]:
    first, second = dict(_leaves("", before)), dict(_leaves("", after))
    for key in dict.fromkeys([*first, *second]):
        values = first.get(key, _MISSING), second.get(key, _MISSING)
        if values[0] is _MISSING or values[1] is _MISSING or values[0] != values[1]:
            yield _change(key, *values, weights)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Dotted keys and scalars; an element of a list has its number as name."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _leaves(f"{path}.{name}" if path else name, inner)
    elif isinstance(value, list) and value:
        for number, inner in enumerate(value):
            yield from _leaves(f"{path}.{number}", inner)
    else:
        yield path, value


def _change(key: str, before: Any, after: Any, weights: Mapping[str, float]) -> Change:
    rank = math.inf
    if _numbers(before, after) and before * after > 0:
        rank = weights.get(key, 1.0) * abs(math.log(after / before))
    return Change(key, before, after, rank)


def _numbers(*values: Any) -> bool:
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def text_of(
    found: Diff, names: tuple[str, str], everything: bool = False, painter: Painter = PLAIN
) -> str:
    """For a terminal; `everything`: the other keys one by one, not only their number. `painter`
    colours changes for better and worse."""
    if found.identical:
        return "identical (except wall)"
    lines = [f"before: {names[0]}", f"after:  {names[1]}"]
    run = [change for change in found.header if change.key != "config_hash"]
    if run:
        lines += ["", "run", _plain(run)]
    if found.config:
        lines += _configuration(found.config)
    elif len(run) < len(found.header):
        lines += [
            "",
            "configuration: same keys, but another hash: a file that the configuration names differs",
        ]
    else:
        lines += ["", "configuration: identical"]
    if found.figures:
        lines += ["", "figures, largest weighted change first", _measures(found.figures, painter)]
    elif not found.others:
        lines += ["", "results: identical (except wall)"]
    if found.others and everything:
        lines += ["", "all other keys", _measures(found.others, painter)]
    elif found.others:
        lines += ["", f"{_differ(len(found.others), 'other key')}; --all shows more"]
    return "\n".join(lines)


def document(found: Diff, names: tuple[str, str]) -> dict[str, Any]:
    """For --json. A change without `before` or `after` is of a key that this side lacks."""
    return {
        "schema": SCHEMA,
        "before": names[0],
        "after": names[1],
        "identical": found.identical,
        "run": [_record(change) for change in found.header],
        "config": [_record(change) for change in found.config],
        "figures": [_record(change) for change in found.figures],
        "others": [_record(change) for change in found.others],
    }


def _record(change: Change) -> dict[str, Any]:
    record = {"key": change.key, "before": change.before, "after": change.after}
    record = {name: value for name, value in record.items() if value is not _MISSING}
    if change.absolute is not None:
        record |= {"change": change.absolute, "percent": change.percent}
    return record


def _configuration(changes: list[Change]) -> list[str]:
    """Keys of both results, then the keys that one of them lacks: parameters of another choice."""
    alone = [change for change in changes if _MISSING in (change.before, change.after)]
    both = [change for change in changes if change not in alone]
    lines = []
    if both:
        lines += ["", f"configuration: {_differ(len(both), 'key')}", _plain(both)]
    if alone:
        number = "1 key" if len(alone) == 1 else f"{len(alone)} keys"
        lines += ["", f"configuration: {number} in only one of them", _plain(alone)]
    return lines


def _differ(number: int, word: str) -> str:
    return f"{number} {word} differs" if number == 1 else f"{number} {word}s differ"


def _plain(changes: list[Change]) -> str:
    return _table(
        [[change.key, _value(change.before), "->", _value(change.after)] for change in changes],
        ("left",) * 4,
    )


def _measures(changes: list[Change], painter: Painter) -> str:
    rows = [["", "before", "after", "change", ""]]
    for change in changes:
        absolute = "" if change.absolute is None else f"{change.absolute:+.6g}"
        relative = "" if change.percent is None else f"{change.percent:+.2f} %"
        step, better = change.absolute or 0, BETTER.get(change.key, "")
        row = [change.key, _value(change.before), _value(change.after)]
        rows.append([*row, *(painter.judged(cell, step, better) for cell in (absolute, relative))])
    return _table(rows, ("left", "right", "right", "right", "right"))


def _value(value: Any) -> str:
    if value is _MISSING:
        return "(absent)"
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) and value else json.dumps(value)


def _table(rows: list[list[str]], align: tuple[str, ...]) -> str:
    text = tabulate(rows, tablefmt="plain", colalign=align, disable_numparse=True)
    return "\n".join("  " + line.rstrip() for line in text.splitlines())
