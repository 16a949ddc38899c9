# SPDX-License-Identifier: BSD-3-Clause
"""The device's side of a guest's run: its requests with their stages, and slices of its timeline."""

from __future__ import annotations

import csv
import decimal
import gzip
import json
import pathlib
from collections.abc import Iterator
from dataclasses import dataclass

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.stages import STAGES

_PICOSECONDS = 1000


@dataclass(frozen=True)
class DeviceRequest:
    """Times are picoseconds of simulated time: `begin` when the controller has decoded the command, `end` when it has
    ended in the SSD. The stages add up to their difference."""

    kind: str
    lba: int
    sectors: int
    tag: int
    begin: int
    end: int
    stages: dict[str, int]


@dataclass(frozen=True)
class Slice:
    """Of the timeline, picoseconds."""

    group: str
    track: str
    name: str
    begin: int
    end: int


def read_requests(path: pathlib.Path) -> list[DeviceRequest]:
    """`tlmssd guest --log`, in the order in which they began. LabInputError."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        found = [_request(row) for row in rows]
    except OSError as error:
        raise LabInputError(f"{path}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, decimal.InvalidOperation):
        raise LabInputError(f"{path}: not a log of tlmssd guest --log") from None
    for request in found:
        if sum(request.stages.values()) != request.end - request.begin:
            raise LabInputError(f"{path}: the stages of the request at {request.begin} ps do not add up")
    return sorted(found, key=lambda request: request.begin)


def _request(row: dict[str, str]) -> DeviceRequest:
    return DeviceRequest(row["kind"], int(row["lba"]), int(row["bytes"]) // 512, int(row["tag"]), _ps(row["issue_ns"]),
                         _ps(row["completion_ns"]), {stage: _ps(row[f"{stage}_ns"]) for stage in STAGES})


def _ps(nanoseconds: str) -> int:
    return int(decimal.Decimal(nanoseconds) * _PICOSECONDS)


def slices(path: pathlib.Path, begin: int, end: int) -> list[Slice]:
    """All of the timeline that overlaps [begin, end), in picoseconds. LabInputError."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            events = json.load(file, parse_float=decimal.Decimal)["traceEvents"]
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise LabInputError(f"{path}: not a timeline: {error}") from None
    return [each for each in _slices(events) if each.end > begin and each.begin < end]


def _slices(events: list[dict]) -> Iterator[Slice]:
    groups, tracks = {}, {}
    for event in events:
        if event["ph"] == "M" and event["name"] == "process_name":
            groups[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "M" and event["name"] == "thread_name":
            tracks[event["pid"], event["tid"]] = event["args"]["name"]
        elif event["ph"] == "X":
            begin = int(event["ts"] * 1_000_000)
            yield Slice(groups[event["pid"]], tracks[event["pid"], event["tid"]], event["name"], begin,
                        begin + int(event["dur"] * 1_000_000))
