# SPDX-License-Identifier: BSD-3-Clause
"""Columns of integers, packed for a page: the smallest of a few plain encodings, then deflate.

A column is one of
  const  the same value everywhere
  dict   distinct values in the header, an index a value
  plain  value - base
  delta  difference to the value before it, zigzag (0, -1, 1, -2, ...)
  map    what follows from another column of small indices (its texts): a value an index
  sum    what follows from the sum of other columns, where these have values: as many times as the sum
Two more are in references.py. Of columns that follow from others a few slices may differ (`except`).
Indices, offsets and differences are unsigned and stored as byte planes (all lowest bytes, then
all second bytes, ...): deflate finds more in them, and the page reads them with one loop a plane.
A missing value is MISSING. assets/unpack.js is the other half.
"""
import dataclasses
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tlmssd_lab.report.timeline.dense import text_of

MISSING = -(2**52)  # below every value, and exact as a double
_MAX_DICT = 4096
_MAX_EXCEPTIONS = 64
_MAX_SPAN = 1 << 22  # of values that are counted one by one
SAMPLE = 65536  # values tried when encodings are compared


def planes_of(values: np.ndarray) -> tuple[int, bytes]:
    """Number of byte planes and the planes, lowest first, of unsigned 64-bit values."""
    top = int(values.max()) if len(values) else 0
    count = max(1, (top.bit_length() + 7) // 8)
    as_bytes = np.ascontiguousarray(values, dtype="<u8").view(np.uint8).reshape(-1, 8)
    return count, as_bytes[:, :count].T.tobytes()


def zigzag_deltas(values: np.ndarray) -> np.ndarray:
    """d >= 0 becomes 2d, d < 0 becomes -2d - 1; the first difference is to 0."""
    deltas = np.diff(values, prepend=np.int64(0))
    return np.where(deltas >= 0, 2 * deltas, -2 * deltas - 1).astype(np.uint64)


def _candidates(values: np.ndarray) -> Iterator[tuple[dict[str, Any], np.ndarray | None]]:
    """Yield (header, unsigned values) of each encoding that can hold the column."""
    low, high = int(values.min()), int(values.max())
    if low == high:
        yield {"as": "const", "base": low}, None
        return
    known = np.unique(values[:SAMPLE])
    if len(known) <= _MAX_DICT:
        distinct, index = np.unique(values, return_inverse=True) if high - low >= _MAX_SPAN else _counted(values, low)
        if len(distinct) <= _MAX_DICT:
            yield {"as": "dict", "values": distinct.tolist()}, index.astype(np.uint64)
        known = distinct
    if low != MISSING:  # a missing value would make every offset wide
        yield {"as": "plain", "base": low}, (values - low).astype(np.uint64)
        yield {"as": "delta"}, zigzag_deltas(values)
    elif len(known) > _MAX_DICT:
        base = int(values[values != MISSING].min()) - 1  # 0 stands for missing
        yield ({"as": "plain", "base": base, "missing": 1},
               np.where(values == MISSING, 0, values - base).astype(np.uint64))


def _counted(values: np.ndarray, low: int) -> tuple[np.ndarray, np.ndarray]:
    """np.unique with the inverse, by counting."""
    met = np.flatnonzero(np.bincount(values - low))
    index = np.zeros(int(met[-1]) + 1, dtype=np.uint16 if len(met) < 2**16 else np.int64)
    index[met] = np.arange(len(met))
    return met + low, index[values - low]


def _cost(header: dict, unsigned: np.ndarray | None) -> int:
    """Bytes after deflate, estimated from a sample."""
    if unsigned is None:
        return 0
    if len(unsigned) > SAMPLE:  # a few pieces: tracks differ
        firsts = np.linspace(0, len(unsigned) - SAMPLE // 16, 16).astype(np.int64)
        sample = np.concatenate([unsigned[first:first + SAMPLE // 16] for first in firsts])
    else:
        sample = unsigned
    _, planes = planes_of(sample)
    scale = max(1.0, len(unsigned) / SAMPLE)
    return int(len(zlib.compress(planes, 1)) * scale) + 9 * len(header.get("values", ()))


@dataclasses.dataclass
class Plan:
    """How a column would be packed, and about how many bytes that takes."""

    header: dict
    unsigned: np.ndarray | None
    cost: int


def plan(values: Sequence[int] | np.ndarray) -> Plan:
    column = np.asarray(values, dtype=np.int64)
    if len(column) == 0:
        return Plan({"as": "const", "base": 0}, None, 0)
    return min((Plan(header, unsigned, _cost(header, unsigned)) for header, unsigned in _candidates(column)),
               key=lambda one: one.cost)


def mapped(values: np.ndarray, indices: np.ndarray) -> dict | None:
    """`values`: what each index stands for, where the values follow from the indices but for a few."""
    table = np.zeros(int(indices.max()) + 1, dtype=np.int64)
    table[indices[::-1]] = values[::-1]  # the first that has the index: what the run cut short comes last
    others = exceptions(table[indices], values)
    return None if others is None else {"values": table.tolist()} | others


def exceptions(ruled: np.ndarray, values: np.ndarray) -> dict | None:
    """Slices whose value differs from the rule: `except`, [slice, value] of the few; None: more than a few."""
    differ = np.flatnonzero(ruled != values)
    if len(differ) > _MAX_EXCEPTIONS:
        return None
    return {"except": np.stack((differ, values[differ]), axis=1).tolist()} if len(differ) else {}


class Packer:
    """Collects columns of one group; `blob()` is their bytes, deflated, as text."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def column(self, values: Sequence[int] | np.ndarray) -> dict:
        """Add a column; its header for the page."""
        return self.add(plan(values))

    def add(self, planned: Plan) -> dict:
        header = dict(planned.header)
        if planned.unsigned is not None:
            header["planes"], data = planes_of(planned.unsigned)
            header["at"] = self._size
            self._parts.append(data)
            self._size += len(data)
        return header

    def blob(self) -> str:
        packed = zlib.compressobj(7)
        return text_of(b"".join([*map(packed.compress, self._parts), packed.flush()]))
