# SPDX-License-Identifier: BSD-3-Clause
"""Progress and colour of tlmssd-lab, on a terminal and elsewhere."""

import os
import pty
import re
import subprocess
import sys
import time

import pytest

from cli import DONE
from lab_support import CONFIG, call_lab, crafted, fake_program, start_lab, write_results
from tlmssd_lab.cli.status_line import line_of
from tlmssd_lab.progress import Step, Tracker

ANSI = re.compile(r"\x1b\[[0-9;]*m")
CASES = [["vaq", 0, "", crafted(host__all__iops=2000.0, host__all__latency_us__mean=90.0,
                                sched__name="vaq")],
         ["", 0, "", crafted()]]


def on_terminal(*words, program, **environment):
    """(exit status, what a terminal got) of the command with all its streams on it."""
    ours, its = pty.openpty()
    env = {**os.environ, "TLMSSD": str(program), "TERM": "xterm", **environment}
    for name in ("NO_COLOR", "FORCE_COLOR"):
        if name not in environment:
            env.pop(name, None)
    process = subprocess.Popen([sys.executable, "-m", "tlmssd_lab.cli", *map(str, words)],
                               stdin=its, stdout=its, stderr=its, env=env)
    os.close(its)
    found = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # its end has gone
            break
        if not part:
            break
        found += part
    os.close(ours)
    return process.wait(timeout=60), found.decode().replace("\r\n", "\n")


def compare_words(*more):
    return ["compare", CONFIG, "--scheduler", "inorder,vaq", "--seeds", 2, "--jobs", 1, *more]


# Progress


def test_the_line_shows_runs_times_and_the_last_name():
    step = Step(3, 12, name="vaq, seed 3", left_s=125.0)
    assert line_of(step, 40.2) == "  3/12, 40 s, about 2 min left: vaq, seed 3"
    assert line_of(Step(0, 12), 0.0) == "  0/12, 0 s"
    assert line_of(Step(12, 12, name="a", left_s=0.0), 9.0, "x") == "  x: 12/12, 9 s: a"
    assert line_of(Step(1, 9, left_s=8.0, at_most=True), 1.0) == "  1 of at most 9, 1 s, at most 8 s left"


def test_the_time_that_is_left_follows_from_the_runs_and_their_number_at_a_time():
    steps = []
    tracker = Tracker(10, 2, steps.append)
    tracker.ended("kept", None)
    tracker.ended("a", 4.0)
    tracker.ended("b", 8.0, RuntimeError("broken\nand more"))
    tracker.ended("c", None, RuntimeError("refused"))
    tracker.note("worker died")
    assert [(s.done, s.kept, s.left_s) for s in steps] == [
        (0, 0, None), (1, 1, None), (2, 1, 8 * 4.0 / 2), (3, 1, 7 * 6.0 / 2), (4, 1, 6 * 6.0 / 2),
        (4, 1, 18.0)]
    assert [s.note for s in steps] == ["", "", "", "b: failed: broken", "c: failed: refused",
                                       "worker died"]


def test_a_terminal_has_one_line_that_is_cleared_before_the_table(tmp_path):
    program = fake_program(tmp_path, CASES)
    status, text = on_terminal(*compare_words(), program=program)
    assert status == DONE
    shown, table = text.rsplit("\r\x1b[K", 1)
    pieces = shown.split("\r\x1b[K")
    assert "\n" not in shown and pieces[0] == ""
    assert all(re.match(r"  \d/4, \d+ s", piece) for piece in pieces[1:] if piece), pieces
    assert re.search(r"3/4, \d+ s, about \d+ s left: inorder, seed 2", shown)
    assert "4/4" in shown and ANSI.sub("", table).startswith("the configuration's workload")


def test_a_long_run_shows_that_time_passes(tmp_path):
    program = fake_program(tmp_path, CASES)
    program.write_text(program.read_text().replace("line = ", "time.sleep(2.5)\nline = ", 1))
    _, text = on_terminal("compare", CONFIG, "--seed", 1, program=program)
    times = {int(found) for found in re.findall(r"  0/1, (\d+) s", text)}
    assert 0 in times and max(times) >= 2, text


@pytest.mark.parametrize("words", [["--quiet"], ["-q"]])
def test_quiet_shows_nothing_on_a_terminal(tmp_path, words):
    program = fake_program(tmp_path, CASES)
    status, text = on_terminal(*compare_words(*words), program=program)
    assert status == DONE and "/4" not in text and "\r" not in text


def test_a_pipe_has_no_progress_but_the_failures(tmp_path):
    sweep = tmp_path / "mine.yaml"
    sweep.write_text(f"config: {CONFIG}\nparameters:\n  scheduler: [inorder, vaq]\n")
    program = fake_program(tmp_path, [["vaq", 2, "no good", None], ["", 0, "", crafted()]])
    words = ["sweep", sweep, "--out", tmp_path / "out", "--jobs", 1]
    status, _, err = call_lab(*words, program=program)
    lines = err.splitlines()
    assert status == DONE and lines[0] == "  scheduler=vaq: failed: no good" and len(lines) == 2, err
    assert lines[1].startswith("  1 runs of") or lines[1].startswith("  2 runs of")
    assert call_lab(*words, "-q", program=program)[2] == ""


# Colour


def test_colour_changes_nothing_but_the_colour(tmp_path):
    program = fake_program(tmp_path, CASES)
    plain = call_lab(*compare_words("-q"), program=program)[1]
    status, coloured = on_terminal(*compare_words("-q"), program=program)
    assert status == DONE and "\x1b[" in coloured and ANSI.sub("", coloured) == plain
    better, worse = "\x1b[32m+100.0 % [+100.0, +100.0]\x1b[0m", "\x1b[31m+12.5 % [+12.5, +12.5]\x1b[0m"
    assert f"{better} \x1b[1m*\x1b[0m" in coloured, "more IOPS"
    assert f"{worse} \x1b[1m*\x1b[0m" in coloured, "more latency"
    a = write_results(tmp_path / "a")
    b = write_results(tmp_path / "b", host__all__iops=1500.0, host__all__latency_us__p99=250.0,
                      bound__fraction_of_bound=0.75)
    plain = call_lab("diff", a, b, program=program)[1]
    _, coloured = on_terminal("diff", a, b, program=program)
    assert ANSI.sub("", coloured) == plain and "\x1b[" not in plain
    assert "\x1b[32m+500\x1b[0m" in coloured and "\x1b[31m+25.00 %\x1b[0m" in coloured
    (neither,) = [line for line in coloured.splitlines() if "fraction_of_bound" in line]
    assert "\x1b[" not in neither, "is neither better nor worse"


@pytest.mark.parametrize("environment, terminal, coloured", [
    ({}, True, True), ({}, False, False),
    ({"NO_COLOR": "1"}, True, False), ({"NO_COLOR": ""}, True, True),
    ({"FORCE_COLOR": "1"}, False, True), ({"FORCE_COLOR": "0"}, False, False),
    ({"FORCE_COLOR": ""}, False, False), ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
    ({"TERM": "dumb"}, True, False),
])
def test_the_environment_decides_on_colour(tmp_path, environment, terminal, coloured):
    a = write_results(tmp_path / "a")
    b = write_results(tmp_path / "b", host__all__iops=1500.0)
    if terminal:
        text = on_terminal("diff", a, b, program=tmp_path, **environment)[1]
    else:
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
        text = subprocess.run([sys.executable, "-m", "tlmssd_lab.cli", "diff", a, b], text=True,
                              env={**env, **environment}, capture_output=True, check=True).stdout
    assert ("\x1b[" in text) == coloured


def test_an_interrupt_is_one_line(tmp_path):
    program = fake_program(tmp_path, [["seed=1", 0, "", crafted()], ["seed=2", 130, "sleep", None]])
    process = start_lab("compare", CONFIG, "--seeds", 2, "--jobs", 1, program=program)
    begin = time.monotonic()
    while not program.with_suffix(".asleep").exists():
        assert time.monotonic() - begin < 30
        time.sleep(0.02)
    process.terminate()
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "tlmssd-lab: interrupted\n") and "default.yaml" in out
