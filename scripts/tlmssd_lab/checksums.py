# SPDX-License-Identifier: BSD-3-Clause
"""Checksums of the files that tlmssd writes (models/observe/output/checksum.h)."""

from __future__ import annotations

import io
import json
import pathlib
import re
import zlib
from typing import Any

from tlmssd_lab.errors import LabInputError

CHECKSUM_LINE = b"# crc32 "
_CRC = "0" * 8
_SEALS = (
    (b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18\x08\0\0\0tlms", b""),
    (b"\x1f\x8b\x08", b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x0c\0TS\x08\0tlms", b"\x03" + bytes(9)),
)
_MOST_WRONG_BITS = 8
_FIELD = '    "crc32": "'
_KEY = re.compile(re.escape(_FIELD) + r'([^\n]{8})"')
#: The field with one wrong character.
_BROKEN_KEY = re.compile("|".join(
    re.escape(_FIELD[:i]) + "[^" + re.escape(_FIELD[i]) + "]" + re.escape(_FIELD[i + 1:]) + r'[0-9a-f]{8}"'
    for i in range(4, len(_FIELD))))


def _wrong_bits(a: bytes, b: bytes) -> int:
    return sum(bin(x ^ y).count("1") for x, y in zip(a, b))


def check_seal(path: pathlib.Path, data: bytes) -> None:
    """LabInputError where the seal of a compressed file is damaged, or is not that of its bytes."""
    for magic, before, after in _SEALS:
        size = len(before) + 4 + len(after)
        if not data.startswith(magic) or len(data) <= size:
            continue
        end = data[-size:]
        wrong = _wrong_bits(before, end[: len(before)]) + _wrong_bits(after, end[len(before) + 4 :])
        if wrong > _MOST_WRONG_BITS:
            continue
        crc = int.from_bytes(end[len(before) : len(before) + 4], "little")
        if wrong or crc != zlib.crc32(data[:-size]):
            raise LabInputError(f"{path}: damaged: its bytes do not give the checksum at its end")


def checked_lines(path: pathlib.Path, text: bytes) -> io.BytesIO:
    """The lines without the checksum that ends them; LabInputError where they do not give it. A text
    without that line passes: other programs write such files too."""
    at = max(len(text) - len(CHECKSUM_LINE) - len(_CRC) - 1, 0)
    if _wrong_bits(text[at:], CHECKSUM_LINE) > _MOST_WRONG_BITS:
        return io.BytesIO(text)
    if text[at:] != CHECKSUM_LINE + b"%08x\n" % zlib.crc32(text[:at]):
        raise LabInputError(f"{path}: damaged: its lines do not give the checksum at its end")
    return io.BytesIO(text[:at])


def read_results(path: pathlib.Path) -> Any:
    """A results.json. Raises OSError, ValueError (not JSON), LabInputError (its checksum is not that of
    its text). Results without a checksum pass: older ones have none."""
    text = path.read_text(encoding="utf-8")
    found = _KEY.search(text)
    damaged = LabInputError(f"{path}: damaged: its text does not give wall.crc32")
    if found is None:
        if _BROKEN_KEY.search(text):
            raise damaged
        return json.loads(text)
    blank = text[: found.start(1)] + _CRC + text[found.end(1) :]
    if found[1] != f"{zlib.crc32(blank.encode('utf-8')):08x}":
        raise damaged
    return json.loads(text)
