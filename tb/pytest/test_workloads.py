# SPDX-License-Identifier: BSD-3-Clause
"""Presets, generator keys and fio job files through the command line."""
import json

import pytest

from cli import DEFAULT, INPUT_ERROR, ROOT

FIO = """\
[global]
ioengine=libaio
bs=4k
[reader]
rw=randread
iodepth=8
number_ios=300
[log]
rw=write
bssplit=512/50:4k/50
fsync=4
number_ios=40
"""


def test_every_preset_runs_its_first_requests_without_a_mismatch(tlmssd, tmp_path):
    names = sorted(path.stem for path in (ROOT / "configs/workloads").glob("*.yaml"))
    assert len(names) >= 42
    for name in names:
        launches = name.startswith("launch")  # these end by their number
        short = ["workload.requests=200"]
        if launches:
            short = ["workload.launches=1", "workload.launch_apps=1"]
        results = json.loads(tlmssd.run(tmp_path, "--workload", name, sets=short))
        host = results["host"]
        count = host["all"]["count"] + host["flushes"]["count"] + host["trims"]["count"]
        jobs = len(host.get("jobs", [])) or 1  # each has its own end
        wanted = results["config"]["workload"]["launch_reads"] if launches else 200 * jobs
        assert count == wanted, name
        assert results["integrity"]["mismatches"] == 0, name


def test_sections_of_a_fio_file_are_jobs(tlmssd, tmp_path):
    file = tmp_path / "two.fio"
    file.write_text(FIO, encoding="utf-8")
    host = json.loads(tlmssd.run(tmp_path / "out", "--workload", file))["host"]
    assert [job["name"] for job in host["jobs"]] == ["reader", "log"]
    reader, log = host["jobs"]
    assert (reader["reads"]["count"], reader["writes"]["count"]) == (300, 0)
    assert (log["reads"]["count"], log["writes"]["count"]) == (0, 40)
    # A flush behind each fourth write, but none behind the last: the job has ended.
    assert log["flushes"] == 9


@pytest.mark.parametrize("line, message", [
    ("iodpth=4", "iodepth"), ("rw=randraed", "randread"), ("bs=1000", "multiple of 512"),
    ("stonewall", "startdelay")])
def test_a_wrong_line_of_a_fio_file_is_named(tlmssd, tmp_path, line, message):
    file = tmp_path / "wrong.fio"
    file.write_text(f"[a]\nrw=read\n[b]\nioengine=libaio\n{line}\n", encoding="utf-8")
    done = tlmssd("run", DEFAULT, "--workload", file, "--out", tmp_path / "out")
    assert done.returncode == INPUT_ERROR
    assert f"{file}:5:1: " in done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_an_unknown_preset_gets_the_nearest_name(tlmssd):
    done = tlmssd("run", DEFAULT, "--workload", "msnfs7")
    assert done.returncode == INPUT_ERROR
    assert "did you mean 'uniform-msnfs" in done.stderr
