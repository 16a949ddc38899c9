# SPDX-License-Identifier: BSD-3-Clause
"""The scripts that a user types: wrong arguments, what is said where nothing can be installed,
skips, and the floors of the benchmark."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from cli import DONE, INPUT_ERROR, ROOT

SCRIPTS = ROOT / "scripts"


def call(*command, **options):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, timeout=60, **options)


@pytest.mark.parametrize("script", ["setup", "build", "test", "demo", "bench", "waves"])
def test_help_shows_the_usage(script):
    done = call(SCRIPTS / script, "--help")
    assert done.returncode == DONE
    assert f"scripts/{script}" in done.stdout and "usage" in done.stdout.lower()


@pytest.mark.parametrize("command, word", [
    (["setup", "--for", "fun"], "fun"), (["setup", "--for"], "--for"), (["setup", "--fro"], "--fro"),
    (["build", "--nonsense"], "--nonsense"),
    (["test", "--shard", "3/2"], "3/2"), (["test", "--shard", "0/2"], "0/2"), (["test", "--shard"], "--shard"),
    (["test", "--preset", "fast"], "fast"), (["test", "unit"], "unit"),
    (["demo", "--trace"], "--trace"), (["demo", "--trace", "absent.spc"], "absent.spc"),
    (["demo", "--format", "spc"], "--format"), (["demo", "--nonsense"], "--nonsense"),
])
def test_wrong_arguments_are_status_2(command, word):
    done = call(SCRIPTS / command[0], *command[1:])
    assert done.returncode == INPUT_ERROR
    assert word in done.stderr.splitlines()[-1]


@pytest.fixture
def bare_path(tmp_path):
    """A PATH with a shell's basics, an ordinary user, no sudo, and nothing installed."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("bash", "env", "dirname", "cat", "cmp", "cp"):
        (folder / tool).symlink_to(shutil.which(tool))
    for name, body in {"dpkg-query": "exit 1", "id": "echo 1000", "apt-get": "echo used >&2; exit 9"}.items():
        (folder / name).write_text(f"#!{shutil.which('bash')}\n{body}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return {**os.environ, "PATH": str(folder)}


def test_setup_prints_the_one_command_where_it_cannot_install(bare_path):
    done = call(SCRIPTS / "setup", "--for", "run", env=bare_path)
    assert done.returncode == INPUT_ERROR
    command = done.stderr.splitlines()[-1].strip()
    assert command.startswith("apt-get update && apt-get install -y ")
    assert {"g++", "libsystemc-dev", "verilator"} <= set(command.split())
    assert "libgtest-dev" not in command and "used" not in done.stderr


def test_setup_asks_for_more_for_the_lab_and_most_for_the_tests(bare_path):
    packages = {purpose: set(call(SCRIPTS / "setup", "--for", purpose, "--missing", env=bare_path)
                             .stdout.split()) for purpose in ("run", "test", "lab")}
    assert packages["run"] < packages["lab"] < packages["test"]
    assert packages["lab"] - packages["run"] == {"python3-venv"}
    assert {"yosys", "libgtest-dev", "chromium-driver"} <= packages["test"] - packages["lab"]


JUNIT = """<testsuite>
<testcase name="A.Runs" classname="A.Runs" status="run"/>
<testcase name="A.Skips" classname="A.Skips" status="notrun"><skipped message="SKIP_REGULAR"/>
<system-out>x.cpp:3: Skipped
{reason}
[  SKIPPED ] A.Skips (0 ms)</system-out></testcase>
<testcase name="test_b" classname="test_x"><skipped message="{reason}"/></testcase>
</testsuite>
"""


@pytest.mark.parametrize("reason, ci, status", [
    ("traces not found: set TLMSSD_TRACES", "true", 0), ("it was late", "true", 1),
    ("it was late", "false", 0),
])
def test_skips_are_printed_and_fail_ci_unless_listed(tmp_path, reason, ci, status):
    (tmp_path / "j.xml").write_text(JUNIT.format(reason=reason), encoding="utf-8")
    done = call(sys.executable, SCRIPTS / "check_skips.py", ROOT / "tb/allowed_skips.txt",
                tmp_path / "j.xml", env={**os.environ, "CI": ci})
    assert done.returncode == status, done.stdout
    assert f"A.Skips: {reason}" in done.stdout and f"test_x.test_b: {reason}" in done.stdout
    assert "A.Runs" not in done.stdout


def test_a_runner_without_a_report_is_a_failure(tmp_path):
    done = call(sys.executable, SCRIPTS / "check_skips.py", ROOT / "tb/allowed_skips.txt", tmp_path / "none")
    assert done.returncode == 1


def without(tool, folder):
    """A PATH with all that this one has but `tool`."""
    folder.mkdir()
    for path in os.environ["PATH"].split(os.pathsep):
        for entry in pathlib.Path(path).glob("*") if path else ():
            link = folder / entry.name
            if entry.name != tool and not link.is_symlink():
                link.symlink_to(entry.absolute())
    return str(folder)


def test_the_demo_races_prints_its_table_and_writes_its_report(tlmssd, tmp_path):
    # A tree with what the demo reads, set-up and build already done.
    for part in ("scripts", "configs", "firmware/hal", "waves"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    for done_already in ("setup", "build"):
        (tmp_path / "scripts" / done_already).write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "build/release/bin").mkdir(parents=True)
    (tmp_path / "build/release/bin/tlmssd").symlink_to(tlmssd.path.absolute())
    (tmp_path / ".venv").symlink_to(sys.prefix)
    trace = tmp_path / "small.spc"
    trace.write_text("0,8,4096,R,0.0\n0,800,8192,W,0.001\n", encoding="utf-8")
    # scripts/waves needs no xvfb-run, so without it the picture comes all the same.
    path = without("xvfb-run", tmp_path / "tools")
    done = subprocess.run([tmp_path / "scripts/demo", "--quick", "--trace", "small.spc", "--format", "spc"],
                          cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=300, env={**os.environ, "PATH": path})
    assert done.returncode == DONE, done.stderr
    out = tmp_path / "out/demo"
    needed = ("gtkwave", "fst2vcd", "Xvfb", "import", "identify", "convert")
    missing = next((tool for tool in needed if shutil.which(tool) is None), None)
    assert (out / "host-rtl/host-rtl.png").exists() == (missing is None), done.stderr
    assert missing is None or f"scripts/waves: no {missing} (package " in done.stderr
    assert (out / "table.txt").read_text(encoding="utf-8") in done.stdout
    listed = re.findall(r"^SCHED\(\w+, *(\w+),", (ROOT / "firmware/hal/sched.def").read_text(), re.MULTILINE)
    variants = [[name, "tlm"] for name in listed] + [[name, "rtl"] for name in ("inorder", "host", "hybrid")]
    lines = done.stdout.splitlines()
    for load, folder in (("mixed-70-30-32k, workload.requests=2000", out), ("small.spc, workload.mode=closed",
                                                                           out / "trace")):
        first = next(number for number, line in enumerate(lines) if line.startswith(load)) + 2
        assert [line.split()[:2] for line in lines[first:first + len(variants)]] == variants
        for scheduler, controller in variants:
            run = folder / f"{scheduler}-{controller}"
            config = json.loads((run / "results.json").read_text(encoding="utf-8"))["config"]
            assert (config["scheduler"], config["controller"]["kind"]) == (scheduler, controller)
            assert (run / "timeline.json.gz").stat().st_size > 0
        page = (folder / "report.html").read_text(encoding="utf-8")
        assert all("-".join(variant) in page for variant in variants) and "demo.part" not in page
    assert (out / "host-rtl/host-rtl.fst").stat().st_size > 0
    assert 'href="host-rtl/host-rtl.fst"' in (out / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("factor, met", [(1.0, True), (0.99, False)])
def test_a_missed_floor_fails_the_benchmark(tmp_path, monkeypatch, capsys, factor, met):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import bench_runs
    floors = {case[0]: case[1] for case in bench_runs.CASES}
    assert floors == {"rr4k": 310_000, "rw4k": 155_000, "sr128k": 86_000, "rr4k-sata": 230_000,
                      "rr4k-o3": 20_000}
    speeds = iter([0.5, factor, 2.0])  # the median of three counts

    def run_once(_binary, requests, _config, _sets):
        return {"wall": {"host_ios_per_s": 86_000 * next(speeds), "timer_callbacks": 7 * requests,
                         "peak_rss_mib": 70}}
    monkeypatch.setattr(bench_runs, "run_once", run_once)
    out = tmp_path / "bench.json"
    assert bench_runs.main(["--case", "sr128k", "--out", str(out)]) == (0 if met else 1)
    row = json.loads(out.read_text(encoding="utf-8"))["cases"][0]
    assert row["ios_per_s"] == 86_000 * factor and row["met"] is met and row["events_per_io"] == 7
    assert ("BELOW FLOOR" in capsys.readouterr().out) is not met


@pytest.mark.parametrize("factor, met", [(300, True), (299, False)])
def test_a_clock_gate_that_gains_too_little_fails_the_benchmark(tmp_path, monkeypatch, capsys, factor, met):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import bench_runs
    assert {case[0]: case[1] for case in bench_runs.GATING} == {"o3-gating-1": 300, "o3-gating-32": 15}

    def run_once(_root, _requests, _config, sets):
        assert "host.queue_depth=1" in sets and "controller.rtl=o3" in sets
        return {"wall": {"host_ios_per_s": 50 if "controller.clock_gating=false" in sets else 50 * factor}}
    monkeypatch.setattr(bench_runs, "run_once", run_once)
    out = tmp_path / "bench.json"
    assert bench_runs.main(["--case", "o3-gating-1", "--out", str(out)]) == (0 if met else 1)
    row = json.loads(out.read_text(encoding="utf-8"))["gating"][0]
    assert row["factor"] == factor and row["met"] is met
    assert ("BELOW FLOOR" in capsys.readouterr().out) is not met


@pytest.mark.parametrize("case, wall, met", [
    ("precondition", {"programs": 2_000_000, "s": 90, "mib": 9000}, True),
    ("precondition", {"programs": 1_999_999, "s": 1, "mib": 10}, False),
    ("fill256", {"programs": 1, "s": 59.9, "mib": 3071}, True),
    ("fill256", {"programs": 9e9, "s": 60, "mib": 3071}, False),
    ("fill256", {"programs": 9e9, "s": 59.9, "mib": 3072}, False)])
def test_slow_preconditioning_or_a_large_one_fails_the_benchmark(tmp_path, monkeypatch, capsys, case,
                                                                 wall, met):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import bench_runs
    monkeypatch.setattr(bench_runs, "run_once", lambda *_words: {"wall": {
        "precondition_programs_per_s": wall["programs"], "precondition_s": wall["s"],
        "peak_rss_mib": wall["mib"]}})
    out = tmp_path / "bench.json"
    assert bench_runs.main(["--case", case, "--out", str(out)]) == (0 if met else 1)
    assert json.loads(out.read_text(encoding="utf-8"))["precondition"][0]["met"] is met
    assert ("MISSED" in capsys.readouterr().out) is not met


@pytest.mark.parametrize("rate, met", [(40_000, True), (39_999, False)])
def test_a_slow_live_disk_fails_the_benchmark(tmp_path, monkeypatch, capsys, rate, met):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import bench_runs
    assert {case[0]: case[1] for case in bench_runs.SERVE} == {"serve-rr4k": 40_000, "serve-rw4k": 40_000}
    monkeypatch.setattr(bench_runs.shutil, "which", lambda name: name)
    monkeypatch.setattr(bench_runs, "serve_rates", lambda pattern, runs, seconds: [1, rate, 10**6])
    out = tmp_path / "bench.json"
    assert bench_runs.main(["--case", "serve-rw4k", "--out", str(out)]) == (0 if met else 1)
    row = json.loads(out.read_text(encoding="utf-8"))["serve"][0]
    assert row["requests_per_s"] == rate and row["met"] is met
    assert ("BELOW FLOOR" in capsys.readouterr().out) is not met


def test_the_benchmark_compares_revisions_in_pairs(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import bench_runs
    other = tmp_path / "other"
    (other / bench_runs.BINARY).parent.mkdir(parents=True)
    (other / bench_runs.BINARY).touch()
    speeds = iter([90, 100, 30, 20, 88, 80])  # a machine that slows down: 0.9, 1.5, 1.1
    order = []

    def run_once(root, *_words):
        order.append(root)
        return {"wall": {"host_ios_per_s": next(speeds)}}
    monkeypatch.setattr(bench_runs, "run_once", run_once)
    words = ["--case", "sr128k", "--against", str(other), "--rounds", "3"]
    assert bench_runs.main(words) == 0
    assert order == [bench_runs.ROOT, other] * 3
    assert "sr128k        1.100   0.90 1.10 1.50" in capsys.readouterr().out


@pytest.mark.parametrize("case, requests, key", [
    ("precondition", 1, "precondition_programs_per_s"), ("fill256", 1, "precondition_programs_per_s"),
    ("o3-gating-1", 20_000 // 4, "host_ios_per_s"), ("rr4k", 1_000_000 // 4, "host_ios_per_s")])
def test_every_case_can_be_compared(tmp_path, monkeypatch, capsys, case, requests, key):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import bench_runs
    other = tmp_path / "other"
    (other / bench_runs.BINARY).parent.mkdir(parents=True)
    (other / bench_runs.BINARY).touch()
    sets_of = {row[0]: row[-1] for row in bench_runs.CASES + bench_runs.GATING + bench_runs.PRECONDITION}

    def run_once(root, asked, _config, sets):
        assert asked == requests and sets == sets_of[case]
        return {"wall": {key: 300 if root == bench_runs.ROOT else 400}}
    monkeypatch.setattr(bench_runs, "run_once", run_once)
    assert bench_runs.main(["--quick", "--case", case, "--against", str(other), "--rounds", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and lines[1].split() == [case, "0.750", "0.75", "0.75"]
