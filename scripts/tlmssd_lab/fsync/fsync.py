# SPDX-License-Identifier: BSD-3-Clause
"""The fsyncs of a folder of `scripts/linux --trace`, and all that is known of one of them."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.fsync import block, device
from tlmssd_lab.fsync.join import Joined, axis, join, of_fsync, parts_of, spans_of
from tlmssd_lab.fsync.trace import read_trace
from tlmssd_lab.html_text import number
from tlmssd_lab.run.result import RESULTS, read_json

SCHEMA = "tlmssd-guest-1"


@dataclass(frozen=True)
class Traced:
    """All fsyncs of a run. `date`: of simulated time 0 by the guest's calendar, nanoseconds."""

    folder: pathlib.Path
    date: int
    fsyncs: list[block.Fsync]
    requests: list[Joined]

    def parts(self, fsync: block.Fsync) -> dict[str, int]:
        return parts_of(fsync, of_fsync(fsync, self.requests, self.date), self.date)

    def chosen(self, ordinal: int | None) -> block.Fsync:
        """The one with this number, else the longest, of equal ones the first. LabInputError."""
        if ordinal is None:
            return max(self.fsyncs, key=lambda each: each.end - each.begin)
        if ordinal > len(self.fsyncs):
            raise LabInputError(f"--fsync is {ordinal}, but {self.folder} has {len(self.fsyncs)}")
        return self.fsyncs[ordinal - 1]


@dataclass(frozen=True)
class OneFsync:
    """Times are picoseconds of simulated time. `spans`: who it waited for, from begin to end."""

    call: str
    title: str
    begin: int
    end: int
    parts: dict[str, int]
    spans: list[tuple[int, int, str]]
    requests: list[Joined]
    slices: list[device.Slice]


def read_traced(folder: pathlib.Path) -> Traced:
    """LabInputError where a file is missing or wrong, or where a block request has no command in the device."""
    results = read_json(folder / RESULTS, SCHEMA)
    date = results["guest"].get("date_ns")
    if not isinstance(date, int):
        raise LabInputError(f"{folder}: not the folder of a guest in simulated time: results.json has no guest.date_ns")
    events = read_trace(folder / "trace.txt")
    found = block.fsyncs(events)
    if not found:
        raise LabInputError(f"{folder / 'trace.txt'}: has no fsync of a file on ext4")
    joined = join(block.requests(events), device.read_requests(folder / "requests.csv"), date)
    return Traced(folder, date, found, joined)


def one_fsync(traced: Traced, fsync: block.Fsync) -> OneFsync:
    """With the slices of the timeline. LabInputError."""
    requests = of_fsync(fsync, traced.requests, traced.date)
    begin, end = axis(fsync.begin, traced.date), axis(fsync.end, traced.date)
    call = "fdatasync" if fsync.data_only else "fsync"
    title = (f"{call} {fsync.number} of {len(traced.fsyncs)}, by {fsync.task} ({fsync.pid}), inode {fsync.inode}: "
             f"{number((end - begin) / 1e6)} µs from {begin / 1e12:.9f} s of simulated time")
    return OneFsync(call, title, begin, end, parts_of(fsync, requests, traced.date),
                    spans_of(fsync, requests, traced.date), requests,
                    device.slices(traced.folder / "timeline.json.gz", begin, end))

