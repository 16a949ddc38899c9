#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A small Monte Carlo of a closed network of buses and dies: requests of one page, each to a die at random.

It shares no code with the model and knows a device as times. A request is worked on in three parts: the bus
of its channel (command, or command and data in), its die, the bus again (data out, or status). The die is held
from the first part to the last. The bus serves what waits by a rule of the device (`Rule`).
"""

import heapq
import random
from collections import deque
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Kind:
    """The parts of a read or a write, in us."""

    first: float
    array: float
    last: float = 0.0
    first_has_data: bool = False
    last_has_data: bool = False


@dataclass(frozen=True)
class Rule:
    """`commands_first`: commands and status go before data; else data out goes before all else. `reads_first`:
    a die takes its reads before its writes. `held`: the die is busy until the last part is over."""

    commands_first: bool = True
    reads_first: bool = False
    held: bool = True


def fixed(rng, mean):
    del rng
    return mean


def exponential(rng, mean):
    return rng.expovariate(1.0 / mean)


@dataclass(frozen=True)
class Device:
    """`core`: times of each request on one core, before its die and after it; `delay`: further time that nothing
    waits for; `gap`: from the end of data out to the next command; `streams`: requests have so many in turn, and
    those of one stream are reported in order; `tags`: so many requests at most are between the visits of the core."""

    channels: int
    dies: int  # of a channel
    kinds: tuple  # ((share, Kind), ...)
    rule: Rule = field(default_factory=Rule)
    core: tuple = (0.0, 0.0)
    delay: float = 0.0
    gap: float = 0.0
    streams: int = 0
    tags: int = 1 << 30
    array_time: object = fixed
    bus_time: object = fixed
    writes_in_turn: bool = False  # to one die after the other, not at random


class Channel:
    """One bus and its dies."""

    def __init__(self, device):
        self.waiting = [deque(), deque()]  # what goes first on the bus, and the rest
        self.queues = [deque() for _ in range(device.dies)]
        self.die_free, self.bus_free, self.no_command_before = [True] * device.dies, True, 0.0

    def next(self):
        """(die, request or None where one begins) for a free bus."""
        queue = self.waiting[0] or self.waiting[1]
        return queue.popleft() if queue else None


class Run:
    def __init__(self, device, seed):
        self.device, self.rule, self.rng = device, device.rule, random.Random(seed)
        self.channels = [Channel(device) for _ in range(device.channels)]
        self.events, self.order, self.core_free, self.turn, self.number, self.ended = [], 0, 0.0, 0, 0, []
        self.streams, self.early = [deque() for _ in range(device.streams)], set()
        self.tags, self.without_tag = device.tags, deque()

    def at(self, time, what, *arguments):
        self.order += 1
        heapq.heappush(self.events, (time, self.order, what, arguments))

    def arrive(self, now):
        draw, kind = self.rng.random(), None
        for share, kind in self.device.kinds:
            if (draw := draw - share) < 0:
                break
        total = self.device.channels * self.device.dies
        die = self.rng.randrange(total)
        if self.device.writes_in_turn and not kind.last_has_data:
            die, self.turn = self.turn, (self.turn + 1) % total
        self.number += 1
        request = (now, kind, self.number)
        if self.streams:
            self.streams[self.number % len(self.streams)].append(request)
        self.on_core(now, 0, self.tag, die, request)

    def on_core(self, now, visit, what, *arguments):
        self.core_free = max(now, self.core_free) + self.device.core[visit]
        self.at(self.core_free, what, *arguments)

    def tag(self, now, *request):
        self.without_tag.append(request)
        if self.tags:
            self.tags -= 1
            self.submit(now, *self.without_tag.popleft())

    def submit(self, now, number, request):
        die, channel = divmod(number, self.device.channels)
        channel = self.channels[channel]
        channel.queues[die].append(request)
        self.start(now, channel, die)
        self.grant(now, channel)

    def start(self, now, channel, die):
        """A free die with a queue asks for the bus; where the first part takes no time, it needs none."""
        if channel.die_free[die] and channel.queues[die]:
            channel.die_free[die] = False
            kind = channel.queues[die][0][1]
            if kind.first:
                channel.waiting[0 if self.rule.commands_first and not kind.first_has_data else 1].append((die, None))
            else:
                self.work(now, channel, die, self.take(channel.queues[die]))

    def take(self, queue):
        reads = (at for at, request in enumerate(queue) if request[1].last_has_data)
        at = next(reads, 0) if self.rule.reads_first else 0
        queue.rotate(-at)
        request = queue.popleft()
        queue.rotate(at)
        return request

    def grant(self, now, channel):
        if not channel.bus_free or (found := channel.next()) is None:
            return
        channel.bus_free = False
        die, request = found
        begins = request is None
        request = self.take(channel.queues[die]) if begins else request
        time = self.device.bus_time(self.rng, request[1].first if begins else request[1].last)
        if begins or not request[1].last_has_data:
            time += max(0.0, channel.no_command_before - now)
        self.at(now + time, self.begun if begins else self.moved, channel, die, request)

    def begun(self, now, channel, die, request):
        channel.bus_free = True
        self.work(now, channel, die, request)
        self.grant(now, channel)

    def work(self, now, channel, die, request):
        self.at(now + self.device.array_time(self.rng, request[1].array), self.worked, channel, die, request)

    def worked(self, now, channel, die, request):
        """The array is ready. Data out go first where commands do not, a status where they do."""
        if request[1].last:
            urgent = request[1].last_has_data != self.rule.commands_first
            channel.waiting[0 if urgent else 1].append((die, request))
        if not (request[1].last and self.rule.held):
            self.release(now, channel, die)
        if not request[1].last:
            self.at(now + self.device.delay, self.end, request)
        self.grant(now, channel)

    def moved(self, now, channel, die, request):
        channel.bus_free = True
        if request[1].last_has_data:
            channel.no_command_before = now + self.device.gap
        if self.rule.held:
            self.release(now, channel, die)
        self.at(now + self.device.delay, self.end, request)
        self.grant(now, channel)

    def release(self, now, channel, die):
        channel.die_free[die] = True
        self.start(now, channel, die)

    def end(self, now, request):
        """What has ended is reported, unless an older request of its stream has not ended."""
        if not self.streams:
            self.leave(now, request)
            return
        self.early.add(request[2])
        stream = self.streams[request[2] % len(self.streams)]
        while stream and stream[0][2] in self.early:
            self.early.remove(stream[0][2])
            self.leave(now, stream.popleft())

    def leave(self, now, request):
        self.tags += 1
        if self.without_tag:
            self.tags -= 1
            self.submit(now, *self.without_tag.popleft())
        self.on_core(now, 1, self.report, request)

    def report(self, now, request):
        self.ended.append((now, now - request[0]))
        self.arrive(now)

    def go(self, depth, requests):
        for _ in range(depth):
            self.arrive(0.0)
        while len(self.ended) < requests:
            now, _, what, arguments = heapq.heappop(self.events)
            what(now, *arguments)
        skipped = requests // 10
        counted = self.ended[skipped:]
        rate = len(counted) / (counted[-1][0] - self.ended[skipped - 1][0])
        return rate, sum(latency for _, latency in counted) / len(counted)


def simulate(device, depth, requests=50_000, seed=1):
    """(requests per us, mean latency in us), without the first tenth."""
    return Run(device, seed).go(depth, requests)
