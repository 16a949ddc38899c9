# SPDX-License-Identifier: BSD-3-Clause
"""The buffer's policies and modes, from the command line, on both CPUs."""
import json

import pytest

from cli import DEFAULT, INPUT_ERROR, set_options

SMALL = ["geometry.channels=2", "geometry.ways=1", "geometry.dies=2", "geometry.planes=2",
         "geometry.blocks=40", "geometry.pages=16", "buffer.size_mib=1", "ftl.over_provisioning=0.5",
         "host.kind=direct", "precondition.fill=1", "precondition.overwrite=0.5",
         "workload.rw=randrw", "workload.rwmixread=40", "workload.bs=8192", "workload.requests=3000",
         "workload.random_distribution=zipf:0.9"]
POLICIES = ["ref", "fab", "bplru", "clc"]


def run(tlmssd, out, sets):
    return json.loads(tlmssd.run(out, sets=[*SMALL, *sets]))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("model", ["native", "iss"])
def test_each_policy_keeps_the_data(tlmssd, tmp_path, policy, model):
    results = run(tlmssd, tmp_path, [f"buffer.policy={policy}", f"cpu.model={model}"])
    assert results["integrity"]["mismatches"] == 0
    assert 0.1 < results["buffer"]["hit_ratio"] < 0.9
    assert "padded_pages" not in results["buffer"] and "read_ahead" not in results["buffer"]


@pytest.mark.parametrize("model", ["native", "iss"])
def test_padding_programs_whole_blocks(tlmssd, tmp_path, model):
    sets = ["buffer.policy=bplru", "buffer.block_pages=8", f"cpu.model={model}"]
    plain = run(tlmssd, tmp_path / "plain", sets)
    padded = run(tlmssd, tmp_path / "padded", [*sets, "buffer.page_padding=true"])
    pages = padded["buffer"]["padded_pages"]
    assert pages > 0 and padded["integrity"]["mismatches"] == 0
    # What is padded is programmed beside what the host wrote, and in nothing else.
    host = padded["ftl"]["host_pages_written"]
    assert host - pages < plain["ftl"]["host_pages_written"] < host


def test_write_through_writes_every_page_at_once(tlmssd, tmp_path):
    results = run(tlmssd, tmp_path, ["buffer.write=through"])
    buffer = results["buffer"]
    assert results["ftl"]["host_pages_written"] == buffer["write_hits"] + buffer["write_misses"]
    assert buffer["read_hits"] > 0
    assert results["host"]["writes"]["latency_us"]["p50"] > 100  # tPROG
    assert results["integrity"]["mismatches"] == 0


def test_reads_that_bypass_are_not_kept(tlmssd, tmp_path):
    alone = ["workload.rw=randread", "host.queue_depth=1", "precondition.overwrite=0"]
    base = [s for s in SMALL if not s.startswith(("workload.rwmixread", "precondition.overwrite"))]
    for mode in ("cached", "bypass"):
        sets = [*base, *alone, f"buffer.reads={mode}"]
        hits = json.loads(tlmssd.run(tmp_path / mode, sets=sets))["buffer"]["read_hits"]
        assert (hits > 500) if mode == "cached" else (hits == 0)


def test_read_ahead_leaves_random_reads_alone(tlmssd, tmp_path):
    results = run(tlmssd, tmp_path, ["buffer.read_ahead=8", "cpu.model=iss"])
    assert results["buffer"]["read_ahead"]["pages"] <= 16
    assert results["integrity"]["mismatches"] == 0


def test_tables_inside_leave_fewer_pages_and_fill_the_budget(tlmssd, tmp_path):
    for policy in ("lru", "fab"):
        sets = [f"buffer.policy={policy}"]
        outside = run(tlmssd, tmp_path / "out", sets)["buffer"]
        inside = run(tlmssd, tmp_path / "in", [*sets, "buffer.tables_inside=true"])["buffer"]
        assert outside["pages"] == 128  # of 8 KiB in 1 MiB
        used = inside["pages"] * 8192 + inside["table_bytes"]
        assert inside["pages"] < 128
        assert used <= 1 << 20 < used + 8192 + 256  # one more and its tags do not fit


def test_a_budget_without_room_for_64_pages_is_refused(tlmssd, tmp_path):
    sets = [*SMALL, "buffer.size_mib=0.5", "buffer.tables_inside=true"]
    done = tlmssd("run", DEFAULT, *set_options(sets), "--out", tmp_path, "--quiet")
    assert done.returncode == INPUT_ERROR
    assert done.stderr.count("\n") == 1
    assert "buffer.size_mib: with their tables inside (buffer.tables_inside) only 63 pages fit" in done.stderr
