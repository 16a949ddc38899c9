# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab sweep --cluster: jobs that a batch system takes, refuses and ends. The system is a
stand-in with Slurm's commands: it has no queue, a job runs at once as a process group."""

import os
import signal
import time

import duckdb
import pytest

from cli import DONE, INPUT_ERROR
from lab_support import CONFIG, call_lab, crafted, fake_program, start_lab

SBATCH = """#!/bin/bash
if [ "$(grep -c '^#SBATCH -p nosuch' "$1")" = 1 ]; then
    echo 'sbatch: error: invalid partition specified: nosuch' >&2
    exit 1
fi
exec 9>>FOLDER/lock; flock 9
number=$(($(ls FOLDER/*.job 2>/dev/null | wc -l) + 1))
cp "$1" FOLDER/$number.job
cat > FOLDER/$number.sh <<END
echo \\$\\$ > FOLDER/$number.pid
exec bash FOLDER/$number.job
END
setsid bash FOLDER/$number.sh > FOLDER/$number.out 2>&1 < /dev/null 9>&- &
until [ -s FOLDER/$number.pid ]; do sleep 0.02; done
echo "Submitted batch job $number"
"""
SCANCEL = """#!/bin/bash
kill -TERM -- -$(cat FOLDER/$1.pid) 2>/dev/null
exit 0
"""
FILE = """
system: slurm
jobs: 2
queue: QUEUE
cores: 1
memory: 1 GB
walltime: "00:10:00"
"""


@pytest.fixture
def batch(tmp_path, monkeypatch):
    """Folder of the stand-in's jobs; what is left of them is killed at the end."""
    folder = tmp_path / "batch"
    (folder / "bin").mkdir(parents=True)
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (folder / "bin" / name).write_text(text.replace("FOLDER", str(folder)))
        (folder / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:{os.environ['PATH']}")
    yield folder
    for pid in _running(folder):
        os.killpg(pid, signal.SIGKILL)


def _running(folder):
    """Process groups of jobs that have not ended."""
    found = []
    for path in folder.glob("*.pid"):
        pid = int(path.read_text())
        try:
            os.killpg(pid, 0)
        except ProcessLookupError:
            continue
        found.append(pid)
    return found


def _words(tmp_path, queue):
    (tmp_path / "mine.yaml").write_text(
        f"config: {CONFIG}\nparameters:\n  host.queue_depth: [1, 2, 4, 8, 16, 32]\n"
    )
    (tmp_path / "cluster.yaml").write_text(FILE.replace("QUEUE", queue))
    return ["sweep", tmp_path / "mine.yaml", "--out", tmp_path / "out",
            "--cluster", tmp_path / "cluster.yaml"]


def _points(tmp_path):
    return duckdb.sql(f"select status, count(*) from read_parquet('{tmp_path}/out/points.parquet') "
                      "group by 1").fetchall()


def _wait(true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def test_jobs_run_the_points_and_are_cancelled_at_the_end(tmp_path, batch):
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    status, _, err = call_lab(*_words(tmp_path, "batch"), program=program)
    assert status == DONE, err
    assert _points(tmp_path) == [("done", 6)]
    jobs = sorted(batch.glob("*.job"))
    assert len(jobs) == 2
    for job in jobs:
        text = job.read_text()
        assert "--nthreads 1" in text and "--nworkers" not in text, "a run at a time, by default"
        assert f"{tmp_path}/out/jobs" in text, "where jobs write"
    _wait(lambda: not _running(batch))


def test_a_job_that_the_system_does_not_take_is_one_message(tmp_path, batch):
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    status, out, err = call_lab(*_words(tmp_path, "nosuch"), program=program)
    assert (status, out, len(err.splitlines())) == (INPUT_ERROR, "", 1), err
    assert "cluster.yaml: slurm does not take the job" in err and "specified: nosuch" in err
    assert not list(batch.glob("*.job"))


def test_jobs_that_end_are_submitted_again_and_nothing_is_lost(tmp_path, batch):
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    slow = tmp_path / "slow"
    slow.write_text(f'#!/bin/bash\n[ "$1" != run ] || sleep 2\nexec {program} "$@"\n')
    slow.chmod(0o755)
    process = start_lab(*_words(tmp_path, "batch"), program=slow)
    finished = lambda: len(list((tmp_path / "out/points").glob("*/point.json")))
    _wait(lambda: finished() >= 1)
    for pid in _running(batch):
        os.killpg(pid, signal.SIGKILL)  # what a walltime does in the end
    at_the_kill = finished()
    _, err = process.communicate(timeout=120)
    assert process.returncode == DONE, err
    assert at_the_kill < 6, "they were killed too late to prove anything"
    assert _points(tmp_path) == [("done", 6)]
    assert len(list(batch.glob("*.job"))) > 2
    assert "Traceback" not in err, err
