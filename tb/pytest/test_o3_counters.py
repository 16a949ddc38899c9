# SPDX-License-Identifier: BSD-3-Clause
"""The counters that controller.rtl o3 keeps itself, in results.json."""
import json

import pytest

# A small device, full and overwritten once, half of the requests reads. 200 MHz: 5 ns a cycle.
SETS = ["controller.kind=rtl", "controller.clock_mhz=200", "scheduler=host", "geometry.channels=2",
        "geometry.ways=2", "geometry.dies=1", "geometry.blocks=64", "geometry.pages=32",
        "ftl.over_provisioning=0.25", "buffer.size_mib=1", "precondition.fill=1",
        "precondition.overwrite=1", "workload.rw=randrw", "workload.rwmixread=50", "workload.bs=4096",
        "workload.requests=300"]
PERIOD_S = 5e-9


def results(tlmssd, out, *sets):
    return json.loads(tlmssd.run(out, sets=[*SETS, *sets]))


def test_they_agree_with_what_the_segment_port_saw(tlmssd, tmp_path):
    r = results(tlmssd, tmp_path)
    counters = r["controller"]["counters"]
    assert r["sched"]["multi_plane_ops"] == 0, "else pages are more than operations"
    assert len(counters["channels"]) == len(r["flash"]["channels"]) == 2
    for ours, bus in zip(counters["channels"], r["flash"]["channels"]):
        assert [ours["reads"], ours["programs"], ours["erases"]] == [bus["reads"], bus["programs"], bus["erases"]]
        assert ours["reads"] > 50 and ours["programs"] > 20
        # A read has two segments, a program and an erase two: each is on the RTL's bus from the edge at
        # which it is asked for to one or two edges after its end.
        segments = 2 * (ours["reads"] + ours["programs"] + ours["erases"])
        cycles = bus["busy_s"] / PERIOD_S
        assert cycles <= ours["bus_busy_cycles"] <= cycles + 2 * segments
        assert ours["bus_busy_cycles"] + ours["bus_starved_cycles"] <= counters["cycles"]
        assert 0 < ours["lun_busy_cycles"] <= counters["cycles"]
    started = sum(c[k] for c in counters["channels"] for k in ("reads", "programs", "erases", "resets"))
    assert started - counters["outstanding_max"] <= counters["ended"] <= started
    assert 1 < counters["outstanding_max"] <= r["config"]["controller"]["tags"]
    assert 0 < counters["held"] <= counters["ended"]
    # The model counts a completion when it is told, the RTL when its operation ends.
    told = r["controller"]["held"]
    assert told <= counters["held"] <= told + counters["outstanding_max"]
    assert r["controller"]["held_us"]["mean"] > 0
    assert r["controller"]["reordered"] > 0


def test_cycles_are_the_time_of_the_run(tlmssd, tmp_path):
    r = results(tlmssd, tmp_path)
    # From the start of time to the end of the workload; stopped a few cycles later.
    cycles = r["sim"]["time_s"] / PERIOD_S
    assert cycles <= r["controller"]["counters"]["cycles"] <= cycles + 10


def test_a_warm_up_is_left_out(tlmssd, tmp_path):
    whole = results(tlmssd, tmp_path / "whole")["controller"]["counters"]
    r = results(tlmssd, tmp_path / "part", "workload.warmup=requests", "workload.warmup_requests=150")
    part = r["controller"]["counters"]
    # Cleared a few cycles after the warm-up has ended.
    begun = r["warmup"]["time_s"] / PERIOD_S
    assert whole["cycles"] - begun - 10 <= part["cycles"] <= whole["cycles"] - begun
    for a, b in zip(part["channels"], whole["channels"]):
        assert 0 < a["reads"] < b["reads"]


@pytest.mark.parametrize("sets", [["controller.kind=tlm", "scheduler=vaq"],
                                  ["controller.kind=rtl", "controller.rtl=round_robin", "scheduler=inorder"]])
def test_other_controllers_have_none(tlmssd, tmp_path, sets):
    small = [s for s in SETS if not s.startswith(("controller.", "scheduler"))]
    r = json.loads(tlmssd.run(tmp_path, sets=[*small, *sets]))
    assert "counters" not in r["controller"]
