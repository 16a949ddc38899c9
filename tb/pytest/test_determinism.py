# SPDX-License-Identifier: BSD-3-Clause
"""Runs that must be equal are equal, byte for byte, outside `wall`."""
import json

import pytest

from cli import deterministic

# Reads and writes, garbage collection, partial pages: a small device (4 dies, 64 blocks of 32 pages a
# plane), overwritten once before the start, behind a buffer of 128 pages.
BUSY = ["geometry.channels=2", "geometry.ways=2", "geometry.dies=1", "geometry.blocks=64",
        "geometry.pages=32", "ftl.over_provisioning=0.25", "buffer.size_mib=1",
        "precondition.fill=1", "precondition.overwrite=1", "workload.rw=randrw",
        "workload.rwmixread=50", "workload.bs=4096", "workload.requests=3000"]


def test_the_busy_workload_is_busy(tlmssd, tmp_path):
    results = json.loads(tlmssd.run(tmp_path, sets=BUSY))
    assert results["ftl"]["gc"]["runs"] > 0
    assert results["integrity"]["pages_checked"] > 1000


@pytest.mark.parametrize("scheduler", ["serial", "barrier", "inorder", "vaq", "host", "paq0", "paq1",
                                       "paq2", "sost", "hybrid"])
def test_two_equal_runs_are_identical(tlmssd, tmp_path, scheduler):
    sets = [*BUSY, f"scheduler={scheduler}"]
    first = deterministic(tlmssd.run(tmp_path / "a", sets=sets))
    assert first == deterministic(tlmssd.run(tmp_path / "b", sets=sets))


def test_another_seed_differs(tlmssd, tmp_path):
    first = deterministic(tlmssd.run(tmp_path / "a", sets=[*BUSY, "seed=1"]), ["seed", "config.seed"])
    assert first != deterministic(tlmssd.run(tmp_path / "b", sets=[*BUSY, "seed=2"]),
                                  ["seed", "config.seed"])


@pytest.mark.parametrize("kind", ["tlm", "rtl"])
def test_waves_change_nothing(tlmssd, tmp_path, kind):
    sets = [*BUSY, f"controller.kind={kind}", "workload.requests=300"]
    off = tlmssd.run(tmp_path / "off", sets=sets)
    fst = tmp_path / "run.fst"
    on = tlmssd.run(tmp_path / "on", "--waves", fst, sets=sets)
    assert fst.stat().st_size > 1000
    assert deterministic(off) == deterministic(on)


@pytest.mark.parametrize("key, one, other, extra", [
    ("controller.clock_gating", "true", "false", ["controller.kind=rtl", "workload.requests=300"]),
    ("time.backend", "queue", "kernel", []),
    ("time.backend", "queue", "kernel", ["controller.kind=rtl", "workload.requests=300"]),
    ("checker", "true", "false", []),
])
def test_a_key_that_cannot_change_results_does_not(tlmssd, tmp_path, key, one, other, extra):
    texts = [tlmssd.run(tmp_path / value, sets=[*BUSY, *extra, f"{key}={value}"])
             for value in (one, other)]
    echoes = [json.loads(text)["config"] for text in texts]
    for part in key.split("."):
        echoes = [echo[part] for echo in echoes]
    assert echoes[0] != echoes[1], "the key was not set"
    assert json.loads(texts[0])["config_hash"] == json.loads(texts[1])["config_hash"]
    assert deterministic(texts[0], [f"config.{key}"]) == deterministic(texts[1], [f"config.{key}"])


@pytest.mark.parametrize("extra", [
    ["scheduler=vaq"], ["scheduler=inorder"],
    ["controller.kind=rtl", "workload.requests=300"], ["host.kind=direct", "buffer.policy=none"],
], ids=" ".join)
def test_release_and_asan_agree(tlmssd, asan_tlmssd, tmp_path, extra):
    sets = [*BUSY, *extra]
    release = deterministic(tlmssd.run(tmp_path / "release", sets=sets))
    assert release == deterministic(asan_tlmssd.run(tmp_path / "asan", sets=sets, timeout=300))


def test_tlm_and_rtl_give_the_same_data(tlmssd, tmp_path):
    # Timing differs, so only what does not depend on it: what the host read and wrote, all checked.
    counts = []
    for kind in ("tlm", "rtl"):
        results = json.loads(tlmssd.run(tmp_path / kind, sets=[*BUSY, f"controller.kind={kind}",
                                                               "workload.requests=1000"]))
        assert results["integrity"]["mismatches"] == results["checker"]["violations"] == 0
        counts.append([results["host"][way][what] for way in ("reads", "writes")
                       for what in ("count", "bytes")])
        counts[-1].append(results["integrity"]["pages_checked"])
    assert counts[0] == counts[1]
