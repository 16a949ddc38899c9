# SPDX-License-Identifier: BSD-3-Clause
"""The table of docs/notebook/other-simulator.md: another simulator's mean latencies beside runs.

The steps between them come from a Monte Carlo that shares no code with either (tb/outside/simulators.py)."""

import json
import re

import pytest

from cli import ROOT, long_form
from outside_runs import DEVICE, near

import simulators  # of tb/outside, which outside_runs adds to the path

PAGE = ROOT / "docs/notebook/other-simulator.md"
PATTERN = {"r": ["workload.rw=randread"], "w": ["workload.rw=randwrite"],
           "m": ["workload.rw=randrw", "workload.rwmixread=70"]}
QUICK = [("r4", 1), ("r4", 32), ("r8", 32), ("w8", 32), ("m8", 32)]


def table(heading):
    """The rows of the first table after a heading, as lists of cells."""
    text = PAGE.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line for line in text.split("\n") if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in rows if not line.startswith("|---")]


def key(row):
    return row[0].strip("`"), int(row[1])


def values():
    """{(load, depth): (other, its rules, ours, our rules, core)}"""
    return {key(row): tuple(float(re.match(r"[0-9.]+", cell.replace(",", ""))[0]) for cell in row[2:7])
            for row in table("The table")}


def steps():
    return {key(row): [float(cell.replace(",", "")) for cell in row[2:]] for row in table("Causes")}


@pytest.mark.parametrize("load, depth", sorted(values()) if long_form() else QUICK)
def test_the_table_is_what_runs_give(tlmssd, tmp_path, load, depth):
    requests = 40_000
    results = json.loads(tlmssd.run(tmp_path, "-w", "randread-4k", config=DEVICE, timeout=600, sets=[
        "scheduler=host", "controller.streams=per_request", *PATTERN[load[0]], "geometry.dies=1", "ftl.placement=static",
        f"workload.bs={load[1]}k", f"host.queue_depth={depth}", f"workload.requests={requests}",
        "workload.warmup=requests", f"workload.warmup_requests={requests // 10}"]))
    _, _, ours, rules, core = values()[load, depth]
    latency = results["host"]["all"]["latency_us"]["mean"]
    near(f"{load}, depth {depth}, run, us", latency, ours, 0.015)
    busy = results["cpu"]["busy_fraction"][0] / results["host"]["all"]["iops"] * 1e6
    near(f"{load}, depth {depth}, core, us", busy, core, 0.02)
    near(f"{load}, depth {depth}, our rules against the run, us", rules, latency, 0.05)


@pytest.mark.parametrize("load, depth", sorted(values()) if long_form() else QUICK)
def test_the_rules_give_what_the_table_says(load, depth):
    other, its, _, rules, core = values()[load, depth]
    found = simulators.latencies(load, depth, core, 40_000 if load[0] == "m" else 10_000)
    near(f"{load}, depth {depth}, its rules, us", found[0], its, 0.02)
    near(f"{load}, depth {depth}, its rules against its result, us", found[0], other, 0.03)
    near(f"{load}, depth {depth}, our rules, us", found[-1], rules, 0.02)


def test_each_difference_above_5_percent_has_its_causes():
    """The steps of a row lead from its rules to ours."""
    far = {at for at, (other, _, ours, _, _) in values().items() if abs(ours / other - 1) > 0.05}
    assert far and far == set(steps())
    for at, row in steps().items():
        _, its, _, rules, _ = values()[at]
        assert len(row) == len(simulators.STEPS) - 1
        assert its + sum(row) == pytest.approx(rules, abs=0.5), at
