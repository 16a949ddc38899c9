# SPDX-License-Identifier: BSD-3-Clause
# tlmssd: ftl.write_size_factor: host data that take less flash (docs/explanation/mapping-units.md), in timed runs.
import json

import jsonschema
import pytest

from cli import ROOT

# 8 planes of 64 blocks of 16 pages of 16 KiB: 128 MiB. SDR mode 5: 20 ns a byte. 13 bytes of parity a sector.
DEVICE = ["nand.page_bytes=16384", "geometry.channels=4", "geometry.ways=1", "geometry.dies=1", "geometry.planes=2",
          "geometry.blocks=64", "geometry.pages=16", "ftl.over_provisioning=0.25", "buffer.size_mib=2",
          "precondition.fill=1", "host.kind=direct", "ftl.mapping_unit=4KiB", "onfi.interface=sdr", "onfi.mode=5"]
UNITS = {1: 4, 0.8: 5, 0.6: 6, 0.5: 8, 0.45: 8}  # 4 / factor, rounded down
SECTOR = {1: 525, 0.8: 420, 0.6: 315, 0.5: 262, 0.45: 236}  # factor times (512 + 13), rounded down
MIXED = ["workload.rw=randrw", "workload.bssplit=512/10:4k/50:8k/10:16k/20:64k/10", "workload.requests=2500",
         "workload.trim_percent=5", "workload.flush_every=120", "precondition.overwrite=1"]


def run(tlmssd, out, factor, sets):
    return json.loads(tlmssd.run(out, sets=[*DEVICE, f"ftl.write_size_factor={factor}", *sets]))


def bus_us(results):
    return 1e6 * sum(channel["busy_s"] for channel in results["flash"]["channels"])


@pytest.mark.parametrize("factor", [0.8, 0.6, 0.5, 0.45])
def test_a_read_takes_its_share_of_the_bus(tlmssd, tmp_path, factor):
    """Units of 4 KiB, one at a time: 8 sectors of so many bytes less, and nothing else changes."""
    load = ["workload.rw=randread", "workload.bs=4k", "workload.requests=500", "buffer.policy=none",
            "host.queue_depth=1"]
    plain = run(tlmssd, tmp_path / "plain", 1, load)
    smaller = run(tlmssd, tmp_path / "smaller", factor, load)
    saved = 8 * (SECTOR[1] - SECTOR[factor]) * 0.020  # us
    assert (bus_us(plain) - bus_us(smaller)) / 500 == pytest.approx(saved, rel=1e-6)
    means = [results["host"]["reads"]["latency_us"]["mean"] for results in (plain, smaller)]
    assert means[0] - means[1] == pytest.approx(saved, rel=1e-3)


@pytest.mark.parametrize("factor", [0.8, 0.6, 0.5, 0.45])
def test_a_page_holds_more(tlmssd, tmp_path, factor):
    """Writes in sequence onto a device with room: programs a byte, and bytes on the bus."""
    load = ["workload.rw=write", "workload.bs=64k", "workload.requests=600", "geometry.pages=256"]
    plain = run(tlmssd, tmp_path / "plain", 1, load)
    smaller = run(tlmssd, tmp_path / "smaller", factor, load)
    for results, one in ((plain, 1), (smaller, factor)):
        assert results["ftl"]["gc"]["runs"] == 0 and results["integrity"]["mismatches"] == 0
        u = results["ftl"]["units"]
        assert UNITS[one] * u["pages_programmed"] == u["written"] + u["padding"]
        assert u["padding"] < 0.01 * u["written"]
        assert results["ftl"]["waf"] == pytest.approx(4 * u["pages_programmed"] / u["written"])
    programs = [sum(c["programs"] for c in results["flash"]["channels"]) for results in (plain, smaller)]
    assert programs[1] / programs[0] == pytest.approx(4 / UNITS[factor], rel=0.01)
    # A program's bus time but for its data is the same: some 1.1 us of 337 (one a channel may be under way at the end).
    page_us = [UNITS[one] * 8 * SECTOR[one] * 0.020 for one in (1, factor)]
    rest = [bus_us(results) / n - us for results, n, us in zip((plain, smaller), programs, page_us)]
    assert rest[1] == pytest.approx(rest[0], abs=4 * page_us[0] / programs[1])


def test_what_is_saved_is_spare(tlmssd, tmp_path):
    """Aged by small writes: with half the size the host's 80 % of the flash are 40 %."""
    load = ["workload.rw=randwrite", "workload.bs=4k", "workload.requests=60000", "workload.warmup=requests",
            "workload.warmup_requests=40000"]
    plain, half = (run(tlmssd, tmp_path / str(factor), factor, load) for factor in (1, 0.5))
    # Uniform writes, a share u of the places live: greedy garbage collection amplifies by about 1 / (2 - 2u),
    # docs/explanation/gc-victims.md; one by age, which does worse, by 1 / (1 - x) with x = exp(-(1 - x) / u), 0.107 for u = 0.4.
    assert plain["ftl"]["waf"] > 1 / (2 - 2 * 0.8)
    assert 0.5 <= half["ftl"]["waf"] < 0.5 / (1 - 0.107) * 1.1  # open blocks and the threshold take some
    assert half["ftl"]["gc"]["blocks_erased"] > 100


@pytest.mark.parametrize("factor", [0.8, 0.6, 0.45])
@pytest.mark.parametrize("model", ["native", "iss"])
@pytest.mark.parametrize("scheduler", ["serial", "inorder", "vaq", "host", "paq2"])
def test_reads_find_what_was_written(tlmssd, tmp_path, scheduler, model, factor):
    results = run(tlmssd, tmp_path, factor, [*MIXED, f"scheduler={scheduler}", f"cpu.model={model}",
                                             "precondition.overwrite=3", "ftl.over_provisioning=0.08"
                                             if factor < 0.8 else "ftl.over_provisioning=0.2"])
    assert results["status"] == "done"
    assert results["integrity"]["mismatches"] == results["checker"]["violations"] == 0
    assert results["integrity"]["pages_checked"] > 1000
    assert results["ftl"]["gc"]["blocks_erased"] > 5 and results["ftl"]["units"]["moved"] > 50
    jsonschema.validate(results, json.loads((ROOT / "docs/reference/results.schema.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("sets", [
    ["cpu.cores=4"], ["buffer.policy=none"], ["buffer.policy=fab"], ["buffer.policy=bplru", "buffer.page_padding=true"],
    ["buffer.write=through"], ["buffer.read_ahead=4"], ["controller.kind=rtl", "scheduler=host"],
    ["controller.kind=rtl_pins", "scheduler=host", "workload.requests=60", "precondition.overwrite=0"],
    ["ftl.placement=queue_aware"], ["ftl.gc.policy=cost_benefit", "ftl.wear.policy=both"],
    ["ftl.write_points=channel", "ftl.gc.scope=channel"], ["ftl.gc.separate=false"], ["host.kind=nvme"],
    ["workload.fua=true"], ["nand.page_bytes=8192", "ftl.write_size_factor=0.3"],
], ids=" ".join)
def test_in_other_company(tlmssd, tmp_path, sets):
    results = run(tlmssd, tmp_path, 0.6, [*MIXED, "workload.requests=1200", *sets])
    assert results["status"] == "done"
    assert results["integrity"]["mismatches"] == results["checker"]["violations"] == 0
    assert results["integrity"]["pages_checked"] > 30


@pytest.mark.parametrize("free", [8, 24, 64])
def test_so_many_pages_are_on_their_way(tlmssd, tmp_path, free):
    """buffer.free_pages: dies that program for 50 ms, more of them than pages may leave at once: one program for each
    of the pages on their way in each 50 ms (and a little, under 1 %)."""
    device = [s for s in DEVICE if not s.startswith(("ftl.mapping_unit", "geometry.channels", "geometry.ways"))]
    results = json.loads(tlmssd.run(tmp_path, sets=[
        *device, "geometry.channels=8", "geometry.ways=8", "geometry.dies=2", "geometry.planes=1", "buffer.size_mib=16",
        "ftl.over_provisioning=0.4", "precondition.fill=0", "nand.t_program_us=50000", "workload.rw=write",
        "workload.bs=16k", "workload.requests=6000", "workload.warmup=requests", "workload.warmup_requests=3000",
        f"buffer.free_pages={free}"]))
    seconds = 3000 / results["host"]["writes"]["iops"]
    assert 3000 * 0.050 / seconds == pytest.approx(free, rel=0.02)
