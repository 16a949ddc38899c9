# SPDX-License-Identifier: BSD-3-Clause
"""What a machine does to a run: no room, no memory, no place to write; one line, nothing half-written."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import time

import pytest

from cli import DEFAULT, DONE, INPUT_ERROR, INTERRUPTED, MODEL_ERROR

LOAD = ["--workload", "randread-4k", "--quiet"]


@pytest.fixture
def small(small_disk):
    return small_disk("small", 64)


@pytest.mark.parametrize("option, name", [
    ("--log", "a.csv"), ("--log", "a.csv.gz"), ("--ops", "a.csv"), ("--ops", "a.csv.zst"),
    ("--steps", "a.steps"), ("--timeline", "a.json"), ("--waves", "a.fst"),
])
def test_a_full_disk_is_one_line_and_leaves_no_half_file(tlmssd, small, option, name):
    done = tlmssd("run", DEFAULT, *LOAD, option, small / name)
    assert done.returncode == INPUT_ERROR
    assert done.stderr.startswith(f"tlmssd: {small / name}: cannot write"), done.stderr
    assert done.stderr.endswith(": No space left on device\n") and done.stderr.count("\n") == 1
    assert not list(small.iterdir())


def test_results_on_a_full_disk_leave_what_was_there(tlmssd, small):
    (small / "results.json").write_text("before")
    (small / "fill").write_bytes(b"x" * (64 * 1024 - 4096))
    done = tlmssd("run", DEFAULT, *LOAD, "--out", small)
    assert done.returncode == INPUT_ERROR
    expected = f"tlmssd: {small / 'results.json'}: cannot write: No space left on device\n"
    assert done.stderr == expected
    assert sorted(p.name for p in small.iterdir()) == ["fill", "results.json"]
    assert (small / "results.json").read_text() == "before"


AGED = ["--set", "ftl.recovery=scan", "--set", "geometry.pages=16", "--set", "precondition.fill=1"]


def test_a_snapshot_on_a_full_disk_is_one_line_and_leaves_what_was_there(tlmssd, small):
    (small / "a.snapshot").write_text("before")
    done = tlmssd("snapshot", "save", DEFAULT, *AGED, "-o", small / "a.snapshot")
    expected = f"tlmssd: {small / 'a.snapshot'}: cannot write: No space left on device\n"
    assert (done.returncode, done.stderr) == (INPUT_ERROR, expected)
    assert [p.name for p in small.iterdir()] == ["a.snapshot"]
    assert (small / "a.snapshot").read_text() == "before"


@pytest.mark.parametrize("words", [
    ["snapshot", "save", DEFAULT, *AGED, "-o"], ["run", DEFAULT, *LOAD, "--waves"],
    ["run", DEFAULT, *LOAD, "--timeline"],
])
def test_no_file_takes_the_place_of_a_pipe(tlmssd, tmp_path, words):
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    done = tlmssd(*words, pipe)
    assert done.returncode == INPUT_ERROR and done.stderr.endswith(": not a regular file\n")
    assert pipe.is_fifo() and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("words", [
    ["run", DEFAULT, *LOAD, "--waves", "a.fst"], ["run", DEFAULT, *LOAD, "--log", "a.csv"],
    ["run", DEFAULT, *LOAD, "--out", "out"], ["snapshot", "save", DEFAULT, *AGED, "-o", "a.snapshot"],
])
def test_a_file_that_may_not_grow_is_one_line(tlmssd, tmp_path, words):
    """ulimit -f: without care the process would be killed (SIGXFSZ)."""
    done = tlmssd(*words, cwd=tmp_path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)))
    assert done.returncode == INPUT_ERROR and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("tlmssd: ") and done.stderr.endswith(": File too large\n")
    assert not list(tmp_path.iterdir())


def cpu_seconds(pid):
    """Of a process: time in user mode."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


def test_the_second_run_in_a_folder_is_told_and_the_first_loses_nothing(tlmssd, tmp_path):
    out = tmp_path / "out"
    first = tlmssd.start("run", DEFAULT, *LOAD, "--set", "workload.requests=4000000000", "--out", out)
    try:
        limit = time.monotonic() + 60
        while not out.is_dir():
            assert first.poll() is None and time.monotonic() < limit
            time.sleep(0.05)
        while cpu_seconds(first.pid) < 1:  # it is past its start, which would leave nothing
            assert first.poll() is None and time.monotonic() < limit
            time.sleep(0.05)
        done = tlmssd("run", DEFAULT, *LOAD, "--out", out, "--timeline", out / "a.json")
        assert (done.returncode, done.stdout) == (INPUT_ERROR, "")
        assert done.stderr == f"tlmssd: {out}: another tlmssd writes there now: wait for it, or take another folder\n"
        assert not list(out.iterdir())
        first.send_signal(signal.SIGINT)
        _, messages = first.communicate(timeout=60)
    finally:
        first.kill()
        first.wait()
    assert first.returncode == INTERRUPTED, messages
    assert json.loads((out / "results.json").read_text())["status"] == "interrupted"
    assert tlmssd("run", DEFAULT, *LOAD, "--out", out).returncode == DONE


@pytest.mark.parametrize("words", [["describe", DEFAULT], ["run", DEFAULT, *LOAD[:2]]])
def test_standard_output_that_takes_nothing_is_an_error(tlmssd, words):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([tlmssd.path, *map(str, words)], stdout=full, stderr=subprocess.PIPE,
                              text=True, check=False, timeout=120)
    assert done.returncode == INPUT_ERROR
    expected = "tlmssd: standard output: cannot write: No space left on device"
    assert done.stderr.splitlines()[-1] == expected


@pytest.mark.parametrize("option", ["--log", "--ops"])
def test_a_place_where_nothing_can_be_made_says_why(tlmssd, option):
    done = tlmssd("run", DEFAULT, *LOAD, option, "/proc/a.csv")
    assert done.returncode == INPUT_ERROR and done.stderr.count("\n") == 1
    assert done.stderr.endswith(": No such file or directory\n"), done.stderr


def limited(tlmssd, megabytes, *arguments):
    """A run that may have so much address space; None where that does not do to start the program at all."""
    limit = megabytes * 1_000_000

    def limits():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    if tlmssd("--version", preexec_fn=limits).returncode != DONE:
        return None
    return tlmssd(*arguments, preexec_fn=limits)


def test_too_little_memory_is_one_line(tlmssd, tmp_path):
    """Each limit meets another allocation: of the text of a configuration, of the device, of the firmware."""
    refused = 0
    for megabytes in range(40, 401, 4):
        out = tmp_path / f"{megabytes}"
        done = limited(tlmssd, megabytes, "run", DEFAULT, *LOAD, "--set", "workload.requests=100", "--out", out)
        if done is None:
            continue
        if done.returncode == DONE:
            assert done.stderr == "" and refused >= 10, megabytes
            continue
        assert done.returncode == MODEL_ERROR, (megabytes, done.stderr)
        assert done.stderr.startswith("tlmssd: out of memory") and done.stderr.count("\n") == 1, (megabytes, done.stderr)
        assert not out.exists()
        refused += 1
    assert refused >= 10 and done.returncode == DONE
