# SPDX-License-Identifier: BSD-3-Clause
"""The fsyncs and the block requests of a trace."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.fsync.trace import Event

KINDS = {"R": "read", "W": "write", "F": "flush", "D": "trim"}  # by the letter of the operation
_BIO = re.compile(r"(?P<dev>\d+,\d+) (?P<flags>\w+) (?P<sector>\d+) \+ (?P<sectors>\d+) \[")
_ISSUE = re.compile(r"(?P<dev>\d+,\d+) (?P<flags>\w+) \d+ \(.*?\) (?P<sector>\d+) \+ (?P<sectors>\d+) \[")
_COMPLETE = re.compile(r"(?P<dev>\d+,\d+) (?P<flags>\w+) \(.*?\) (?P<sector>\d+) \+ (?P<sectors>\d+) \[-?\d+\]")
_SYNC = re.compile(r"dev \d+,\d+ ino (?P<inode>\d+) .*datasync (?P<data>\d)")


@dataclass(frozen=True)
class Fsync:
    """Times are nanoseconds of the guest's clock."""

    number: int  # from 1, in the order of their ends
    task: str
    pid: int
    inode: int
    data_only: bool  # fdatasync
    begin: int
    end: int


@dataclass
class BlockRequest:
    """Times are nanoseconds of the guest's clock."""

    kind: str
    sector: int
    sectors: int
    flags: str
    task: str
    queued: int  # its first part came to the block layer
    issued: int
    completed: int = -1


@dataclass
class _Bio:
    kind: str
    sector: int
    end: int
    time: int
    flush: bool  # what it asks for before its data has not been issued


def fsyncs(events: Sequence[Event]) -> list[Fsync]:
    """Those that began and ended within the trace."""
    begun: dict[int, Event] = {}
    found: list[Fsync] = []
    for event in events:
        if event.name == "ext4_sync_file_enter":
            begun[event.pid] = event
        elif event.name == "ext4_sync_file_exit" and event.pid in begun:
            enter = begun.pop(event.pid)
            fields = _fields(_SYNC, enter)
            found.append(Fsync(len(found) + 1, event.task, event.pid, int(fields["inode"]), fields["data"] == "1",
                               enter.time, event.time))
    return found


def requests(events: Sequence[Event]) -> list[BlockRequest]:
    """Those that were issued and completed within the trace, in the order of issue."""
    bios: list[_Bio] = []
    found: list[BlockRequest] = []
    outstanding: dict[tuple[str, int, int], list[BlockRequest]] = defaultdict(list)
    for event in events:
        if event.name == "block_bio_queue":
            fields = _fields(_BIO, event)
            first, sectors = int(fields["sector"]), int(fields["sectors"])
            kind, preflush = _kind(fields["flags"])
            if kind is not None:
                bios.append(_Bio(kind, first, first + sectors, event.time, preflush or kind == "flush"))
        elif event.name == "block_rq_issue":
            fields = _fields(_ISSUE, event)
            kind, _ = _kind(fields["flags"])
            if kind is not None:
                sectors = int(fields["sectors"])
                request = BlockRequest(kind, 0 if kind == "flush" else int(fields["sector"]), sectors, fields["flags"],
                                       event.task, event.time, event.time)
                request.queued = _queued(bios, request)
                found.append(request)
                outstanding[_key(request.kind, request.sector, sectors)].append(request)
        elif event.name == "block_rq_complete":
            fields = _fields(_COMPLETE, event)
            kind, _ = _kind(fields["flags"])
            key = _key(kind or "", int(fields["sector"]), int(fields["sectors"]))
            if outstanding[key]:  # else it was issued before the trace began
                outstanding[key].pop(0).completed = event.time
    return [request for request in found if request.completed >= 0]


def _kind(flags: str) -> tuple[str | None, bool]:
    """The operation, None of those that carry no command of their own; whether a flush comes before it."""
    preflush = len(flags) > 1 and flags[0] == "F" and flags[1] in KINDS
    return KINDS.get(flags[1] if preflush else flags[0]), preflush


def _key(kind: str, sector: int, sectors: int) -> tuple[str, int, int]:
    return ("flush", 0, 0) if kind == "flush" else (kind, sector, sectors)


def _queued(bios: list[_Bio], request: BlockRequest) -> int:
    """When the first of the parts that `request` carries was queued; those are used up."""
    times = []
    end = request.sector + request.sectors
    for bio in list(bios):
        if request.kind == "flush":
            if bio.flush:
                bio.flush = False
                if bio.sector == bio.end:  # without data
                    bios.remove(bio)
                return bio.time
        elif bio.kind == request.kind and bio.sector < end and request.sector < bio.end:
            times.append(bio.time)
            if bio.end <= end:
                bios.remove(bio)
    return min(times, default=request.issued)


def _fields(pattern: re.Pattern[str], event: Event) -> re.Match[str]:
    found = pattern.match(event.rest)
    if found is None:
        raise LabInputError(f"trace: {event.name} at {event.time} ns has an unknown form: {event.rest[:80]}")
    return found
