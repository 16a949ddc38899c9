# SPDX-License-Identifier: BSD-3-Clause
"""Hit ratios of LRU caches over two streams, in percentage points."""

from __future__ import annotations

import dataclasses

import numpy as np

from tlmssd_lab.locality.stack import Flags, Floats, Ints, Requests, accesses, distances, hit_ratios

SMALLEST = 16  # blocks
ALLOWED = 3.0  # points


@dataclasses.dataclass(frozen=True)
class Curves:
    """Hit ratios in % by size: of all blocks that are used, of those of reads, of those of writes."""

    sizes: Ints
    all: Floats
    reads: Floats
    writes: Floats

    def worst(self, other: Curves, part: str = "all") -> tuple[float, int]:
        """The largest difference to `other` in points, with its sign, and the size where it is."""
        difference = getattr(self, part) - getattr(other, part)
        place = int(np.argmax(np.abs(difference)))
        return float(difference[place]), int(self.sizes[place])

    def outside(self, other: Curves, part: str = "all") -> list[int]:
        """The sizes at which the two differ by more than is allowed."""
        difference = np.abs(getattr(self, part) - getattr(other, part))
        return [int(size) for size in self.sizes[difference > ALLOWED]]


def sizes_for(blocks: int) -> Ints:
    """Two an octave, up to all blocks that are touched."""
    octaves = np.log2(max(blocks, SMALLEST) / SMALLEST)
    return np.unique(np.rint(SMALLEST * 2 ** (np.arange(0, 2 * octaves + 1) / 2))).astype(np.int64)


def curves(requests: Requests, block_sectors: int, sizes: Ints) -> Curves:
    """Each cache is empty at first and holds reads and writes."""
    uses = accesses(requests, block_sectors)
    distance = distances(uses.block)
    write: Flags = requests.write[uses.request]
    return Curves(
        sizes,
        100 * hit_ratios(distance, sizes),
        100 * hit_ratios(distance[~write], sizes),
        100 * hit_ratios(distance[write], sizes),
    )
