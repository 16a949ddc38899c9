// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one assertion macro that Verilator reads as concurrent and Yosys as immediate.
// EXPR must hold at every rising edge of CLK while RST (active low) is high. With TLMSSD_ASSERT_PLAIN
// it is an `if` without the instance's path in its message: instances can share their code (docs/rtl.md).
`ifndef TLMSSD_ASSERT_SVH
`define TLMSSD_ASSERT_SVH

`ifdef TLMSSD_ASSERT_PLAIN
`define O3_ASSERT(NAME, EXPR, CLK, RST) \
  always_ff @(posedge CLK) begin \
    if ((RST) && !(EXPR)) begin \
      $write("assertion failed: NAME\n"); \
      $stop; \
    end \
  end
`elsif VERILATOR
`define O3_ASSERT(NAME, EXPR, CLK, RST) \
  NAME : assert property (@(posedge CLK) disable iff (!(RST)) (EXPR)) \
  else $error("assertion failed: NAME");
`else
`define O3_ASSERT(NAME, EXPR, CLK, RST) \
  always_ff @(posedge CLK) begin if (RST) assert (EXPR); end
`endif

`endif
