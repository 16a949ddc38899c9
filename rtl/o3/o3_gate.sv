// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the clock of a block that has nothing to do at most edges. The latch keeps a change of en_i or test_en_i
// while the clock is high from becoming an edge. Verilated, an idle block costs nothing. Synthesised, or with
// TLMSSD_NO_GATES, it is a wire: what it saves there is power, and an FPGA's clock trees have gates of their own. An
// ASIC's cell comes in by a file of its own in the place of this one, or by TLMSSD_GATES. Nothing else may differ
// (tb/rtl/o3_gates_test.cpp).
`default_nettype none

module o3_gate (
  input  wire logic clk_i,
  input  wire logic en_i,       // the next edge matters; stands while clk_i is low
  input  wire logic test_en_i,  // every edge goes on: scan test; stands while clk_i is low
  output logic      clk_o
);

`ifdef VERILATOR
`ifndef TLMSSD_NO_GATES
`define TLMSSD_GATES
`endif
`endif

`ifdef TLMSSD_GATES
  logic en;
  always_latch if (!clk_i) en = en_i || test_en_i;
  assign clk_o = clk_i && en;
`else
  logic unused;
  assign unused = en_i || test_en_i;
  assign clk_o  = clk_i;
`endif

endmodule
`default_nettype wire
