# SPDX-License-Identifier: BSD-3-Clause
"""The floors of scripts/bench: ratios to the reference loop, verdicts, and warnings of a busy machine, all with
planted speeds. The loop itself: test_reference_loop.py."""
import itertools
import json
import os
import sys

import pytest

from cli import DONE, INPUT_ERROR, MODEL_ERROR, ROOT

sys.path.insert(0, str(ROOT / "scripts"))
# pylint: disable=wrong-import-position
import bench_reference
import bench_runs

FLOOR_MISSED = 1


def loop(machine, waited=1.0):
    """What the reference loop prints on a machine with `machine` times the speed of that of the floors."""
    return {"turns": 4 * bench_reference.MACHINE * machine, "seconds": 4.0, "cpu_seconds": 4.0 / waited}


@pytest.fixture(name="planted", autouse=True)
def _planted(monkeypatch, tmp_path):
    """A function that plants the speeds of the machine at each loop, then runs the benchmark: (exit status,
    bench.json). Nothing else runs on the machine."""
    monkeypatch.setattr(bench_reference, "busy_seconds", lambda: 0.0)
    monkeypatch.setattr(bench_reference, "own_seconds", lambda: 0.0)
    monkeypatch.setattr(bench_runs.shutil, "which", lambda name: name)

    def run(machines, *words, waited=1.0):
        speeds = iter(machines)
        monkeypatch.setattr(bench_runs, "loop_once", lambda: loop(next(speeds), waited))
        status = bench_runs.main([*words, "--out", str(tmp_path / "bench.json")])
        assert next(speeds, None) in (None, machines), "a loop before the first run and one after each"
        return status, json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    return run


def wall(speed, requests):
    return {"wall": {"host_ios_per_s": speed, "timer_callbacks": 7 * requests, "peak_rss_mib": 70}}


def test_the_floors_are_those_that_were_set():
    assert {case[0]: case[1] for case in bench_runs.CASES} == {
        "rr4k": 310_000, "rw4k": 155_000, "sr128k": 86_000, "rr4k-sata": 230_000, "rr4k-o3": 20_000}
    assert {case[0]: case[1] for case in bench_runs.GATING} == {"o3-gating-1": 300, "o3-gating-32": 15}
    assert {case[0]: case[1:4] for case in bench_runs.PRECONDITION} == {
        "precondition": (2_000_000, None, None), "fill256": (None, 60, 3 * 1024)}
    assert {case[0]: case[1] for case in bench_runs.SERVE} == {"serve-rr4k": 40_000, "serve-rw4k": 40_000}
    assert bench_reference.floor_ratio(86_000) == 86_000 / bench_reference.MACHINE


@pytest.mark.parametrize("machine", [0.25, 0.5, 1, 4])
@pytest.mark.parametrize("factor, met", [(1.0, True), (0.99, False)])
def test_a_slow_program_misses_its_floor_and_a_slow_machine_does_not(planted, monkeypatch, capsys, machine, factor,
                                                                     met):
    speeds = iter([0.5, factor, 2.0])  # the median of three counts
    monkeypatch.setattr(bench_runs, "run_once", lambda _root, requests, *_words: wall(
        86_000 * next(speeds) * machine, requests))
    status, written = planted([machine] * 4, "--case", "sr128k", "--rounds", "3")
    assert status == (DONE if met else FLOOR_MISSED)
    row = written["cases"][0]
    assert row["ios_per_s"] == 86_000 * factor * machine and row["met"] is met and row["events_per_io"] == 7
    assert row["ratio"] == pytest.approx(factor * row["floor_ratio"], rel=1e-12)
    assert row["floor_ratio"] == 86_000 / bench_reference.MACHINE
    assert row["spread"] == pytest.approx(1.5 / factor)
    assert row["turns_per_s"] == machine * bench_reference.MACHINE and not row["disturbed_by"]
    told = capsys.readouterr()
    assert ("BELOW FLOOR" in told.out) is not met and "warning" not in told.err


def test_a_ratio_is_to_the_loops_around_its_run(planted, monkeypatch, capsys):
    # A machine that slows down and comes back: loops at 1, 1/2, 1/2, 1, runs at the mean of the loops around
    # them. All ratios are equal, though the speeds are not.
    machine = iter([0.75, 0.5, 0.75])
    monkeypatch.setattr(bench_runs, "run_once", lambda _root, requests, *_words: wall(
        310_000 * next(machine), requests))
    status, written = planted([1, 0.5, 0.5, 1], "--case", "rr4k", "--rounds", "3")
    row = written["cases"][0]
    assert status == DONE and row["all_ratios"] == [310_000 / bench_reference.MACHINE] * 3 and row["spread"] == 0
    assert row["all_ios_per_s"] == [232_500, 155_000, 232_500]
    # (1 - 0.5) over the median of the loops, 0.75.
    assert row["disturbed_by"] == ["the machine's speed changed by 67 %"]
    assert capsys.readouterr().err == ("bench: warning: rr4k: the machine's speed changed by 67 %: "
                                       "measure it again on an idle machine\n")


def test_a_warning_alone_is_no_failure_and_hides_none(planted, monkeypatch, capsys):
    for factor, status in ((1, DONE), (0.9, FLOOR_MISSED)):
        monkeypatch.setattr(bench_runs, "run_once",
                            lambda _root, requests, *_words, f=factor: wall(20_000 * f, requests))
        assert planted([1, 1], "--case", "rr4k-o3", "--quick", waited=1.25)[0] == status
        assert capsys.readouterr().err == ("bench: warning: rr4k-o3: the reference loop waited for its processor "
                                           "20 % of the time: measure it again on an idle machine\n")


@pytest.mark.parametrize("used, told", [(0.14, []), (0.5, ["0.50"])])
def test_other_work_is_seen(monkeypatch, used, told):
    # Two loops of 10 s. In the second others worked `used` of the time beside the loop, whose own work is 10 s.
    monkeypatch.setattr(bench_reference, "busy_seconds", iter([100, 110, 200, 210 + 10 * used]).__next__)
    monkeypatch.setattr(bench_reference, "own_seconds", iter([1, 11, 11, 21]).__next__)
    monkeypatch.setattr(bench_reference.time, "monotonic", iter([0, 10, 20, 30]).__next__)
    monkeypatch.setattr(bench_reference.os, "cpu_count", lambda: 2)
    reference = bench_reference.Reference(lambda: loop(1))
    reference.once(), reference.once()
    assert reference.disturbances() == [f"other processes used {each} of 2 processors" for each in told]


@pytest.mark.parametrize("loops, waited, told", [
    ((1.0, 0.91), 1.04, []), ((1.0, 0.9), 1.0, ["the machine's speed changed by 11 %"]),
    ((1.0, 1.0), 1.06, ["the reference loop waited for its processor 6 % of the time"])])
def test_the_edges_of_a_quiet_machine(loops, waited, told):
    machines = iter(loops)
    reference = bench_reference.Reference(lambda: loop(next(machines), waited))
    reference.once(), reference.once()
    assert reference.disturbances() == told


def test_what_all_processors_worked_is_read_from_the_kernel(tmp_path, monkeypatch):
    monkeypatch.undo()
    # user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice; guests stand in user and nice too.
    (tmp_path / "stat").write_text("cpu  100 50 30 999 5 1 9 10 7 7\ncpu0 1 1 1 1 1 1 1 1 1 1\n", encoding="ascii")
    assert bench_reference.busy_seconds(tmp_path / "stat") == 200 / os.sysconf("SC_CLK_TCK")
    assert bench_reference.busy_seconds(tmp_path / "absent") is None


def test_without_figures_of_the_kernel_nothing_is_said_of_others(monkeypatch):
    monkeypatch.setattr(bench_reference, "busy_seconds", lambda: None)
    reference = bench_reference.Reference(lambda: loop(1))
    reference.once()
    assert reference.disturbances() == []


@pytest.mark.parametrize("factor, met", [(300, True), (299, False)])
def test_a_clock_gate_that_gains_too_little_fails_the_benchmark(planted, monkeypatch, capsys, factor, met):
    def run_once(_root, _requests, _config, sets):
        assert "host.queue_depth=1" in sets and "controller.rtl=o3" in sets
        return {"wall": {"host_ios_per_s": 50 if "controller.clock_gating=false" in sets else 50 * factor}}
    monkeypatch.setattr(bench_runs, "run_once", run_once)
    status, written = planted([], "--case", "o3-gating-1")  # itself a ratio: no loop
    assert status == (DONE if met else FLOOR_MISSED)
    row = written["gating"][0]
    assert row["factor"] == factor and row["met"] is met and row["spread"] == 0 and len(row["all_factors"]) == 5
    assert ("BELOW FLOOR" in capsys.readouterr().out) is not met


@pytest.mark.parametrize("machine", [0.5, 1, 2])
@pytest.mark.parametrize("case, programs, seconds, mib, met", [
    ("precondition", 2_000_000, 90, 9000, True), ("precondition", 1_999_999, 1, 10, False),
    ("fill256", 1, 59.9, 3071, True), ("fill256", 9e9, 60, 3071, False), ("fill256", 9e9, 59.9, 3072, False)])
def test_slow_preconditioning_or_a_large_one_fails_the_benchmark(planted, monkeypatch, capsys, machine, case, programs,
                                                                 seconds, mib, met):
    # Speeds and times are those of a machine of the floors; memory is the same on any.
    monkeypatch.setattr(bench_runs, "run_once", lambda *_words: {"wall": {
        "precondition_programs_per_s": programs * machine, "precondition_s": seconds / machine, "peak_rss_mib": mib}})
    status, written = planted([machine] * 6, "--case", case)
    assert status == (DONE if met else FLOOR_MISSED)
    row = written["precondition"][0]
    assert row["met"] is met and row["scaled_seconds"] == pytest.approx(seconds)
    assert row["seconds"] == seconds / machine
    assert ("BELOW FLOOR" in capsys.readouterr().out) is not met


@pytest.mark.parametrize("machine", [0.5, 1])
@pytest.mark.parametrize("rate, met", [(40_000, True), (39_999, False)])
def test_a_slow_live_disk_fails_the_benchmark(planted, monkeypatch, capsys, machine, rate, met):
    monkeypatch.setattr(bench_runs, "serve_rates",
                        lambda pattern, runs, seconds: [machine, rate * machine, 10**6 * machine])
    status, written = planted([machine] * 4, "--case", "serve-rw4k")
    assert status == (DONE if met else FLOOR_MISSED)
    row = written["serve"][0]
    assert row["requests_per_s"] == rate * machine and row["met"] is met
    assert ("BELOW FLOOR" in capsys.readouterr().out) is not met


def test_each_run_of_a_live_disk_lies_between_two_loops(planted, monkeypatch):
    order = []

    def rates(*_words):
        for rate in (40_000, 40_000):
            order.append("run")
            yield rate
    monkeypatch.setattr(bench_runs, "serve_rates", rates)

    class Machines:  # endless, and notes each loop
        def __iter__(self):
            return (order.append("loop") or 1 for _ in itertools.count())
    machines = iter(Machines())
    monkeypatch.setattr(bench_runs, "loop_once", lambda: loop(next(machines)))
    assert bench_runs.serve(bench_runs.SERVE[0], 2, 10)["met"]
    assert order == ["loop", "run", "loop", "run", "loop"]


@pytest.mark.parametrize("ended, status", [(2, INPUT_ERROR), (3, MODEL_ERROR), (1, MODEL_ERROR), (-9, MODEL_ERROR)])
@pytest.mark.parametrize("program", ["tlmssd", "tlmssd_reference_loop"])
def test_a_program_that_fails_is_no_missed_floor(monkeypatch, capsys, tmp_path, program, ended, status):
    class Done:
        returncode, stdout = 0, json.dumps(loop(1))
    failing = Done()
    failing.returncode = ended
    monkeypatch.setattr(bench_runs.subprocess, "run", lambda command, **_words: (
        failing if any(str(word).endswith(f"/{program}") for word in command) else Done()))
    with pytest.raises(SystemExit) as end:
        bench_runs.main(["--case", "rr4k", "--out", str(tmp_path / "bench.json")])
    assert end.value.code == status and not (tmp_path / "bench.json").exists()
    assert capsys.readouterr().err.startswith(f"bench: status {ended} from: ")


@pytest.fixture(name="other")
def _other(tmp_path):
    """Another revision, built."""
    folder = tmp_path / "other"
    bench_runs.built(folder).parent.mkdir(parents=True)
    bench_runs.built(folder).touch()
    return folder


def test_the_benchmark_compares_revisions_in_pairs(other, monkeypatch, capsys):
    speeds = iter([90, 100, 30, 20, 88, 80])  # a machine that slows down: 0.9, 1.5, 1.1
    order = []

    def run_once(program, *_words):
        order.append(program)
        return {"wall": {"host_ios_per_s": next(speeds)}}
    monkeypatch.setattr(bench_runs, "run_once", run_once)
    assert bench_runs.main(["--case", "sr128k", "--against", str(other), "--rounds", "3"]) == DONE
    assert order == [ROOT / "build/release/bin/tlmssd", other / "build/release/bin/tlmssd"] * 3
    assert "sr128k        1.100   0.90 1.10 1.50" in capsys.readouterr().out


@pytest.mark.parametrize("case, requests, key", [
    ("precondition", 1, "precondition_programs_per_s"), ("fill256", 1, "precondition_programs_per_s"),
    ("o3-gating-1", 20_000 // 4, "host_ios_per_s"), ("rr4k", 1_000_000 // 4, "host_ios_per_s")])
def test_every_case_can_be_compared(other, monkeypatch, capsys, case, requests, key):
    sets_of = {row[0]: row[-1] for row in bench_runs.CASES + bench_runs.GATING + bench_runs.PRECONDITION}

    def run_once(program, asked, _config, sets):
        assert asked == requests and sets == sets_of[case]
        return {"wall": {key: 400 if other in program.parents else 300}}
    monkeypatch.setattr(bench_runs, "run_once", run_once)
    assert bench_runs.main(["--quick", "--case", case, "--against", str(other), "--rounds", "2"]) == DONE
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and lines[1].split() == [case, "0.750", "0.75", "0.75"]


@pytest.mark.parametrize("words, runs", [([], 7), (["--rounds", "2"], 2)])
def test_pairs_without_a_number_are_seven(other, monkeypatch, capsys, words, runs):
    monkeypatch.setattr(bench_runs, "run_once", lambda *_words: {"wall": {"host_ios_per_s": 1}})
    assert bench_runs.main(["--case", "rr4k", "--against", str(other), *words]) == DONE
    assert capsys.readouterr().out.splitlines()[1].split() == ["rr4k", "1.000"] + ["1.00"] * runs


PROFILED, PLAIN = ROOT / "build/release-pgo/bin/tlmssd", ROOT / "build/release/bin/tlmssd"


def test_a_preset_names_the_program_that_is_measured(planted, monkeypatch):
    seen = []

    def run_once(program, requests, *_words):
        seen.append(program)
        return wall(1_000_000_000, requests)
    monkeypatch.setattr(bench_runs, "run_once", run_once)
    planted([1, 1], "--case", "rr4k", "--quick", "--preset", "release-pgo")
    planted([1, 1], "--case", "rr4k", "--quick")
    assert seen == [PROFILED, PLAIN]
    assert ROOT / bench_runs.LOOP == PLAIN.with_name("tlmssd_reference_loop")


def test_a_preset_is_compared_with_release(other, monkeypatch, capsys):
    speeds = {PROFILED: 6, PLAIN: 5, bench_runs.built(other): 4}
    monkeypatch.setattr(bench_runs, "run_once", lambda program, *_words: {"wall": {"host_ios_per_s": speeds[program]}})
    for folder, ratio in ((ROOT, "1.200"), (other, "1.500")):
        assert bench_runs.main(["--case", "rr4k", "--preset", "release-pgo", "--against", str(folder)]) == DONE
        assert capsys.readouterr().out.splitlines()[1].split()[:2] == ["rr4k", ratio]
