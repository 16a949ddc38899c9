# SPDX-License-Identifier: BSD-3-Clause
"""ftl.recovery: table pages in simulated time, from the command line."""
import json

import pytest

from cli import DEFAULT, INPUT_ERROR, set_options

SMALL = ["geometry.channels=2", "geometry.ways=1", "geometry.dies=2", "geometry.planes=2",
         "geometry.blocks=40", "geometry.pages=16", "buffer.size_mib=1", "ftl.over_provisioning=0.5",
         "host.kind=direct", "precondition.fill=1", "precondition.overwrite=0.5"]
LOAD = ["workload.rw=randrw", "workload.rwmixread=30", "workload.bs=8192", "workload.requests=3000",
        "workload.flush_every=50", "workload.trim_percent=10"]
SCAN = "ftl.recovery=scan"


def run(tlmssd, out, sets):
    return json.loads(tlmssd.run(out, sets=[*SMALL, *sets]))


@pytest.mark.parametrize("model", ["native", "iss"])
@pytest.mark.parametrize("scheduler", ["inorder", "host", "paq1", "sost", "hybrid"])
def test_a_flush_writes_the_trims(tlmssd, tmp_path, scheduler, model):
    results = run(tlmssd, tmp_path, [*LOAD, SCAN, f"scheduler={scheduler}", f"cpu.model={model}"])
    ftl = results["ftl"]
    # All logical pages are in one table page. A FLUSH writes it once, and only after a trim.
    flushes = results["host"]["flushes"]["count"]
    assert flushes > 30
    assert flushes / 2 < ftl["table_pages_written"] <= flushes
    assert ftl["gc"]["runs"] > 20
    assert ftl["flash_pages_written"] > ftl["host_pages_written"] + ftl["table_pages_written"]
    assert results["integrity"]["mismatches"] == 0


def test_without_recovery_nothing_is_written(tlmssd, tmp_path):
    assert run(tlmssd, tmp_path, LOAD)["ftl"]["table_pages_written"] == 0


@pytest.mark.parametrize("sets", [["data=full"], ["controller.kind=rtl"], ["data=full", "controller.kind=rtl"]])
def test_bytes_and_rtl_carry_table_pages(tlmssd, tmp_path, sets):
    results = run(tlmssd, tmp_path, [*LOAD, SCAN, *sets, "workload.requests=1000"])
    assert results["ftl"]["table_pages_written"] > 5
    assert results["integrity"]["mismatches"] == 0


@pytest.mark.parametrize("sets, said", [
    (["ftl.recovery=scn"], "did you mean 'scan'?"),
    ([SCAN, "ftl.gc.separate=false"], "ftl.gc.separate: false conflicts with ftl.recovery: scan"),
])
def test_what_does_not_go_together_is_refused(tlmssd, sets, said):
    done = tlmssd("run", DEFAULT, *set_options(sets), "--quiet")
    assert done.returncode == INPUT_ERROR
    assert said in done.stderr and len(done.stderr.splitlines()) == 1
