# SPDX-License-Identifier: BSD-3-Clause
# tlmssd: masters that take turns at the DRAM, in whole runs.
import json

import jsonschema
import pytest

from cli import ROOT, deterministic

# 2 GiB, quick to fill; a DRAM that is the bottleneck.
SMALL = ["geometry.channels=4", "geometry.ways=1", "geometry.blocks=64", "geometry.pages=64", "precondition.fill=1"]
SLOW = ["dram.mb_per_s=400"]
SDR = ["dram.model=banks", "dram.timing=configs/dram/sdr-133.yaml"]
BUSY = ["workload.rw=randrw", "workload.bssplit=512/10:4k/50:12k/20:64k/20", "workload.requests=2000",
        "workload.trim_percent=4", "workload.flush_every=150"]
TURNS = ["dram.arbitration=round_robin"]
LINK = ["dram.arbitration=priority", "dram.priority=link_flash_cpu"]
FLASH = ["dram.arbitration=priority", "dram.priority=flash_cpu_link", "dram.grant_bytes=512"]


def run(tlmssd, out, sets):
    return json.loads(tlmssd.run(out, sets=[*SMALL, *BUSY, *sets]))


@pytest.mark.parametrize("dram", [SLOW, SDR], ids=["bus", "banks"])
@pytest.mark.parametrize("turns", [TURNS, LINK, FLASH], ids=["turns", "link", "flash"])
@pytest.mark.parametrize("host", ["sata", "nvme", "direct"])
def test_data_arrive_whoever_goes_first(tlmssd, tmp_path, host, turns, dram):
    results = run(tlmssd, tmp_path, [f"host.kind={host}", *turns, *dram])
    assert results["status"] == "done"
    assert results["integrity"]["mismatches"] == results["checker"]["violations"] == 0
    masters = results["dram"]["masters"]
    assert masters["link"]["bytes"] == results["host"]["reads"]["bytes"] + results["host"]["writes"]["bytes"]
    assert masters["flash"]["transfers"] > 0
    busy = sum(master["busy_s"] for master in masters.values())
    assert busy == pytest.approx(results["dram"]["busy_s"], rel=1e-3)
    jsonschema.validate(results, json.loads((ROOT / "docs/reference/results.schema.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("sets", [
    ["data=full"], ["cpu.model=iss"], ["scheduler=paq2"], ["scheduler=sost"], ["sata.ncq=false", "host.queue_depth=1"],
    ["sata.bit_error_rate=1e-8"], ["buffer.policy=cawr", "buffer.size_mib=1"],
    ["nand.errors.enabled=true", "nand.errors.program_fail=0.001"],
], ids=" ".join)
def test_in_other_company(tlmssd, tmp_path, sets):
    results = run(tlmssd, tmp_path, [*LINK, *SLOW, *sets])
    assert results["status"] == "done" and results["integrity"]["mismatches"] == 0


@pytest.mark.parametrize("turns", [TURNS, LINK], ids=["turns", "link"])
def test_both_timer_backends_agree(tlmssd, tmp_path, turns):
    texts = [tlmssd.run(tmp_path / backend, sets=[*SMALL, *BUSY, *SLOW, *turns, f"time.backend={backend}"])
             for backend in ("queue", "kernel")]
    assert len({deterministic(text, ["config.time.backend"]) for text in texts}) == 1


def test_rank_moves_the_wait(tlmssd, tmp_path):
    """Whoever goes first waits for less than as last."""
    first = {master: run(tlmssd, tmp_path / master, ["host.kind=direct", *SLOW, "dram.arbitration=priority",
                                                     "dram.passed_over=1000", f"dram.priority={order}"])
             for master, order in (("link", "link_cpu_flash"), ("flash", "flash_cpu_link"))}
    for master, other in (("link", "flash"), ("flash", "link")):
        wait = [first[who]["dram"]["masters"][master]["wait_us"]["mean"] for who in (master, other)]
        assert wait[0] < wait[1]
