# SPDX-License-Identifier: BSD-3-Clause
"""Columns of integers, packed for a page: the smallest of a few plain encodings, then deflate.

A column is one of
  const  the same value everywhere
  dict   distinct values in the header, an index a value
  plain  value - base
  delta  difference to the value before it, zigzag (0, -1, 1, -2, ...)
Indices, offsets and differences are unsigned and stored as byte planes (all lowest bytes, then
all second bytes, ...): deflate finds more in them, and the page reads them with one loop a plane.
A missing value is MISSING. assets/unpack.js is the other half.
"""
import base64
import zlib
from collections.abc import Sequence

import numpy as np

MISSING = -(2**52)  # below every value, and exact as a double
_MAX_DICT = 4096
_SAMPLE = 65536  # values tried when encodings are compared


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


def _candidates(values: np.ndarray):
    """Yield (header, unsigned values) of each encoding that can hold the column."""
    distinct, index = np.unique(values, return_inverse=True)
    if len(distinct) == 1:
        yield {"as": "const", "base": int(distinct[0])}, None
        return
    if len(distinct) <= _MAX_DICT:
        yield {"as": "dict", "values": distinct.tolist()}, index.astype(np.uint64)
    if distinct[0] != MISSING:  # a missing value would make every offset wide
        yield ({"as": "plain", "base": int(distinct[0])},
               (values - distinct[0]).astype(np.uint64))
        yield {"as": "delta"}, zigzag_deltas(values)
    elif len(distinct) > _MAX_DICT:
        base = int(distinct[1]) - 1  # 0 stands for missing
        yield ({"as": "plain", "base": base, "missing": 1},
               np.where(values == MISSING, 0, values - base).astype(np.uint64))


def _cost(header: dict, values: np.ndarray) -> int:
    _, planes = planes_of(values[:_SAMPLE])
    scale = max(1.0, len(values) / _SAMPLE)
    return int(len(zlib.compress(planes, 1)) * scale) + 9 * len(header.get("values", ()))


class Packer:
    """Collects columns of one group; `blob()` is their bytes, deflated and in base64."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def column(self, values: Sequence[int] | np.ndarray) -> dict:
        """Add a column; its header for the page."""
        column = np.asarray(values, dtype=np.int64)
        if len(column) == 0:
            return {"as": "const", "base": 0}
        options = list(_candidates(column))
        if options[0][1] is None:
            return options[0][0]
        header, unsigned = min(options, key=lambda option: _cost(*option))
        header["planes"], data = planes_of(unsigned)
        header["at"] = self._size
        self._parts.append(data)
        self._size += len(data)
        return header

    def blob(self) -> str:
        return base64.b64encode(zlib.compress(b"".join(self._parts), 6)).decode("ascii")
