# SPDX-License-Identifier: BSD-3-Clause
"""An interrupted run keeps what it has and says so."""
import json
import signal
import subprocess
import time

import jsonschema
import pytest

from cli import DEFAULT, INTERRUPTED, ROOT, set_options

ENDLESS = ["workload.rw=randread", "workload.bs=4096", "workload.requests=4000000000"]
# Preconditioned in a moment, so that a signal some seconds later meets the run on any machine.
SMALL = ["geometry.blocks=32", "ftl.over_provisioning=0.4"]


@pytest.fixture(autouse=True)
def _hangups_are_heard():
    """Children inherit it: under nohup they would ignore SIGHUP, as they should."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("kind, sent", [("tlm", signal.SIGINT), ("rtl", signal.SIGINT),
                                        ("tlm", signal.SIGTERM)])
def test_interrupt_keeps_and_marks_partial_results(tlmssd, tmp_path, kind, sent):
    sets = [*ENDLESS, *SMALL, f"controller.kind={kind}"]
    process = tlmssd.start("run", DEFAULT, *set_options(sets), "--out", tmp_path)
    try:
        time.sleep(2.0)
        assert process.poll() is None, process.communicate()
        process.send_signal(sent)
        _, stderr = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        pytest.fail(f"the run goes on after {sent.name}")
    finally:
        process.kill()
        process.wait()
    assert process.returncode == INTERRUPTED, stderr
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    jsonschema.validate(results, json.loads((ROOT / "docs/reference/results.schema.json").read_text()))
    assert results["status"] == "interrupted"
    assert 0 < results["host"]["all"]["count"] < 4000000000
    assert results["integrity"]["mismatches"] == results["checker"]["violations"] == 0


LARGE = ROOT / "configs/ssd/device_256g.yaml"
MAPPED = set_options(["ftl.recovery=scan"])
# A second of work on an idle machine; the margin is for other processes, and for a device's memory to be given back.
PROMISE, MARGIN = 1.0, 3.0


def stopped(process, *signals, after, between=0.0):
    """(status, seconds from the first signal to the end, standard error)"""
    try:
        time.sleep(after)
        assert process.poll() is None, process.communicate()
        began = time.monotonic()
        for sent in signals:
            process.send_signal(sent)
            time.sleep(between)
        _, stderr = process.communicate(timeout=20)
        return process.returncode, time.monotonic() - began, stderr
    finally:
        process.kill()
        process.wait()


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_preconditioning(tlmssd, tmp_path, sent):
    process = tlmssd.start("run", LARGE, *set_options(["precondition.fill=1", "precondition.overwrite=1"]), "--out",
                           tmp_path / "out", "--log", tmp_path / "log.csv.zst", cwd=tmp_path)
    status, seconds, stderr = stopped(process, sent, after=2.0)
    assert status == INTERRUPTED
    assert "interrupted before there were results" in stderr
    assert seconds < PROMISE * MARGIN
    assert files(tmp_path) == []


@pytest.mark.parametrize("phase", ["filling", "writing"])
def test_a_signal_ends_saving_a_snapshot(tlmssd, tmp_path, phase):
    process = tlmssd.start("snapshot", "save", LARGE, *MAPPED, *set_options(["precondition.fill=0.2"]), "-o",
                           tmp_path / "a.snapshot", cwd=tmp_path)
    if phase == "writing":  # its file is there, under the name of a part
        end = time.monotonic() + 60
        while not files(tmp_path) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        assert [name for name in files(tmp_path) if name.startswith("a.snapshot.part")]
    status, seconds, _ = stopped(process, signal.SIGTERM, after=0.1 if phase == "writing" else 1.5)
    assert status == INTERRUPTED
    assert seconds < PROMISE * MARGIN
    assert files(tmp_path) == []


def test_a_signal_ends_the_executed_firmware(tlmssd, tmp_path):
    process = tlmssd.start("run", DEFAULT, *set_options([*ENDLESS, "cpu.model=iss", "precondition.fill=0"]), "--out",
                           tmp_path, "--steps", tmp_path / "steps", cwd=tmp_path)
    status, seconds, stderr = stopped(process, signal.SIGHUP, after=2.0)
    assert status == INTERRUPTED, stderr
    assert seconds < PROMISE * MARGIN
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["status"] == "interrupted"
    assert files(tmp_path) == ["results.json", "steps"]


def test_a_stop_waits_for_no_command(tlmssd, tmp_path):
    """Nothing ends over this link, and the host may not give up: only the signal ends the run."""
    sets = ["sata.bit_error_rate=1e-3", "sata.resets_in_a_row=10000", "sata.slower_after=never",
            "sata.command_retries=1000", "sata.retries=1000", "host.timeout_ms=never", "workload.bs=131072"]
    process = tlmssd.start("run", DEFAULT, *set_options(sets), "--out", tmp_path, cwd=tmp_path)
    status, seconds, stderr = stopped(process, signal.SIGTERM, after=1.5)
    assert status == INTERRUPTED, stderr
    assert seconds < PROMISE * MARGIN
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert results["status"] == "interrupted"
    assert results["host"]["all"]["count"] == 0


def test_the_second_signal_ends_the_process_and_leaves_no_part_of_a_file(tlmssd, tmp_path):
    process = tlmssd.start("run", DEFAULT, *set_options(ENDLESS), "--log", tmp_path / "log.csv.zst", cwd=tmp_path)
    status, seconds, _ = stopped(process, signal.SIGTERM, signal.SIGTERM, after=1.5)
    assert status in (-signal.SIGTERM, INTERRUPTED)  # it may have been faster
    assert seconds < PROMISE * MARGIN
    assert files(tmp_path) in ([], ["log.csv.zst"])


def test_nohup_keeps_hangups_ignored(tlmssd, tmp_path):
    process = tlmssd.start("run", DEFAULT, *set_options(ENDLESS), cwd=tmp_path,
                           preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    status, seconds, _ = stopped(process, signal.SIGHUP, signal.SIGTERM, after=1.5, between=1.0)
    assert status == INTERRUPTED
    assert seconds > 1.0


def test_a_signal_ends_power_cuts_and_their_devices(tlmssd, tmp_path):
    process = tlmssd.start("powercut", "powercut", "--cuts", 100000, "--within", "1 s", cwd=tmp_path)
    status, seconds, stderr = stopped(process, signal.SIGTERM, after=2.0)
    assert status == INTERRUPTED, stderr
    assert seconds < PROMISE * MARGIN
