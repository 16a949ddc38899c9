// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the clock of a block that has nothing to do at most edges. The latch keeps a change of en_i while the
// clock is high from becoming an edge. Verilated, an idle block costs nothing; synthesised it is a wire, since all that
// it saves is power, and an FPGA's clock trees have their own gates.
`default_nettype none

module o3_gate (
  input  wire logic clk_i,
  input  wire logic en_i,   // the next edge matters; functions of registers and of inputs that stand while clk_i is low
  output logic      clk_o
);

`ifdef VERILATOR
  logic en;
  always_latch if (!clk_i) en = en_i;
  assign clk_o = clk_i && en;
`else
  logic unused;
  assign unused = en_i;
  assign clk_o  = clk_i;
`endif

endmodule
`default_nettype wire
