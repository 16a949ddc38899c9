# SPDX-License-Identifier: BSD-3-Clause
"""nand.ready_falls and onfi.ready in whole devices (docs/explanation/ready-line.md)."""
import json

import pytest

from cli import deterministic

# Collection, reads and writes of two planes on a small device, two LUNs per CE#.
BUSY = ["geometry.channels=2", "geometry.ways=2", "geometry.dies=2", "geometry.blocks=40", "geometry.pages=16",
        "buffer.size_mib=1", "ftl.over_provisioning=0.5", "host.kind=direct", "precondition.overwrite=0.5",
        "workload.rw=randrw", "workload.rwmixread=50", "workload.bs=32k", "workload.requests=600", "data=full"]
FALLS = ["at_once", "max", "random"]


def run(tlmssd, folder, *sets):
    text = tlmssd.run(folder, sets=[*BUSY, *sets])
    assert json.loads(text)["checker"]["violations"] == 0
    return text


# The time of a die in the bound is that of its low line: a late fall lowers it by tWB an array operation at most.
@pytest.mark.parametrize("scheduler", ["inorder", "host"])
@pytest.mark.parametrize("ready", ["lun", "status"])
def test_the_tlm_controller_gives_the_same_results_with_every_fall(tlmssd, tmp_path, scheduler, ready):
    sets = [f"scheduler={scheduler}", f"onfi.ready={ready}"]
    runs = [run(tlmssd, tmp_path / falls, *sets, f"nand.ready_falls={falls}") for falls in FALLS]
    changes = ["config.nand.ready_falls", "config_hash", "bound.makespan_s", "bound.fraction_of_bound"]
    texts = [deterministic(text, changes) for text in runs]
    assert texts[0] == texts[1] == texts[2]
    once, most, random = (float(json.loads(text)["bound"]["makespan_s"]) for text in runs)
    operations = sum(json.loads(runs[0])["flash"]["ops"].values())
    assert once - 200e-9 * operations <= most <= random <= once  # tWB is 200 ns at most


@pytest.mark.parametrize("falls", FALLS)
@pytest.mark.parametrize("kind", ["tlm", "rtl"])
@pytest.mark.parametrize("ready", ["lun", "target", "status"])
def test_no_controller_takes_a_busy_lun_for_ready(tlmssd, tmp_path, kind, ready, falls):
    text = run(tlmssd, tmp_path, "scheduler=host", f"controller.kind={kind}", f"onfi.ready={ready}",
               f"nand.ready_falls={falls}")
    assert json.loads(text)["flash"]["ops"]["erase"] > 0
