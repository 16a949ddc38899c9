# SPDX-License-Identifier: BSD-3-Clause
"""scripts/bench --profile: reading of callgrind's output, and the parts of the program."""
import os
import pathlib
import shutil
import subprocess

import bench_profile
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

CALLGRIND = """\
# callgrind format
version: 1
positions: line
events: Ir
summary: 1000

ob=(1) /opt/bin/tlmssd
fl=(1) ???
fn=(1) tlmssd::nand::Lun::advance(tlmssd::Picoseconds)
0 30
+1 4
cfn=(2) fw_step
calls=2 0
0 500
0 6

fn=(2)
0 70
cob=(2) /usr/lib/libc.so.6
cfn=(3) memcpy
calls=1 0
* 11

ob=(2)
fn=(3)
0 11
"""


def test_a_function_has_its_own_instructions_and_not_those_of_its_callees():
    assert bench_profile.costs(CALLGRIND) == {("tlmssd::nand::Lun::advance(tlmssd::Picoseconds)", True): 40,
                                              ("fw_step", True): 70, ("memcpy", False): 11}


@pytest.mark.parametrize("function, part", [
    ("tlmssd::nand::Lun::advance(tlmssd::Picoseconds)", "nand"),
    ("non-virtual thunk to tlmssd::flash::SegmentPort::wants(unsigned int)", "flash"),
    ("void tlmssd::time::Timer::call<&tlmssd::cpu::Cpu::Core::on_output, tlmssd::cpu::Cpu::Core>(void*)", "cpu"),
    ("tlmssd::time::EventQueue::run()", "time"),
    ("tlmssd::crc32(unsigned char const*)", "common"),
    ("fw_step", "firmware"),
    ("serve.lto_priv.0", "firmware"),
    ("sc_core::sc_time::from_value(unsigned long long)", "SystemC"),
    ("std::vector<int>::reserve(unsigned long)", "standard library"),
    ("Vo3_top___024root___eval(Vo3_top___024root*)", "RTL"),
    ("(below main)", "other"),
])
def test_a_function_belongs_to_a_part(function, part):
    assert bench_profile.part_of(function, True) == part
    assert bench_profile.part_of(function, False) == "libraries"


def test_names_of_the_linker_are_those_of_the_functions_there():
    found = bench_profile.aliases("0000000000001000 t .LTHUNK3.lto_priv.0\n0000000000001000 T tlmssd::a::b()\n"
                                  "0000000000002000 T main\n                 U malloc\n")
    assert found == {".LTHUNK3.lto_priv.0": "tlmssd::a::b()"}


def test_start_up_falls_out_of_the_difference():
    short = {("fw_boot", True): 1000, ("fw_step", True): 500, (".LTHUNK1", True): 20}
    long = {("fw_boot", True): 1000, ("fw_step", True): 1500, (".LTHUNK1", True): 60}
    parts = bench_profile.per_io(short, long, 10, {".LTHUNK1": "tlmssd::onfi::Channel::on_end()"})
    assert parts == {"firmware": 100, "onfi": 4}


def words_of(text):
    return [line.split() for line in text.splitlines()]


def test_a_table_has_a_column_for_each_revision():
    new = bench_profile.Profile({"firmware": 100, "onfi": 4, "sata": 0.01}, 7, {"first-level data": 2.25})
    assert words_of(bench_profile.table("case", new)) == [
        ["case,", "of", "an", "I/O"], ["instructions", "104"], ["firmware", "100", "96.1%"], ["onfi", "4", "3.8%"],
        ["events", "7.00"], ["misses,", "first-level", "data", "cache", "2.2"]]
    old = bench_profile.Profile({"firmware": 90, "sata": 5}, 8.5, {"first-level data": 3})
    text = words_of(bench_profile.table("case", new, old))
    assert ["firmware", "100", "90", "96.1%"] in text and ["sata", "0", "5", "0.0%"] in text
    assert ["events", "7.00", "8.50"] in text and ["misses,", "first-level", "data", "cache", "2.2", "3.0"] in text


def test_misses_are_those_of_all_functions():
    text = ("positions: line\nevents: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw\nfn=(1) main\n0 30 9 9 1\n"
            "totals: 70 20 18 4 5 6 1 2 3\n")
    assert bench_profile.costs(text) == {("main", False): 30}  # instructions alone
    assert bench_profile.misses(text) == {"first-level instruction": 4, "first-level data": 11, "second-level": 6}
    assert bench_profile.misses("events: Ir\ntotals: 70\n") == {}


def test_a_missing_tool_is_named(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(SystemExit) as ended:
        bench_profile.tool(["valgrind", "--version"])
    assert ended.value.code == 2
    assert capsys.readouterr().err == "bench: no valgrind (package valgrind)\n"


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_the_parts_of_a_run_add_up_to_its_instructions(tmp_path):
    """Against callgrind's own sum of another run of the same length."""
    binary = os.environ["TLMSSD_BIN"]
    settings = ["host.kind=direct", "workload.rw=randread"]
    profile = bench_profile.profile(binary, 60 * 200, "configs/ssd/default.yaml", settings, ROOT, caches=True)
    parts = profile.parts
    sums = []
    for requests in (200, 600):
        words = [word for setting in [*settings, f"workload.requests={requests}"] for word in ("--set", setting)]
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={tmp_path / 'out'}", binary, "run",
                               "configs/ssd/default.yaml", "--quiet", *words], cwd=ROOT, capture_output=True, text=True,
                              check=True)
        sums.append(int(done.stderr.split("Collected : ")[1].split()[0]))
    assert sum(parts.values()) == pytest.approx((sums[1] - sums[0]) / 400, rel=0.02)
    assert profile.events > 5 and all(count > 0 for count in profile.misses.values())
    assert len(profile.misses) == 3
    assert parts["firmware"] > 500 and parts["nand"] > 100 and parts["time"] > 100
