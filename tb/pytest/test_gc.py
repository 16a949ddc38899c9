# SPDX-License-Identifier: BSD-3-Clause
"""Garbage collection, wear levelling and the end of a device's life, from the command line."""
import json

import pytest

from cli import DEFAULT, INPUT_ERROR, set_options

SMALL = ["geometry.channels=2", "geometry.ways=1", "geometry.dies=2", "geometry.planes=2",
         "geometry.blocks=40", "geometry.pages=16", "buffer.size_mib=1", "ftl.over_provisioning=0.5",
         "host.kind=direct", "precondition.fill=1", "precondition.overwrite=0.5",
         "workload.rw=randrw", "workload.rwmixread=30", "workload.bs=8192", "workload.requests=4000"]
POLICIES = ["greedy", "cost_benefit", "fifo", "random", "d_choices", "windowed_greedy"]


def run(tlmssd, out, sets):
    return json.loads(tlmssd.run(out, sets=[*SMALL, *sets]))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("model", ["native", "iss"])
def test_each_victim_collects_and_keeps_the_data(tlmssd, tmp_path, policy, model):
    results = run(tlmssd, tmp_path, [f"ftl.gc.policy={policy}", f"cpu.model={model}"])
    gc = results["ftl"]["gc"]
    assert gc["runs"] > 20 and gc["pages_moved"] > 0
    assert gc["held"] == 0
    assert results["integrity"]["mismatches"] == 0
    assert results["ftl"]["read_only"] is False and "read_only_us" not in results["ftl"]


def test_victims_differ_and_greedy_moves_least(tlmssd, tmp_path):
    moved = {p: run(tlmssd, tmp_path / p, [f"ftl.gc.policy={p}"])["ftl"]["waf"] for p in POLICIES}
    assert moved["greedy"] < moved["fifo"] and moved["greedy"] < moved["random"]


@pytest.mark.parametrize("scheduler", ["inorder", "host", "hybrid", "sost"])
def test_share_scope_and_mixed_write_points(tlmssd, tmp_path, scheduler):
    sets = [f"scheduler={scheduler}", "ftl.gc.share=0.2", "ftl.gc.threshold_blocks=6",
            "ftl.gc.hard_blocks=2", "ftl.gc.scope=channel", "ftl.gc.separate=false"]
    results = run(tlmssd, tmp_path, sets)
    gc = results["ftl"]["gc"]
    assert gc["runs"] > 20
    if scheduler in ("inorder", "host"):  # hybrid puts collection off until the hard threshold itself
        assert gc["held"] > 0 and gc["held_us"] > 0
    assert results["integrity"]["mismatches"] == 0


def test_static_wear_levelling_narrows_the_spread(tlmssd, tmp_path):
    skew = ["precondition.overwrite=20", "precondition.range=0.3"]
    none = run(tlmssd, tmp_path / "none", skew)["ftl"]["wear"]
    level = run(tlmssd, tmp_path / "both", [*skew, "ftl.wear.policy=both", "ftl.wear.threshold=5"])["ftl"]["wear"]
    assert none["max"] - none["min"] > 20 and none["runs"] == 0
    assert level["max"] - level["min"] < 12
    assert level["stddev"] < none["stddev"] / 2


@pytest.mark.parametrize("policy", ["lru", "none"])
@pytest.mark.parametrize("model", ["native", "iss"])
def test_a_worn_out_device_becomes_read_only(tlmssd, tmp_path, policy, model):
    """Programs and erases fail: spare blocks run out, reads go on to the end of the run."""
    results = run(tlmssd, tmp_path, [
        "seed=2",  # with others nothing may be dirty at that moment, and nothing is lost
        f"buffer.policy={policy}", f"cpu.model={model}", "nand.errors.enabled=true",
        "nand.errors.program_fail=0.02", "nand.errors.erase_fail=0.05", "precondition.overwrite=0",
        "precondition.fill=0.5", "workload.requests=20000", "workload.flush_every=100"])
    ftl = results["ftl"]
    assert ftl["read_only"] is True
    assert 0 < ftl["read_only_us"] < 1e6 * results["sim"]["time_s"]
    errors = results["host"]["errors"]
    assert errors["writes"] > 100
    assert results["integrity"]["mismatches"] == 0
    assert results["host"]["reads"]["count"] > 1000
    if policy == "lru":
        assert errors["others"] > 0, "FLUSH has to say that acknowledged data are lost"
    else:
        assert errors["others"] == 0, "nothing was acknowledged that is not in flash"
        assert errors["reads"] < 32, "only pages whose last program failed and could not be redone"


@pytest.mark.parametrize("sets, said", [
    (["ftl.gc.policy=greddy"], "did you mean 'greedy'?"),
    (["ftl.gc.choices=4"], "has no effect because ftl.gc.policy is greedy"),
    (["ftl.gc.policy=fifo", "ftl.gc.window_blocks=4"], "has no effect because ftl.gc.policy is fifo"),
    (["ftl.gc.hard_blocks=4"], "is not below ftl.gc.threshold_blocks, 4; at most 3"),
    (["ftl.gc.share=0"], "ftl.gc.share"),
    (["ftl.gc.scope=chanel"], "did you mean 'channel'?"),
    (["scheduler=vaq", "ftl.gc.separate=false"], "false does not go with scheduler vaq"),
    (["ftl.wear.threshold=7"], "has no effect because ftl.wear.policy is none"),
    (["ftl.wear.policy=dynamic", "ftl.wear.threshold=7"], "has no effect because ftl.wear.policy is dynamic"),
])
def test_what_makes_no_sense_is_refused(tlmssd, sets, said):
    done = tlmssd("run", DEFAULT, *set_options(sets), "--quiet")
    assert done.returncode == INPUT_ERROR
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
