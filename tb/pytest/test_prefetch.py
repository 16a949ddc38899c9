# SPDX-License-Identifier: BSD-3-Clause
"""Launches and the launch-recognising prefetcher in the program: results, both CPUs, the presets."""

import json

import pytest

SMALL = ["geometry.blocks=64", "buffer.size_mib=4", "precondition.fill=1", "workload.launches=6",
         "workload.launch_apps=2", "workload.launch_reads=150", "workload.launch_cpu_ms=30"]


def run(tlmssd, folder, sets, workload=()):
    words = [word for each in workload for word in ("--workload", each)]
    return json.loads(tlmssd.run(folder, *words, sets=sets))


def times(results):
    return [each["time_ms"] for each in results["host"]["jobs"][0]["launches"]["list"]]


@pytest.mark.parametrize("mode", ["baseline", "two_phase", "fast"])
def test_both_cpus_recognise_the_same(tlmssd, tmp_path, mode):
    native = run(tlmssd, tmp_path / "a", [*SMALL, f"prefetch.mode={mode}"])
    iss = run(tlmssd, tmp_path / "b", [*SMALL, f"prefetch.mode={mode}", "cpu.model=iss"])
    assert native["prefetch"]["sequences"] == iss["prefetch"]["sequences"]
    assert native["prefetch"]["sequences"] == {"recorded": 2, "recognised": 4, "finished": 4, "aborted": 0}
    assert native["prefetch"]["hits"] == pytest.approx(iss["prefetch"]["hits"], rel=0.05)
    assert times(native) == pytest.approx(times(iss), rel=0.05)
    assert native["integrity"]["mismatches"] == iss["integrity"]["mismatches"] == 0


def test_off_there_is_nothing_of_it(tlmssd, tmp_path):
    results = run(tlmssd, tmp_path, SMALL)
    assert "prefetch" not in results
    assert times(results)[0] == pytest.approx(times(results)[4], rel=0.01)  # nothing is learned
    plain = run(tlmssd, tmp_path / "plain", ["workload.requests=100", "geometry.blocks=64"])
    assert "launches" not in plain["host"]["jobs"][0]


@pytest.mark.parametrize("load", [["launch"], ["launch-noise"], ["launch-detour"], ["launch", "background-reads"]])
def test_presets_run(tlmssd, tmp_path, load):
    results = run(tlmssd, tmp_path, ["geometry.blocks=64", "workload.launch_reads=40", "workload.launch_cpu_ms=5",
                                     "prefetch.mode=fast", "prefetch.priority=3"], load)
    assert results["host"]["jobs"][0]["launches"]["count"] == 12
    assert results["integrity"]["mismatches"] == 0
