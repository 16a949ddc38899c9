# SPDX-License-Identifier: BSD-3-Clause
"""Planted faults are found: the run ends with status 3 and says what it met."""
import json

import pytest

from cli import DEFAULT, MODEL_ERROR, set_options

READS = ["geometry.channels=2", "geometry.ways=2", "geometry.dies=1", "geometry.blocks=64",
         "precondition.fill=1", "buffer.policy=none", "workload.rw=randread", "workload.bs=4096",
         "workload.requests=500"]


@pytest.mark.parametrize("kind", ["tlm", "rtl"])
@pytest.mark.parametrize("key", ["inject.swap_page_registers_at", "inject.falsify_dma_at"])
@pytest.mark.parametrize("when", [1, 100])
def test_a_planted_fault_ends_with_status_3(tlmssd, tmp_path, kind, key, when):
    sets = [*READS, f"controller.kind={kind}", f"{key}={when}"]
    done = tlmssd("run", DEFAULT, *set_options(sets), "--out", tmp_path)
    assert done.returncode == MODEL_ERROR, done.stderr
    assert "terminate called" not in done.stderr and done.stderr.strip()
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert results["status"] == "failed"
    assert results["integrity"]["mismatches"] > 0


@pytest.mark.parametrize("kind", ["tlm", "rtl"])
def test_without_a_fault_the_same_run_is_clean(tlmssd, tmp_path, kind):
    results = json.loads(tlmssd.run(tmp_path, sets=[*READS, f"controller.kind={kind}"]))
    assert results["integrity"] == {"pages_checked": 500, "bytes_checked": 0, "mismatches": 0}


def test_a_channel_without_grants_ends_with_status_3_and_is_named(tlmssd, tmp_path):
    sets = [*READS, "controller.kind=rtl", "inject.no_grants=2"]
    done = tlmssd("run", DEFAULT, *set_options(sets), "--out", tmp_path)
    assert done.returncode == MODEL_ERROR, done.stderr
    assert "rtl: watchdog: no progress since " in done.stderr
    assert "of channel 1 CE# " in done.stderr and "rtl: channel 1: " in done.stderr
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert results["status"] == "failed"
