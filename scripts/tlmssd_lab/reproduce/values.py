# SPDX-License-Identifier: BSD-3-Clause
"""How the value of a row is taken from the runs of its experiment: one value per seed, or a name.

A row says `FUNCTION key=value; key=value`. A function gets the runs of one seed and the values by key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tlmssd_lab.compare.stats import mean_interval
from tlmssd_lab.errors import LabInputError, nearest
from tlmssd_lab.figures.data import Data, gain, mean, median, reduction
from tlmssd_lab.figures.experiment import CLOSED
from tlmssd_lab.reproduce.rows import Row
from tlmssd_lab.reproduce.verdict import Found

Words = Mapping[str, str]
Value = float | str | None
_HOW: Mapping[str, Callable[[Sequence[float]], float | None]] = {
    "mean": mean,
    "median": median,
    "max": lambda values: max(values, default=None),
    "min": lambda values: min(values, default=None),
    "sum": lambda values: sum(values) if values else None,
}


def _loads(data: Data, words: Words) -> list[str]:
    """`loads`: names with blanks between; `paper`: those of the paper's traces; none: all."""
    known = [load.name for load in data.loads]
    wanted = words.get("loads", "").split()
    if wanted == ["paper"]:
        wanted = list(data.experiment.paper["presets"])
    for name in wanted:
        if name not in known:
            raise LabInputError(f"loads: '{name}' is no load of {data.experiment.name}{nearest(name, known)}")
    return wanted or known


def _labels(data: Data, text: str) -> dict[str, str]:
    """Labels of the dimensions in their order, with commas between: 'paq2, 8 channels'."""
    given = [word.strip() for word in text.split(",")]
    names = [dimension.name for dimension in data.experiment.dimensions]
    if len(given) != len(names):
        raise LabInputError(f"'{text}' names {len(given)} labels; {data.experiment.name} has {', '.join(names)}")
    for name, label in zip(names, given, strict=True):
        if label not in data.labels(name):
            hint = nearest(label, data.labels(name))
            raise LabInputError(f"'{label}' is no {name} of {data.experiment.name}{hint}")
    return dict(zip(names, given, strict=True))


def _each(data: Data, words: Words, change: Callable[[float | None, float | None], float | None]) -> list[float]:
    """`change` of `key` between the labels `of` and `base`, for each load."""
    key, arrival = words["key"], words.get("arrival", CLOSED)
    of, base = _labels(data, words["of"]), _labels(data, words["base"])
    found = []
    for load in _loads(data, words):
        value = change(data.mean(key, load, arrival, **of), data.mean(key, load, arrival, **base))
        if value is not None:
            found.append(value)
    return found


def _gain(data: Data, words: Words) -> Value:
    """% by which `key` is higher with `of` than with `base`."""
    return _HOW[words.get("how", "mean")](_each(data, words, gain))


def _reduction(data: Data, words: Words) -> Value:
    """% by which it is lower."""
    return _HOW[words.get("how", "mean")](_each(data, words, reduction))


def _difference(data: Data, words: Words) -> Value:
    """In the key's own unit."""

    def difference(value: float | None, base: float | None) -> float | None:
        return None if value is None or base is None else value - base

    return _HOW[words.get("how", "mean")](_each(data, words, difference))


def _ratio(data: Data, words: Words) -> Value:
    def ratio(value: float | None, base: float | None) -> float | None:
        return value / base if value is not None and base else None

    return _HOW[words.get("how", "mean")](_each(data, words, ratio))


def _losses(data: Data, words: Words) -> Value:
    """The share of loads, in %, on which `key` is more than `above` % higher (lower: `better=higher`)."""
    worse = reduction if words.get("better") == "higher" else gain
    found = _each(data, words, worse)
    above = float(words.get("above", "1"))
    return 100 * sum(value > above for value in found) / len(found) if found else None


def _value(data: Data, words: Words) -> Value:
    """`key` itself."""
    labels, arrival = _labels(data, words["of"]), words.get("arrival", CLOSED)
    scale = float(words.get("scale", "1"))
    found = [data.mean(words["key"], load, arrival, **labels) for load in _loads(data, words)]
    known = [scale * value for value in found if value is not None]
    return _HOW[words.get("how", "mean")](known)


FUNCTIONS: dict[str, tuple[Callable[[Data, Words], Value], frozenset[str], frozenset[str]]] = {
    name: (function, frozenset(needed.split()), frozenset(others.split()))
    for name, function, needed, others in (
        ("gain", _gain, "key of base", "loads how arrival"),
        ("reduction", _reduction, "key of base", "loads how arrival"),
        ("difference", _difference, "key of base", "loads how arrival"),
        ("ratio", _ratio, "key of base", "loads how arrival"),
        ("losses", _losses, "key of base", "loads arrival above better"),
        ("value", _value, "key of", "loads how arrival scale"),
    )
}


def parsed(row: Row) -> tuple[str, dict[str, str]]:
    """The function's name and its words."""
    name, _, rest = row.value_from.partition(" ")
    if name not in FUNCTIONS:
        raise LabInputError(f"{row.id}: value_from: no function '{name}'{nearest(name, FUNCTIONS)}")
    words = {}
    for part in filter(None, (text.strip() for text in rest.split(";"))):
        key, sign, value = part.partition("=")
        if not sign:
            raise LabInputError(f"{row.id}: value_from: '{part}' is not KEY=VALUE")
        words[key.strip()] = value.strip()
    _, needed, others = FUNCTIONS[name]
    for key in words:
        if key not in needed | others:
            raise LabInputError(f"{row.id}: value_from: {name} has no '{key}'{nearest(key, needed | others)}")
    for key in needed - set(words):
        raise LabInputError(f"{row.id}: value_from: {name} needs '{key}'")
    if words.get("how", "mean") not in _HOW:
        raise LabInputError(f"{row.id}: value_from: how: '{words['how']}' is none of {', '.join(_HOW)}")
    return name, words


def value_of_row(row: Row, data: Data) -> Found | None:
    """Over the seeds of the data; None where a seed has no value."""
    name, words = parsed(row)
    function = FUNCTIONS[name][0]
    try:
        values = [function(one, words) for one in by_seed(data).values()]
    except LabInputError as error:
        raise LabInputError(f"{row.id}: value_from: {error}") from None
    if not values or any(value is None for value in values):
        return None
    if row.judge == "name":
        names = sorted({str(value) for value in values})
        return Found(name=" or ".join(names), seeds=len(values))
    numbers = [float(value) for value in values if value is not None]
    if len(numbers) == 1:
        return Found(numbers[0], numbers[0], numbers[0], seeds=1)
    interval = mean_interval(numbers)
    return Found(interval.mean, interval.low, interval.high, seeds=len(numbers))


def by_seed(data: Data) -> dict[int, Data]:
    seeds: dict[int, list[Any]] = {}
    for item in data.done:
        seeds.setdefault(item.point.seed, []).append(item)
    return {seed: Data(data.experiment, done) for seed, done in seeds.items()}
