# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd powercut: cuts of the whole device in simulated time, from the command line."""
import json
import re

import pytest

from cli import DONE, INPUT_ERROR, MODEL_ERROR, ROOT, long_form, set_options

DEVICE = ROOT / "configs/ssd/powercut.yaml"
SCHEDULERS = ["serial", "barrier", "inorder", "host", "vaq", "paq0", "paq1", "paq2", "sost", "hybrid"]
# A page of each block is its journal page.
JOURNAL = ["ftl.recovery=journal", "ftl.over_provisioning=0.6"]
CUTS = 1000 if long_form() else 14  # a scheduler: 10,000 with the long form


def cut(tlmssd, *arguments, sets=(), timeout=3000):
    return tlmssd("powercut", DEVICE, *arguments, *set_options(sets), timeout=timeout)


def table(done):
    assert done.returncode == DONE, done.stderr + done.stdout
    rows = {}
    for line in done.stdout.splitlines():
        name, value = re.split(r"  +", line, maxsplit=1)
        rows[name] = value
    return rows


def numbers(text):
    return [float(n) for n in re.findall(r"\b\d+(?:\.\d+)?\b", text)]


def test_every_scheduler_is_in_the_list(tlmssd):
    listed = json.loads(tlmssd("list", "schedulers", "--json").stdout)
    assert sorted(row["name"] for row in listed) == sorted(SCHEDULERS)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_nothing_is_lost(tlmssd, scheduler):
    seed = 1 + 1000 * SCHEDULERS.index(scheduler)
    rows = table(cut(tlmssd, "--cuts", CUTS, "--seed", seed, sets=[f"scheduler={scheduler}"]))
    cuts = numbers(rows["cuts"])
    assert cuts[0] == CUTS
    assert sum(cuts[1:]) == CUTS
    assert rows["failures"] == "0"
    # 0.9 of the logical pages were filled before each cut but the first of a device, and are read after it.
    least, mean, p99, most = numbers(rows["recovery time, us"])
    assert 0 < least <= mean <= most and least <= p99 <= most
    assert numbers(rows["pages checked"])[0] > 1700 * (CUTS - cuts[1])
    assert numbers(rows["torn by the cuts"])[0] > 0


@pytest.mark.parametrize("sets", [
    ["buffer.policy=none"], ["cpu.model=iss"], ["controller.kind=rtl", "scheduler=host"],
    ["buffer.policy=ccf_lru", "scheduler=sost", "cpu.cores=4", "cpu.core_of.ftl=1", "cpu.core_of.sched=2"],
    ["nand.errors.enabled=true", "nand.errors.program_fail=0.002", "nand.errors.erase_fail=0.002",
     "nand.errors.factory_bad=0.02", "ftl.over_provisioning=1"],
    ["host.kind=direct", "ftl.gc.policy=fifo", "time.backend=kernel"],
    ["scheduler=host", "controller.suspend=program_and_erase"],
    JOURNAL, [*JOURNAL, "cpu.model=iss", "scheduler=hybrid"],
    [*JOURNAL, "controller.kind=rtl", "scheduler=host"], [*JOURNAL, "scheduler=vaq", "buffer.policy=none"],
    [*JOURNAL, "nand.errors.enabled=true", "nand.errors.program_fail=0.002", "nand.errors.erase_fail=0.002",
     "nand.errors.factory_bad=0.02", "ftl.over_provisioning=1"],
], ids=["no-buffer", "iss", "rtl", "cores", "failing", "kernel", "suspend", "journal",
        "journal-iss", "journal-rtl", "journal-vaq", "journal-failing"])
def test_every_kind_of_device(tlmssd, sets):
    rows = table(cut(tlmssd, "--cuts", CUTS if long_form() else 9, "--seed", 77, sets=sets))
    assert rows["failures"] == "0"
    assert numbers(rows["requests"])[0] > 50


POLICIES = ["lru", "fifo", "clock", "cflru", "lru_wsr", "ccf_lru", "ref", "fab", "bplru", "clc",
            "gating", "cave", "cawr"]


@pytest.mark.parametrize("power", ["volatile", "capacitors"])
@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_loses_only_what_it_may(tlmssd, policy, power):
    sets = [f"buffer.policy={policy}", f"buffer.power={power}"]
    rows = table(cut(tlmssd, "--cuts", CUTS // 2, "--seed", 301, sets=sets))
    assert rows["failures"] == "0"
    assert ("saved by capacitors" in rows) == (power == "capacitors")
    if power == "capacitors":
        saved, of = numbers(rows["saved by capacitors"])[:2]
        assert 0 < saved == of
        assert rows["lost for want of time"] == "0 units"


@pytest.mark.parametrize("sets", [
    *[[f"scheduler={s}"] for s in SCHEDULERS], ["cpu.model=iss"], ["controller.kind=rtl", "scheduler=host"],
    ["cpu.cores=4", "cpu.core_of.ftl=1", "cpu.core_of.sched=2"], ["buffer.write=through"],
], ids=[*SCHEDULERS, "iss", "rtl", "cores", "through"])
def test_capacitors_lose_nothing(tlmssd, sets):
    rows = table(cut(tlmssd, "--cuts", CUTS // 2, "--seed", 401, sets=[*sets, "buffer.power=capacitors"]))
    assert rows["failures"] == "0"
    assert rows["lost for want of time"] == "0 units"


def test_too_little_time_loses_and_says_so(tlmssd):
    """128 pages in 8 planes: 16 programs of 400 us, one after the other, are 6.4 ms."""
    sets = ["buffer.power=capacitors", "buffer.hold_up_ms=1"]
    done = cut(tlmssd, "--cuts", 12, "--seed", 1, sets=sets)
    assert done.returncode == MODEL_ERROR
    assert "buffer.hold_up_ms: 1 are too few: a buffer full of dirty pages takes 6.4 ms at least" in done.stderr
    lines = done.stdout.splitlines()
    lost = [line for line in lines if line.startswith("lost for want of time")][0]
    saved, of = numbers([line for line in lines if line.startswith("saved by capacitors")][0])[:2]
    assert numbers(lost)[0] > 0 and saved < of
    assert "failures                    0" in done.stdout


def test_equal_seeds_cut_equally_on_any_number_of_processes(tlmssd):
    tables = [table(cut(tlmssd, "--cuts", 12, "--lives", 3, "--jobs", jobs)) for jobs in (1, 3)]
    for rows in tables:
        del rows["wall time, s"]
    assert tables[0] == tables[1]


def test_a_failure_names_what_repeats_it(tlmssd):
    """A die that gives another page's data, once in each life: seen, exit status 3, and seen again."""
    sets = ["inject.swap_page_registers_at=3000"]
    done = cut(tlmssd, "--cuts", 8, "--lives", 4, "--seed", 5, sets=sets)
    assert done.returncode == MODEL_ERROR
    assert "failures                    2" in done.stdout
    repeats = [line.split("repeat: tlmssd ")[1].split() for line in done.stderr.splitlines() if "repeat:" in line]
    assert len(repeats) == 2
    again = tlmssd(*repeats[0])
    assert again.returncode == MODEL_ERROR
    first = [line for line in done.stderr.splitlines() if line.startswith("tlmssd: powercut:")][0]
    assert first in again.stderr


@pytest.mark.parametrize("sets, arguments, word", [
    (["ftl.recovery=none"], [], "ftl.recovery"), (["data=full"], [], "data"),
    (["inject.fault_script=" + str(ROOT / "README.md")], [], "fault_script"),
    ([], ["--within", "7"], "--within"), ([], ["--cuts", "0"], "--cuts"),
    (["workload.jobs=[{rw: randreed}]"], [], "randread"), (["buffer.hold_up_ms=5"], [], "buffer.power"),
    (["buffer.power=capacitor"], [], "capacitors"),
    (["buffer.policy=none", "buffer.power=capacitors"], [], "buffer.policy"),
    (["precondition.steady=true", "precondition.steady_limit=0.01"], [], "steady"),
])
def test_wrong_input_is_one_line(tlmssd, sets, arguments, word):
    done = cut(tlmssd, *arguments, sets=sets)
    assert done.returncode == INPUT_ERROR, done.stderr
    assert word in done.stderr
    assert len([line for line in done.stderr.splitlines() if line.startswith("tlmssd")]) <= 1
