# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab sweep on Dask: workers and schedulers that die, files of batch systems."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys

import pytest

from cli import DONE, INPUT_ERROR, INTERRUPTED, MODEL_ERROR, ROOT
from conftest import binary_path
from lab_support import crafted, fake_program, start_lab
from sweep_support import GRID, ask, fast, run, wait, wrapped, write
from tlmssd_lab.errors import LabInputError


@contextlib.contextmanager
def dask(tmp_path, workers):
    """A real scheduler and worker processes on loopback: (address, worker processes)."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}
    log = open(tmp_path / "dask.log", "w", encoding="utf-8")
    start = lambda *words: subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]],
        stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=env, cwd=tmp_path)
    scheduler = start("dask_scheduler", "--host", "127.0.0.1", "--port", str(port),
                      "--no-dashboard")
    found = [start("dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                   "--memory-limit", "0") for _ in range(workers)]
    try:
        yield address, scheduler, found
    finally:
        for process in [*found, scheduler]:
            process.kill()
            process.wait()
        log.close()


def test_a_worker_killed_in_the_middle_loses_nothing(tmp_path):
    text = """
config: CONFIG
workload: randread-4k
set: {workload.requests: 6000}
parameters: {scheduler: [inorder, vaq, sost], host.queue_depth: [1, 4, 8, 16, 32]}
"""
    alone = tmp_path / "alone"
    alone.mkdir()
    assert run(alone, binary_path(), text=text, timeout=300)[0] == DONE
    with dask(tmp_path, 2) as (address, _, workers):
        wait(lambda: _listens(address))
        process = start_lab("sweep", write(tmp_path, text), "--out", tmp_path / "out",
                            "--dask", address, program=binary_path())
        done = lambda: len(list((tmp_path / "out/points").glob("*/point.json")))
        wait(lambda: done() >= 3)
        workers[0].kill()
        at_the_kill = done()
        _, err = process.communicate(timeout=300)
    assert process.returncode == DONE, err
    assert at_the_kill < 15, "it was killed too late to prove anything"
    rows = 'select point, status, "host.all.iops", "host.all.latency_us.p99" from points order by 1'
    assert ask(tmp_path, rows) == ask(alone, rows) and len(ask(tmp_path, rows)) == 15


def test_a_sweep_takes_less_than_5_per_cent_more_than_its_runs(tmp_path):
    """60 runs of 2 s, which mostly sleep, on two workers; start and end of the sweep are in it."""
    text = GRID.replace("parameters:", "set: {workload.requests: 20, geometry.blocks: 64}\nparameters:").replace(
        "[1, 8, 32]", str(list(range(1, 31))))
    status, out, err = run(tmp_path, wrapped(tmp_path, binary_path(), 'test "$1" = run && sleep 2'), "--jobs", 2, text=text,
                           timeout=300)
    assert status == DONE, err
    said = re.search(r"60 runs of ([0-9.]+) s together took ([0-9.]+) s on 2 workers", out + err)
    together, took = map(float, said.groups())
    assert together > 60 * 2
    assert 2 * took < 1.05 * together


def test_a_scheduler_that_is_not_there_or_goes_is_one_message(tmp_path):
    program = fast(tmp_path)
    status, out, err = run(tmp_path, program, "--dask", "tcp://127.0.0.1:9")
    assert (status, out) == (INPUT_ERROR, "") and len(err.splitlines()) == 1, err
    assert "no Dask scheduler at tcp://127.0.0.1:9" in err
    status, _, err = run(tmp_path, program, "--dask", "nonsense://x")
    assert status == INPUT_ERROR and len(err.splitlines()) == 1 and "nonsense" in err
    sleepy = fake_program(tmp_path, [["host.queue_depth=32", 0, "sleep", None],
                                     ["", 0, "", crafted()]])
    with dask(tmp_path, 1) as (address, scheduler, _):
        wait(lambda: _listens(address))
        process = start_lab("sweep", write(tmp_path), "--out", tmp_path / "out", "--dask",
                            address, program=sleepy)
        wait(lambda: (tmp_path / "program.asleep").exists())
        scheduler.kill()
        _, err = process.communicate(timeout=60)
    assert process.returncode == MODEL_ERROR and "Traceback" not in err, err
    assert "scheduler has gone" in err.splitlines()[-1]
    assert ask(tmp_path, "select count(*) from points where status = 'done'") == [(2,)]


def test_a_scheduler_without_workers_is_told_of_and_waited_for(tmp_path):
    with dask(tmp_path, 0) as (address, scheduler, _):
        wait(lambda: _listens(address))
        process = start_lab("sweep", write(tmp_path), "--out", tmp_path / "out", "--dask",
                            address, program=fast(tmp_path))
        said = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert f"no worker has come to {address} yet" in said
    assert process.returncode == INTERRUPTED


def _listens(address):
    host, port = address.removeprefix("tcp://").split(":")
    with socket.socket() as one:
        return one.connect_ex((host, int(port))) == 0


def test_workers_with_another_program_are_refused(tmp_path):
    program = fast(tmp_path)
    with dask(tmp_path, 1) as (address, _, _):
        wait(lambda: _listens(address))
        from distributed import Client

        from tlmssd_lab.sweep import cluster as sweep_cluster

        marker = tmp_path / "marker"
        marker.touch()
        with Client(address, set_as_default=False) as client:
            with pytest.raises(LabInputError, match="has a different program than this machine"):
                sweep_cluster.check_workers(client, str(program), "0" * 16, marker)
            with pytest.raises(LabInputError, match="no program"):
                sweep_cluster.check_workers(client, str(tmp_path / "none"), "0" * 16, marker)
            version = sweep_cluster.greet(str(program), str(marker))[0]
            with pytest.raises(LabInputError, match="does not see"):
                sweep_cluster.check_workers(client, str(program), version, tmp_path / "gone/x")
            sweep_cluster.check_workers(client, str(program), version, marker)


@pytest.mark.parametrize(
    "text, words",
    [
        ("system: slrum\njobs: 2\n", ["system", "did you mean 'slurm'"]),
        ("system: slurm\n", ["jobs: must be a whole number"]),
        ("system: slurm\njobs: 2\nwrong_argument: 3\n", ["cluster.yaml"]),
        ("- 1\n", ["must be a map"]),
    ],
)
def test_a_batch_systems_file_that_is_wrong(tmp_path, text, words):
    (tmp_path / "cluster.yaml").write_text(text)
    status, out, err = run(tmp_path, fast(tmp_path), "--cluster", tmp_path / "cluster.yaml")
    assert (status, out, len(err.splitlines())) == (INPUT_ERROR, "", 1), err
    assert all(word in err for word in words), err
