# SPDX-License-Identifier: BSD-3-Clause
"""scripts/equivalence: its errors, modules that are equal, faults that are found, and in the long form all modules."""
import os
import re
import subprocess
import sys

import pytest

from cli import INPUT_ERROR, ROOT, long_form

SCRIPT = ROOT / "scripts/equivalence"


def run(*arguments, **environment):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment}, timeout=3600)


@pytest.mark.parametrize("arguments, says", [
    (["--shape", "3x3"], "--shape 3x3: 1 to 16 channels, a power of two of 1 to 64 LUNs a channel; the nearest is 3x4"),
    (["--tags", "100"], "--tags 100: a power of two, 16 to 256; the nearest is 128"),
    (["--fault", "-1"], "--fault -1: a number from 0 on; the nearest is 0"),
    (["o3_lunz"], "o3_lunz: no module of o3_top; the nearest is o3_luns"),
])
def test_bad_arguments_end_with_status_2_and_what_would_do(arguments, says):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (INPUT_ERROR, "")
    assert says in done.stderr


def test_no_yosys_is_said(tmp_path):
    done = run(PATH=str(tmp_path))
    assert done.returncode == INPUT_ERROR
    assert "no yosys (package yosys): run scripts/setup --for test" in done.stderr


def rows(text):
    return {name: (int(points.replace(",", "")), int(left)) for name, points, left in
            re.findall(r"^(o3_\w+|rr_\w+) +([\d,]+) +(\d+) +\d+ +[\d.]+$", text, re.M)}


def test_registers_and_logic_are_equal():
    """o3_tags has a register of a bit for each of 32 tags, so 32 points at least; o3_choose has logic alone."""
    done = run("o3_tags", "o3_choose")
    assert done.returncode == 0, done.stdout + done.stderr
    found = rows(done.stdout)
    assert set(found) == {"o3_tags", "o3_choose"} and all(left == 0 for _, left in found.values())
    assert found["o3_tags"][0] >= 32 and found["o3_choose"][0] >= 1
    assert done.stdout.endswith("equivalence: all equal\n")


@pytest.mark.parametrize("fault", range(4))
def test_a_fault_is_found(fault):
    """The first bit of the first tables: it answers where all inputs of a LUT are low. A bit of inputs that a LUT does
    not use would change nothing."""
    done = run("--fault", str(fault), "o3_event")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "one bit of the truth table of" in done.stdout and "not equal: " in done.stdout
    assert rows(done.stdout)["o3_event"][1] >= 1
    assert done.stdout.endswith("equivalence: the fault is found\n")


if long_form():  # 25 minutes of CPU time

    def test_all_modules():
        done = run()
        assert done.returncode == 0, done.stdout + done.stderr
