# SPDX-License-Identifier: BSD-3-Clause
# tlmssd: mapping units of 4 KiB in pages of 16 KiB, in timed runs.
import json

import jsonschema
import pytest

from cli import DEFAULT, INPUT_ERROR, ROOT, set_options

# 8 planes of 64 blocks of 16 pages of 16 KiB: 128 MiB.
DEVICE = ["nand.page_bytes=16384", "geometry.channels=4", "geometry.ways=1", "geometry.dies=1", "geometry.planes=2",
          "geometry.blocks=64", "geometry.pages=16", "ftl.over_provisioning=0.25", "buffer.size_mib=2",
          "precondition.fill=1", "host.kind=direct"]
UNITS = ["ftl.mapping_unit=4KiB"]
SMALL_WRITES = ["workload.rw=randwrite", "workload.bs=4k", "workload.requests=4000", "geometry.pages=128"]
MIXED = ["workload.rw=randrw", "workload.bssplit=512/10:4k/50:8k/10:16k/20:64k/10", "workload.requests=2500",
         "workload.trim_percent=5", "workload.flush_every=120", "precondition.overwrite=1"]


def run(tlmssd, out, sets):
    return json.loads(tlmssd.run(out, sets=[*DEVICE, *sets]))


def page_reads(results):
    return sum(channel["reads"] for channel in results["flash"]["channels"])


def test_small_writes_share_pages_and_read_nothing(tlmssd, tmp_path):
    pages = run(tlmssd, tmp_path / "page", SMALL_WRITES)
    units = run(tlmssd, tmp_path / "unit", [*SMALL_WRITES, *UNITS])
    # By pages each miss of the buffer is read, merged and programmed; there is room, so nothing is collected.
    assert pages["ftl"]["gc"]["runs"] == units["ftl"]["gc"]["runs"] == 0
    written = pages["ftl"]["host_pages_written"]
    assert page_reads(pages) >= 0.99 * written > 3000
    # By units nothing is read, and four units go into a page, but for pages that went because none was under way.
    assert page_reads(units) == 0
    u = units["ftl"]["units"]
    assert 4 * u["pages_programmed"] == u["written"] + u["padding"]
    assert u["padding"] < 0.03 * u["written"]
    assert units["ftl"]["host_pages_written"] == u["pages_programmed"]
    # What has not been written at the end are the 512 units of the buffer at the most.
    hits = units["buffer"]["write_hits"]
    assert 4000 - hits - 512 <= u["written"] <= 4000 - hits
    assert units["ftl"]["waf"] == pytest.approx(4 * u["pages_programmed"] / u["written"])
    assert units["host"]["writes"]["iops"] > 3 * pages["host"]["writes"]["iops"]


def test_each_write_that_waits_takes_a_page(tlmssd, tmp_path):
    """FUA, one at a time: nothing comes to share the page, so of four places three stay empty."""
    results = run(tlmssd, tmp_path, [*UNITS, "workload.rw=randwrite", "workload.bs=4k", "workload.fua=true",
                                     "workload.requests=500", "host.queue_depth=1", "geometry.pages=128",
                                     "observe.series_ms=1e6"])
    ftl = results["ftl"]
    assert ftl["gc"]["runs"] == page_reads(results) == 0
    assert ftl["units"] == {"pages_programmed": 500, "written": 500, "padding": 1500, "moved": 0}
    assert ftl["host_pages_written"] == ftl["flash_pages_written"] == 500
    assert ftl["waf"] == 4
    assert [point["waf"] for point in results["series"]["points"]] == [4]


def test_all_units_of_a_page_are_in_its_program(tlmssd, tmp_path):
    """Without a cache each write waits for its page, whoever has come first into it: in the cells for tPROG."""
    results = run(tlmssd, tmp_path, [*UNITS, "workload.rw=randwrite", "workload.bs=4k", "workload.requests=2000",
                                     "buffer.policy=none", "geometry.pages=128", "nand.t_program_us=1000"])
    u = results["ftl"]["units"]
    assert results["ftl"]["gc"]["runs"] == 0 and u["written"] == 2000 and u["pages_programmed"] < 600
    assert results["stages"]["writes"]["cell_us"]["mean"] == pytest.approx(1000, rel=0.005)


def test_a_read_brings_its_units_only(tlmssd, tmp_path):
    loads = ["workload.rw=randread", "workload.bs=4k", "workload.requests=5000", "buffer.policy=none"]
    pages = run(tlmssd, tmp_path / "page", loads)
    units = run(tlmssd, tmp_path / "unit", [*loads, *UNITS])
    for results in (pages, units):  # a page that is asked for while it is being read is read once
        assert 4950 <= page_reads(results) <= 5000
    # Both transfer the sectors that were asked for.
    assert units["host"]["reads"]["iops"] == pytest.approx(pages["host"]["reads"]["iops"], rel=0.03)


@pytest.mark.parametrize("model", ["native", "iss"])
@pytest.mark.parametrize("scheduler", ["serial", "barrier", "inorder", "vaq", "host", "paq0", "paq1", "paq2"])
def test_reads_find_what_was_written(tlmssd, tmp_path, scheduler, model):
    results = run(tlmssd, tmp_path, [*MIXED, *UNITS, f"scheduler={scheduler}", f"cpu.model={model}"])
    assert results["integrity"]["mismatches"] == results["checker"]["violations"] == 0
    ftl = results["ftl"]
    assert ftl["gc"]["blocks_erased"] > 5 and ftl["units"]["moved"] > 500
    assert ftl["gc"]["pages_moved"] >= ftl["units"]["moved"] / 4
    # Copies that were under way at the end: one a plane.
    moved = ftl["flash_pages_written"] - ftl["host_pages_written"]
    assert 0 <= moved - ftl["gc"]["pages_moved"] <= 8
    jsonschema.validate(results, json.loads((ROOT / "docs/reference/results.schema.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("sets", [
    ["data=full"], ["cpu.cores=4"], ["buffer.policy=none"], ["buffer.policy=fab"], ["buffer.policy=bplru"],
    ["buffer.policy=bplru", "buffer.page_padding=true"], ["buffer.policy=clc"], ["buffer.policy=ref"],
    ["buffer.write=through"], ["buffer.read_ahead=4"], ["controller.kind=rtl", "scheduler=host"],
    ["controller.kind=rtl"], ["nand.page_bytes=32768", "buffer.size_mib=4"], ["ftl.placement=queue_aware"], ["ftl.gc.policy=cost_benefit", "ftl.wear.policy=both"],
    ["ftl.write_points=channel", "ftl.gc.scope=channel"], ["ftl.gc.separate=false"],
    ["nand.errors.enabled=true", "nand.errors.program_fail=0.002", "nand.errors.erase_fail=0.002",
     "nand.errors.factory_bad=0.01"],
    ["host.kind=nvme", "host.queue_depth=256"], ["buffer.tables_inside=true"], ["workload.fua=true"],
], ids=" ".join)
def test_in_other_company(tlmssd, tmp_path, sets):
    results = run(tlmssd, tmp_path, [*MIXED, *UNITS, "workload.requests=1200", *sets])
    assert results["status"] == "done" and results["integrity"]["mismatches"] == 0
    assert results["ftl"]["units"]["written"] > 500


def test_less_is_amplified(tlmssd, tmp_path):
    """Aged by its own small writes: bytes programmed for each byte that the host has written."""
    load = ["workload.rw=randwrite", "workload.bs=4k", "workload.requests=60000", "workload.warmup=requests",
            "workload.warmup_requests=40000", "ftl.over_provisioning=0.5"]
    amplified = []
    for sets in ([], UNITS):
        results = run(tlmssd, tmp_path / str(len(sets)), [*load, *sets])
        amplified.append(results["ftl"]["flash_pages_written"] * 16384 / results["host"]["writes"]["bytes"])
    assert amplified[0] > 3 * amplified[1]


def test_snapshots_are_refused(tlmssd, tmp_path):
    done = tlmssd("snapshot", "save", DEFAULT, "--out", tmp_path / "s", *set_options([*DEVICE, *UNITS]))
    assert done.returncode == INPUT_ERROR and "ftl.recovery" in done.stderr
