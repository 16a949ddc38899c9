# SPDX-License-Identifier: BSD-3-Clause
"""Runs of small devices for the outside checks: no link, no buffer, firmware that hardly takes time."""

import json
import sys

import pytest

from cli import ROOT

sys.path.insert(0, str(ROOT / "tb/outside"))

# NV-DDR2 at 333 MT/s, pages of 8,192 + 448 bytes.
DEVICE = ROOT / "configs/ssd/mqsim_8x8.yaml"
# A core at 100 GHz takes 0.05 us per request, DRAM 0.01 us per page.
PLAIN = ["checker=true", "host.kind=direct", "buffer.policy=none", "cpu.mhz=100000", "dram.mb_per_s=1000000",
         "dram.access_ns=0", "controller.ecc_us=0", "geometry.planes=1", "geometry.blocks=64", "geometry.pages=64",
         "ftl.over_provisioning=0.4"]
HOST = ["scheduler=host", "controller.streams=free"]


def shape(channels, ways, dies):
    return [f"geometry.channels={channels}", f"geometry.ways={ways}", f"geometry.dies={dies}"]


def measured(tlmssd, folder, *, sets, depth, requests, workload="randread-4k", seed=1):
    """results.json of a run, without its first tenth."""
    return json.loads(tlmssd.run(folder, "-w", workload, "--seed", seed, config=DEVICE, timeout=600, sets=[
        *PLAIN, f"host.queue_depth={depth}", f"workload.requests={requests}", "workload.warmup=requests",
        f"workload.warmup_requests={requests // 10}", *sets]))


def rate_and_latency(results):
    """(requests per us, mean latency in us)"""
    host = results["host"]["all"]
    return host["iops"] * 1e-6, host["latency_us"]["mean"]


def show(name, found, expected):
    """Prints a row of docs/notebook/outside-checks.md (pytest -s)."""
    print(f"\noutside: {name}: {found:.5g}, expected {expected:.5g}, {100 * (found / expected - 1):+.2f} %")


def near(name, found, expected, limit):
    """`found` is within the fraction `limit`."""
    show(name, found, expected)
    assert found == pytest.approx(expected, rel=limit), name
