# SPDX-License-Identifier: BSD-3-Clause
"""Arguments, help and exit status of tlmssd-lab."""

import json
import subprocess
import sys

import pytest

from cli import DONE, INPUT_ERROR
from lab_support import CONFIG, call_lab, crafted, fake_program


@pytest.mark.parametrize(
    "words, word",
    [
        (["compare"], "DEVICE is missing"),
        (["compare", CONFIG, "--seeds", "0"], "--seeds"),
        (["compare", CONFIG, "--jobs", "two"], "two"),
        (["compare", CONFIG, "--first-seed", "-1"], "--first-seed"),
        (["compare", CONFIG, "--vary", "seed=1,2"], "seed"),
        (["compare", CONFIG, "--set", "seed=1"], "seed"),
        (["compare", CONFIG, "--vary", "host.queue_depth"], "--vary"),
        (["compare", CONFIG, "--set", "x"], "--set"),
        (["compare", CONFIG, "--variant", "vaq"], "--variant"),
        (["compare", CONFIG, "--format", "spc"], "--trace"),
        (["compare", CONFIG, "--trace", "a", "--format", "spc", "--format", "msr"], "msr"),
        (["compare", CONFIG, "--timeline"], "--out"),
        (["compare", CONFIG, "--timeline-to", "1ms"], "--timeline"),
        (["compare", CONFIG, "--scheduler", "vaq", "--set", "scheduler=vaq"], "scheduler"),
        (["compare", CONFIG, "--scheduler", "vaq,vaq"], "vaq"),
        (["compare", CONFIG, "--shceduler", "vaq"], "--shceduler"),
        (["sweep"], "sweep"),
        (["figure"], "NAME"),
        (["figure", "paq-shemes"], "paq-schemes"),
        (["figure", "no/such.yaml"], "no/such.yaml"),
        (["figure", "paq-schemes", "--jobs", "0"], "--jobs"),
        ([], "COMMAND"),
    ],
)
def test_wrong_arguments_are_one_line_and_status_2(tmp_path, words, word):
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    status, out, err = call_lab(*words, program=program)
    assert (status, out, len(err.splitlines())) == (INPUT_ERROR, "", 1), err
    assert word in err and err.startswith("tlmssd-lab")
    assert not program.with_suffix(".calls").exists(), "nothing was run"


def test_a_figure_that_no_result_has_is_an_error(tmp_path):
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    status, _, err = call_lab(
        "compare", CONFIG, "--metric", "ftl.wfa", "--seeds", 1, "--quiet", program=program
    )
    assert status == INPUT_ERROR and "ftl.wfa" in err


def test_standard_output_on_a_full_disk_is_one_line_and_status_2(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.json").write_text(json.dumps(crafted()))
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([sys.executable, "-m", "tlmssd_lab.cli", "diff", "a", "b"], cwd=tmp_path,
                              stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == INPUT_ERROR
    assert done.stderr == "tlmssd-lab: No space left on device\n"


def test_an_output_that_cannot_be_written_is_status_2(tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    status, _, err = call_lab(
        "compare",
        CONFIG,
        "--seeds",
        1,
        "--quiet",
        "--csv",
        tmp_path / "file/c.csv",
        program=fake_program(tmp_path, [["", 0, "", crafted()]]),
    )
    assert status == INPUT_ERROR and "c.csv" in err


@pytest.mark.parametrize(
    "command, words",
    [
        ([], ["compare", "diff", "report", "examples:"]),
        (
            ["compare"],
            [
                "--scheduler",
                "--controller",
                "--cpu",
                "--vary",
                "--seeds",
                "--csv",
                "--json",
                "examples:",
            ],
        ),
        (["diff"], ["--all", "examples:"]),
        (["report"], ["--out", "--title", "examples:"]),
    ],
)
def test_help_has_options_and_examples_and_offers_nothing_planned(tmp_path, command, words):
    status, out, err = call_lab(*command, "--help", program=tmp_path)
    assert (status, err) == (DONE, "")
    for word in words:
        assert word in out
    for planned in ("figure A", "fit A"):
        assert planned not in out
