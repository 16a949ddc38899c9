// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a small FIFO in memory; its head can be seen and is taken by pop_i. Never overflows by the
// user's count: as many places as there are things to put in.
`default_nettype none
`include "assert.svh"

module o3_fifo #(
  parameter  int unsigned DEPTH = 16,  // a power of two, 2 or more
  parameter  int unsigned W     = 4,
  localparam int unsigned AW    = $clog2(DEPTH)
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         push_i,
  input  wire logic [W-1:0] data_i,
  input  wire logic         pop_i,
  output logic              any_o,
  output logic [W-1:0]      head_o
);

  logic [W-1:0] fifo_m [0:DEPTH-1];
  logic [AW:0]  wp_q, rp_q;

  assign any_o  = wp_q != rp_q;
  assign head_o = fifo_m[rp_q[AW-1:0]];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wp_q <= '0;
      rp_q <= '0;
    end else begin
      if (push_i) wp_q <= wp_q + (AW + 1)'(1);
      if (pop_i)  rp_q <= rp_q + (AW + 1)'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i) fifo_m[wp_q[AW-1:0]] <= data_i;
  end

  `O3_ASSERTS_WHEN(push_i || pop_i)
  `O3_HOLDS(FifoFits, !push_i || pop_i || wp_q - rp_q != (AW + 1)'(DEPTH))
  `O3_HOLDS(FifoHas, !pop_i || any_o)
  `O3_ASSERTS_END

endmodule
`default_nettype wire
