# SPDX-License-Identifier: BSD-3-Clause
"""Read retry with controller.kind rtl: the error statistics are those of the TLM controller."""
import json

import pytest

from cli import DEFAULT, INPUT_ERROR, deterministic, set_options

# 539 bytes a codeword and 8.6 wrong bits of 12 that ECC corrects: P(more) = 0.099 (Poisson), so of pages of 16 codewords
# 81 % are lost at level 0. The rate depends neither on age nor on reads, so not on the order of the operations.
WORN = ["geometry.channels=2", "geometry.ways=2", "geometry.blocks=32", "geometry.pages=16", "nand.page_bytes=8192",
        "nand.spare_bytes=448", "buffer.policy=none", "buffer.size_mib=1", "precondition.fill=1",
        "ftl.over_provisioning=0.5", "host.kind=direct", "workload.rw=randread", "workload.bs=8192", "workload.requests=500", "nand.errors.enabled=true",
        "nand.errors.e=2e-3", "nand.errors.a=0", "nand.errors.b=0", "nand.errors.g=0", "controller.ecc_bits=12"]


def results(tlmssd, folder, *sets):
    return json.loads(tlmssd.run(folder, sets=[*WORN, *sets], timeout=300))


@pytest.mark.parametrize("ready", ["lun", "status"])
@pytest.mark.parametrize("scheduler", ["inorder", "host"])
@pytest.mark.parametrize("levels, gain", [(7, 0.5), (2, 0.9)])
def test_error_statistics_are_those_of_the_tlm_controller(tlmssd, tmp_path, levels, gain, scheduler, ready):
    sets = [f"controller.read_retries={levels}", f"nand.errors.retry_gain={gain}", f"scheduler={scheduler}",
            f"onfi.ready={ready}"]
    tlm = results(tlmssd, tmp_path / "tlm", *sets)
    rtl = results(tlmssd, tmp_path / "rtl", *sets, "controller.kind=rtl")
    assert rtl["ecc"] == tlm["ecc"]
    assert rtl["host"]["errors"] == tlm["host"]["errors"]
    assert rtl["ecc"]["retries"] > 300
    assert rtl["integrity"]["mismatches"] == rtl["checker"]["violations"] == 0
    # Level 7 leaves 0.07 bits; at a gain of 0.9 level 2 leaves 7 of 8.6, and many pages stay lost.
    assert (rtl["ecc"]["uncorrectable_pages"] == 0) == (levels == 7)


def test_the_gated_clock_changes_nothing(tlmssd, tmp_path):
    sets = [*WORN, "controller.kind=rtl", "scheduler=host", "controller.read_retries=7"]
    gated = tlmssd.run(tmp_path / "gated", sets=sets, timeout=300)
    free = tlmssd.run(tmp_path / "free", sets=[*sets, "controller.clock_gating=false"], timeout=300)
    same = ["config.controller.clock_gating", "config_hash"]
    assert deterministic(gated, same) == deterministic(free, same)
    assert json.loads(gated)["ecc"]["retries"] > 300


def test_other_rtl_controllers_refuse_it(tlmssd, tmp_path):
    run = tlmssd("run", DEFAULT, "--out", tmp_path, *set_options(["controller.kind=rtl", "controller.rtl=round_robin",
                                                                   "controller.read_retries=1"]))
    assert run.returncode == INPUT_ERROR
    assert "round_robin has no read retry; use o3" in run.stderr
