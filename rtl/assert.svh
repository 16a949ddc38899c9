// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one assertion macro that Verilator reads as concurrent and Yosys as immediate.
// EXPR must hold at every rising edge of CLK while RST (active low) is high. With TLMSSD_ASSERT_PLAIN
// it is an `if` without the instance's path in its message: instances can share their code (docs/rtl.md).
//
// O3_ASSERTS_WHEN(COND), O3_HOLDS(NAME, EXPR) ..., O3_ASSERTS_END: the same for several at clk_i and rst_ni. Where
// COND is low nothing that they speak of can have changed, and plain ones are not looked at then: a
// channel without work costs one comparison. The others are looked at always. O3_ASSERTS_AT(CLK, COND): plain ones
// are looked at at a gated clock only.
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
`define O3_ASSERTS_AT(CLK, COND) \
  always_ff @(posedge CLK) begin \
    if (rst_ni && (COND)) begin
`define O3_HOLDS(NAME, EXPR) \
      if (!(EXPR)) begin \
        $write("assertion failed: NAME\n"); \
        $stop; \
      end
`define O3_ASSERTS_END \
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

`define O3_ASSERTS_WHEN(COND) `O3_ASSERTS_AT(clk_i, COND)
`ifndef TLMSSD_ASSERT_PLAIN
`define O3_ASSERTS_AT(CLK, COND)
`define O3_HOLDS(NAME, EXPR) `O3_ASSERT(NAME, EXPR, clk_i, rst_ni)
`define O3_ASSERTS_END
`endif

`endif
