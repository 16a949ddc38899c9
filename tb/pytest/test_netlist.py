# SPDX-License-Identifier: BSD-3-Clause
"""scripts/netlist-test: its errors, its models of the cells beside those of Yosys, and in the long form the netlist itself."""
import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest

from cli import ROOT, long_form

SCRIPT = ROOT / "scripts/netlist-test"

STEPS = 10  # of a clock: five edges of each direction at most, so a word is written and read
# A cell of each kind, with what the mapper makes of it: inverted clock, enable and reset, both carries, two memories.
CELLS = """module cells(input clk, rst, en, input [3:0] a, b, c, output [3:0] lut, output [4:0] sum, output less,
             output reg [3:0] plain, set, held, off, output [3:0] ram);
  assign lut = {a[0] & b[1] | c[2] ^ a[3], ^a, &b | ~c[0], a == b};
  assign sum = a + b;
  assign less = a + c < b;
  always @(posedge clk) plain <= a;
  always @(posedge clk) if (!rst) set <= 4'b1010; else set <= b;
  always @(posedge clk) if (rst) held <= 4'b0110; else if (!en) held <= c;
  always @(negedge clk or posedge rst) if (rst) off <= 4'b0101; else if (en) off <= a;
  reg [3:0] words[0:15];
  always @(posedge clk) if (en) words[a] <= b;
  assign ram = words[c];
endmodule
"""


def models():
    spec = importlib.util.spec_from_file_location("netlist_verilog", ROOT / "scripts/netlist_verilog.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(*arguments, **environment):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment}, timeout=3000)


def yosys(folder, *commands):
    return subprocess.run(["yosys", "-q", "-p", "; ".join(commands)], cwd=folder, capture_output=True, text=True, check=False)


def mapped(folder):
    (folder / "cells.v").write_text(CELLS, encoding="utf-8")
    done = yosys(folder, "read_verilog cells.v", "synth_ecp5 -nobram -nowidelut -top cells", "write_json mapped.json")
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "mapped.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("arguments, says", [
    (["--shape", "8x8"], "--shape: invalid choice: '8x8'"),
    (["--tags", "100"], "--tags 100: a power of two, 16 to 256; the nearest is 128"),
    (["--fault", "-1"], "--fault -1: a number from 0 on; the nearest is 0"),
    (["--keep", "/nowhere/at/all.v"], "no folder /nowhere/at that can be written to"),
])
def test_bad_arguments_end_with_status_2_and_what_would_do(arguments, says):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_no_yosys_is_said(tmp_path):
    done = run(PATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "netlist-test: no yosys (package yosys): run scripts/setup --for test\n"


def equal(folder, text):
    """Whether the text and Yosys' cells are equal for any inputs of STEPS steps after a beginning with zeros, by SAT."""
    (folder / "lean.v").write_text(text, encoding="utf-8")
    done = yosys(folder, "read_verilog -sv lean.v", "prep -flatten -top cells", "memory_map", "setattr -unset init w:*",
                 "opt_clean", "rename cells lean", "design -stash lean",
                 "read_json mapped.json", "read_verilog -overwrite +/ecp5/cells_sim.v", "hierarchy -top cells", "proc",
                 "flatten", "memory", "setattr -unset init w:*", "opt_clean", "rename cells gold", "design -stash gold",
                 "design -copy-from lean lean", "design -copy-from gold gold",
                 "miter -equiv -flatten -make_assert gold lean miter", "hierarchy -top miter", "clk2fflogic", "opt_clean",
                 f"sat -verify -prove-asserts -set-init-zero -seq {STEPS} miter")
    assert done.returncode == 0 or "ERROR: Called with -verify and proof did fail!" in done.stderr, done.stderr
    return done.returncode == 0


def test_the_models_of_the_cells_are_those_of_yosys(tmp_path):
    text, count = models().verilog(mapped(tmp_path), "cells")
    assert {"LUT4", "CCU2C", "TRELLIS_FF", "TRELLIS_DPR16X4"} == set(count)
    assert equal(tmp_path, text)


@pytest.mark.parametrize("right, wrong", [
    (r"always @\(posedge !", "always @(posedge "), (r"if \(!", "if ("), ("<= 1'b1;", "<= 1'b0;"), (r" or posedge n\d+", ""),
    (r"\[0:15\];", "[0:7];")])
def test_a_wrong_model_is_found(tmp_path, right, wrong):
    text, _ = models().verilog(mapped(tmp_path), "cells")
    changed, places = re.subn(right, wrong, text, count=1)
    assert places == 1
    assert not equal(tmp_path, changed)


@pytest.mark.parametrize("kind, name, value", [
    ("TRELLIS_FF", "LSRMODE", "PRLD"), ("TRELLIS_FF", "CLKMUX", "0"), ("TRELLIS_DPR16X4", "WCKMUX", "INV"), ("CCU2C", "INJECT1_0", "MAYBE"),
])
def test_a_parameter_without_a_model_is_an_error(tmp_path, kind, name, value):
    netlist = mapped(tmp_path)
    cell = next(cell for cell in netlist["modules"]["cells"]["cells"].values() if cell["type"] == kind)
    cell["parameters"][name] = value
    module = models()
    with pytest.raises(module.Unknown, match=f"{kind}: {name} {value}"):
        module.verilog(netlist, "cells")


def test_a_cell_without_a_model_is_an_error(tmp_path):
    netlist = mapped(tmp_path)
    next(iter(netlist["modules"]["cells"]["cells"].values()))["type"] = "DP16KD"
    module = models()
    with pytest.raises(module.Unknown, match="cell DP16KD"):
        module.verilog(netlist, "cells")


if long_form():  # maps, builds and runs the netlist: some minutes
    @pytest.mark.parametrize("fault, says", [
        ([], "netlist-test: the netlist passes\n"),
        (["--fault", "1234"], "netlist-test: the tests find the fault\n"),
    ])
    def test_the_netlist_is_the_rtl(fault, says):
        done = run(*fault)
        assert (done.returncode, done.stdout.endswith(says)) == (0, True), done.stdout[-3000:] + done.stderr[-3000:]
