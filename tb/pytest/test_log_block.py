# SPDX-License-Identifier: BSD-3-Clause
# tlmssd: the log-block map in timed runs.
import json

import pytest

from cli import DEFAULT, INPUT_ERROR, set_options

# 8 planes of 40 blocks of 64 pages: 13653 logical pages of 8 KiB, 214 logical blocks, 27 a plane. The buffer has 512.
SMALL = ["geometry.channels=2", "geometry.ways=1", "geometry.dies=2", "geometry.planes=2", "geometry.blocks=40",
         "geometry.pages=64", "buffer.size_mib=4", "ftl.over_provisioning=0.5", "host.kind=direct",
         "precondition.fill=1", "ftl.mapping=log_block", "ftl.log_blocks=4"]
MIXED = ["workload.rw=randrw", "workload.rwmixread=50", "workload.bs=16384", "workload.requests=1500",
         "workload.trim_percent=5", "workload.flush_every=200", "buffer.size_mib=1"]
RANDOM = ["workload.rw=randwrite", "workload.bs=8192", "workload.requests=3000"]
SEEDS = [1, 2, 3, 4, 5]


def run(tlmssd, out, sets):
    return json.loads(tlmssd.run(out, sets=[*SMALL, *sets]))


def merges(results):
    log = results["ftl"]["log"]
    return log["switch_merges"], log["partial_merges"], log["full_merges"]


@pytest.mark.parametrize("policy", ["bast", "fast"])
@pytest.mark.parametrize("sets", [["scheduler=inorder"], ["scheduler=host"], ["scheduler=paq2"], ["cpu.model=iss"],
                                  ["data=full"], ["cpu.cores=4"], ["ftl.wear.policy=dynamic"],
                                  ["nand.errors.factory_bad=0.01"]], ids=lambda sets: sets[0])
def test_reads_find_what_was_written(tlmssd, tmp_path, policy, sets):
    # FAST with one shared log block a plane: 512 pages, a third of those that are written.
    log_blocks = {"bast": 4, "fast": 2}[policy]
    results = run(tlmssd, tmp_path, [*MIXED, f"ftl.log_policy={policy}", f"ftl.log_blocks={log_blocks}", *sets])
    ftl, log = results["ftl"], results["ftl"]["log"]
    assert results["integrity"]["mismatches"] == 0
    assert log["full_merges"] > 50 and log["pages_copied"] > 1000
    assert ftl["flash_pages_written"] - ftl["host_pages_written"] - log["pages_copied"] - log["fillers"] in range(9)


def test_writes_in_order_end_in_switches(tlmssd, tmp_path):
    results = run(tlmssd, tmp_path, ["workload.rw=write", "workload.bs=65536", "workload.requests=1600"])
    switches, partials, fulls = merges(results)
    assert switches > 150 and partials + fulls == 0  # 12800 pages, 200 logical blocks
    assert results["ftl"]["log"]["pages_copied"] == 0


def test_bplru_has_fewer_full_merges_than_lru(tlmssd, tmp_path):
    for seed in SEEDS:
        full, copied = {}, {}
        for policy in ("lru", "bplru"):
            results = run(tlmssd, tmp_path / f"{policy}{seed}",
                          [*RANDOM, f"buffer.policy={policy}", f"seed={seed}"])
            full[policy] = merges(results)[2]
            copied[policy] = results["ftl"]["log"]["pages_copied"]
        assert full["bplru"] < full["lru"] and copied["bplru"] < copied["lru"], (seed, full, copied)


@pytest.mark.parametrize("sets, key", [
    (["scheduler=vaq"], "ftl.mapping"), (["scheduler=sost"], "ftl.mapping"), (["scheduler=hybrid"], "ftl.mapping"),
    (["ftl.recovery=scan"], "ftl.mapping"), (["ftl.recovery=journal"], "ftl.mapping"),
    (["ftl.mapping_unit=4KiB"], "ftl.mapping"), (["ftl.wear.policy=static"], "ftl.mapping"),
    (["buffer.policy=cawr"], "ftl.mapping"), (["buffer.policy=gating"], "ftl.mapping"),
    (["ftl.gc.copyback=true"], "ftl.gc.copyback"), (["ftl.gc.policy=random"], "ftl.gc.policy"),
    (["ftl.placement=static"], "ftl.placement"), (["ftl.write_points=channel"], "ftl.write_points"),
    (["ftl.map.cache_kib=64"], "ftl.map.cache_kib"), (["ftl.over_provisioning=0.1"], "ftl.over_provisioning"),
], ids=lambda value: value[0] if isinstance(value, list) else value)
def test_refuses(tlmssd, sets, key):
    result = tlmssd("run", DEFAULT, *set_options(["ftl.mapping=log_block", *sets]), "--quiet")
    assert result.returncode == INPUT_ERROR
    assert len(result.stderr.splitlines()) == 1 and key in result.stderr, result.stderr
    assert "log_block" in result.stderr or key == "ftl.over_provisioning"


def test_acted_counts_merges(tlmssd, tmp_path):
    results = run(tlmssd, tmp_path, MIXED)
    rows = {row["mechanism"]: row for row in results["acted"]}
    assert "garbage collection" not in rows
    row = rows["merges without a new block"]
    switches, partials, fulls = merges(results)
    assert row["chances"] == switches + partials + fulls and row["acted"] == switches + partials


def test_its_keys_need_it(tlmssd):
    result = tlmssd("run", DEFAULT, *set_options(["ftl.log_blocks=4"]))
    assert result.returncode == INPUT_ERROR and "ftl.mapping" in result.stderr
