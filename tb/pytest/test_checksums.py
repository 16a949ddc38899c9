# SPDX-License-Identifier: BSD-3-Clause
"""A single wrong bit in a file that is read back is refused, with one line and status 2."""
import os
import random
import shutil
import subprocess
import sys

import pytest

from tlmssd_lab.checksums import read_results
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.run import frames

from cli import DEFAULT, DONE, INPUT_ERROR, ROOT, set_options

LONG = os.environ.get("TLMSSD_TEST_LONG") == "1"
FLIPS = 1000 if LONG else 25
SMALL = ["geometry.channels=1", "geometry.ways=1", "geometry.dies=2", "geometry.planes=1", "geometry.blocks=24",
         "geometry.pages=8", "buffer.size_mib=1", "ftl.over_provisioning=0.6", "host.kind=direct",
         "workload.rw=randrw", "workload.bs=16k", "workload.requests=60", "observe.stages=false", "ftl.recovery=scan"]
LOGS = ["log.csv", "log.csv.gz", "log.csv.xz", "log.csv.zst"]
OPS = ["ops.csv", "ops.csv.gz", "ops.csv.xz", "ops.csv.zst"]


@pytest.fixture(name="files", scope="module")
def fixture_files(tlmssd, tmp_path_factory):
    folder = tmp_path_factory.mktemp("checksums")
    for number, (log, ops) in enumerate(zip(LOGS, OPS)):
        run = folder / f"run{number}"
        tlmssd.run(run, "--log", run / log, "--ops", folder / ops, "--steps", folder / "steps.bin", sets=SMALL)
    done = tlmssd("snapshot", "save", DEFAULT, *set_options([*SMALL, "precondition.fill=0.5"]), "-o", folder / "s.snapshot")
    assert done.returncode == DONE, done.stderr
    done = replay(tlmssd, folder / "ops.csv", "--out", folder / "replayed")
    assert done.returncode == DONE, done.stderr
    return folder


def replay(tlmssd, ops, *more):
    return tlmssd("replay-ops", ops, DEFAULT, "--quiet", *set_options(SMALL), *more)


def flipped(path, place, count):
    """Copies of `path` under `place`, each with one wrong bit, the bits drawn once."""
    data = path.read_bytes()
    draw = random.Random(path.name)
    for bit in draw.sample(range(8 * len(data)), min(count, 8 * len(data))):
        broken = bytearray(data)
        broken[bit // 8] ^= 1 << bit % 8
        place.write_bytes(broken)
        yield bit


def expect_refused(done, bit):
    assert done.returncode == INPUT_ERROR, f"bit {bit}: status {done.returncode}\n{done.stdout}{done.stderr}"
    assert len(done.stderr.splitlines()) == 1, f"bit {bit}: {done.stderr}"


@pytest.mark.parametrize("name", OPS)
def test_recordings_of_operations(tlmssd, files, tmp_path, name):
    assert replay(tlmssd, files / name).returncode == DONE
    for bit in flipped(files / name, tmp_path / name, FLIPS):
        expect_refused(replay(tlmssd, tmp_path / name), bit)


def test_logs_of_replays(tlmssd, files, tmp_path):
    shutil.copytree(files / "replayed", tmp_path / "old")
    for bit in flipped(files / "replayed/replay.csv.zst", tmp_path / "old/replay.csv.zst", FLIPS):
        expect_refused(replay(tlmssd, files / "ops.csv", "--against", tmp_path / "old"), bit)


def test_snapshots(tlmssd, files, tmp_path):
    for bit in flipped(files / "s.snapshot", tmp_path / "s.snapshot", FLIPS):
        expect_refused(tlmssd("run", DEFAULT, "--quiet", "--snapshot", tmp_path / "s.snapshot", *set_options(SMALL)), bit)


def test_recordings_of_steps(files, tmp_path):
    costs = ROOT / "build/release/bin/tlmssd-costs"
    for bit in flipped(files / "steps.bin", tmp_path / "steps.bin", FLIPS):
        expect_refused(subprocess.run([costs, tmp_path / "steps.bin", tmp_path / "costs.csv"], capture_output=True, text=True,
                                      check=False), bit)


@pytest.mark.parametrize("name", LOGS)
def test_logs(files, tmp_path, name):
    source = files / f"run{LOGS.index(name)}" / name
    assert len(frames.log(source)) > 0
    for bit in flipped(source, tmp_path / name, FLIPS):
        with pytest.raises(LabInputError) as refused:
            frames.log(tmp_path / name)
        assert str(refused.value).count("\n") == 0, bit


def test_results(files, tmp_path):
    report = [sys.executable, "-m", "tlmssd_lab.cli", "report", tmp_path / "r", "-o", tmp_path / "report.html"]
    shutil.copytree(files / "run0", tmp_path / "r")
    assert subprocess.run(report, check=False, capture_output=True, cwd=ROOT / "scripts").returncode == DONE
    for bit in flipped(files / "run0/results.json", tmp_path / "r/results.json", FLIPS):
        with pytest.raises((LabInputError, ValueError)):
            read_results(tmp_path / "r/results.json")
        if bit % 8 == 0:  # the program too, for some: it takes a second
            expect_refused(subprocess.run(report, check=False, capture_output=True, text=True, cwd=ROOT / "scripts"), bit)
