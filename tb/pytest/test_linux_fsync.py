# SPDX-License-Identifier: BSD-3-Clause
"""One axis for a guest's kernel and the device, where the kernel has been built: every block request has its command,
and what an fsync waited for adds up to its length."""

import json
import subprocess

import pytest

from cli import DONE, INPUT_ERROR, ROOT
from lab_support import call_lab
from test_linux import SCRIPT, kernel, linux  # noqa: F401: fixtures
from tlmssd_lab.fsync import fsync
from tlmssd_lab.fsync.device import slices
from tlmssd_lab.fsync.join import STEP, axis

TWO = ("mkfs.ext4 -q -E nodiscard $DISK && mount $DISK /mnt",
       "for i in 1 2; do dd if=/dev/zero of=/mnt/$i bs=16k count=1 conv=fsync status=none; done")


def traced(linux, folder, *options):  # noqa: F811
    status, out, err = linux(TWO[1], "--trace", "--before", TWO[0], *options, out=folder)
    assert (status, out) == (DONE, ""), err
    return fsync.read_traced(folder)


@pytest.mark.parametrize("controller", ["--nvme", "--ahci"])
def test_every_request_has_its_command_and_the_parts_add_up(linux, tmp_path, controller):  # noqa: F811
    found = traced(linux, tmp_path / "a", controller)
    assert [each.task for each in found.fsyncs] == ["dd", "dd"]
    issues = (tmp_path / "a/trace.txt").read_text().count(": block_rq_issue: ")
    assert len(found.requests) == issues >= 6
    for each in found.fsyncs:
        parts = found.parts(each)
        assert sum(parts.values()) == (each.end - each.begin) * 1000
        assert parts["ssd"] > sum(parts.values()) / 2, "a flush waits for programs"
        kinds = [request.block.kind for request in found.requests
                 if axis(each.begin, found.date) <= request.issued < axis(each.end, found.date)]
        assert "flush" in kinds and "write" in kinds
    for request in found.requests:
        assert request.queued <= request.issued < request.begin < request.end <= request.completed
    status, _, err = call_lab("fsync", tmp_path / "a", "-o", tmp_path / "a.html", program=tmp_path)
    assert status == DONE, err
    assert ">PROGRAM</text>" in (tmp_path / "a.html").read_text()


def test_the_clock_is_simulated_time_and_a_constant(linux, tmp_path):  # noqa: F811
    """The interrupt is a packet of the link, which arrives `pcie.latency_ns` after its last bit. The block layer then
    learns of the end, at a clock that shows the begin of its step."""
    found = traced(linux, tmp_path / "a")
    results = json.loads((tmp_path / "a/results.json").read_text())
    assert results["guest"]["date_ns"] == found.date == 1_700_000_000_000_000_000
    latency = results["config"]["pcie"]["latency_ns"] * 1000
    last = axis(found.fsyncs[-1].end, found.date)
    interrupts = sorted(each.end + latency for each in slices(tmp_path / "a/timeline.json.gz", 0, last)
                        if each.name == "INTERRUPT")
    for request in found.requests:
        stamp = axis(request.block.completed, found.date)
        assert any(stamp <= at + 1000 and at < stamp + STEP * 1000 for at in interrupts), request


def test_two_traced_runs_are_equal(linux, tmp_path):  # noqa: F811
    for name in ("a", "b"):
        traced(linux, tmp_path / name)
    for name in ("trace.txt", "requests.csv", "timeline.json.gz", "command.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_the_devices_log_changes_no_result(kernel, tlmssd, linux, tmp_path):  # noqa: F811
    """The same guest with log and timeline and without them; --trace alone changes what the guest does."""
    init = tmp_path / "init"
    init.write_text("#!/bin/bash\nmount -t devtmpfs dev /dev\nmount -t proc proc /proc\n"
                    "while [ ! -b /dev/nvme0n1 ]; do sleep 0.05; done\n"
                    "dd if=/dev/zero of=/dev/nvme0n1 bs=64k count=8 oflag=direct status=none\n"
                    "echo o >/proc/sysrq-trigger\nsleep 9\n")
    init.chmod(0o755)
    kept = []
    for name, more in (("a", ()), ("b", ("--log", tmp_path / "b.csv", "--timeline", tmp_path / "b.json.gz"))):
        subprocess.run([tlmssd.path, "guest", "default", "--uml", kernel, "--init", init, "--console",
                        tmp_path / "console", "--out", tmp_path / name, "--quiet", *more], check=True, timeout=100)
        results = json.loads((tmp_path / name / "results.json").read_text())
        assert results.pop("wall")
        kept.append(results)
    assert kept[0] == kept[1]
    assert kept[0]["requests"]["writes"]["count"] == 8 == (tmp_path / "b.csv").read_text().count(",write,")


@pytest.mark.parametrize("options, words", [(("--trace",), "--trace requires -o DIR"),
                                            (("--trace", "--qemu", "-o", "x"), "--trace requires --uml")])
def test_what_a_trace_requires(options, words):
    done = subprocess.run([SCRIPT, *options, "--", "true"], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == INPUT_ERROR and done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"scripts/linux: {words}")
