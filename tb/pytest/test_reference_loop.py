# SPDX-License-Identifier: BSD-3-Clause
"""The reference loop of scripts/bench does the work that it says, repeated here in Python, and is as it was when the
floors were set."""
import collections
import hashlib
import heapq
import json
import subprocess

import pytest

from cli import DONE, INPUT_ERROR, ROOT

FOLDER = ROOT / "tb/bench/reference"
MASK = 2**64 - 1
PENDING, ENTRIES, PLACES = 256, 2**14, 2**24
EVENTS, LOOKUPS, STEPS = 6, 6, 2  # of a turn

# All ratios of floors belong to this source and these options. Who changes one of them has to measure
# bench_reference.MACHINE again (docs/contributing/speed-floors.md).
SOURCES = {
    "reference_loop.cpp": "0bd2992cbc3eaccb455b376f726ca43cb3571955405af80bf764e1fcf9151217",
    "CMakeLists.txt": "0535bb0d45f9e1ccbe7dfd069a036b9f5a49e590ae519d5b500c57ab2f600176",
}


@pytest.fixture(name="call")
def _call(tlmssd):
    return lambda *words: subprocess.run([tlmssd.path.parent / "tlmssd_reference_loop", *words], text=True,
                                         stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)


def mixed(counter):
    """SplitMix64, its function of a counter."""
    z = counter * 0x9e3779b97f4a7c15 & MASK
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9 & MASK
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb & MASK
    return z ^ (z >> 31)


def events(count):
    """The earliest of 256 events leaves and comes again."""
    pending = [(number, number) for number in range(PENDING)]
    for drawn in range(1, count + 1):
        time, number = pending[0]
        heapq.heapreplace(pending, (time + 1 + (mixed(drawn) >> 44), number))
        yield number


def lookups(count):
    """A set of the last 2^14 keys that it lacked."""
    order, held = collections.deque(), set()
    for drawn in range(1, count + 1):
        key = mixed(drawn) % (2 * ENTRIES)
        yield int(key in held)
        if key not in held:
            if len(order) == ENTRIES:
                held.remove(order.popleft())
            order.append(key)
            held.add(key)


def steps(count):
    place = 0
    for _ in range(count):
        place = (1664525 * place + 1013904223) % PLACES
        yield place


def checksum(values):
    total = 0
    for value in values:
        total = (31 * total + value) & MASK
    return total


@pytest.mark.parametrize("turns", [1, 999, 12000])  # less than a slice, and enough to fill the table (2^14 misses)
def test_the_loop_does_its_work(call, turns):
    done = call("--turns", str(turns))
    assert (done.returncode, done.stderr) == (DONE, "")
    told = json.loads(done.stdout)
    expected = checksum(events(EVENTS * turns)) ^ checksum(lookups(LOOKUPS * turns)) ^ checksum(steps(STEPS * turns))
    assert (told["turns"], told["checksum"]) == (turns, f"{expected:016x}")
    parts = EVENTS * told["event_ns"] + LOOKUPS * told["lookup_ns"] + STEPS * told["step_ns"]
    assert parts * turns / 1e9 == pytest.approx(told["seconds"], rel=0.01)


def test_the_table_of_the_loop_fills():
    misses = sum(1 - hit for hit in lookups(LOOKUPS * 12000))
    assert misses > 2 * ENTRIES


def test_a_measurement_is_a_million_turns(call):
    done = call()
    assert done.returncode == DONE and json.loads(done.stdout)["turns"] == 1_000_000


@pytest.mark.parametrize("words, word", [
    (["--turns"], "usage"), (["--turns", "0"], "'0'"), (["--turns", "-1"], "'-1'"), (["--turns", "1x"], "'1x'"),
    (["--turns", "1000000001"], "'1000000001'"), (["--turn", "5"], "usage"), (["5"], "usage")])
def test_wrong_arguments_are_status_2(call, words, word):
    done = call(*words)
    assert (done.returncode, done.stdout) == (INPUT_ERROR, "")
    assert word in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", SOURCES)
def test_the_loop_is_that_of_the_floors(name):
    assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == SOURCES[name]
