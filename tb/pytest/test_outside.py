# SPDX-License-Identifier: BSD-3-Clause
"""Schedulers against a closed form and against a Monte Carlo that shares no code with the model.

One die operation is 5 ms, so that firmware at 10 GHz, link and DRAM are below a thousandth; buses take no time.
"""

import json

import pytest

from outside_runs import near

import queues  # of tb/outside, which outside_runs adds to the path

UNIT_US = 5000
SPREAD = 0.3  # of the die's time, so that no two reads end at the same instant
RULES = {
    "vaq": ["scheduler=vaq"],
    "paq_block": ["scheduler=paq1", "paq.wait=block"],
    "paq_skip": ["scheduler=paq1", "paq.wait=skip"],
    "host": ["scheduler=host", "controller.streams=free"],
}


def measured(tlmssd, folder, shape, depth, sets, requests, pages=1):
    """(requests per unit of time, mean latency in units), without the first tenth."""
    channels, ways, dies = shape
    results = json.loads(tlmssd.run(folder, "-w", "randread-4k", sets=[
        f"geometry.channels={channels}", f"geometry.ways={ways}", f"geometry.dies={dies}",
        "geometry.planes=1", "geometry.blocks=32", "geometry.pages=32", "ftl.over_provisioning=0.4",
        "onfi.timeless=true", f"nand.t_read_us={UNIT_US}", "controller.ecc_us=0", "cpu.mhz=10000",
        "host.kind=direct", f"host.queue_depth={depth}", "buffer.policy=none", f"workload.bs={8192 * pages}",
        f"workload.requests={requests}", "workload.warmup=requests",
        f"workload.warmup_requests={requests // 10}", *sets]))
    host = results["host"]["all"]
    return host["iops"] * UNIT_US * 1e-6, host["latency_us"]["mean"] / UNIT_US


# Channels, packages, dies; depth; pages per request. The first two are older, the others were chosen before their
# first run: deep, few packages with many dies, four pages in four packages, eight pages with two in each package.
CONFIGURATIONS = [((8, 8, 2), 32, 1), ((4, 4, 1), 16, 1), ((8, 8, 2), 128, 1), ((2, 4, 4), 24, 1),
                  ((4, 4, 2), 16, 4), ((2, 2, 4), 12, 8)]


# Of the run and of the Monte Carlo. A slow head of VAQ holds up all that follow it, so that its means spread most:
# 120,000 requests of the Monte Carlo with three seeds differ by 1.4 %.
REQUESTS = {"vaq": (240_000, 400_000), "paq_block": (60_000, 80_000), "paq_skip": (60_000, 80_000),
            "host": (60_000, 80_000)}
CASES = [(rule, *case) for case in CONFIGURATIONS for rule in RULES]


@pytest.mark.parametrize("rule, shape, depth, pages", CASES)
def test_a_scheduler_is_as_fast_as_its_rule(tlmssd, tmp_path, rule, shape, depth, pages):
    """Throughput within 1 %, mean latency within 2 %."""
    counts = [count // pages for count in REQUESTS[rule]]
    if pages > 1 and rule.startswith("paq"):  # seeds differ by 1 % with fewer
        counts = [60_000, 40_000]
    rate, latency = measured(tlmssd, tmp_path, shape, depth,
                             [*RULES[rule], f"nand.array_variation={SPREAD}"], counts[0], pages)
    expected_rate, expected_latency = queues.simulate(rule, *shape, depth, SPREAD, counts[1], pages=pages)
    name = f"{rule}, {shape}, depth {depth}, {pages} pages"
    near(f"{name}, per unit", rate, expected_rate, 0.01)
    near(f"{name}, units", latency, expected_latency, 0.02)


def test_clumps_of_vaq_end_at_the_first_die_that_comes_again(tlmssd, tmp_path):
    """`vaq.block: request`, all reads alike: a clump is as long as the run of different dies in front.

    P(k different in a row) = 128! / ((128 - k)! 128^k). Its sum over k is the mean, Ramanujan's Q:
    sqrt(pi 128 / 2) - 1/3 + sqrt(pi / (2 128)) / 12 = 13.856. Here k ends at the depth.
    """
    dies, depth = 128, 64
    chance, expected = 1.0, 0.0
    for k in range(depth):
        chance *= 1 - k / dies
        expected += chance
    rate, _ = measured(tlmssd, tmp_path, (8, 8, 2), depth,
                       ["scheduler=vaq", "vaq.block=request"], 60_000)
    assert expected == pytest.approx(13.856, abs=0.001)
    assert rate == pytest.approx(expected, rel=0.01)


def test_a_wrong_rule_is_seen(tlmssd, tmp_path):
    """The limits above tell the rules from one another."""
    rates = {rule: queues.simulate(rule, 8, 8, 2, 32, SPREAD, 20_000)[0] for rule in RULES}
    ordered = sorted(rates.values())
    assert all(b > 1.1 * a for a, b in zip(ordered, ordered[1:]))
    rate, _ = measured(tlmssd, tmp_path, (8, 8, 2), 32,
                       [*RULES["paq_skip"], f"nand.array_variation={SPREAD}"], 20_000)
    assert abs(rate / rates["paq_block"] - 1) > 0.1


def test_the_program_answers(capsys):
    assert queues.main(["host", "1", "1", "1", "1", "0", "1000"]) == 0
    assert capsys.readouterr().out == "1.0000 requests per unit, mean latency 1.0000 units\n"
    assert queues.main(["nothing"]) == 2
