# SPDX-License-Identifier: BSD-3-Clause
"""Two processes of the lab in one folder: the second is told, and the first loses nothing."""

import fcntl
import json
import os
import signal
import time

import pytest

import test_lab_figure
import test_lab_fit
import test_lab_sweep
from cli import DONE, INPUT_ERROR, INTERRUPTED
from lab_support import CONFIG, call_lab, crafted, fake_program, start_lab


def wait_for(path):
    limit = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < limit, f"no {path}"
        time.sleep(0.05)


def words_of(command, folder):
    if command == "compare":
        return ["compare", CONFIG, "--seeds", 2, "--quiet"]
    module = {"sweep": test_lab_sweep, "figure": test_lab_figure, "fit": test_lab_fit}[command]
    return [command, module.write(folder), "--quiet"]


@pytest.mark.parametrize("command", ["sweep", "figure", "fit", "compare"])
def test_the_second_process_in_a_folder_is_told_and_writes_nothing(tmp_path, command):
    out = tmp_path / "out"
    held = out / "small" if command == "figure" else out  # that of the experiment
    held.mkdir(parents=True)
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    handle = os.open(held, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)  # as a first process does
        status, shown, err = call_lab(*words_of(command, tmp_path), "--out", out, program=program)
    finally:
        os.close(handle)
    assert (status, shown) == (INPUT_ERROR, "")
    assert err == (f"tlmssd-lab: {held}: another tlmssd-lab writes there now: wait for it, or take "
                   "another folder\n")
    assert not list(held.iterdir()) and not program.with_suffix(".calls").exists()
    # The lock goes with who had it.
    assert call_lab(*words_of(command, tmp_path), "--out", out, program=program)[0] == DONE


def test_the_first_of_two_sweeps_goes_on_and_keeps_all(tmp_path):
    (tmp_path / "first").mkdir()
    asleep = tmp_path / "first/program.asleep"
    first = start_lab("sweep", test_lab_sweep.write(tmp_path), "--out", tmp_path / "out", "--jobs", 1,
                      program=fake_program(tmp_path / "first", [["queue_depth=8", 0, "sleep", None],
                                                                ["", 0, "", crafted()]]))
    wait_for(asleep)
    second = fake_program(tmp_path, [["", 0, "", crafted()]])
    status, _, err = call_lab("sweep", tmp_path / "mine.yaml", "--out", tmp_path / "out", program=second)
    assert status == INPUT_ERROR and err.count("\n") == 1 and "another tlmssd-lab" in err
    assert not second.with_suffix(".calls").exists()
    first.send_signal(signal.SIGINT)
    _, err = first.communicate(timeout=60)
    assert first.returncode == INTERRUPTED, err
    # inorder at depth 1 was done; at depth 8 it slept.
    journal = [json.loads(line) for line in (tmp_path / "out/journal.jsonl").read_text().splitlines()]
    assert [line["status"] for line in journal][:1] == ["done"]
