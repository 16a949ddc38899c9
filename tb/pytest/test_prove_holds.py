# SPDX-License-Identifier: BSD-3-Clause
"""scripts/prove_holds.py adds an assertion to each flip-flop behind a gate, and the gate becomes a wire."""
import json
import shutil
import subprocess
import sys

import pytest

from cli import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import prove_holds  # noqa: E402 pylint: disable=wrong-import-position

# `kept` holds while en_i is low, `moved` does not; `free` has no gate.
DESIGN = """
module part(input clk_i, input en_i, input d_i, output reg kept, output reg moved, output reg free);
  wire clk;
  o3_gate u_gate(.clk_i(clk_i), .en_i(en_i), .clk_o(clk));
  always @(posedge clk) begin
    if (en_i) kept <= d_i;
    moved <= d_i;
  end
  always @(posedge clk_i) free <= d_i;
endmodule
module top(input clk_i, input en_i, input d_i, output a, output b, output c);
  part u_dut(.clk_i(clk_i), .en_i(en_i), .d_i(d_i), .kept(a), .moved(b), .free(c));
endmodule
"""


@pytest.fixture(name="netlist")
def _netlist(tmp_path):
    if shutil.which("yosys") is None:
        pytest.fail("no yosys: scripts/setup --for test")
    source, out = tmp_path / "top.v", tmp_path / "top.json"
    source.write_text(DESIGN)
    run(f"read_verilog -sv {ROOT / 'tb/formal/o3_gate.sv'} {source}; hierarchy -top top; proc; flatten; opt; "
        f"dffunmap; opt_clean; write_json {out}")
    return out


def run(script):
    done = subprocess.run(["yosys", "-q", "-p", script], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def asserted(path):
    cells = next(m for m in json.loads(path.read_text())["modules"].values() if "top" in m["attributes"])["cells"]
    return sorted(name.split("$")[2] for name, cell in cells.items() if cell["type"] == "$assert"), cells


def proves(path):
    """By induction of one step: from any state, does what is asserted hold in the next input?"""
    code, _ = run(f"read_json {path}; async2sync; sat -prove-asserts -seq 1 -tempinduct -verify top")
    return code == 0


def test_each_flip_flop_behind_a_gate_has_to_hold(netlist):
    assert prove_holds.add(netlist, "gates") == 2
    names, cells = asserted(netlist)
    assert names == ["u_dut.kept", "u_dut.moved"]
    assert not any(cell["type"] == "o3_gate" for cell in cells.values())
    assert not proves(netlist), "moved changes while its gate is shut"


def test_one_that_may_move_is_left_out(netlist):
    assert prove_holds.add(netlist, "gates", ("u_dut.moved",)) == 1
    assert asserted(netlist)[0] == ["u_dut.kept"]
    assert proves(netlist)


def test_all_have_to_hold_by_a_net_of_the_harness(netlist):
    assert prove_holds.add(netlist, "en_i") == 3
    assert asserted(netlist)[0] == ["u_dut.free", "u_dut.kept", "u_dut.moved"]


def test_a_proof_of_no_flip_flop_is_an_error(netlist):
    with pytest.raises(prove_holds.NoRegisters):
        prove_holds.add(netlist, "gates", ("u_dut.kept", "u_dut.moved"))
