# SPDX-License-Identifier: BSD-3-Clause
"""The distributions of a workload with locality, from a stream of requests (docs/explanation/locality.md)."""

from __future__ import annotations

import dataclasses

import numpy as np

from tlmssd_lab.locality.stack import Accesses, Flags, Floats, Ints, Requests, previous_use, used_before

STEPS_PER_OCTAVE = 4
WEIGHT = 100_000  # of all runs, or of all distances of a class
LEAST_USES = 200  # a class of runs with fewer is joined with its neighbour
EXACT_SECTORS = 64  # longer runs and requests are in groups of half an octave
MAX_KINDS = 250  # of runs
MAX_RUN = 65536  # sectors
STATES = 3  # of a block, models/config/locality.h


@dataclasses.dataclass(frozen=True)
class RunKind:
    sectors: int
    request: int
    more: bool  # it covers one block more than its size needs
    weight: int


@dataclasses.dataclass(frozen=True)
class ReuseClass:
    blocks: int
    new: int
    steps: list[tuple[int, list[int]]]  # limit; weights by state


@dataclasses.dataclass(frozen=True)
class Side:
    """Reads or writes."""

    requests: int
    runs: list[RunKind]
    reuse: list[ReuseClass]


@dataclasses.dataclass(frozen=True)
class Uses:
    """Uses of blocks."""

    distance: Ints  # 0: never used
    bound: Ints  # blocks on the stack
    state: Ints  # of the block: 0 only read, 1 written and read since, 2 written last

    def part(self, chosen: Flags) -> Uses:
        return Uses(self.distance[chosen], self.bound[chosen], self.state[chosen])


@dataclasses.dataclass(frozen=True)
class Runs:
    """Requests of one kind that each begin where the one before ended."""

    of_request: Ints
    write: Flags
    start: Ints  # sectors
    sectors: Ints


def runs_of(requests: Requests) -> Runs:
    ends = requests.start + requests.sectors
    follows = np.zeros(len(requests), dtype=bool)
    follows[1:] = (requests.start[1:] == ends[:-1]) & (requests.write[1:] == requests.write[:-1])
    of_request = np.cumsum(~follows) - 1
    firsts = np.flatnonzero(~follows)
    totals = np.add.reduceat(requests.sectors, firsts)
    # A run beyond the longest is several.
    return Runs(of_request, requests.write[firsts], requests.start[firsts], totals)


def run_kinds(
    requests: Requests, runs: Runs, write: bool, block_sectors: int
) -> list[RunKind]:
    """Each run counts once, shared by its bytes among the sizes of its requests."""
    chosen = requests.write == write
    total = grouped(runs.sectors)[runs.of_request][chosen]
    size = np.minimum(grouped(requests.sectors)[chosen], total)
    share = requests.sectors[chosen] / runs.sectors[runs.of_request][chosen]
    offset = runs.start % block_sectors
    more = -(-(offset + runs.sectors) // block_sectors) > -(-runs.sectors // block_sectors)
    # A mean of a group may be of a size that cannot cover one block more.
    more = more[runs.of_request][chosen] & (total % block_sectors != 1 % block_sectors)
    pairs, place = np.unique(np.stack([total, size, more]), axis=1, return_inverse=True)
    weights = np.bincount(place.ravel(), share)
    # By the sectors of a kind; rounded, and with a rule for equals, so that each machine keeps the same kinds.
    order = np.lexsort((-pairs[2], -pairs[1], -pairs[0], -np.round(weights * pairs[0], 6)))[:MAX_KINDS]
    scaled = np.rint(weights * WEIGHT / weights.sum()).astype(int)
    kinds = [RunKind(int(pairs[0, i]), int(pairs[1, i]), bool(pairs[2, i]), int(scaled[i])) for i in order]
    return sorted((k for k in kinds if k.weight > 0), key=lambda k: (k.sectors, k.request, k.more))


def grouped(sectors: Ints) -> Ints:
    """Large numbers are replaced by the mean of their group, a multiple of what divides all of the group."""
    out = np.minimum(sectors, MAX_RUN)
    octave = np.rint(2 * np.log2(np.maximum(out, 1)))
    for group in np.unique(octave[out > EXACT_SECTORS]):
        mine = (octave == group) & (out > EXACT_SECTORS)
        unit = int(np.gcd.reduce(out[mine]))
        out[mine] = round(float(out[mine].mean()) / unit) * unit
    return out


def survival(distance: Ints, bound: Ints, limits: Ints) -> Floats:
    """P(distance > limit) after Kaplan and Meier (1958).

    A block that was never used has a distance beyond the `bound` blocks that were on the stack: such a
    use is censored there.
    """
    seen = np.sort(distance[distance > 0])
    if len(seen) == 0:
        return np.ones(len(limits))
    censored = np.sort(bound[distance == 0])
    values, events = np.unique(seen, return_counts=True)
    at_risk = (
        len(distance) - np.searchsorted(seen, values, "left") - np.searchsorted(censored, values, "left")
    )
    left = np.cumprod(1 - events / at_risk)
    return np.concatenate([[1.0], left])[np.searchsorted(values, limits, "right")]


def step_limits(most: int) -> Ints:
    octaves = np.log2(max(most, 1))
    exponents = np.arange(0, np.ceil(octaves * STEPS_PER_OCTAVE) + 1) / STEPS_PER_OCTAVE
    return np.unique(np.rint(2**exponents)).astype(np.int64)


def reuse_class(blocks: int, uses: Uses) -> ReuseClass:
    limits = step_limits(int(uses.distance.max(initial=0)))
    beyond = survival(uses.distance, uses.bound, limits)
    shares = -np.diff(np.concatenate([[1.0], beyond]))
    seen = uses.distance > 0
    step_of = np.searchsorted(limits, uses.distance[seen], "left")
    counts = np.zeros((len(limits), STATES))
    np.add.at(counts, (step_of, uses.state[seen]), 1)
    parts = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    by_state = np.rint(parts * shares[:, np.newaxis] * WEIGHT).astype(int)
    weights = by_state.sum(axis=1)
    steps = []
    for i, weight in enumerate(weights):
        # An empty step is kept only as the lower end of the next.
        if weight > 0 or (i + 1 < len(weights) and weights[i + 1] > 0):
            steps.append((int(limits[i]), [int(w) for w in by_state[i]]))
    return ReuseClass(blocks, max(0, WEIGHT - int(weights.sum())), steps)


def reuse_classes(uses: Uses, run_blocks: Ints) -> list[ReuseClass]:
    """By the blocks of a run: 1, 2, 3-4, 5-8, ...; those with few uses are joined."""
    log = np.ceil(np.log2(np.maximum(run_blocks, 1))).astype(int)
    classes: list[ReuseClass] = []
    waiting = np.zeros(len(log), dtype=bool)
    for exponent in range(int(log.max(initial=0)) + 1):
        waiting |= log == exponent
        rest = log > exponent
        if waiting.sum() >= LEAST_USES and (rest.sum() >= LEAST_USES or not rest.any()):
            classes.append(reuse_class(1 << exponent, uses.part(waiting)))
            waiting[:] = False
    if waiting.any() or not classes:
        classes.append(reuse_class(1 << int(log.max(initial=0)), uses.part(waiting)))
    return classes


def states(write: Flags, previous: Ints) -> Ints:
    """Of the block of each use, before it; of one that was never used 0."""
    after = np.zeros(len(write), dtype=np.int64)
    before = np.zeros(len(write), dtype=np.int64)
    for i, (writes, last) in enumerate(zip(write.tolist(), previous.tolist(), strict=True)):
        state = 0 if last < 0 else after[last]
        before[i] = state
        after[i] = 2 if writes else min(state, 1)
    return before


def fit_side(
    requests: Requests, uses: Accesses, distance: Ints, counted: Flags, write: bool, block_sectors: int
) -> Side:
    """`counted`: the requests that are fitted; the others only move the stack."""
    runs = runs_of(requests)
    run_of_use = runs.of_request[uses.request]
    # Blocks that two requests of a run share come again by themselves.
    again = np.zeros(len(run_of_use), dtype=bool)
    again[1:] = (uses.block[1:] == uses.block[:-1]) & (run_of_use[1:] == run_of_use[:-1])
    mine = counted[uses.request] & (requests.write[uses.request] == write)
    fitted = mine & ~again
    blocks = -(-(runs.start % block_sectors + runs.sectors) // block_sectors)
    kind = requests.write[uses.request]
    previous = previous_use(uses.block)
    state = states(kind, previous)
    picked = counted & (requests.write == write)
    part = Requests(
        requests.write[picked], requests.start[picked], requests.sectors[picked], requests.arrival_s[picked]
    )
    own = Runs(runs.of_request[picked], runs.write, runs.start, runs.sectors)
    if len(part) == 0:
        return Side(0, [], [])
    return Side(
        len(part),
        run_kinds(part, own, write, block_sectors),
        reuse_classes(
            Uses(distance, used_before(distance), state).part(fitted), blocks[run_of_use[fitted]]
        ),
    )
