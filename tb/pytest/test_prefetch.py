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


def later(tlmssd, folder, mode, cpu_ms, *sets):
    """Mean time of the launches that the controller has seen before, and what the prefetcher counted."""
    prefetch = [] if mode == "none" else [f"prefetch.mode={mode}"]
    results = run(tlmssd, folder / f"{mode}-{cpu_ms}-{'-'.join(sets)}",
                  ["buffer.size_mib=4", f"workload.launch_cpu_ms={cpu_ms}", *prefetch, *sets], ["launch"])
    found = results["host"]["jobs"][0]["launches"]["list"]
    times = [each["time_ms"] for each in found if each["number"] > 0]
    return sum(times) / len(times), results.get("prefetch", {})


@pytest.mark.parametrize("mode", ["two_phase", "fast"])
def test_depth_acts_where_one_page_at_a_time_is_too_slow(tlmssd, tmp_path, mode):
    """288 pages of 80 us are 23 ms: hidden by 35 ms of CPU time at depth 1 already, not by 5 ms."""
    few, _ = later(tlmssd, tmp_path, mode, 5, "prefetch.depth=1")
    many, _ = later(tlmssd, tmp_path, mode, 5, "prefetch.depth=8")
    assert many < 0.6 * few
    for depth in (8, 64):  # and costs nothing where it is not needed
        one, _ = later(tlmssd, tmp_path, "fast", 35, "prefetch.depth=1")
        deep, _ = later(tlmssd, tmp_path, mode, 35, f"prefetch.depth={depth}")
        assert deep < 1.003 * one


@pytest.mark.parametrize("cpu_ms", [35, 15, 5])
def test_two_phase_is_at_least_as_good_as_the_baseline(tlmssd, tmp_path, cpu_ms):
    baseline, _ = later(tlmssd, tmp_path, "baseline", cpu_ms)
    two_phase, _ = later(tlmssd, tmp_path, "two_phase", cpu_ms)
    assert two_phase < baseline * (1.002 if cpu_ms == 35 else 0.85)


def test_two_phase_shortens_the_work_of_a_prefetcher_on_the_host(tlmssd, tmp_path):
    """It waits for each metadata read; the baseline in the controller is overtaken by it at once."""
    times = [later(tlmssd, tmp_path, mode, 15, "workload.launch_prefetch=baseline")[0] - 15
             for mode in ("none", "baseline", "two_phase")]
    assert times[2] < 0.85 * times[1] < 0.85 * times[0]


def test_a_buffer_that_holds_all_leaves_nothing_to_bring(tlmssd, tmp_path):
    results = run(tlmssd, tmp_path, ["prefetch.mode=fast"], ["launch"])  # 32 MiB for 7 MiB
    assert results["prefetch"]["sequences"]["recognised"] == 9
    assert results["prefetch"]["pages"] == 0
    assert results["prefetch"]["present"] > 2000
