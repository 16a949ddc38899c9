// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the reset of a clock: it begins at once, with or without a clock, and ends at the second edge after that of
// its input, so that all flip-flops leave it at the same edge. Two edges of clk_i in it reset everything.
`default_nettype none

module o3_reset (
  input  wire logic clk_i,
  input  wire logic rst_ni,  // of no clock
  output logic      rst_no   // released by clk_i
);

  logic meta_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {rst_no, meta_q} <= 2'b00;
    else         {rst_no, meta_q} <= {meta_q, 1'b1};
  end

endmodule
`default_nettype wire
