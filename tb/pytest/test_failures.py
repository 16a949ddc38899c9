# SPDX-License-Identifier: BSD-3-Clause
"""What a machine does to a run: no room, no memory, no place to write; one line, nothing half-written."""
import resource
import subprocess

import pytest

from cli import DEFAULT, INPUT_ERROR, MODEL_ERROR

LOAD = ["--workload", "randread-4k", "--quiet"]


@pytest.fixture
def small(small_disk):
    return small_disk("small", 64)


@pytest.mark.parametrize("option, name", [
    ("--log", "a.csv"), ("--log", "a.csv.gz"), ("--ops", "a.csv"), ("--ops", "a.csv.zst"),
    ("--steps", "a.steps"), ("--timeline", "a.json"),
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


@pytest.mark.parametrize("words", [["describe", DEFAULT], ["run", DEFAULT, *LOAD[:2]]])
def test_standard_output_that_takes_nothing_is_an_error(tlmssd, words):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([tlmssd.path, *map(str, words)], stdout=full, stderr=subprocess.PIPE,
                              text=True, check=False, timeout=120)
    assert done.returncode == INPUT_ERROR
    assert done.stderr.splitlines()[-1].startswith("tlmssd: standard output: cannot write")


@pytest.mark.parametrize("option", ["--log", "--ops"])
def test_a_place_where_nothing_can_be_made_says_why(tlmssd, option):
    done = tlmssd("run", DEFAULT, *LOAD, option, "/proc/a.csv")
    assert done.returncode == INPUT_ERROR and done.stderr.count("\n") == 1
    assert done.stderr.endswith(": No such file or directory\n"), done.stderr


def test_too_little_memory_is_one_line(tlmssd, tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (100_000_000, 100_000_000))

    done = tlmssd("run", DEFAULT, *LOAD, "--out", tmp_path / "out", preexec_fn=limit)
    assert done.returncode == MODEL_ERROR, done.stderr
    assert done.stderr.startswith("tlmssd: out of memory") and done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()
