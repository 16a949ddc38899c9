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


# Polls see no line. With a line the falls shift events by nanoseconds, after which a mix orders some bursts otherwise:
# the same work in the same time but for 1 in 1,000.
@pytest.mark.parametrize("scheduler", ["inorder", "host"])
@pytest.mark.parametrize("ready", ["lun", "status"])
def test_when_a_line_falls_changes_no_result_of_polls_and_no_work(tlmssd, tmp_path, scheduler, ready):
    sets = [f"scheduler={scheduler}", f"onfi.ready={ready}"]
    texts = [deterministic(run(tlmssd, tmp_path / falls, *sets, f"nand.ready_falls={falls}"),
                           ["config.nand.ready_falls", "config_hash"]) for falls in FALLS]
    if ready == "status":
        assert texts[0] == texts[1] == texts[2]
        return
    once, *late = map(json.loads, texts)
    for results in late:
        assert float(results["sim"]["time_s"]) == pytest.approx(float(once["sim"]["time_s"]), rel=1e-3)
        assert results["host"]["all"]["count"] == once["host"]["all"]["count"]


@pytest.mark.parametrize("falls", FALLS)
@pytest.mark.parametrize("kind", ["tlm", "rtl"])
@pytest.mark.parametrize("ready", ["lun", "target", "status"])
def test_no_controller_takes_a_busy_lun_for_ready(tlmssd, tmp_path, kind, ready, falls):
    text = run(tlmssd, tmp_path, "scheduler=host", f"controller.kind={kind}", f"onfi.ready={ready}",
               f"nand.ready_falls={falls}")
    assert json.loads(text)["flash"]["ops"]["erase"] > 0
