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


BACK = ["ftl.gc.copyback=true", "ftl.gc.copyback_limit=255"]


@pytest.mark.parametrize("scheduler", ["serial", "barrier", "inorder", "host"])
@pytest.mark.parametrize("more", [[], ["cpu.model=iss"], ["data=full"], ["ftl.recovery=scan"], ["onfi.ready=status"],
                                  ["geometry.planes=1", "geometry.dies=4", "geometry.chip_enables=2"]])
def test_copyback_keeps_the_data(tlmssd, tmp_path, scheduler, more):
    results = run(tlmssd, tmp_path, [*BACK, f"scheduler={scheduler}", *more])
    gc = results["ftl"]["gc"]
    assert gc["runs"] > 20
    assert gc["copybacks"] == gc["pages_moved"] > 100
    assert results["integrity"]["mismatches"] == 0
    assert results["checker"]["violations"] == 0


def test_pages_go_through_ecc_after_some_copybacks(tlmssd, tmp_path):
    cold = ["precondition.overwrite=10", "precondition.range=0.5", "workload.rwmixread=0", "buffer.policy=none"]
    one = run(tlmssd, tmp_path / "1", [*cold, "ftl.gc.copyback=true", "ftl.gc.copyback_limit=1"])
    many = run(tlmssd, tmp_path / "255", [*cold, *BACK])
    for results in (one, many):
        gc = results["ftl"]["gc"]
        assert gc["copybacks"] == gc["pages_moved"] > 1000
        assert results["integrity"]["mismatches"] == 0
    moved = one["ftl"]["gc"]["pages_moved"]
    partial = many["flash"]["ops"]["read"]  # host writes of less than a page
    assert 0.2 * moved < one["flash"]["ops"]["read"] - partial < 0.8 * moved


def test_copyback_takes_two_bursts_off_the_bus(tlmssd, tmp_path):
    """NV-DDR2 mode 6, a page with its spare area of 16 x 539 + 16 = 8640 bytes, in ns. Read: 00h addr 30h
    20 + 7 x 25 and tCS, tRR, tRPRE + tDQSRE 20 + 20 + 30 and the burst 25,920. Program: 80h addr 20 + 6 x 25, tADL
    70, burst 25,920 + 21, 10h 25. Copyback: 195, 70 and 16 bytes 48, tRHW 100 without the tCS that follows, 85h addr
    10h 195. A status each. Pauses let collection end, so that both collect the same."""
    alone = ["scheduler=serial", "host.queue_depth=1", "buffer.policy=none", "onfi.interface=nvddr2", "onfi.mode=6",
             "nand.nvddr2_modes=9", "workload.thinktime_us=50000",
             "workload.rwmixread=0"]
    read, program, copy = 195 + 70 + 25_920, 170 + 70 + 25_920 + 21 + 25, 195 + 70 + 48 + 80 + 195
    by_dram = run(tlmssd, tmp_path / "dram", alone)
    back = run(tlmssd, tmp_path / "back", [*alone, *BACK])
    moved = by_dram["ftl"]["gc"]["pages_moved"]
    assert moved == back["ftl"]["gc"]["pages_moved"] == back["ftl"]["gc"]["copybacks"] > 1000
    assert by_dram["ftl"]["waf"] == back["ftl"]["waf"]

    def bus(results):
        return sum(channel["busy_s"] for channel in results["flash"]["channels"])
    assert bus(by_dram) - bus(back) == pytest.approx(1e-9 * moved * (read + program - copy), rel=1e-6)
    assert back["sim"]["time_s"] < by_dram["sim"]["time_s"]


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
    """Programs and erases fail: spare blocks run out, reads go on to the end of the run.
    Whether a page is dirty at that moment depends on the seed."""
    flushes_failed = 0
    for seed in range(1, 9):
        results = run(tlmssd, tmp_path / str(seed), [
            f"seed={seed}", f"buffer.policy={policy}", f"cpu.model={model}", "nand.errors.enabled=true",
            "nand.errors.program_fail=0.02", "nand.errors.erase_fail=0.05", "precondition.overwrite=0",
            "precondition.fill=0.5", "workload.requests=20000", "workload.flush_every=100"])
        ftl = results["ftl"]
        assert ftl["read_only"] is True
        assert 0 < ftl["read_only_us"] < 1e6 * results["sim"]["time_s"]
        errors = results["host"]["errors"]
        assert errors["writes"] > 100
        assert results["integrity"]["mismatches"] == 0
        assert results["host"]["reads"]["count"] > 1000
        flushes_failed += errors["others"]
        if policy == "none":
            assert errors["reads"] < 32, "only pages whose last program failed and could not be redone"
    if policy == "lru":
        assert flushes_failed > 0, "FLUSH has to say that acknowledged data are lost"
    else:
        assert flushes_failed == 0, "nothing was acknowledged that is not in flash"


@pytest.mark.parametrize("sets, said", [
    (["ftl.gc.policy=greddy"], "did you mean 'greedy'?"),
    (["ftl.gc.choices=4"], "has no effect because ftl.gc.policy is greedy"),
    (["ftl.gc.policy=fifo", "ftl.gc.window_blocks=4"], "has no effect because ftl.gc.policy is fifo"),
    (["ftl.gc.hard_blocks=4"], "is not below ftl.gc.threshold_blocks, 4; at most 3"),
    (["ftl.gc.share=0"], "ftl.gc.share"),
    (["ftl.gc.scope=chanel"], "did you mean 'channel'?"),
    (["scheduler=vaq", "ftl.gc.separate=false"], "false conflicts with scheduler vaq"),
    (["scheduler=hybrid", "ftl.gc.copyback=true"], "ftl.gc.copyback: true conflicts with scheduler hybrid"),
    (["controller.kind=rtl", "ftl.gc.copyback=true"], "true conflicts with controller.kind: rtl"),
    (["controller.kind=rtl_pins", "ftl.gc.copyback=true"], "true conflicts with controller.kind: rtl_pins"),
    (["ftl.gc.copyback_limit=2"], "has no effect because ftl.gc.copyback is false"),
    (["ftl.wear.threshold=7"], "has no effect because ftl.wear.policy is none"),
    (["ftl.wear.policy=dynamic", "ftl.wear.threshold=7"], "has no effect because ftl.wear.policy is dynamic"),
])
def test_what_makes_no_sense_is_refused(tlmssd, sets, said):
    done = tlmssd("run", DEFAULT, *set_options(sets), "--quiet")
    assert done.returncode == INPUT_ERROR
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
