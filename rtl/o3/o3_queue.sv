// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a FIFO in block RAM with the ports and times of o3_fifo: its head can be seen in the cycle after
// it was pushed, for the RAM is read ahead, and what goes into an empty FIFO also goes past it.
`default_nettype none
`include "assert.svh"

module o3_queue #(
  parameter  int unsigned DEPTH = 256,  // a power of two, 2 or more
  parameter  int unsigned W     = 32,
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

  (* no_rw_check *)  // what is written in the cycle of its reading goes past
  logic [W-1:0] fifo_m [0:DEPTH-1];
  logic [AW:0]  wp_q, rp_q, rp_d;
  logic [W-1:0] ram_q, past_q;
  logic         past_sel_q;  // the head is not in ram_q but in past_q

  assign any_o  = wp_q != rp_q;
  assign head_o = past_sel_q ? past_q : ram_q;
  assign rp_d   = rp_q + (AW + 1)'(pop_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wp_q <= '0;
      rp_q <= '0;
    end else begin
      if (push_i) wp_q <= wp_q + (AW + 1)'(1);
      if (pop_i)  rp_q <= rp_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i) begin
      fifo_m[wp_q[AW-1:0]] <= data_i;
      past_q               <= data_i;
    end
    if (push_i || pop_i) begin
      ram_q      <= fifo_m[rp_d[AW-1:0]];
      past_sel_q <= push_i && wp_q == rp_d;
    end
  end

  `O3_ASSERTS_WHEN(push_i || pop_i)
  `O3_HOLDS(QueueFits, !push_i || pop_i || wp_q - rp_q != (AW + 1)'(DEPTH))
  `O3_HOLDS(QueueHas, !pop_i || any_o)
  `O3_ASSERTS_END

endmodule
`default_nettype wire
