# SPDX-License-Identifier: BSD-3-Clause
"""workload.loops on a trace, through the command line."""
import json
import os
import threading

import pytest

from cli import DEFAULT, INPUT_ERROR, set_options, without_checksum

# ssdsim: time in ns, device, sector, sectors, 1 for a read. 3 rows in 20 us: span 30 us.
ROWS = "0 0 8 8 0\n5000 0 16 8 1\n20000 0 24 8 0\n"


@pytest.fixture(name="trace")
def _trace(tmp_path):
    path = tmp_path / "t.ssdsim"
    path.write_text(ROWS, encoding="utf-8")
    return path


def requests(tlmssd, tmp_path, *arguments, sets=()):
    """The rows of `describe --requests`."""
    file = tmp_path / "requests.csv"
    done = tlmssd("describe", DEFAULT, *arguments, "--requests", file, *set_options(sets))
    assert done.returncode == 0, done.stderr
    return without_checksum(file.read_text(encoding="utf-8")).splitlines()[1:]


def test_arrivals_move_by_the_span(tlmssd, tmp_path, trace):
    rows = requests(tlmssd, tmp_path, "--trace", trace, "--format", "ssdsim", sets=["workload.loops=3"])
    assert [row.rsplit(",", 1)[0] for row in rows] == 3 * ["0,write,8,4096", "0,read,16,4096", "0,write,24,4096"]
    assert [float(row.rsplit(",", 1)[1]) for row in rows] == [
        0, 5000, 20000, 30000, 35000, 50000, 60000, 65000, 80000]


@pytest.mark.parametrize("mode, limit, count", [("open", 100, 9), ("closed", 100, 9), ("closed", 5, 5)])
def test_a_run_counts_requests_of_all_loops_and_rows_of_the_file(tlmssd, tmp_path, trace, mode, limit, count):
    trace.write_text(ROWS + "20000 0 24 0 1\n", encoding="utf-8")  # it asks for nothing
    results = json.loads(tlmssd.run(tmp_path / "out", "--trace", trace, "--format", "ssdsim", sets=[
        "workload.loops=3", f"workload.mode={mode}", f"workload.requests={limit}"]))
    assert results["status"] == "done"
    assert results["workload"]["source_requests"] == count
    assert results["host"]["all"]["count"] == count
    assert results["workload"]["skipped"] == 1
    assert results["integrity"]["mismatches"] == 0
    assert results["config"]["workload"]["loops"] == 3


def test_each_job_has_loops_of_its_own(tlmssd, tmp_path, trace):
    both = 2 * ["--trace", trace, "--format", "ssdsim"]
    rows = requests(tlmssd, tmp_path, *both, sets=["workload.jobs.1.loops=2", "workload.jobs.1.lba_offset=1m"])
    assert [row.split(",")[0] + " " + row.split(",")[2] for row in rows] == [
        "0 8", "0 16", "0 24", *2 * ["1 2056", "1 2064", "1 2072"]]


def test_a_pipe_is_read_once(tlmssd, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(ROWS, encoding="utf-8"), daemon=True)
    writer.start()
    results = json.loads(tlmssd.run(tmp_path / "out", "--trace", pipe, "--format", "ssdsim", sets=["workload.loops=2"]))
    writer.join(timeout=10)
    assert results["host"]["all"]["count"] == 6


@pytest.mark.parametrize("sets, message", [
    # Scaled, a span lasts 30 us x 10^6 = 30 s. 2^63 ps = 9,223,372.04 s are 307,445 spans and 22.04 s, which take the
    # three rows (0, 5 and 20 s) of loop 307,446.
    (["workload.loops=400000", "workload.time_scale=1000000"],
     "t.ssdsim:1: ssdsim: workload.loops: loop 307447: the time, scaled, is more than 106 days"),
    (["workload.loops=0"], "workload.loops: 0 is written 'unlimited'"),
    (["workload.loops=two"], "workload.loops"),
])
def test_mistakes_give_one_error(tlmssd, tmp_path, trace, sets, message):
    done = tlmssd("describe", DEFAULT, "--trace", trace, "--format", "ssdsim", "--requests", tmp_path / "r.csv",
                  *set_options(sets))
    assert done.returncode == INPUT_ERROR
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
