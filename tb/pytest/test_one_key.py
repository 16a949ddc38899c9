# SPDX-License-Identifier: BSD-3-Clause
"""Combinations that one key asks for run, and say what was decided: on standard error and in results.json."""

import json

import pytest

from cli import DONE, INPUT_ERROR, set_options

SHORT = ["workload.requests=2000", "precondition.fill=1"]


def run(tlmssd, out, *arguments, sets=(), short=SHORT):
    """Status 0; results and the notes on standard error, which are those of the results."""
    done = tlmssd("run", *arguments, *set_options([*short, *sets]), "--quiet", "--out", out)
    assert done.returncode == DONE, done.stderr
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert done.stderr.splitlines() == [f"note: {note}" for note in results.get("notes", [])]
    assert results["integrity"]["mismatches"] == 0
    return results


@pytest.mark.parametrize("device", ["default", "mqsim_8x8", "samsung-470-b"])
def test_dftl_by_one_key(tlmssd, tmp_path, device):
    results = run(tlmssd, tmp_path, device, "--workload", "mixed-70-30-4k", sets=["ftl.mapping=dftl"])
    assert results["ftl"]["map"]["misses"] > 0
    assert len(results["notes"]) == 1 and "ftl.over_provisioning: 0." in results["notes"][0]


def test_dftl_on_the_default_device_shows_its_spare(tlmssd, tmp_path):
    results = run(tlmssd, tmp_path, "default", sets=["ftl.mapping=dftl"])
    assert results["config"]["ftl"]["over_provisioning"] == 0.24
    shown = tlmssd("describe", "default", *set_options(["ftl.mapping=dftl"]))
    assert "over_provisioning: 0.24 " in shown.stdout and "# note           ftl.over_provisioning: 0.24, computed" in shown.stdout


def test_a_spare_that_is_given_and_too_small_is_an_error(tlmssd):
    done = tlmssd("run", "default", *set_options(["ftl.mapping=dftl", "ftl.over_provisioning=0.15"]))
    assert done.returncode == INPUT_ERROR and len(done.stderr.splitlines()) == 1
    assert "needs at least 0.208" in done.stderr


def test_journal_by_one_key(tlmssd, tmp_path):
    results = run(tlmssd, tmp_path, "default", "--workload", "randwrite-4k", sets=["ftl.recovery=journal"])
    assert "notes" not in results and results["config"]["ftl"]["over_provisioning"] == 0.15


@pytest.mark.parametrize("preset", ["uniform-Financial1", "uniform-Financial2", "uniform-rsrch_0", "uniform-src2_0", "uniform-stg_0"])
def test_a_preset_with_times_in_a_closed_loop(tlmssd, tmp_path, preset):
    opened = run(tlmssd, tmp_path / "open", "default", "--workload", preset)
    closed = run(tlmssd, tmp_path / "closed", "default", "--workload", preset, sets=["workload.mode=closed"])
    assert "notes" not in opened
    assert closed["notes"][0].startswith("workload.mode: closed (--set workload.mode=closed) leaves out workload.rate_iops")
    assert closed["host"]["all"]["count"] == opened["host"]["all"]["count"] == 2000
    assert closed["sim"]["time_s"] < opened["sim"]["time_s"] / 2, "no times hold it up"


def test_a_fio_job_that_waits_has_depth_one(tlmssd, tmp_path):
    job = tmp_path / "job.fio"
    head = "[job]\nrw=randread\nsize=64m\nnumber_ios=500\nioengine=psync\n"
    job.write_text(head + "iodepth=16\n", encoding="utf-8")
    deep = run(tlmssd, tmp_path / "deep", "default", "--workload", job)
    job.write_text(head, encoding="utf-8")
    plain = run(tlmssd, tmp_path / "plain", "default", "--workload", job)
    assert deep["notes"] == [f"{job}:6:1: iodepth: 16 has no effect with ioengine psync, which waits for each request; "
                             "the queue depth is 1, as in fio"]
    assert "notes" not in plain
    assert deep["host"] == plain["host"]


def test_an_empty_configuration_says_that_all_is_default(tlmssd, tmp_path):
    path = tmp_path / "empty.yaml"
    path.write_text("# nothing\n", encoding="utf-8")
    results = run(tlmssd, tmp_path / "out", path, short=["workload.requests=200"])
    assert results["notes"] == [f"{path}: holds no key: the device has the defaults of all keys"]
