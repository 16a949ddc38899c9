# SPDX-License-Identifier: BSD-3-Clause
"""Write amplification of a whole device against analytic curves that share no code with it
(tb/outside/amplification.py; docs/notebook/outside-checks.md)."""

import json

import pytest

from cli import long_form
from outside_runs import DEVICE, HOST, PLAIN, near, shape

import amplification  # of tb/outside, which outside_runs adds to the path

BLOCKS, PAGES, THRESHOLD = 512, 64, 2
# When a victim is chosen, two blocks are free, the host's has its first page, the one of moved pages is half full.
IDLE = THRESHOLD + 1.5
SPARES = [0.07, 0.15, 0.28]  # chosen before the first run
THEORY = {"greedy": lambda spare: amplification.greedy(spare, PAGES), "fifo": amplification.fifo}


def run(tlmssd, folder, policy, spare, requests, *sets):
    plain = [key for key in PLAIN if not key.startswith(("geometry.", "ftl."))]
    return json.loads(tlmssd.run(folder, "-w", "randwrite-4k", config=DEVICE, timeout=600, sets=[
        *plain, *HOST, *shape(1, 1, 1), "geometry.planes=1", f"geometry.blocks={BLOCKS}", f"geometry.pages={PAGES}",
        f"ftl.over_provisioning={spare}", f"ftl.gc.policy={policy}", f"ftl.gc.threshold_blocks={THRESHOLD}",
        "ftl.gc.separate=true", "workload.bs=8k", f"workload.requests={requests}", "precondition.steady=true",
        "precondition.steady_window=1", "precondition.steady_limit=100", "precondition.overwrite=3", *sets]))


def usable(results):
    """Spare / logical pages, without the blocks that hold nothing when a victim is chosen."""
    logical = results["precondition"]["filled"]
    return ((BLOCKS - IDLE) * PAGES - logical) / logical


@pytest.mark.parametrize("spare", SPARES)
@pytest.mark.parametrize("policy", THEORY)
def test_a_device_amplifies_as_the_curve_says(tlmssd, tmp_path, policy, spare):
    """Within 3 %: the steady state of preconditioning, and a run that leaves garbage collection the time to end
    before the next write: the curves know no write that overtakes it. A victim takes 60 ms at most."""
    results = run(tlmssd, tmp_path, policy, spare, 15_000, "host.queue_depth=1", "workload.thinktime_us=70000")
    expected = THEORY[policy](usable(results))
    near(f"{policy}, {spare:.0%} spare, steady", results["precondition"]["waf"], expected, 0.03)
    near(f"{policy}, {spare:.0%} spare, run with pauses", results["ftl"]["waf"], expected, 0.03)


def test_garbage_collection_that_lags_behind_moves_less(tlmssd, tmp_path):
    """Without pauses the host goes on down to the hard threshold: fewer blocks stand idle, and fewer pages move."""
    results = run(tlmssd, tmp_path, "fifo", 0.07, 15_000, "host.queue_depth=1")
    logical = results["precondition"]["filled"]
    none_free = ((BLOCKS - IDLE + THRESHOLD) * PAGES - logical) / logical
    assert 0.97 * amplification.fifo(none_free) < results["ftl"]["waf"] < 0.97 * amplification.fifo(usable(results))


@pytest.mark.parametrize("policy, spare", [("greedy", 0.28), ("fifo", 0.28)] + (
    [("greedy", 0.07), ("fifo", 0.07)] if long_form() else []))
def test_the_curve_is_the_monte_carlo(policy, spare):
    """The curves are of very many blocks, the Monte Carlo has 256."""
    found = amplification.monte_carlo(policy, spare, 256, PAGES, THRESHOLD, volumes=6)
    near(f"{policy}, {spare:.0%} spare, Monte Carlo", found, THEORY[policy](spare), 0.03)


def test_curves_by_hand():
    """FIFO: g = 1 - exp(-1.28 g) lies between 0.40 and 0.41 (0.4007, 0.4083), A = 1 / g. Greedy, blocks of two
    pages, 28 %: the mean is 2 / 1.28 = 1.5625 = (1 + p) / (1 / 2 + p), so p = 7 / 18."""
    assert 1 / 0.41 < amplification.fifo(0.28) < 1 / 0.40
    assert amplification.greedy(0.28, 2) == pytest.approx(2 / (1 + 7 / 18))
    for spare in SPARES:
        assert amplification.greedy(spare, PAGES) < amplification.fifo(spare)
