# SPDX-License-Identifier: BSD-3-Clause
"""How the value of a row is taken from the runs of its experiment: per seed a number, a range or a name.

A row says `FUNCTION key=value; key=value`, or several functions with ` & ` between, whose least and greatest
values are the row's range. A function gets the runs of one seed and the values by key. docs/guides/reproduce.md has
the functions.
"""

from __future__ import annotations

import fnmatch
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tlmssd_lab.stats import mean_interval
from tlmssd_lab.errors import LabInputError, nearest
from tlmssd_lab.figures.data import Data, gain, mean, median, ratio, reduction
from tlmssd_lab.figures.experiment import CLOSED, Experiment
from tlmssd_lab.figures.experiment_points import ExperimentLoad
from tlmssd_lab.reproduce.measures import measured
from tlmssd_lab.reproduce.rows import Row
from tlmssd_lab.reproduce.verdict import Found
from tlmssd_lab.run.result import Result

Words = Mapping[str, str]
Place = tuple[str, str, tuple]  # load, arrival, labels by dimension
Value = float | str | list[float] | None  # a list is a range: its least and greatest count
_HOW: Mapping[str, Callable[[Sequence[float]], Value]] = {
    "mean": mean,
    "median": median,
    "max": lambda values: max(values, default=None),
    "min": lambda values: min(values, default=None),
    "range": lambda values: list(values) or None,
}


class Asked(Data):
    """Runs nothing and has no results; notes which points a function asks for."""

    def __init__(self, experiment: Experiment, loads: Sequence[ExperimentLoad]) -> None:
        super().__init__(experiment, [])
        self.loads = list(loads)
        self.places: set[Place] = set()

    def results(self, load: str, arrival: str = CLOSED, **labels: str) -> dict[int, Result]:
        self.places.add(place(load, arrival, labels))
        return {}

    def mean(self, key: str, load: str, arrival: str = CLOSED, **labels: str) -> float | None:
        self.results(load, arrival, **labels)
        return 1.0


def place(load: str, arrival: str, labels: Mapping[str, str]) -> Place:
    return load, arrival, tuple(sorted(labels.items()))


def asked(rows: Sequence[Row], experiment: Experiment, loads: Sequence[ExperimentLoad]) -> set[Place]:
    """The points that these rows' values are made of."""
    recorder = Asked(experiment, loads)
    for row in rows:
        _of_seed(row, recorder)
    return recorder.places


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


def _labels(data: Data, text: str) -> list[dict[str, str]]:
    """Patterns of the dimensions' labels in their order, with commas between ('paq2, *'); `|` between
    several patterns. Every combination that matches, in the experiment's order."""
    found = []
    names = [dimension.name for dimension in data.experiment.dimensions]
    for part in text.split("|"):
        given = [word.strip() for word in part.split(",")]
        if len(given) != len(names):
            raise LabInputError(f"'{part}' names {len(given)} labels; {data.experiment.name} has {', '.join(names)}")
        matches = [_matching(data, name, pattern) for name, pattern in zip(names, given, strict=True)]
        found += [dict(zip(names, labels, strict=True)) for labels in itertools.product(*matches)]
    return found


def _matching(data: Data, dimension: str, pattern: str) -> list[str]:
    labels = data.labels(dimension)
    found = [pattern] if pattern in labels else fnmatch.filter(labels, pattern)
    if not found:
        hint = nearest(pattern, labels)
        raise LabInputError(f"'{pattern}' is no {dimension} of {data.experiment.name}{hint}")
    return found


def _each(data: Data, words: Words, change: Callable[[float | None, float | None], float | None]) -> list[float]:
    """`change` of `key` between the labels `of` and `base`, for each of them and each load. `least`: only where
    `base` has that much."""
    of, base = _labels(data, words["of"]), _labels(data, words["base"])
    if len(base) == 1:
        base = base * len(of)
    if len(of) != len(base):
        raise LabInputError(f"of: {len(of)} combinations of labels, but base: {len(base)}")
    key, arrival, least = words["key"], words.get("arrival", CLOSED), float(words.get("least", "-inf"))
    found = []
    for (mine, its), load in itertools.product(zip(of, base, strict=True), _loads(data, words)):
        value, other = measured(data, key, load, arrival, mine), measured(data, key, load, arrival, its)
        changed = change(value, other)
        if changed is not None and other is not None and other >= least:
            found.append(changed)
    return found


def _changes(change: Callable[[float | None, float | None], float | None]) -> Callable[[Data, Words], Value]:
    return lambda data, words: _HOW[words.get("how", "mean")](_each(data, words, change))


def _difference(value: float | None, base: float | None) -> float | None:
    return None if value is None or base is None else value - base


def _losses(data: Data, words: Words) -> Value:
    """The share of loads, in %, on which `key` is more than `above` % higher (lower: `better=higher`)."""
    found = _each(data, words, reduction if words.get("better") == "higher" else gain)
    above = float(words.get("above", "1"))
    return 100 * sum(value > above for value in found) / len(found) if found else None


def _value(data: Data, words: Words) -> Value:
    """`key` itself."""
    arrival = words.get("arrival", CLOSED)
    of = itertools.product(_labels(data, words["of"]), _loads(data, words))
    found = [measured(data, words["key"], load, arrival, labels) for labels, load in of]
    return _HOW[words.get("how", "mean")]([value for value in found if value is not None])


def _groups(data: Data, words: Words) -> Value:
    """% by which a group of labels has more of `key` than another; each load as a ratio to the label `to`."""

    def average(group: str) -> float | None:
        return mean(_each(data, {**words, "of": group, "base": words["to"]}, ratio))

    of, base = average(words["of"]), average(words["base"])
    return gain(of, base)


def _fewer(data: Data, words: Words) -> Value:
    """% by which a group's mean of `key` is below another's."""
    of, base = (_value(data, {**words, "of": words[group], "how": "mean"}) for group in ("of", "base"))
    assert not isinstance(of, (str, list)) and not isinstance(base, (str, list))
    return reduction(of, base)


def _best(data: Data, words: Words) -> Value:
    """The label of the only dimension with the most of `key`, mean of the ratios to the label `base`."""
    found = {}
    for labels in _labels(data, words["of"]):
        (label,) = labels.values()
        value = mean(_each(data, {**words, "of": label}, ratio))
        if value is not None:
            found[label] = value
    return max(found, key=lambda label: found[label]) if found else None


def _growth(data: Data, words: Words) -> Value:
    """By how many points the least gain from label `from` to label `to` of the schemes `of` is above the
    greatest of the schemes `base`."""

    def grown(scheme: str) -> float:
        first, last = (f"{words[end]}, {scheme}" for end in ("from", "to"))
        return mean(_each(data, {**words, "of": last, "base": first}, gain)) or 0.0

    of, base = ([grown(scheme) for scheme in words[group].split("|")] for group in ("of", "base"))
    return min(of) - max(base)


_OTHERS = "loads arrival minus times"
FUNCTIONS: dict[str, tuple[Callable[[Data, Words], Value], frozenset[str], frozenset[str]]] = {
    name: (function, frozenset(needed.split()), frozenset(f"{others} {_OTHERS}".split()))
    for name, function, needed, others in (
        ("gain", _changes(gain), "key of base", "how least"),
        ("reduction", _changes(reduction), "key of base", "how least"),
        ("difference", _changes(_difference), "key of base", "how least"),
        ("ratio", _changes(ratio), "key of base", "how least"),
        ("losses", _losses, "key of base", "above better"),
        ("value", _value, "key of", "how"),
        ("groups", _groups, "key of base to", ""),
        ("fewer", _fewer, "key of base", ""),
        ("best", _best, "key of base", ""),
        ("growth", _growth, "key of base from to", ""),
    )
}


def parsed(row: Row) -> list[tuple[str, dict[str, str]]]:
    """The functions' names and their words."""
    return [_parsed(row, part.strip()) for part in row.value_from.split(" & ")]


def _parsed(row: Row, text: str) -> tuple[str, dict[str, str]]:
    name, _, rest = text.partition(" ")
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
    for key in ("least", "above", "minus", "times"):
        try:
            float(words.get(key, "0"))
        except ValueError:
            raise LabInputError(f"{row.id}: value_from: {key}: '{words[key]}' is not a number") from None
    return name, words


def _of_seed(row: Row, data: Data) -> Value:
    values: list[Value] = []
    for name, words in parsed(row):
        try:
            value = FUNCTIONS[name][0](data, words)
        except LabInputError as error:
            raise LabInputError(f"{row.id}: value_from: {error}") from None
        minus, times = float(words.get("minus", "0")), float(words.get("times", "1"))
        if isinstance(value, list):
            values.append([times * (one - minus) for one in value])
        else:
            values.append(value if value is None or isinstance(value, str) else times * (value - minus))
    if len(values) == 1 or None in values:
        return values[0] if len(values) == 1 else None
    return [float(x) for value in values for x in (value if isinstance(value, list) else [value]) if x is not None]


def value_of_row(row: Row, data: Data) -> Found | None:
    """Over the seeds of the data; None where a seed has no value."""
    values = [_of_seed(row, one) for one in by_seed(data).values()]
    if not values or any(value is None for value in values):
        return None
    if row.judge == "name":
        return Found(name=" or ".join(sorted({str(value) for value in values})), seeds=len(values))
    spans = [value if isinstance(value, list) else [float(value)] for value in values if value is not None]
    least, most = [min(span) for span in spans], [max(span) for span in spans]
    if len(values) == 1:
        return Found(least[0], least[0], most[0], seeds=1, most=most[0])
    low, high = mean_interval(least), mean_interval(most)
    assert low.low is not None and high.high is not None
    return Found(low.mean, low.low, high.high, seeds=len(values), most=high.mean)


def by_seed(data: Data) -> dict[int, Data]:
    seeds: dict[int, list[Any]] = {}
    for item in data.done:
        seeds.setdefault(item.point.seed, []).append(item)
    return {seed: Data(data.experiment, done) for seed, done in seeds.items()}
