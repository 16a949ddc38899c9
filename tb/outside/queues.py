#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A small Monte Carlo of request queues over dies: uniform reads, no bus, no CPU.

It shares no code with the model and knows a device only as numbers. `depth` requests are outstanding;
each names PAGES dies that follow each other (channel fastest, then way, then die), from a multiple of PAGES on, and
takes each for a time drawn evenly from 1 - SPREAD to 1 + SPREAD. When a request ends, the next one comes.
Without a spread many reads end at the same instant, and what paq_block does depends on which of them is taken first.

Usage: queues.py RULE CHANNELS WAYS DIES DEPTH SPREAD [REQUESTS [SEED [PAGES]]]

RULE is one of vaq, paq_block, paq_skip, host. Prints requests per unit of time and the mean latency in units.
"""

import heapq
import random
import sys
from collections import deque


class Vaq:
    """One queue in the order of arrival: while the head's die is busy, all wait (PAQ paper, section 3)."""

    def __init__(self, packages, dies):
        self.queue = deque()

    def arrive(self, request, die):
        self.queue.append((request, die))

    def choose(self, busy):
        if self.queue and self.queue[0][1] not in busy:
            return self.queue.popleft()
        return None


class PerPackage:
    """A list of reads per package, which takes one at a time; `stay`: an entry is waited for (Algorithm 2)."""

    def __init__(self, packages, dies, stay):
        self.entries = [deque() for _ in range(packages)]
        self.dies, self.stay, self.at, self.waiting = dies, stay, 0, 0

    def arrive(self, request, die):
        self.entries[die // self.dies].append((request, die))
        self.waiting += 1

    def choose(self, busy):
        if not self.waiting:
            return None
        taken = {die // self.dies for die in busy}  # packages
        for _ in self.entries:
            here, entry = self.at, self.entries[self.at]
            if entry and here in taken and self.stay:
                return None
            self.at = (here + 1) % len(self.entries)
            if entry and here not in taken:
                self.waiting -= 1
                return self.of(here)
        return None

    def of(self, package):
        """Of the oldest request with pages left, first one whose die has another read (node conflict; the
        other levels are equal within a package); if it has none here, the oldest of the package."""
        entry = self.entries[package]
        served = min(other[0][0] for other in self.entries if other)
        dies = [die for _, die in entry]
        found = max((read for read in entry if read[0] == served), default=entry[0],
                    key=lambda read: dies.count(read[1]) > 1)
        entry.remove(found)
        return found


class PerDie:
    """A queue per die, as many at once as there are dies: an out-of-order controller."""

    def __init__(self, packages, dies):
        self.queues = [deque() for _ in range(packages * dies)]
        self.ready = set()

    def arrive(self, request, die):
        self.queues[die].append((request, die))
        self.ready.add(die)

    def choose(self, busy):
        for die in self.ready:
            if die not in busy:
                found = self.queues[die].popleft()
                if not self.queues[die]:
                    self.ready.discard(die)
                return found
        return None


RULES = {"vaq": Vaq, "paq_block": lambda packages, dies: PerPackage(packages, dies, True),
         "paq_skip": lambda packages, dies: PerPackage(packages, dies, False), "host": PerDie}


def simulate(rule, channels, ways, dies, depth, spread, requests=200_000, seed=1, pages=1):
    """(requests per unit of time, mean latency in units), without the first tenth."""
    rng, total = random.Random(seed), channels * ways * dies
    scheduler = RULES[rule](channels * ways, dies)
    born, left, busy, ends = {}, {}, set(), []

    def place(number):
        die, package = divmod(number, channels * ways)
        return (package % channels * ways + package // channels) * dies + die

    def issue(now):
        while (choice := scheduler.choose(busy)) is not None:
            busy.add(choice[1])
            heapq.heappush(ends, (now + 1.0 + spread * (2.0 * rng.random() - 1.0), *choice))

    def arrive(now, request):
        born[request], left[request] = now, pages
        first = rng.randrange(total // pages) * pages
        for page in range(pages):
            scheduler.arrive(request, place(first + page))
        issue(now)

    for request in range(depth):
        arrive(0.0, request)
    begin, waited, done = 0.0, 0.0, 0
    while done < requests:
        now, request, die = heapq.heappop(ends)
        busy.discard(die)
        issue(now)  # before the host has heard of the end
        left[request] -= 1
        if left[request]:
            continue
        done += 1
        waited += now - born.pop(request)
        if done == requests // 10:
            begin, waited = now, 0.0
        arrive(now, depth + done)
    counted = requests - requests // 10
    return counted / (now - begin), waited / counted


def main(words):
    if len(words) < 6 or words[0] not in RULES:
        print(__doc__, file=sys.stderr)
        return 2
    rate, latency = simulate(words[0], *map(int, words[1:5]), float(words[5]), *map(int, words[6:]))
    print(f"{rate:.4f} requests per unit, mean latency {latency:.4f} units")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
