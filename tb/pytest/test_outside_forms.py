# SPDX-License-Identifier: BSD-3-Clause
"""Runs against closed forms: a queue of one, one die, one bus, and the fullest of some places.

The equations: docs/notebook/outside-checks.md. The forms share no code with the model (tb/outside/forms.py)."""

import csv
import random

import pytest

from outside_runs import DEVICE, HOST, PLAIN, measured, near, rate_and_latency, shape

import forms  # of tb/outside, which outside_runs adds to the path
import queues

SPARE, SECTORS = 448, 16


def size(sectors):
    return forms.bus_bytes(sectors, SPARE, SECTORS)


def mean_latency(tlmssd, folder, *sets):
    return rate_and_latency(measured(tlmssd, folder, depth=1, requests=2_000,
                                     sets=[*HOST, *shape(1, 1, 1), *sets]))[1]


def test_a_queue_of_one_takes_the_sum_of_its_times(tlmssd, tmp_path):
    """Command, tWB, tR, burst. The firmware takes the rest, twice as long at 5 GHz as at 10 GHz: the difference is
    its time, and the sum is right to 10 ns, of which DRAM has 8. (At 100 GHz it is below tRHW, which shows then.)"""
    fast = mean_latency(tlmssd, tmp_path / "a", "workload.bs=4k", "cpu.mhz=10000")
    slow = mean_latency(tlmssd, tmp_path / "b", "workload.bs=4k", "cpu.mhz=5000")
    firmware = slow - fast
    expected = forms.read_command() + forms.T_WB / 1000 + 75 + forms.data_out(size(8))
    assert 0 < firmware < 0.6
    near("queue of one, us", fast - firmware, expected, 0.01 / expected)


def test_what_a_longer_read_takes_longer_is_its_bytes(tlmssd, tmp_path):
    """Eight sectors more, 539 bytes each, two bytes in 6 ns."""
    short = mean_latency(tlmssd, tmp_path / "a", "workload.bs=4k")
    long = mean_latency(tlmssd, tmp_path / "b", "workload.bs=8k")
    near("8 KiB less 4 KiB, us", long - short, 8 * 539 / 2 * 6 / 1000, 0.01)


def test_one_die_is_as_fast_as_its_times(tlmssd, tmp_path):
    """The die is held from the command to the end of the burst; the next command waits for tRHW. With many pages
    hardly two outstanding reads are of one page, which is read once."""
    rate, latency = rate_and_latency(measured(
        tlmssd, tmp_path, depth=8, requests=5_000,
        sets=[*HOST, *shape(1, 1, 1), "geometry.blocks=2048", "workload.bs=4k"]))
    turn = (forms.read_command() + forms.T_WB / 1000 + 75 + forms.data_out(size(8)) + forms.after_data_out())
    near("one die, reads per us", rate, 1 / turn, 0.002)
    near("one die, latency of 8 reads, us", latency, 8 * turn, 0.002)


def test_one_die_programs_as_fast_as_its_times(tlmssd, tmp_path):
    """Nothing is collected: a third of the device is written, once."""
    results = measured(tlmssd, tmp_path, depth=8, requests=300, workload="randwrite-4k",
                       sets=[*HOST, *shape(1, 1, 1), "workload.bs=8k", "precondition.fill=0"])
    turn = (forms.program_command(size(16) + 16) + forms.T_WB / 1000 + 750 + forms.status()
            + forms.after_data_out())
    assert results["ftl"]["waf"] == 1
    near("one die, programs per us", rate_and_latency(results)[0], 1 / turn, 0.002)


@pytest.mark.parametrize("bs, sectors", [("4k", 8), ("8k", 16)])
def test_one_bus_is_as_fast_as_its_bytes(tlmssd, tmp_path, bs, sectors):
    """Sixteen dies whose array takes no more than a burst: the bus never rests. For each read it has a command,
    a burst before which the LUN of four is chosen, and between the burst and a command tRHW."""
    rate, _ = rate_and_latency(measured(
        tlmssd, tmp_path, depth=128, requests=20_000,
        sets=[*HOST, *shape(1, 4, 4), "geometry.blocks=512", "nand.t_read_us=5", f"workload.bs={bs}"]))
    turn = forms.read_command() + forms.data_out(size(sectors), lun=True) + forms.after_data_out()
    near(f"one bus, {bs} reads per us", rate, 1 / turn, 0.005)


def batches(path, number, reads, pages, gap_us):
    """A trace with `reads` reads of one page at once, `number` times. Returns nothing."""
    rng = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        for batch in range(number):
            for _ in range(reads):
                file.write(f"{batch * gap_us},0,{rng.randrange(pages) * 8192},8192,R\n")


def makespans(tlmssd, folder, unit, number, *rule):
    """Die times from the arrival of 32 reads at once to the last end, for each batch."""
    batches(folder / "batches.csv", number, 32, 40_000, 20 * unit)
    log = folder / "log.csv"
    sets = [key for key in PLAIN if not key.startswith("dram.")]
    tlmssd.run(folder / "out", "--trace", folder / "batches.csv", "--trace-columns",
               "time:us,-,lba:bytes,size:bytes,op", "--log", log, config=DEVICE, timeout=600, sets=[
                   *sets, *shape(8, 8, 2), *rule, "onfi.timeless=true", f"nand.t_read_us={unit}",
                   "host.queue_depth=32"])
    ends = {}
    with log.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            arrival = float(row["arrival_ns"])
            ends.setdefault(round(arrival / (20_000 * unit)), []).append(float(row["completion_ns"]) - arrival)
    assert len(ends) == number and all(len(times) == 32 for times in ends.values())
    return [max(times) / (1_000 * unit) for times in ends.values()]


def test_32_reads_at_once_end_with_the_fullest_package(tlmssd, tmp_path):
    """PAQ, one read per package at a time, 64 packages: the last of 32 reads ends after as many die times as the
    fullest package has reads, 2.72 in the mean. Its standard deviation is 0.6, that of the mean 0.6 % of it."""
    found = makespans(tlmssd, tmp_path, 5_000, 1_500, "scheduler=paq1", "paq.wait=skip")
    expected = forms.largest_load(32, 64)
    assert expected == pytest.approx(2.7218, abs=1e-4)
    near("32 reads, 64 packages, skip", sum(found) / len(found), expected, 0.02)


def block_by_arrival(number, seed):
    """Mean makespan of 32 reads under Algorithm 2 with its wait, where each read is looked at when it comes in."""
    rng, total = random.Random(seed), 0.0
    for _ in range(number):
        rule, busy, ends, last = queues.RULES["paq_block"](64, 2), set(), [], 0.0

        def issue(now):
            while (choice := rule.choose(busy)) is not None:
                busy.add(choice[1])
                ends.append((now + 1.0, choice[1]))

        for read in range(32):
            rule.arrive(read, rng.randrange(128))
            issue(read * 1e-6)
        while ends:
            last, die = ends.pop(0)
            busy.discard(die)
            issue(last)
        total += last
    return total / number


def test_paq_that_waits_needs_more_passes(tlmssd, tmp_path):
    """`block` passes the packages once per die time, but reads come in one after the other: a second one for a busy
    package stops the pass before the rest is there. So 32 reads take 3.3 die times, not 2.7."""
    found = makespans(tlmssd, tmp_path, 5_000, 1_500, "scheduler=paq1", "paq.wait=block")
    expected = block_by_arrival(2_000, 1)
    assert expected > 1.1 * forms.largest_load(32, 64)
    near("32 reads, 64 packages, block", sum(found) / len(found), expected, 0.02)


def test_closed_forms_by_hand():
    """Two balls in two places: half the time together. Three draws of two: 1, then 2 with chance 1/2."""
    assert forms.largest_load(2, 2) == pytest.approx(1.5)
    assert forms.largest_load(1, 7) == pytest.approx(1)
    assert forms.distinct_before_repeat(2, 3) == pytest.approx(1.5)
    assert forms.distinct_before_repeat(128, 128) == pytest.approx(13.8553, abs=1e-4)
    assert forms.read_command() == pytest.approx(0.195) and forms.data_out(4312) == pytest.approx(13.006)
