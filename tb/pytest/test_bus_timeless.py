# SPDX-License-Identifier: BSD-3-Clause
"""onfi.timeless: a bus on which nothing takes time, and what asks for it in vain."""
import json
import math

import pytest

from cli import INPUT_ERROR
from serving import SCHEDULERS

def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from numbers(one)
    elif isinstance(value, float):
        yield value


def run(tlmssd, folder, sets, **more):
    return json.loads(tlmssd.run(folder, sets=sets, **more))


def test_a_read_takes_the_dies_time_and_no_other_of_the_flash(tlmssd, tmp_path):
    """tR is 60 us; what the bus adds in SDR mode 5, by the equations of docs/explanation/onfi.md, is command, page and tWB."""
    sets = ["nand.t_read_us=60", "nand.pairing=uniform", "nand.array_variation=0", "onfi.interface=sdr", "onfi.mode=5",
            "cpu.mhz=100000", "host.kind=direct", "host.queue_depth=1", "workload.rw=randread", "workload.bs=8192",
            "workload.requests=50", "buffer.policy=none", "precondition.fill=1"]
    without = run(tlmssd, tmp_path / "a", [*sets, "onfi.timeless=true"])
    real = run(tlmssd, tmp_path / "b", sets)
    assert all(channel["busy_s"] == 0 for channel in without["flash"]["channels"])
    mean = [found["host"]["all"]["latency_us"]["mean"] for found in (without, real)]
    # ECC and DRAM come behind it: 60 <= latency; the page's 8192 bytes and parity are 20 ns each on the real bus.
    assert 60 <= mean[0] < 60 + 15
    bytes_out = 8192 + 448  # with its parity, as the part's spare area has it
    least, most = 8192 * 0.020, (bytes_out * 0.020) + 2
    assert least < mean[1] - mean[0] < most
    assert all(math.isfinite(value) for value in numbers(without))


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_scheduler_works_and_breaks_no_rule(tlmssd, tmp_path, scheduler):
    found = run(tlmssd, tmp_path, [
        "onfi.timeless=true", f"scheduler={scheduler}", "geometry.channels=2", "geometry.ways=2", "geometry.blocks=40",
        "geometry.pages=16", "buffer.size_mib=1", "host.kind=direct", "precondition.fill=0.9", "workload.rw=randrw",
        "workload.bs=12288", "ftl.over_provisioning=0.5", "workload.requests=3000"])
    assert found["status"] == "done" and found["integrity"]["mismatches"] == 0
    assert found["checker"]["violations"] == 0
    assert all(channel["busy_s"] == 0 for channel in found["flash"]["channels"])
    assert all(math.isfinite(value) for value in numbers(found))


@pytest.mark.parametrize("sets, words", [
    (["controller.kind=rtl"], ["onfi.timeless", "true is for controller.kind: tlm", "rtl"]),
    (["controller.kind=rtl_pins", "onfi.interface=sdr"], ["onfi.timeless", "rtl_pins"]),
    (["onfi.cycle_ns=100"], ["onfi.cycle_ns", "leave it 0"]),
])
def test_what_does_not_go_with_it(tlmssd, tmp_path, sets, words):
    done = tlmssd("run", "configs/ssd/default.yaml", "--out", tmp_path / "out",
                  *[word for one in ["onfi.timeless=true", *sets] for word in ("--set", one)])
    assert done.returncode == INPUT_ERROR and done.stderr.count("\n") == 1
    assert all(word in done.stderr for word in words), done.stderr
