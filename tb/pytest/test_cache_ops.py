# SPDX-License-Identifier: BSD-3-Clause
"""controller.cache_ops in whole devices: time against closed form, every kind of ready line and fault."""
import json

import pytest

from cli import DEFAULT, DONE, INPUT_ERROR, ROOT, set_options

# One die of one plane per channel: nothing but the die's own array and bus.
ONE_DIE = ["geometry.ways=1", "geometry.dies=1", "geometry.planes=1", "geometry.blocks=64", "host.kind=nvme"]
READS = [*ONE_DIE, "workload=seqread-128k", "workload.requests=200"]
WRITES = [*ONE_DIE, "workload=seqwrite-128k", "workload.requests=300", "buffer.size_mib=4", "precondition.fill=0.5"]
# Collection, reads and writes on a small device.
BUSY = ["geometry.channels=2", "geometry.ways=1", "geometry.dies=2", "geometry.blocks=40", "geometry.pages=16",
        "buffer.size_mib=1", "ftl.over_provisioning=0.5", "host.kind=direct", "precondition.overwrite=0.5",
        "workload.rw=randrw", "workload.rwmixread=50", "workload.bs=32k", "workload.requests=1500"]


def run(tlmssd, tmp_path, sets, *arguments):
    results = json.loads(tlmssd.run(tmp_path / "run", *arguments, sets=sets))
    assert results["checker"]["violations"] == 0
    assert results["bound"]["fraction_of_bound"] <= 1
    return results


@pytest.mark.parametrize("scheduler", ["inorder", "host"])
def test_sequential_reads_of_a_die_take_an_array_time_each(tlmssd, tmp_path, scheduler):
    # 31h, tR 50 us and no burst in between: 50 us for a page instead of tR and the burst of 43.
    pages = 200 * 16 / 4
    plain = run(tlmssd, tmp_path, [*READS, f"scheduler={scheduler}"])
    cached = run(tlmssd, tmp_path, [*READS, f"scheduler={scheduler}", "controller.cache_ops=read"])
    assert cached["controller"]["cache_reads"] > 0.95 * 4 * pages
    assert cached["sim"]["time_s"] == pytest.approx(pages * 50e-6, rel=0.02)
    assert plain["sim"]["time_s"] == pytest.approx(pages * 93.75e-6, rel=0.02)
    assert "cache_reads" not in plain["controller"]


def test_sequential_writes_hide_their_transfers(tlmssd, tmp_path):
    plain = run(tlmssd, tmp_path, [*WRITES, "scheduler=host"])
    cached = run(tlmssd, tmp_path, [*WRITES, "scheduler=host", "controller.cache_ops=program"])
    assert cached["controller"]["cache_programs"] > 0.9 * cached["flash"]["ops"]["program"]
    # 1300 us of tPROG; 43.6 us of address and data are hidden, and one of two status bytes or so.
    assert cached["sim"]["time_s"] / plain["sim"]["time_s"] == pytest.approx(1300 / 1344, rel=0.005)


@pytest.mark.parametrize("sets", [
    ["scheduler=inorder"], ["scheduler=barrier"], ["scheduler=host"],
    ["scheduler=host", "onfi.ready=status", "nand.array_variation=0.1"],
    ["scheduler=host", "onfi.ready=target"],
    ["scheduler=host", "controller.suspend=erase", "controller.streams=per_request"],
    ["scheduler=host", "controller.issue_policy=clump"],
    ["scheduler=host", "data=full", "nand.errors.enabled=true", "nand.errors.e=5e-3", "controller.read_retries=3"],
    ["scheduler=inorder", "nand.errors.enabled=true", "nand.errors.program_fail=1e-3", "controller.timeout_us=20000"],
    ["scheduler=host", "ftl.gc.copyback=true"],
    ["scheduler=host", "dram.model=banks"]], ids=" ".join)
def test_mixes_break_no_rule_and_lose_nothing(tlmssd, tmp_path, sets):
    results = run(tlmssd, tmp_path, [*BUSY, *sets, "controller.cache_ops=both"])
    assert results["controller"]["cache_reads"] > 20


@pytest.mark.parametrize("sets, message", [
    (["controller.kind=rtl"], "controller.cache_ops: has no effect because controller.kind is rtl"),
    (["scheduler=sost"], "controller.cache_ops: has no effect because scheduler is sost"),
    (["scheduler=serial"], "controller.cache_ops: has no effect because scheduler is serial"),
    (["scheduler=host", "controller.suspend=program_and_erase"],
     "controller.cache_ops: a cached program cannot be suspended")])
def test_what_cannot_use_them_is_refused(tlmssd, tmp_path, sets, message):
    done = tlmssd("run", DEFAULT, *set_options([*sets, "controller.cache_ops=both"]), "--out", tmp_path / "run")
    assert done.returncode == INPUT_ERROR and message in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1


def test_power_cuts_lose_nothing(tlmssd):
    done = tlmssd("powercut", ROOT / "configs/ssd/powercut.yaml", "--cuts", "30",
                  *set_options(["scheduler=host", "controller.cache_ops=both"]), timeout=600)
    assert done.returncode == DONE, done.stderr + done.stdout
