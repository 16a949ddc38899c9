# SPDX-License-Identifier: BSD-3-Clause
"""Columns of slices: what a key holds for each slice of a group."""
import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np

from tlmssd_lab.report.timeline.pack import MISSING


@dataclasses.dataclass
class Column:
    """An integer a slice, MISSING where the slice lacks the key. unit "ps": a time that the file
    has in microseconds. texts: the integers are indices into these (None: the slice lacks it)."""

    values: np.ndarray
    unit: str = ""
    texts: list[str | None] | None = None

    def __len__(self) -> int:
        return len(self.values)

    def at(self, index: int) -> int | str | None:
        value = int(self.values[index])
        if self.texts is not None:
            return self.texts[value]
        return None if value == MISSING else value

    def take(self, rows: np.ndarray) -> "Column":
        return Column(self.values[rows], self.unit, self.texts)


@dataclasses.dataclass
class ListColumn:
    """A list of integers a slice: `counts[i]` of the `items`, those of slice 0 first."""

    counts: np.ndarray
    items: np.ndarray

    def __len__(self) -> int:
        return len(self.counts)

    def at(self, index: int) -> list[int]:
        first = int(self.counts[:index].sum())
        return self.items[first:first + int(self.counts[index])].tolist()

    def take(self, rows: np.ndarray) -> "ListColumn":
        counts = self.counts[rows]
        return ListColumn(counts, self.items[spread(self.offsets()[rows], counts)])

    def offsets(self) -> np.ndarray:
        """Where each slice's items begin."""
        return np.cumsum(self.counts, dtype=np.int64) - self.counts


def integers(column: Column | ListColumn) -> Column:
    """The column of a key that the file never has as a list."""
    assert isinstance(column, Column)
    return column


def lists_of(column: Column | ListColumn) -> ListColumn:
    """The column of a key that the file always has as a list."""
    assert isinstance(column, ListColumn)
    return column


def spread(first: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """first[0], first[0] + 1, ... counts[0] of them; then those of first[1], ..."""
    before = np.cumsum(counts, dtype=np.int64) - counts
    return np.repeat(first - before, counts) + np.arange(int(counts.sum()), dtype=np.int64)


def as_column(values: Sequence) -> Column | ListColumn:
    """From what JSON holds: integers, floats (microseconds), texts or lists of integers. ValueError
    where the values are of several kinds."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {list}:
        lists = [value or [] for value in values]
        items = [item for value in lists for item in value]
        if not all(type(item) is int for item in items):
            raise ValueError("a list of other things than integers")
        return ListColumn(np.array([len(value) for value in lists], dtype=np.int64), np.array(items, dtype=np.int64))
    if kinds == {str}:
        index: dict[str | None, int] = {}
        numbers = [index.setdefault(value, len(index)) for value in values]
        return Column(np.array(numbers, dtype=np.int64), texts=list(index))
    if kinds <= {int, float}:
        if float in kinds:
            return Column(times([float("nan") if value is None else value for value in values]), "ps")
        return Column(np.array([MISSING if value is None else value for value in values], dtype=np.int64))
    raise ValueError("values of several kinds under one key")


def times(us: Sequence[float] | np.ndarray) -> np.ndarray:
    """Microseconds to picoseconds, exact below 2^52 ps (1.25 hours): a double is nearer than half a
    picosecond. NaN is MISSING."""
    scaled = np.asarray(us, dtype=np.float64) * 1_000_000
    return np.where(np.isnan(scaled), MISSING, np.rint(scaled)).astype(np.int64)


def joined(parts: Sequence[Column | ListColumn | None], sizes: Sequence[int]) -> Column | ListColumn:
    """The parts one after another; None: slices that lack the key, their number in `sizes`. ValueError where one part
    holds other things than another."""
    lists = [part for part in parts if not isinstance(part, Column)]
    plain = [part for part in parts if not isinstance(part, ListColumn)]
    if any(part is not None for part in lists):
        if len(lists) < len(parts):
            raise ValueError("lists and other values under one key")
        return ListColumn(
            np.concatenate([np.zeros(size, np.int64) if part is None else part.counts
                            for part, size in zip(lists, sizes)]),
            np.concatenate([part.items for part in lists if part is not None]))
    known = [part for part in plain if part is not None]
    if any(part.texts is not None for part in known):
        return _joined_texts(plain, sizes)
    unit = "ps" if any(part.unit for part in known) else ""
    return Column(np.concatenate([np.full(size, MISSING) if part is None else _in(unit, part)
                                  for part, size in zip(plain, sizes)]), unit)


def _in(unit: str, part: Column) -> np.ndarray:
    """The part's values as times, should other parts have shown that they are (7 beside 7.5)."""
    if part.unit == unit:
        return part.values
    return np.where(part.values == MISSING, MISSING, part.values * 1_000_000)


def _joined_texts(parts: Sequence[Column | None], sizes: Sequence[int]) -> Column:
    index: dict[str | None, int] = {}

    def numbers(part: Column | None, size: int) -> np.ndarray:
        if part is None:
            return np.full(size, index.setdefault(None, len(index)))
        if part.texts is None:
            if (part.values != MISSING).any():
                raise ValueError("texts and numbers under one key")
            return np.full(size, index.setdefault(None, len(index)))
        return np.array([index.setdefault(text, len(index)) for text in part.texts] or [0],
                        dtype=np.int64)[part.values]

    values = np.concatenate([numbers(part, size) for part, size in zip(parts, sizes)])
    return Column(values, texts=list(index))


def keys_of(parts: Iterable[dict]) -> list[str]:
    """All keys, those met first first."""
    return list(dict.fromkeys(key for part in parts for key in part))
