# SPDX-License-Identifier: BSD-3-Clause
"""Write amplification under uniform random writes of whole pages: analytic curves, and a Monte Carlo of one plane.

`spare` is spare / logical pages, n the pages of a block. Sources and equations: docs/notebook/outside-checks.md.
"""

import math
import random


def fifo(spare):
    """Desnoyers, SYSTOR 2012. A = 1 / (1 + W(-a exp(-a)) / a), a = 1 + spare, W: Lambert's, on its branch above -1.
    W is found with Newton's steps."""
    a, w = 1 + spare, -0.1
    for _ in range(100):
        w -= (w * math.exp(w) + a * math.exp(-a)) / (math.exp(w) * (1 + w))
    return 1 / (1 + w / a)


def greedy(spare, n):
    """Bux and Iliadis, Performance Evaluation 67 (2010). All victims have v valid pages (v is no whole number: some
    have one less). A block loses its pages one after the other; with i left that takes a time in proportion to 1 / i.
    So it has i valid pages for a share 1 / i of 1 / v' + ... + 1 / n, and the mean over blocks is
    (n - v) / (1 / (v + 1) + ... + 1 / n). It is n / (1 + spare)."""
    wanted, above = n / (1 + spare), 0.0
    for v in range(n, 0, -1):
        # a share p of the blocks goes on from v to v - 1 before it is taken: mean (n - v + p) / (above + p / v)
        p = (wanted * above - (n - v)) / (1 - wanted / v) if v != wanted else 0.0
        if 0 < p <= 1:
            return n / (n - v + p)
        above += 1 / v
    return 1.0


def monte_carlo(policy, spare, blocks, n, idle, volumes=4, seed=1):
    """Amplification of the last half of `volumes` overwrites of a plane that collects when `idle` free blocks are
    left, with one open block for the host's pages and one for pages that are moved."""
    rng, pages = random.Random(seed), int((blocks - idle - 1.5) * n / (1 + spare))
    place, content = [None] * pages, [[] for _ in range(blocks)]  # of a block: its pages in the order of writing
    valid, free, full, point = [0] * blocks, list(range(blocks)), [], {}
    programs = 0

    def program(page, stream):
        nonlocal programs
        programs += 1
        block = point.get(stream)
        if block is None or len(content[block]) == n:
            if block is not None:
                full.append(block)
            block = point[stream] = free.pop()
        if place[page] is not None:
            valid[place[page]] -= 1
        place[page] = block
        content[block].append(page)
        valid[block] += 1

    def collect():
        ready = [block for block in full if valid[block] < n]
        victim = min(ready, key=valid.__getitem__) if policy == "greedy" else ready[0]
        full.remove(victim)
        for page in content[victim]:
            if place[page] == victim:
                program(page, "moved")
        content[victim], valid[victim] = [], 0
        free.append(victim)

    for page in range(pages):
        program(page, "host")
    begin = 0
    for count in range(volumes * pages):
        if count == volumes * pages // 2:
            begin = programs
        while len(free) < idle:
            collect()
        program(rng.randrange(pages), "host")
    return (programs - begin) / (volumes * pages - volumes * pages // 2)
