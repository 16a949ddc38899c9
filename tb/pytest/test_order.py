# SPDX-License-Identifier: BSD-3-Clause
"""In which order scripts/test runs the files of this folder: the longest first, and each test in one shard."""
import subprocess
import sys

import pytest

from cli import ROOT
from conftest import LONGEST_FIRST

FOLDER = ROOT / "tb/pytest"
FILES = ["test_bounds.py", "test_order.py", "test_synth.py"]


def collected(*words):
    done = subprocess.run([sys.executable, "-m", "pytest", "--collect-only", "-q", *words, *FILES], cwd=FOLDER, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


@pytest.fixture(name="tests", scope="module")
def _tests():
    return collected()


def test_the_named_files_exist_and_are_named_once():
    assert len(set(LONGEST_FIRST)) == len(LONGEST_FIRST)
    assert [name for name in LONGEST_FIRST if not (FOLDER / f"{name}.py").is_file()] == []


def test_the_longest_file_comes_first_and_the_others_by_name(tests):
    files = list(dict.fromkeys(test.split("::")[0] for test in tests))
    assert files == ["test_synth.py", "test_bounds.py", "test_order.py"]


def test_tests_of_a_file_keep_their_order(tests):
    mine = [test.split("::")[1] for test in tests if test.startswith("test_order.py")]
    assert mine == [name for name in globals() if name.startswith("test_")]


def test_each_test_is_in_one_shard(tests):
    shards = [collected("--shard", f"{number}/3") for number in (1, 2, 3)]
    assert sorted(sum(shards, [])) == sorted(tests)
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


def test_the_script_keeps_this_order():
    assert "--dist loadfile \\\n        --no-loadscope-reorder" in (ROOT / "scripts/test").read_text(encoding="utf-8")
