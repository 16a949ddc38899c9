# SPDX-License-Identifier: BSD-3-Clause
"""The scripts that a user types: wrong arguments, what is said where nothing can be installed,
and skips. The floors of the benchmark: test_bench.py."""
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
    shown = iter(done.stdout.splitlines())  # each table once its runs have ended; waves are recorded between
    assert all(line in shown for line in (out / "table.txt").read_text(encoding="utf-8").splitlines())
    before_waves = done.stdout.partition("recording waves")[0]
    assert "of bound:" in before_waves and "difference to" in before_waves
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
