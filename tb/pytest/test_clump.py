# SPDX-License-Identifier: BSD-3-Clause
"""controller.issue_policy: clump as a user asks for it: in the comparison beside first_come; where it is refused."""
import json

import pytest

from cli import DONE, INPUT_ERROR, set_options
from lab_support import CONFIG, call_lab

# Reads of several pages at a deep queue: bursts of different levels wait for a bus, so that the policy shows.
LOAD = ["scheduler=host", "host.kind=direct", "host.queue_depth=64", "workload.rw=randrw", "workload.bs=32k",
        "workload.requests=400", "geometry.pages=16"]
O3 = ["controller.kind=rtl", "controller.rtl=o3", "controller.clock_mhz=200"]
CLUMP = "controller.issue_policy=clump"


def compared(tmp_path, tlmssd, *words, wanted=DONE):
    status, out, err = call_lab("compare", CONFIG, "--workload", "randread-4k", "--seeds", 2,
                                "--metric", "host.all.bytes", "--out", tmp_path / "race", *words,
                                program=tlmssd.path, timeout=300)
    assert status == wanted, err
    race = json.loads((tmp_path / "race/compare.json").read_text(encoding="utf-8"))
    return race["workloads"][0]["variants"], out + err


def test_clump_of_o3_is_in_the_comparison_beside_first_come_and_the_tlm_controller(tlmssd, tmp_path):
    """The same bytes under all; the policy is an order of bursts, so that latencies differ."""
    sets = set_options(LOAD)
    variants, out = compared(
        tmp_path, tlmssd, *sets,
        "--variant", "controller.kind=tlm," + CLUMP,
        "--variant", ",".join(O3) + ",controller.issue_policy=first_come",
        "--variant", ",".join(O3 + [CLUMP]))
    assert [v["status"] for v in variants] == ["done"] * 3
    tlm, first_come, clump = (v["figures"] for v in variants)
    for figures in (tlm, first_come, clump):
        assert figures["host.all.bytes"]["mean"] == 400 * 32768
    mean = "host.all.latency_us.mean"
    assert clump[mean]["mean"] != first_come[mean]["mean"]
    # O3's decisions take clocks that the TLM controller's do not: near it, not equal to it.
    assert clump[mean]["mean"] == pytest.approx(tlm[mean]["mean"], rel=0.05)
    assert "clump" in out


def test_clump_may_be_set_for_the_whole_comparison(tlmssd, tmp_path):
    """The scheduler that leaves o3 in order is reported with the reason, and the other one runs."""
    sets = set_options([*LOAD[1:], *O3, CLUMP])
    variants, said = compared(tmp_path, tlmssd, *sets, "--scheduler", "inorder,host", wanted=INPUT_ERROR)
    assert [v["status"] for v in variants] == ["unfit", "done"]
    assert "controller.issue_policy: has no effect because scheduler is inorder" in said


def refusal(tlmssd, tmp_path, *sets):
    done = tlmssd("run", CONFIG, *set_options(sets), "--out", tmp_path / "out", "--quiet")
    lines = done.stderr.splitlines()
    assert (done.returncode, len(lines)) == (INPUT_ERROR, 1), done.stderr
    assert not (tmp_path / "out").exists()
    return lines[0]


@pytest.mark.parametrize("kind", ["tlm", "rtl", "rtl_pins"])
@pytest.mark.parametrize("scheduler", ["serial", "inorder", "paq2"])
def test_in_order_it_is_refused(tlmssd, tmp_path, kind, scheduler):
    said = refusal(tlmssd, tmp_path, f"scheduler={scheduler}", f"controller.kind={kind}", CLUMP)
    assert f"--set {CLUMP}: controller.issue_policy: has no effect because scheduler is {scheduler}" in said


def test_a_controller_that_does_not_have_it_is_refused(tlmssd, tmp_path):
    """round_robin is in order in itself: that comes first with host, the scheduler else."""
    rr = ["controller.kind=rtl", "controller.rtl=round_robin", CLUMP]
    assert "use o3" in refusal(tlmssd, tmp_path, "scheduler=host", *rr)
    assert "has no effect because scheduler is inorder" in refusal(tlmssd, tmp_path, *rr)


def test_an_unknown_policy_names_the_nearest(tlmssd, tmp_path):
    said = refusal(tlmssd, tmp_path, "scheduler=host", "controller.issue_policy=clamp")
    assert "controller.issue_policy" in said and "clump" in said
