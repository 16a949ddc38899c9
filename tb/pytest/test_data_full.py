# SPDX-License-Identifier: BSD-3-Clause
"""`data: full` checks every byte and changes nothing else."""
import json

import pytest

from cli import DEFAULT, MODEL_ERROR, deterministic, set_options

# Partial pages, TRIM and garbage collection on a small device: 4 dies, 64 blocks of 32 pages a plane.
BUSY = ["geometry.channels=2", "geometry.ways=2", "geometry.dies=1", "geometry.blocks=64",
        "geometry.pages=32", "ftl.over_provisioning=0.25", "buffer.size_mib=1",
        "precondition.fill=1", "precondition.overwrite=1", "workload.rw=randrw",
        "workload.rwmixread=50", "workload.bs=13824", "workload.trim_percent=5",
        "workload.requests=2000"]
READS = ["geometry.channels=2", "geometry.ways=2", "geometry.dies=1", "geometry.blocks=64",
         "precondition.fill=1", "buffer.policy=none", "workload.rw=randread", "workload.bs=4096",
         "workload.requests=500"]
DIFFERENT = ["config.data", "config_hash", "integrity.bytes_checked"]


def compare(tlmssd, tmp_path, extra):
    texts = [tlmssd.run(tmp_path / data, sets=[*BUSY, *extra, f"data={data}"])
             for data in ("tags", "full")]
    assert deterministic(texts[0], DIFFERENT) == deterministic(texts[1], DIFFERENT)
    tags, full = (json.loads(text) for text in texts)
    assert full["ftl"]["gc"]["pages_moved"] > 0
    assert tags["integrity"]["bytes_checked"] == 0
    assert full["integrity"]["bytes_checked"] == full["host"]["reads"]["bytes"] > 0


@pytest.mark.parametrize("scheduler", ["serial", "barrier", "inorder", "vaq", "host", "paq0", "paq1",
                                       "paq2", "sost", "hybrid"])
@pytest.mark.parametrize("host", ["sata", "direct"])
def test_nothing_but_the_bytes_differs(tlmssd, tmp_path, scheduler, host):
    compare(tlmssd, tmp_path, [f"scheduler={scheduler}", f"host.kind={host}", "buffer.policy=lru"])


@pytest.mark.parametrize("extra", [
    ["controller.kind=rtl", "workload.requests=300"],
    ["buffer.policy=none"],
    ["precondition.pattern=random"],
    ["time.backend=kernel"],
], ids=" ".join)
def test_nothing_but_the_bytes_differs_with(tlmssd, tmp_path, extra):
    compare(tlmssd, tmp_path, extra)


def test_waves_show_bytes_and_change_nothing(tlmssd, tmp_path):
    sets = [*BUSY, "data=full", "workload.requests=200"]
    off = tlmssd.run(tmp_path / "off", sets=sets)
    on = tlmssd.run(tmp_path / "on", "--waves", tmp_path / "run.fst", sets=sets)
    assert deterministic(off) == deterministic(on)


@pytest.mark.parametrize("key", ["inject.swap_page_registers_at", "inject.falsify_dma_at"])
@pytest.mark.parametrize("host", ["sata", "direct"])
def test_a_planted_fault_is_found_in_the_bytes(tlmssd, tmp_path, key, host):
    sets = [*READS, "data=full", f"{key}=100", f"host.kind={host}"]
    done = tlmssd("run", DEFAULT, *set_options(sets), "--out", tmp_path)
    assert done.returncode == MODEL_ERROR, done.stderr
    assert " of the sector: expected " in done.stderr


def test_a_large_device_costs_what_it_uses(tlmssd, tmp_path):
    # 256 GiB: 8 x 8 x 2 x 2 planes, 512 blocks of 256 pages of 8 KiB. 2000 writes of 4 KiB.
    sets = ["geometry.channels=8", "geometry.ways=8", "geometry.dies=2", "geometry.planes=2",
            "geometry.blocks=512", "geometry.pages=256", "precondition.fill=0", "data=full",
            "workload.rw=randrw", "workload.rwmixread=30", "workload.bs=4096",
            "workload.requests=2000"]
    started_by = b"x" * (700 << 20)  # a larger process: its memory is not the program's
    results = json.loads(tlmssd.run(tmp_path, sets=sets))
    assert results["integrity"]["bytes_checked"] > 0
    assert results["wall"]["peak_rss_mib"] < 600 < len(started_by) >> 20
