# SPDX-License-Identifier: BSD-3-Clause
"""scripts/map-cells: its errors, how it reads a library and reports, and a run with a library made by hand."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from cli import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import cell_report  # noqa: E402

SCRIPT = ROOT / "scripts/map-cells"


def run(*arguments, script=SCRIPT, **environment):
    return subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


# ---- a library made by hand: delays of 0.2, 0.1 and 0.3 ns that depend on nothing, set-up 0.05 ns ----

def table(kind, delay, template="two_by_two"):
    return f'{kind}({template}) {{ values("{delay}, {delay}", "{delay}, {delay}"); }}'


def arc(pin, sense, delay, more=""):
    tables = [table(f"cell_{edge}", delay) + table(f"{edge}_transition", 0.01) for edge in ("rise", "fall")]
    return f'timing() {{ related_pin : "{pin}"; {sense} {more} {" ".join(tables)} }}'


def gate(name, area, function, pins, delay):
    inputs = " ".join(f"pin({pin}) {{ direction : input; capacitance : 0.001; }}" for pin in pins)
    arcs = " ".join(arc(pin, "timing_sense : negative_unate;", delay) for pin in pins)
    return (f'cell ({name}) {{ area : {area}; {inputs} pin(Y) {{ direction : output; max_capacitance : 9; '
            f'function : "{function}"; {arcs} }} }}')


def flip_flop(name, area, delay, setup):
    rise, fall = (table(f"{edge}_constraint", setup, "set_up") for edge in ("rise", "fall"))
    return (f'cell ({name}) {{ area : {area}; ff(IQ, IQN) {{ next_state : "D"; clocked_on : "CLK"; }}'
            f' pin(CLK) {{ direction : input; clock : true; capacitance : 0.001; }}'
            f' pin(D) {{ direction : input; capacitance : 0.001; timing() {{ related_pin : "CLK";'
            f' timing_type : setup_rising; {rise} {fall} }} }}'
            f' pin(Q) {{ direction : output; max_capacitance : 9; function : "IQ";'
            f' {arc("CLK", "timing_type : rising_edge;", delay)} }} }}')


LIBRARY = "\n".join([
    'library(hand) { delay_model : table_lookup; time_unit : "1ns"; voltage_unit : "1V"; current_unit : "1uA";',
    'pulling_resistance_unit : "1kohm"; leakage_power_unit : "1nW"; capacitive_load_unit(1, pf);',
    "nom_process : 1; nom_voltage : 1; nom_temperature : 25; default_max_transition : 9;",
    "input_threshold_pct_rise : 50; input_threshold_pct_fall : 50; output_threshold_pct_rise : 50;",
    "output_threshold_pct_fall : 50; slew_lower_threshold_pct_rise : 20; slew_lower_threshold_pct_fall : 20;",
    "slew_upper_threshold_pct_rise : 80; slew_upper_threshold_pct_fall : 80;",
    "lu_table_template(two_by_two) { variable_1 : total_output_net_capacitance; variable_2 : input_net_transition;",
    'index_1("0, 1"); index_2("0, 1"); }',
    "lu_table_template(set_up) { variable_1 : related_pin_transition; variable_2 : constrained_pin_transition;",
    'index_1("0, 1"); index_2("0, 1"); }',
    gate("INV", 3, "!A", "A", 0.1), gate("BUF", 5, "A", "A", 0.1), gate("ND2", 4, "!(A B)", "AB", 0.3),
    flip_flop("DFF", 20, 0.2, 0.05), "}", ""])


@pytest.fixture
def library(tmp_path):
    path = tmp_path / "hand.lib"
    path.write_text(LIBRARY, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("function, yes", [
    ("!(A B)", True), ("(!(A B))", True), ("(!(A * B))", True), ("!(A&B)", True), ("(A B)'", True), ("(A*B)'", True),
    ("!A+!B", True), ("(!A) + (!B)", True), ("A'+B'", True), ("( !( A B ) )", True),
    ("!A B", False), ("(A B)", False), ("!(A+B)", False), ("!(A B C)", False), ("!A", False), ("(A+B)'", False)])
def test_the_gate_equivalent_is_known_by_its_function(function, yes):
    assert cell_report.is_nand(function) is yes


def test_a_library_gives_areas_registers_and_the_smallest_nand():
    more = gate("ND2X4", 9, "(!(A B))", "AB", 0.1) + gate("INVX4", 7, "(!A)", "A", 0.1)
    buffers = gate("TRI", 50, "(!A)", "A", 0.1).replace("function :", 'three_state : "EN"; function :')
    cells, nand, inverter = cell_report.library_of(LIBRARY + more + buffers + "/* cell (OLD) { } */")
    assert {name: cell.area for name, cell in cells.items()} == {
        "INV": 3, "BUF": 5, "ND2": 4, "DFF": 20, "ND2X4": 9, "INVX4": 7, "TRI": 50}
    assert [name for name, cell in cells.items() if cell.register] == ["DFF"]
    assert (nand, inverter) == ("ND2", "INVX4")  # a three-state cell drives nothing


@pytest.mark.parametrize("text, says", [("{}", "it has no cells"), ("cell (A) { pin(B) {} }", "cell A has no area")])
def test_what_is_no_library_is_an_error(text, says):
    with pytest.raises(cell_report.Unreadable, match=says):
        cell_report.library_of(text)


# ---- arguments ----

@pytest.mark.parametrize("arguments, says", [
    (["--shape", "2x3"], "the nearest is 2x4"),
    (["--top", "o3_contoller"], "the nearest is o3_controller"),
    (["--freq", "0"], "--freq 0: 1 to 5000; the nearest is 1"),
    (["--library", "/nowhere.lib"], "--library /nowhere.lib: no such file"),
    (["--library", str(ROOT / "README.md")], "it has no cells: not a Liberty file?"),
    (["--report", "/nowhere/at/all.json"], "--report /nowhere/at/all.json: no folder /nowhere/at that can be written"),
])
def test_bad_arguments_end_with_status_2_and_what_would_do(arguments, says):
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert done.stderr.startswith("map-cells: ") and says in done.stderr


def test_an_unknown_gate_equivalent_is_refused_with_the_cells(library):
    done = run("--library", library, "--nand", "NAND9")
    assert (done.returncode, done.stderr) == (2, "map-cells: --nand NAND9: the library has BUF, DFF, INV, ND2\n")


def test_a_library_without_a_nand_asks_for_its_name(tmp_path):
    path = tmp_path / "odd.lib"
    path.write_text(LIBRARY.replace("!(A B)", "!A + !B + 0"), encoding="utf-8")
    done = run("--library", str(path))
    assert done.returncode == 2 and "no NAND of two inputs is found by its function: name it with --nand" in done.stderr


def test_without_a_tool_it_says_how_to_get_it(library, tmp_path):
    (tmp_path / "bin").mkdir()
    done = run("--library", library, PATH=str(tmp_path / "bin"))
    assert (done.returncode, done.stderr) == (2, "map-cells: no sta (package opensta): run scripts/setup --for cells\n")
    usage = subprocess.run([ROOT / "scripts/setup", "--help"], capture_output=True, text=True, check=True).stdout
    assert "--for cells " in usage
    (tmp_path / "bin/sta").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "bin/sta").chmod(0o755)
    done = run("--library", library, PATH=str(tmp_path / "bin"))
    assert (done.returncode, done.stderr) == (2, "map-cells: no yosys (package yosys): run scripts/setup --for test\n")


# ---- a report made by hand ----

REPORT = """Startpoint: _7_ (rising edge-triggered flip-flop clocked by clk_i)
Endpoint: _9_ (rising edge-triggered flip-flop clocked by clk_i)
    Delay      Time   Description
   0.0000    0.0000 ^ _7_/CLK (DFF)
   0.2000    0.2000 v _7_/Q (DFF)
   0.1000    0.3000 ^ _1_/Y (INV)
   0.3000    0.6000 v _2_/Y (ND2)
   0.0000    0.6000 v _9_/D (DFF)
             0.6000   data arrival time
  -0.0500    4.9500   library setup time
             4.3500   slack (MET)
"""


def flop(bit):
    return {"type": "DFF", "port_directions": {"D": "input", "CLK": "input", "Q": "output"},
            "connections": {"D": [90], "CLK": [91], "Q": [bit]}}


def module(**netnames):
    return {"cells": {"_7_": flop(3), "_9_": flop(5)}, "netnames": netnames}


def net(*bits, hidden=0):
    return {"bits": list(bits), "hide_name": hidden}


def test_a_path_has_the_names_of_its_registers_and_the_cells_between():
    names = {"u_a.from_q": net(2, 3, 4), "u_b.u_a.copy": net(3), "_0_": net(5, hidden=1),
             "$memory\\u_s.rows_m[3]$12": net(4, 5, hidden=1)}
    path = cell_report.path_of(REPORT, module(**names), 5.0)
    assert (path.begin, path.end, path.cells) == ("u_a.from_q[1]", "u_s.rows_m[3]", 2)
    assert path.period_ns == pytest.approx(0.65)  # 0.2 + 0.1 + 0.3 and the set-up time
    assert cell_report.path_of(REPORT, module(), 5.0).end == "_9_"  # nothing has a name
    violated = REPORT.replace("4.3500   slack (MET)", "-1.2500   slack (VIOLATED)")
    assert cell_report.path_of(violated, module(), 5.0).period_ns == pytest.approx(6.25)


def test_a_report_without_a_path_is_an_error():
    with pytest.raises(cell_report.Unreadable, match="there is no MHz"):
        cell_report.path_of("No paths found.\n", module(), 5.0)


def test_areas_are_sums_and_an_unknown_cell_is_an_error():
    cells, _, _ = cell_report.library_of(LIBRARY)
    mapped = {"cells": {"a": {"type": "ND2"}, "b": {"type": "ND2"}, "c": {"type": "DFF"}, "d": {"type": "$mem_v2"}}}
    assert cell_report.area_of(mapped, cells) == (28, 1)
    with pytest.raises(cell_report.Unreadable, match="a cell LUT4, which the library lacks"):
        cell_report.area_of({"cells": {"a": {"type": "LUT4"}}}, cells)


# ---- the tools themselves ----

# Five registers with three NANDs one after the other, and a memory of four words.
TINY = """module tiny #(parameter CHANNELS = 8, parameter LUNS = 16, parameter TAGS = 256) (
  input clk_i, input [3:0] a_i, input we_i, d_i, input [1:0] w_i, r_i, output reg q_o, output m_o
);
  reg [3:0] a_q;
  reg m [0:3];
  assign m_o = m[r_i];
  always @(posedge clk_i) begin
    a_q <= a_i;
    q_o <= ~(~(~(a_q[0] & a_q[1]) & a_q[2]) & a_q[3]);
    if (we_i) m[w_i] <= d_i;
  end
endmodule
"""


@pytest.fixture
def tiny(tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "tiny.v").write_text(TINY, encoding="utf-8")
    (folder / "CMakeLists.txt").write_text(
        "tlmssd_add_rtl_controller(NAME tiny TOP tiny SOURCES tiny.v WORDS \"a test's\")\n", encoding="utf-8")
    return folder


def needs_the_tools():
    for tool in ("sta", "yosys"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool}: scripts/setup --for test installs it")


def test_a_tiny_controller_is_mapped_and_timed(tiny, library, tmp_path):
    needs_the_tools()
    out = tmp_path / "report.json"
    (tmp_path / "tmp").mkdir()
    done = run("--top", str(tiny), "--shape", "2x4", "--library", library, "--report", str(out),
               TMPDIR=str(tmp_path / "tmp"))
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(out.read_text(encoding="utf-8"))
    # 5 x 20 + 3 x 4 of area, a NAND being 4; 0.2 + 3 x 0.3 + 0.05 ns.
    assert (found["kge"], found["flip_flops"], found["nand"]) == (pytest.approx(0.028), 5, "ND2")
    assert found["memories"] == [{"words": 4, "width": 1}]
    assert found["path"]["period_ns"] == pytest.approx(1.15, abs=1e-3)
    assert found["mhz"] == pytest.approx(869.6, abs=1) and found["path"]["cells"] == 3
    assert re.fullmatch(r"a_q\[[01]\]", found["path"]["begin"]) and found["path"]["end"] == "q_o"
    # Four flip-flops more, 20 each, and what chooses their word.
    assert found["kge_with_memories"] > 0.028 + 4 * 20 / 4 / 1000
    assert done.stdout.splitlines()[1].split()[2:7] == ["0.0", "5", "1", "4", f"{found['kge_with_memories']:.1f}"]
    assert not list((tmp_path / "tmp").iterdir())


def test_a_controller_without_the_clock_of_the_contract_is_refused(tiny, library):
    needs_the_tools()
    (tiny / "tiny.v").write_text(TINY.replace("clk_i", "clock"), encoding="utf-8")
    done = run("--top", str(tiny), "--shape", "2x4", "--library", library)
    assert done.returncode == 2 and "no input clk_i, which is the clock of a controller" in done.stderr


def test_a_failure_of_opensta_is_status_1_with_its_last_lines(tiny, library, tmp_path):
    needs_the_tools()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/sta").write_text("#!/bin/sh\necho 'Error: no memory'\n", encoding="utf-8")
    (tmp_path / "bin/sta").chmod(0o755)
    done = run("--top", str(tiny), "--shape", "2x4", "--library", library,
               PATH=f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "map-cells: OpenSTA failed: Error: no memory\n")


def test_the_default_library_is_the_one_of_the_set_up():
    text = SCRIPT.read_text(encoding="utf-8")
    path, = re.findall(r'^LIBRARY = "(.*)"$', text, re.MULTILINE)
    package = pathlib.PurePath(path).parts[-2]
    assert f"qflow-tech-{package}" in (ROOT / "scripts/setup").read_text(encoding="utf-8")
