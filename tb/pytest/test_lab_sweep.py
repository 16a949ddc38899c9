# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab sweep and query: what a file asks for, programs that fail, what is kept."""

import json
import math
import os
import re
import signal
import subprocess
import time

import pytest

from cli import DONE, INPUT_ERROR, INTERRUPTED, MODEL_ERROR, ROOT
from conftest import binary_path
from lab_support import call_lab, crafted, fake_program, start_lab
from sweep_support import GRID, ask, calls, fast, plan, run, running, wait, wrapped, write
from tlmssd_lab.sweep import plan as sweep_plan

# What a file asks for


def kept(err):
    """The number of points that the sweep did not run again, of its message."""
    return int(re.search(r"^  (\d+) of \d+ are kept from an earlier run$", err, re.M)[1])


def test_a_grid_has_every_combination_once(tmp_path):
    found = sweep_plan.points(plan(tmp_path, GRID + "seeds: 2\n"))
    assert len(found) == 2 * 3 * 2 and len({p.id for p in found}) == 12
    assert {(p.settings["scheduler"], p.settings["host.queue_depth"], p.settings["seed"])
            for p in found} == {(s, d, n) for s in ("inorder", "vaq") for d in ("1", "8", "32")
                                for n in ("1", "2")}
    assert found[0].values["host.queue_depth"] == 1, "numbers stay numbers"


def test_ranges_have_both_ends_and_equal_steps_or_equal_factors(tmp_path):
    text = """
config: CONFIG
parameters:
  cpu.mhz: {from: 200, to: 1600, steps: 4, log: true}
  nand.t_read_us: {from: 10.0, to: 40, steps: 3}
"""
    found = sweep_plan.points(plan(tmp_path, text))
    assert sorted({p.values["cpu.mhz"] for p in found}) == [200, 400, 800, 1600]
    assert sorted({p.values["nand.t_read_us"] for p in found}) == [10.0, 25.0, 40.0]


def test_a_point_keeps_its_folder_when_the_file_grows(tmp_path):
    before = {p.id for p in sweep_plan.points(plan(tmp_path, GRID))}
    after = {p.id for p in sweep_plan.points(plan(tmp_path, GRID.replace("[1, 8", "[1, 4, 8")))}
    assert before < after and len(after) == 8


def test_a_latin_hypercube_has_one_point_in_each_slice_of_each_range(tmp_path):
    text = """
config: CONFIG
method: lhs
points: 16
parameters:
  nand.t_read_us: {from: 10.0, to: 26.0}
  nand.t_program_us: {from: 100.0, to: 1600.0, log: true}
  scheduler: [inorder, vaq, paq2, sost]
"""
    found = sweep_plan.points(plan(tmp_path, text))
    assert len(found) == 16
    assert sorted(math.floor(p.values["nand.t_read_us"] - 10.0) for p in found) == list(range(16))
    # 1600 / 100 = 2^4 in 16 slices: a factor of 2^(1/4) each.
    slices = [math.floor(4 * math.log2(p.values["nand.t_program_us"] / 100.0)) for p in found]
    assert sorted(slices) == list(range(16))
    names = [p.values["scheduler"] for p in found]
    assert {name: names.count(name) for name in names} == dict.fromkeys(
        ("inorder", "vaq", "paq2", "sost"), 4)
    again = sweep_plan.points(plan(tmp_path, text))
    assert [p.id for p in again] == [p.id for p in found], "the seed decides"
    other = sweep_plan.points(plan(tmp_path, text + "seed: 2\n"))
    assert [p.id for p in other] != [p.id for p in found]


def test_a_list_and_labels(tmp_path):
    listed = sweep_plan.points(plan(tmp_path, """
config: CONFIG
list:
  - {scheduler: vaq, cpu.mhz: 400}
  - {scheduler: sost, workload: randread-4k}
"""))
    assert [p.settings["scheduler"] for p in listed] == ["vaq", "sost"]
    assert [p.preset for p in listed] == [None, "randread-4k"]
    labelled = sweep_plan.points(plan(tmp_path, """
config: CONFIG
parameters:
  cells: {slc: {nand.t_read_us: 25, nand.t_program_us: 200}, mlc: {nand.t_read_us: 60}}
"""))
    assert [p.values for p in labelled] == [{"cells": "slc"}, {"cells": "mlc"}]
    assert labelled[0].settings["nand.t_program_us"] == "200"
    assert "nand.t_program_us" not in labelled[1].settings


@pytest.mark.parametrize(
    "text, words",
    [
        ("config: CONFIG\n", ["parameters: is missing"]),
        ("parameters: {scheduler: [vaq]}\n", ["config: is missing"]),
        ("config: nowhere.yaml\nparameters: {scheduler: [vaq]}\n", ["nowhere.yaml: no such file"]),
        (GRID + "metod: grid\n", ["metod", "did you mean 'method'"]),
        (GRID + "method: gird\n", ["gird", "did you mean 'grid'"]),
        (GRID.replace("scheduler", "shceduler"), ["shceduler", "did you mean 'scheduler'"]),
        (GRID + "set: {host.queue_deph: 4}\n", ["did you mean 'host.queue_depth'"]),
        (GRID + "  cpu.mhz: {from: 200, to: 800}\n", ["cpu.mhz.steps: is missing"]),
        (GRID + "  cpu.mhz: {from: 800, to: 200, steps: 3}\n", ["from must be less than to"]),
        (GRID + "  cpu.mhz: {from: 0, to: 200, steps: 3, log: true}\n", ["above 0 with log"]),
        (GRID + "  cpu.mhz: {from: 1, too: 200}\n", ["cpu.mhz.too", "did you mean 'to'"]),
        (GRID + "  cpu.mhz: 3\n", ["must be a list, a range or a map"]),
        (GRID + "points: 4\n", ["points: conflicts with method 'grid'; use method lhs or search"]),
        (GRID + "method: lhs\n", ["points: is missing"]),
        (GRID + "method: search\npoints: 4\n", ["objectives: a search needs"]),
        (GRID + "objectives: {host.all.iops: most}\n", ["must be max or min"]),
        (GRID + "objectives: {workload.requests: max}\n",
         ["objectives: 'workload.requests' was renamed to 'workload.source_requests'"]),
        (GRID + "set: {controller.suspends: 2}\n",
         ["'controller.suspends' was renamed to 'controller.suspend_limit'"]),
        (GRID + "sampler: tpe\n", ["sampler: requires method search"]),
        (GRID + "list: [{scheduler: vaq}]\n", ["conflict with method list; use list"]),
        (GRID + "method: grid\nlist: [{scheduler: vaq}]\n", ["list: conflicts with method 'grid'; use method list"]),
        (GRID + "seeds: 0\n", ["seeds: 0"]),
        (GRID + "timeout_s: 0\n", ["timeout_s"]),
        (GRID + "retries: true\n", ["retries: must be a whole number"]),
        (GRID + "set: {seed: 3}\n", ["seed: is set by seeds"]),
        (GRID + "trace: no.csv\n", ["no.csv: no such file"]),
        (GRID + "trace: {fil: no.csv}\n", ["trace.fil", "did you mean 'file'"]),
        (GRID + "snapshot: no.snapshot\n", ["no.snapshot: no such file"]),
        ("config: CONFIG\nlist: [3]\n", ["entry 1 must be a map"]),
        ("- 3\n", ["a sweep is a map"]),
        ("config: [", ["is not YAML"]),
    ],
)
def test_a_file_that_is_wrong_is_one_line_and_status_2(tmp_path, text, words):
    program = fast(tmp_path)
    status, out, err = run(tmp_path, program, text=text)
    assert (status, out, len(err.splitlines())) == (INPUT_ERROR, "", 1), err
    assert "mine.yaml" in err and all(word in err for word in words), err
    assert not calls(program) and not (tmp_path / "out").exists()


def test_list_prints_the_points_and_runs_nothing(tmp_path):
    program = fast(tmp_path)
    status, out, _ = run(tmp_path, program, "--list")
    assert status == DONE and len(out.splitlines()) == 6 and not calls(program)
    assert "scheduler=vaq, host.queue_depth=8" in out


# What is run and kept


def test_every_point_has_its_folder_and_a_row(tmp_path):
    program = fast(tmp_path)
    text = GRID + "objectives: {host.all.iops: max, host.all.latency_us.p99: min}\n"
    status, out, err = run(tmp_path, program, text=text)
    assert status == DONE and "6 runs of" in err and "6/6" not in err, "no progress on a pipe"
    assert ask(tmp_path, 'select scheduler, "host.queue_depth", "host.all.iops" from points '
                         "order by all") == [
        ("inorder", 1, 1000.0), ("inorder", 8, 1000.0), ("inorder", 32, 1000.0),
        ("vaq", 1, 2000.0), ("vaq", 8, 2000.0), ("vaq", 32, 2000.0)]
    # vaq is better in both objectives, and its three points are equal: all are the front.
    assert ask(tmp_path, "select scheduler, pareto, count(*) from points group by all order by all"
               ) == [("inorder", False, 3), ("vaq", True, 3)]
    for (point,) in ask(tmp_path, "select point from points"):
        place = tmp_path / "out/points" / point
        assert {"config.yaml", "results.json", "log.txt", "point.json"} <= set(os.listdir(place))
    page = (tmp_path / "out/report.html").read_text()
    assert "3 of 6" in page and "<svg" not in page.split("data:image")[0] and out.strip() in str(
        tmp_path / "out/report.html")
    status, out, _ = call_lab("query", tmp_path / "out", "--csv", program=program,
                              *['select scheduler s, count(*) n from points group by s order by s'])
    assert (status, out) == (DONE, "s,n\ninorder,3\nvaq,3\n")
    status, _, err = call_lab("query", tmp_path / "out", "select nothing from points",
                              program=program)
    assert status == INPUT_ERROR and "nothing" in err and len(err.splitlines()) == 1


def test_what_is_done_is_not_run_again(tmp_path):
    program = fast(tmp_path)
    assert run(tmp_path, program)[0] == DONE and len(calls(program)) == 6
    status, _, err = run(tmp_path, program, text=GRID.replace("[1, 8", "[1, 4, 8"))
    assert status == DONE and len(calls(program)) == 8 and kept(err) == 6


def test_what_the_program_refuses_is_left_out_and_named(tmp_path):
    program = fake_program(tmp_path, [["host.queue_depth=32", 2, "too deep", None],
                                      ["", 0, "", crafted()]])
    status, _, err = run(tmp_path, program)
    assert status == DONE and err.count("failed: too deep") == 2
    assert ask(tmp_path, "select status, message, count(*) from points group by all order by all"
               ) == [("done", None, 4), ("refused", "too deep", 2)]
    assert "too deep" in (tmp_path / "out/report.html").read_text()
    assert len(calls(program)) == 6, "a refusal is not tried again"
    refused = fake_program(tmp_path, [["", 2, "no good", None]])
    status, _, err = run(tmp_path, refused, "--out", tmp_path / "other")
    assert status == INPUT_ERROR and "no good (and 5 more)" in err.splitlines()[-1]


def test_what_crashed_is_tried_again_and_recorded(tmp_path):
    # Each point kills itself the first time.
    program = wrapped(tmp_path, fast(tmp_path), f"""
if [ "$1" = run ]; then
    seen={tmp_path}/seen-$(echo "$LINE" | sha256sum | cut -c 1-12)
    [ -e "$seen" ] || {{ touch "$seen"; kill -KILL $$; }}
fi""")
    status, _, err = run(tmp_path, program)
    assert status == DONE and err.count("tried again") == 6, err
    journal = [json.loads(line) for line in (tmp_path / "out/journal.jsonl").open()]
    assert sorted(line["status"] for line in journal) == ["done"] * 6 + ["failed"] * 6
    assert all("SIGKILL" in line["message"] for line in journal if line["status"] == "failed")


def test_a_crash_every_time_is_a_row_and_status_3(tmp_path):
    program = fake_program(tmp_path, [["scheduler=vaq", 3, "it broke", None],
                                      ["", 0, "", crafted()]])
    status, _, err = run(tmp_path, program, text=GRID + "retries: 2\n")
    assert status == MODEL_ERROR and "it broke (and 2 more)" in err.splitlines()[-1]
    assert sum("scheduler=vaq" in line for line in calls(program)) == 3 * 3
    assert ask(tmp_path, "select scheduler, status, count(*) from points group by all order by all"
               ) == [("inorder", "done", 3), ("vaq", "failed", 3)]


def test_a_point_that_takes_too_long_is_killed(tmp_path):
    program = fake_program(tmp_path, [["host.queue_depth=32", 0, "sleep", None],
                                      ["", 0, "", crafted()]])
    started = time.monotonic()
    status, _, err = run(tmp_path, program, text=GRID + "timeout_s: 1.5\nretries: 0\n")
    assert status == MODEL_ERROR and time.monotonic() - started < 40
    assert "longer than it may" in err.splitlines()[-1]
    assert ask(tmp_path, "select status, count(*) from points group by all order by all") == [
        ("done", 4), ("timeout", 2)]
    assert not running(program)


def test_ctrl_c_keeps_what_is_done_and_goes_on(tmp_path):
    asleep = tmp_path / "program.asleep"
    program = fake_program(tmp_path, [["host.queue_depth=32", 0, "sleep", None],
                                      ["", 0, "", crafted()]])
    process = start_lab("sweep", write(tmp_path), "--out", tmp_path / "out", "--jobs", "2",
                        program=program, start_new_session=True)
    wait(lambda: asleep.exists() and len(asleep.read_text().splitlines()) == 2)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: workers get it, too
    _, err = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED and "goes on where it stopped" in err
    assert "Traceback" not in err, err
    wait(lambda: not running(program))
    done = ask(tmp_path, "select count(*) from points where status = 'done'")[0][0]
    assert done >= 2, "inorder's first two came before the sleepers"
    before = len(calls(program))
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    status, _, err = run(tmp_path, program)
    assert status == DONE and kept(err) == done
    assert len(calls(program)) - before == 6 - done


def test_a_full_disk_ends_the_sweep_and_loses_nothing(tmp_path, small_disk):
    small = small_disk("out", 600)
    big = crafted(padding="x" * 150_000)
    program = fake_program(tmp_path, [["", 0, "", big]])
    text = GRID.replace("[1, 8, 32]", "[1, 2, 4, 8, 16, 32]")
    status, _, err = run(tmp_path, program, text=text)
    assert status in (INPUT_ERROR, MODEL_ERROR) and "Traceback" not in err
    assert "No space left on device" in err.splitlines()[-1], err
    whole = [p for p in (small / "points").iterdir() if (p / "point.json").is_file()]
    assert whole and all(json.loads((p / "results.json").read_text()) for p in whole)
    subprocess.run(["mount", "-o", "remount,size=20m", small], check=True)
    status, _, err = run(tmp_path, program, text=text)
    assert status == DONE and kept(err) >= len(whole)


# Snapshots


def test_points_of_one_device_share_a_snapshot(tmp_path):
    text = f"""
config: {ROOT / "configs/ssd/default.yaml"}
workload: randread-4k
set: {{geometry.channels: 2, geometry.ways: 1, geometry.blocks: 32,
      ftl.over_provisioning: 0.3, ftl.recovery: scan, workload.requests: 200}}
parameters:
  scheduler: [inorder, vaq]
  precondition.fill: [0.25, 0.5]
snapshot: true
"""
    status, _, err = run(tmp_path, binary_path(), text=text)
    assert status == DONE, err
    assert len(list((tmp_path / "out/snapshots").iterdir())) == 2
    used = {re.search(r"--snapshot (\S+)", p.read_text())[1]
            for p in (tmp_path / "out/points").glob("*/log.txt")}
    assert used == {str(p) for p in (tmp_path / "out/snapshots").iterdir()}
    found = ask(tmp_path, 'select distinct "precondition.fill", scheduler from points')
    assert len(found) == 4
    status, _, err = run(tmp_path, binary_path(), text=text)
    assert status == DONE and kept(err) == 4
