// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one assertion macro that Verilator reads as concurrent and Yosys as immediate.
// EXPR must hold at every rising edge of CLK while RST (active low) is high. With TLMSSD_ASSERT_PLAIN
// it is an `if` without the instance's path in its message: instances can share their code (docs/contributing/rtl-style.md).
//
// O3_ASSERTS_WHEN(COND), O3_HOLDS(NAME, EXPR) ..., O3_ASSERTS_END: the same for several at clk_i and rst_ni. Where
// COND is low nothing that they speak of can have changed, and plain ones are not looked at then: a
// channel without work costs one comparison. The others are looked at always. O3_ASSERTS_AT(CLK, COND):
// plain ones are looked at at the edges of a gated clock only.
//
// O3_ASSERT_CONCURRENT: as O3_ASSERT, and no plain one: of a gated block at the edges that it does not have.
//
// O3_STANDS(NAME, VALID, TAKEN, W, WHAT, CLK, RST): who offers WHAT (W bits) with VALID holds both until an edge
// with TAKEN. Own registers and no $past, for which Verilator copies its arguments at every evaluation.
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
`define O3_ASSERT_CONCURRENT(NAME, EXPR, CLK, RST)
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
`define O3_ASSERT_CONCURRENT(NAME, EXPR, CLK, RST) `O3_ASSERT(NAME, EXPR, CLK, RST)
`define O3_ASSERTS_AT(CLK, COND)
`define O3_HOLDS(NAME, EXPR) `O3_ASSERT(NAME, EXPR, clk_i, rst_ni)
`define O3_ASSERTS_END
`endif

`ifdef TLMSSD_ASSERT_PLAIN
`define O3_STANDS_CHECK(NAME, STANDS, CLK, RST) \
  always_ff @(posedge CLK) begin \
    if ((RST) && NAME``_was_q) begin \
      if (!(STANDS)) begin \
        $write("assertion failed: NAME\n"); \
        $stop; \
      end \
    end \
  end
`else
`define O3_STANDS_CHECK(NAME, STANDS, CLK, RST) `O3_ASSERT(NAME, !NAME``_was_q || (STANDS), CLK, RST)
`endif
`define O3_STANDS(NAME, VALID, TAKEN, W, WHAT, CLK, RST) \
  logic NAME``_was_q; \
  logic [(W)-1:0] NAME``_what_q; \
  always_ff @(posedge CLK) begin \
    if (!(RST)) NAME``_was_q <= 1'b0; \
    else        NAME``_was_q <= (VALID) && !(TAKEN); \
  end \
  always_ff @(posedge CLK) begin if ((VALID) && !(TAKEN)) NAME``_what_q <= (WHAT); end \
  `O3_STANDS_CHECK(NAME, (VALID) && NAME``_what_q == (WHAT), CLK, RST)

`endif
