# SPDX-License-Identifier: BSD-3-Clause
# tlmssd: the demand-cached map in timed runs.
import json

import pytest

from cli import DEFAULT, INPUT_ERROR, set_options

# 8 planes of 40 blocks of 64 pages: 20480 pages, 13653 logical ones of 8 KiB; 7 translation pages.
SMALL = ["geometry.channels=2", "geometry.ways=1", "geometry.dies=2", "geometry.planes=2", "geometry.blocks=40",
         "geometry.pages=64", "buffer.size_mib=1", "buffer.policy=none", "ftl.over_provisioning=0.5",
         "host.kind=direct", "precondition.fill=1"]
MIXED = ["workload.rw=randrw", "workload.rwmixread=50", "workload.bs=16384", "workload.requests=3000",
         "workload.trim_percent=5", "workload.flush_every=200", "precondition.overwrite=0.5"]
DFTL = ["ftl.mapping=dftl", "ftl.map.cache_kib=16"]


def run(tlmssd, out, sets):
    return json.loads(tlmssd.run(out, sets=[*SMALL, *sets]))


@pytest.mark.parametrize("model", ["native", "iss"])
@pytest.mark.parametrize("scheduler", ["inorder", "vaq", "host", "paq1", "sost", "hybrid"])
def test_reads_find_what_was_written(tlmssd, tmp_path, scheduler, model):
    results = run(tlmssd, tmp_path, [*MIXED, *DFTL, f"scheduler={scheduler}", f"cpu.model={model}"])
    ftl = results["ftl"]
    assert results["integrity"]["mismatches"] == 0
    assert ftl["map"]["misses"] > 1000 and ftl["map"]["pages_read"] > 500
    assert ftl["map"]["entries_merged"] > ftl["map"]["pages_written"] > 100
    written = ftl["host_pages_written"] + ftl["gc"]["pages_moved"] + ftl["map"]["pages_written"]
    assert 0 <= ftl["flash_pages_written"] - written <= 8  # copies of 8 planes that have not ended


@pytest.mark.parametrize("sets", [["data=full"], ["cpu.cores=4"], ["nand.errors.factory_bad=0.02"]])
def test_in_other_company(tlmssd, tmp_path, sets):
    results = run(tlmssd, tmp_path, [*MIXED, *DFTL, *sets])
    assert results["integrity"]["mismatches"] == 0
    assert results["ftl"]["map"]["pages_written"] > 100


READS = ["workload.rw=randread", "workload.bs=8192", "workload.requests=3000", "workload.iodepth=1"]


def latency(results):
    return results["host"]["reads"]["latency_us"]["mean"]


def test_a_miss_costs_a_flash_read(tlmssd, tmp_path):
    page = run(tlmssd, tmp_path / "page", READS)
    cached = run(tlmssd, tmp_path / "dftl", [*READS, *DFTL])
    reads = cached["host"]["reads"]["count"]
    share = cached["ftl"]["map"]["misses"] / reads
    # 512 entries of 13653: a uniform read misses with 0.9625; four standard errors of 3000 reads are 0.014.
    assert share == pytest.approx(1 - 512 / 13653, abs=0.014)
    assert cached["ftl"]["map"]["pages_read"] >= cached["ftl"]["map"]["misses"]
    stages = page["stages"]["reads"]
    flash_read = sum(stages[f"{s}_us"]["mean"] for s in ("cell", "transfer", "dram"))
    extra = (latency(cached) - latency(page)) / share
    # Beside it the CPU's part, some 10 us at most, and a little where dirty entries are written back.
    assert flash_read <= extra < 1.1 * flash_read + 10
    assert page["integrity"]["mismatches"] == cached["integrity"]["mismatches"] == 0


def test_a_table_for_the_whole_map_costs_nothing(tlmssd, tmp_path):
    # 13653 entries and two a plane of 32 bytes: 428 KiB.
    page = run(tlmssd, tmp_path / "page", READS)
    cached = run(tlmssd, tmp_path / "dftl", [*READS, "ftl.mapping=dftl", "ftl.map.cache_kib=428"])
    assert cached["ftl"]["map"]["misses"] == cached["ftl"]["map"]["pages_read"] == 0
    assert 0 <= latency(cached) - latency(page) < 1  # the look-up in the hash
    assert cached["ftl"]["map"]["hits"] == 3000


def test_it_writes_more(tlmssd, tmp_path):
    load = ["workload.rw=randwrite", "workload.bs=8192", "workload.requests=4000", "precondition.overwrite=1"]
    waf = [run(tlmssd, tmp_path / str(n), [*load, *sets])["ftl"]["waf"] for n, sets in enumerate(([], DFTL))]
    assert waf[1] > waf[0] + 0.2


def test_the_default_says_nothing_of_it(tlmssd, tmp_path):
    assert "map" not in run(tlmssd, tmp_path, READS)["ftl"]


@pytest.mark.parametrize("sets, said", [
    (["ftl.mapping=dfl"], "did you mean 'dftl'?"),
    ([*DFTL, "ftl.recovery=scan"], "ftl.mapping: dftl conflicts with ftl.recovery: scan"),
    (["ftl.mapping=dftl", "ftl.map.cache_kib=1"], "ftl.map.cache_kib: 1 hold 32 entries"),
])
def test_what_does_not_go_together_is_refused(tlmssd, sets, said):
    done = tlmssd("run", DEFAULT, *set_options(sets), "--quiet")
    assert done.returncode == INPUT_ERROR
    assert said in done.stderr and len(done.stderr.splitlines()) == 1


def test_steps_are_refused(tlmssd, tmp_path):
    done = tlmssd("run", DEFAULT, *set_options([*SMALL, *DFTL]), "--quiet", "--steps", str(tmp_path / "steps"))
    assert done.returncode == INPUT_ERROR
    assert "--steps: not with ftl.mapping: dftl" in done.stderr
