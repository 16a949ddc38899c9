# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a result as DataFrames. Apart from result.py because pandas is slow to import."""

from __future__ import annotations

import gzip
import lzma
import pathlib
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import pandas
import zstandard

from tlmssd_lab.checksums import check_seal, checked_lines
from tlmssd_lab.errors import LabInputError

LOG_COLUMNS = (
    "job",
    "kind",
    "lba",
    "bytes",
    "tag",
    "arrival_ns",
    "issue_ns",
    "completion_ns",
    "hit",
    "flash_ops",
    "status",
)


def jobs(rows: Sequence[dict[str, Any]]) -> pandas.DataFrame:
    return pandas.json_normalize(list(rows))


def worst(rows: Sequence[dict[str, Any]]) -> pandas.DataFrame:
    return pandas.json_normalize(list(rows))


def series(part: Mapping[str, Any]) -> pandas.DataFrame:
    """Undefined values (null) are NaN."""
    frame = pandas.json_normalize(list(part["points"]))
    for column in frame.columns:
        frame[column] = pandas.to_numeric(frame[column])
    frame.attrs["interval_s"] = part["interval_s"]
    return frame


def _unpacked(path: pathlib.Path, data: bytes) -> bytes:
    if path.suffix == ".gz":
        return gzip.decompress(data)
    if path.suffix == ".xz":
        return lzma.decompress(data)
    if path.suffix == ".zst":
        return zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    return data


def log(path: pathlib.Path) -> pandas.DataFrame:
    """The columns of the file, and two more: latency_us (from its tag) and response_us (from its
    arrival). A double holds 2^53 ps, so times are exact to the picosecond up to 2.5 hours."""
    try:
        data = path.read_bytes()
        check_seal(path, data)
        frame = pandas.read_csv(checked_lines(path, _unpacked(path, data)), dtype={"kind": "category"})
    except (
        OSError,
        ValueError,
        EOFError,
        zlib.error,
        lzma.LZMAError,
        zstandard.ZstdError,
    ) as error:
        raise LabInputError(f"{path}: no log of requests: {error}") from None
    missing = [name for name in LOG_COLUMNS if name not in frame.columns]
    if missing:
        raise LabInputError(f"{path}: no log of requests: column '{missing[0]}' is missing")
    frame["latency_us"] = (frame["completion_ns"] - frame["issue_ns"]) / 1000
    frame["response_us"] = (frame["completion_ns"] - frame["arrival_ns"]) / 1000
    return frame
