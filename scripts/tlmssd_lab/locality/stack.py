# SPDX-License-Identifier: BSD-3-Clause
"""LRU stack distances of a stream of requests, and the hit ratios that follow from them."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True)
class Requests:
    """Reads and writes in the order of their arrival."""

    write: Flags
    start: Ints  # sectors
    sectors: Ints
    arrival_s: Floats

    def __len__(self) -> int:
        return len(self.start)

    def part(self, chosen: slice) -> Requests:
        return Requests(
            self.write[chosen], self.start[chosen], self.sectors[chosen], self.arrival_s[chosen]
        )


@dataclasses.dataclass(frozen=True)
class Accesses:
    """Each block that each request touches, in order."""

    request: Ints
    block: Ints


def accesses(requests: Requests, block_sectors: int) -> Accesses:
    first = requests.start // block_sectors
    last = (requests.start + requests.sectors - 1) // block_sectors
    counts = last - first + 1
    request = np.repeat(np.arange(len(requests)), counts)
    inside = np.arange(len(request)) - np.repeat(np.cumsum(counts) - counts, counts)
    return Accesses(request, first[request] + inside)


def previous_use(blocks: Ints) -> Ints:
    """The place of the last use of the same block, -1: none."""
    order = np.argsort(blocks, kind="stable")
    previous = np.full(len(blocks), -1, dtype=np.int64)
    same = blocks[order[1:]] == blocks[order[:-1]]
    previous[order[1:][same]] = order[:-1][same]
    return previous


def greater_before(values: Ints) -> Ints:
    """How many earlier values are greater, for each value: a merge sort, n log(n)^2."""
    counts = np.zeros(len(values), dtype=np.int64)
    places = np.arange(len(values))
    span = int(values.max(initial=0)) + 2
    width = 1
    while width < len(values):
        pair = places // (2 * width)
        left = places // width % 2 == 0
        keys = np.sort(pair[left] * span + values[left] + 1)
        right = ~left
        ends = (pair[right] + 1) * span
        wanted = pair[right] * span + values[right] + 1
        counts[right] += np.searchsorted(keys, ends, "left") - np.searchsorted(keys, wanted, "right")
        width *= 2
    return counts


def distances(blocks: Ints) -> Ints:
    """Different blocks since the last use, the block itself included (1: it was the last); 0: never used.

    Of the uses between, those count whose block was not used before in between: all but those whose own
    last use is later than this block's.
    """
    previous = previous_use(blocks)
    found = np.arange(len(blocks)) - previous - greater_before(previous)
    return np.where(previous < 0, 0, found)


def used_before(distance: Ints) -> Ints:
    """Different blocks used before each use."""
    new = distance == 0
    return np.cumsum(new) - new


def hit_ratios(distance: Ints, sizes: Ints) -> Floats:
    """Of LRU caches of `sizes` blocks, over these uses: the share with a distance of 1 to that size."""
    if len(distance) == 0:
        return np.zeros(len(sizes))
    seen = np.sort(distance[distance > 0])
    return np.searchsorted(seen, sizes, "right") / len(distance)
