# SPDX-License-Identifier: BSD-3-Clause
"""Block requests of the guest and commands of the device on one axis, and what an fsync waited for."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.fsync.block import BlockRequest, Fsync
from tlmssd_lab.fsync.device import DeviceRequest

STEP = 256  # nanoseconds of the guest's clock
_PICOSECONDS = 1000
# Each instant of an fsync is in one of these.
PARTS = {
    "file_system": "file system: no request is queued or outstanding",
    "block_layer": "block layer: a request is queued, none is with the controller",
    "fetch": "from the issue to the end of decoding: driver, doorbell, fetch",
    "ssd": "in the SSD: from the decoded command to its end, the sum of its stages",
    "completion": "from there to the end in the block layer: completion, interrupt, driver",
}


@dataclass(frozen=True)
class Joined:
    """A request of an fsync. Times are picoseconds of simulated time."""

    block: BlockRequest
    device: DeviceRequest
    queued: int
    issued: int
    begin: int
    end: int
    completed: int


def axis(time: int, date: int) -> int:
    """Simulated picoseconds of a time of the guest's clock: the begin of the step of 256 ns that it stands for."""
    return (time - date) * _PICOSECONDS


def join(blocks: Sequence[BlockRequest], device: Sequence[DeviceRequest], date: int) -> list[Joined]:
    """Each block request with its command: of those of its kind, sector and length the first that began after its issue
    and belongs to no other. `date`: guest.date_ns of results.json. LabInputError where one has none."""
    waiting: dict[tuple[str, int, int], deque[DeviceRequest]] = defaultdict(deque)
    for each in device:
        waiting[_key(each.kind, each.lba, each.sectors)].append(each)
    found = []
    for block in blocks:
        issued, completed = axis(block.issued, date), axis(block.completed, date)
        queue = waiting[_key(block.kind, block.sector, block.sectors)]
        while queue and queue[0].begin < issued:  # of the time before the trace
            queue.popleft()
        if not queue or queue[0].end >= completed + STEP * _PICOSECONDS:
            raise LabInputError(f"trace: the {block.kind} of sector {block.sector} + {block.sectors}, issued at "
                                f"{block.issued - date} ns, has no command in the log of the device")
        command = queue.popleft()
        completed = max(completed, command.end)  # within the step of the clock
        found.append(Joined(block, command, axis(block.queued, date), issued, command.begin, command.end, completed))
    return found


def _key(kind: str, sector: int, sectors: int) -> tuple[str, int, int]:
    return (kind, 0, 0) if kind == "flush" else (kind, sector, sectors)


def of_fsync(fsync: Fsync, all_requests: Sequence[Joined], date: int) -> list[Joined]:
    """The requests that were queued or outstanding in it."""
    begin, end = axis(fsync.begin, date), axis(fsync.end, date)
    return [each for each in all_requests if each.completed > begin and each.queued < end]


def spans_of(fsync: Fsync, joined: Sequence[Joined], date: int) -> list[tuple[int, int, str]]:
    """The parts (PARTS) of its time, from its begin to its end. Of several outstanding requests the one that
    completes last counts."""
    begin, end = axis(fsync.begin, date), axis(fsync.end, date)
    instants = {begin, end}
    for each in joined:
        instants |= {each.queued, each.issued, each.begin, each.end, each.completed}
    inner = sorted(instant for instant in instants if begin <= instant <= end)
    spans: list[tuple[int, int, str]] = []
    for left, right in zip(inner, inner[1:], strict=False):
        part = _part_at(left, joined)
        if spans and spans[-1][2] == part:
            spans[-1] = (spans[-1][0], right, part)
        else:
            spans.append((left, right, part))
    return spans


def parts_of(fsync: Fsync, joined: Sequence[Joined], date: int) -> dict[str, int]:
    """Picoseconds of each of PARTS. They add up to the length of the fsync."""
    parts = dict.fromkeys(PARTS, 0)
    for left, right, part in spans_of(fsync, joined, date):
        parts[part] += right - left
    return parts


def _part_at(instant: int, joined: Sequence[Joined]) -> str:
    outstanding = [each for each in joined if each.issued <= instant < each.completed]
    if not outstanding:
        return "block_layer" if any(each.queued <= instant < each.issued for each in joined) else "file_system"
    last = max(outstanding, key=lambda each: each.completed)
    return "fetch" if instant < last.begin else "ssd" if instant < last.end else "completion"
