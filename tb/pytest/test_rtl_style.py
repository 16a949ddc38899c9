# SPDX-License-Identifier: BSD-3-Clause
# tlmssd: the tables of docs/contributing/rtl-style.md against the tools: what Verilator and Yosys read.
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Name in the document: (before the module, ports, body).
BOTH = {
    "`p::NAME`": (
        "package p; localparam int unsigned A=3; endpackage",
        "(output logic [3:0] y_o);",
        "assign y_o = 4'(p::A);",
    ),
    "typedef of a typedef (`typedef e_t [1:0] v_t`)": (
        "",
        "(input wire logic [7:0] a_i, output logic [3:0] y_o);",
        "typedef logic [3:0] e_t; typedef e_t [1:0] v_t; v_t x; assign x = a_i; assign y_o = "
        "x[0]^x[1];",
    ),
    "memory `m [0:N-1]`": (
        "",
        "(input wire logic clk_i, input wire logic [1:0] a_i, input wire logic [3:0] d_i, output "
        "logic [3:0] y_o);",
        "logic [3:0] m [0:3]; always_ff @(posedge clk_i) begin m[a_i] <= d_i; end assign y_o = "
        "m[a_i];",
    ),
    "`struct packed`": (
        "",
        "(input wire logic [7:0] a_i, output logic [3:0] y_o);",
        "typedef struct packed {logic [3:0] h; logic [3:0] l;} s_t; s_t s; assign s = a_i; "
        "assign y_o = s.h ^ s.l;",
    ),
    "copy of an element, then its member": (
        "",
        "(input wire logic clk_i, input wire logic a_i, input wire logic [7:0] d_i, output logic "
        "[3:0] y_o);",
        "typedef struct packed {logic [3:0] h; logic [3:0] l;} s_t; s_t s [0:1]; s_t c; "
        "always_ff @(posedge clk_i) begin s[a_i] <= d_i; end always_comb begin c = s[a_i]; y_o = "
        "c.h ^ c.l; end",
    ),
    "`'0`, `'1`": (
        "",
        "(input wire logic a_i, output logic [7:0] y_o);",
        "assign y_o = a_i ? '1 : '0;",
    ),
    "function that assigns its name": (
        "",
        "(input wire logic [3:0] a_i, output logic y_o);",
        "function automatic logic f(input logic [3:0] a); f = |a; endfunction assign y_o = "
        "f(a_i);",
    ),
    "`for (int unsigned i ...)`": (
        "",
        "(input wire logic [3:0] a_i, output logic y_o);",
        "always_comb begin y_o = 0; for (int unsigned i = 0; i < 4; i++) y_o = y_o ^ a_i[i]; end",
    ),
    "`for (genvar i ...)`": (
        "",
        "(input wire logic [3:0] a_i, output logic [3:0] y_o);",
        "for (genvar i = 0; i < 4; i++) begin : g assign y_o[i] = !a_i[i]; end",
    ),
    "variable in a named block": (
        "",
        "(input wire logic [3:0] a_i, output logic [3:0] y_o);",
        "always_comb begin : b logic [3:0] x; x = a_i; y_o = x; end",
    ),
    "`unique case` with default": (
        "",
        "(input wire logic [1:0] a_i, output logic y_o);",
        "always_comb begin unique case (a_i) 2'd1: y_o = 1; default: y_o = 0; endcase end",
    ),
    "`typedef enum`": (
        "",
        "(input wire logic clk_i, input wire logic rst_ni, output logic y_o);",
        "typedef enum logic [1:0] {IDLE, RUN} s_t; s_t s_q; always_ff @(posedge clk_i or negedge "
        "rst_ni) if (!rst_ni) s_q <= IDLE; else s_q <= (s_q == IDLE) ? RUN : IDLE; assign y_o = "
        "s_q == RUN;",
    ),
    "`$countones`": (
        "",
        "(input wire logic [3:0] a_i, output logic [3:0] y_o);",
        "assign y_o = 4'($countones(a_i));",
    ),
    "`+=`, `&=`": (
        "",
        "(input wire logic [3:0] a_i, output logic [3:0] y_o);",
        "always_comb begin y_o = a_i; y_o += 4'd1; y_o &= 4'd7; end",
    ),
    "size cast `W'(x)`": (
        "",
        "#(parameter int unsigned W = 3) (input wire logic [7:0] a_i, output logic [W-1:0] y_o);",
        "assign y_o = W'(a_i);",
    ),
    "`.port` shorthand": (
        "module u(input wire logic a_i, output logic b_o); assign b_o = a_i; endmodule",
        "(input wire logic a_i, output logic b_o);",
        "u u_u (.a_i, .b_o);",
    ),
    "`.port()` left open": (
        "module u(input wire logic a_i, output logic b_o, output logic c_o); assign b_o = a_i; "
        "assign c_o = !a_i; endmodule",
        "(input wire logic a_i, output logic b_o);",
        "u u_u (.a_i, .b_o, .c_o());",
    ),
    "port of type `p::t`": (
        "package p; typedef logic [3:0] e_t; endpackage",
        "(input wire p::e_t a_i, output p::e_t y_o);",
        "assign y_o = a_i;",
    ),
    "`{a, b} = vec`": (
        "",
        "(input wire logic [3:0] v_i, output logic a_o, output logic [2:0] b_o);",
        "assign {a_o, b_o} = v_i;",
    ),
    "`vec[i * W +: W]`": (
        "",
        "(input wire logic [31:0] v_i, input wire logic [1:0] i_i, output logic [7:0] y_o);",
        "assign y_o = v_i[i_i * 8 +: 8];",
    ),
    "`vec[i] = x` in `always_comb`": (
        "",
        "(input wire logic [1:0] i_i, output logic [3:0] y_o);",
        "always_comb begin y_o = 0; y_o[i_i] = 1'b1; end",
    ),
    "immediate `assert` in `always_ff`": (
        "",
        "(input wire logic clk_i, input wire logic a_i, output logic y_o);",
        "assign y_o = a_i; always_ff @(posedge clk_i) begin assert (a_i || !a_i); end",
    ),
    "`always_comb` that reads what its loop has written": (
        "",
        "(input wire logic [3:0] a_i, output logic [3:0] y_o);",
        "always_comb begin y_o = a_i & (~a_i + 4'd1); for (int unsigned i = 0; i < 3; i++) if "
        "(a_i[i]) y_o[i+1] = y_o[i]; end",
    ),
    "`$past(x)` in `O3_ASSERT`": (
        '`include "assert.svh"',
        "(input wire logic clk_i, input wire logic rst_ni, input wire logic [3:0] a_i, output logic y_o);",
        "assign y_o = |a_i; `O3_ASSERT(Stands, !$past(y_o) || a_i == $past(a_i), clk_i, rst_ni)",
    ),
    "`localparam` in the parameter list": (
        "",
        "#(parameter int unsigned N = 4, localparam int unsigned W = $clog2(N)) (input wire "
        "logic [W-1:0] a_i, output logic [W-1:0] y_o);",
        "assign y_o = a_i;",
    ),
}
ONLY_VERILATOR = {
    "`import p::*`": (
        "package p; localparam int A=3; endpackage",
        "(input wire logic clk_i, output logic [3:0] y_o);",
        "import p::*; assign y_o = 4'(A);",
    ),
    "`parameter type`": (
        "",
        "#(parameter type T = logic [3:0]) (input wire T a_i, output T y_o);",
        "assign y_o = a_i;",
    ),
    "unpacked array as a port": (
        "",
        "(input wire logic [3:0] a_i [0:1], output logic [3:0] y_o);",
        "assign y_o = a_i[0] ^ a_i[1];",
    ),
    "packed array of two dimensions as a port": (
        "",
        "(input wire logic [1:0][3:0] a_i, output logic [3:0] y_o);",
        "assign y_o = a_i[0] ^ a_i[1];",
    ),
    "packed array of two dimensions as a variable": (
        "",
        "(input wire logic [7:0] a_i, output logic [3:0] y_o);",
        "logic [1:0][3:0] x; assign x = a_i; assign y_o = x[0]^x[1];",
    ),
    "array as a localparam": (
        "",
        "(input wire logic a_i, output logic [3:0] y_o);",
        "localparam logic [3:0] K [0:1] = '{4'd3, 4'd5}; assign y_o = K[a_i];",
    ),
    "unpacked `struct`": (
        "",
        "(input wire logic [3:0] a_i, output logic [3:0] y_o);",
        "typedef struct {logic [3:0] h; logic [3:0] l;} s_t; s_t s; assign s.h = a_i; assign s.l "
        "= a_i; assign y_o = s.h ^ s.l;",
    ),
    "member of an element, `s[i].x`": (
        "",
        "(input wire logic clk_i, input wire logic a_i, input wire logic [7:0] d_i, output logic "
        "[3:0] y_o);",
        "typedef struct packed {logic [3:0] h; logic [3:0] l;} s_t; s_t s [0:1]; always_ff "
        "@(posedge clk_i) begin s[a_i] <= d_i; end assign y_o = s[a_i].h ^ s[a_i].l;",
    ),
    "`'{...}`": (
        "",
        "(input wire logic [3:0] a_i, output logic [7:0] y_o);",
        "typedef struct packed {logic [3:0] h; logic [3:0] l;} s_t; s_t s; assign s = '{h: a_i, "
        "l: 4'd0}; assign y_o = s;",
    ),
    "`inside`": (
        "",
        "(input wire logic [3:0] a_i, output logic y_o);",
        "assign y_o = a_i inside {4'd1, 4'd3};",
    ),
    "`return`": (
        "",
        "(input wire logic [3:0] a_i, output logic y_o);",
        "function automatic logic f(input logic [3:0] a); return |a; endfunction assign y_o = "
        "f(a_i);",
    ),
    "`break`": (
        "",
        "(input wire logic [3:0] a_i, output logic [1:0] y_o);",
        "always_comb begin y_o = 0; for (int i = 0; i < 4; i++) begin if (a_i[i]) begin y_o = "
        "2'(i); break; end end end",
    ),
    "`foreach`": (
        "",
        "(input wire logic [3:0] a_i, output logic y_o);",
        "always_comb begin y_o = 0; foreach (a_i[i]) y_o = y_o ^ a_i[i]; end",
    ),
    "`automatic` variable in a block": (
        "",
        "(input wire logic [3:0] a_i, output logic [3:0] y_o);",
        "always_comb begin automatic logic [3:0] x = a_i; y_o = x; end",
    ),
    "`unique if`": (
        "",
        "(input wire logic [1:0] a_i, output logic y_o);",
        "always_comb begin y_o = 0; unique if (a_i == 2'd1) y_o = 1; else if (a_i == 2'd2) y_o = "
        "0; else y_o = a_i[0]; end",
    ),
    "variable index into a packed array of structs": (
        "",
        "(input wire logic [15:0] v_i, input wire logic i_i, output logic [3:0] y_o);",
        "typedef struct packed {logic [3:0] h; logic [3:0] l;} s_t; typedef s_t [1:0] a_t; a_t "
        "a; assign a = v_i; assign y_o = a[i_i].h ^ a[!i_i].l;",
    ),
    "`assert property`": (
        "",
        "(input wire logic clk_i, input wire logic a_i, output logic y_o);",
        "assign y_o = a_i; assert property (@(posedge clk_i) a_i || !a_i);",
    ),
    "`interface`": (
        "interface i_t; logic a; endinterface",
        "(output logic y_o);",
        "i_t b (); assign b.a = 1'b1; assign y_o = b.a;",
    ),
    "`do ... while`": (
        "",
        "(input wire logic [3:0] a_i, output logic [2:0] y_o);",
        "always_comb begin y_o = 0; do y_o = y_o + 3'd1; while (y_o < 3'd3); y_o = y_o ^ "
        "a_i[2:0]; end",
    ),
    "`parameter string`": (
        "",
        "#(parameter string S = \"a\") (output logic y_o);",
        "assign y_o = S == \"a\";",
    ),
    "streaming `{<<{x}}`": (
        "",
        "(input wire logic [3:0] a_i, output logic [3:0] y_o);",
        "assign y_o = {<<{a_i}};",
    ),
}
ALL = {**BOTH, **ONLY_VERILATOR}


def documented(heading):
    """First cells of the table under `heading`."""
    text = (ROOT / "docs/contributing/rtl-style.md").read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| (.*?) \|", text, re.MULTILINE)) - {"construct"}


@pytest.mark.parametrize("tool", ["verilator", "yosys"])
def test_the_tool_reads_what_the_document_says(tool, tmp_path):
    assert shutil.which(tool), f"{tool} not found: run scripts/setup"
    wrong = []
    for number, (name, (before, ports, body)) in enumerate(ALL.items()):
        source = tmp_path / f"t{number}.sv"
        source.write_text(f"`default_nettype none\n{before}\nmodule t{ports}\n  {body}\nendmodule\n")
        if tool == "verilator":
            command = ["verilator", "--lint-only", "--assert", "-Wno-fatal", f"-I{ROOT}/rtl/common", source,
                       "--top-module", "t"]
        else:
            command = ["yosys", "-q", "-e", ".", "-p",
                       f"read_verilog -sv -I{ROOT}/rtl/common {source}; hierarchy -check -top t; proc; check -assert"]
        done = subprocess.run(command, capture_output=True, check=False)
        if (done.returncode == 0) != (tool == "verilator" or name in BOTH):
            wrong.append(name)
    assert not wrong


def test_the_tables_name_each_construct():
    assert documented("Read by both tools") == set(BOTH)
    assert documented("Read by Verilator only") == set(ONLY_VERILATOR)
