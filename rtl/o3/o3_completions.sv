// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the completion queue of operations that came through the registers. Full, it takes no more:
// completions wait where they are.
`default_nettype none
`include "assert.svh"

module o3_completions #(
  parameter  int unsigned DEPTH = 16,  // a power of two, 2 to 128
  parameter  int unsigned W     = 64,
  localparam int unsigned AW    = $clog2(DEPTH)
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,
  output logic              ready_o,
  input  wire logic [W-1:0] data_i,
  output logic              any_o,
  output logic              fills_o,   // a pulse: full after this edge
  output logic [AW:0]       level_o,
  output logic [W-1:0]      head_o,    // 0 where there is none
  input  wire logic         pop_i
);

  logic          push, any;
  logic [W-1:0]  head;
  logic [AW:0]   level_q;

  assign push    = valid_i && ready_o;
  assign ready_o = level_q != (AW + 1)'(DEPTH);
  assign any_o   = any;
  assign level_o = level_q;
  assign fills_o = push && !pop_i && level_q == (AW + 1)'(DEPTH - 1);
  assign head_o  = any ? head : '0;

  o3_fifo #(.DEPTH(DEPTH), .W(W)) u_fifo (
    .clk_i, .rst_ni, .push_i(push), .data_i, .pop_i, .any_o(any), .head_o(head)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) level_q <= '0;
    else         level_q <= level_q + (AW + 1)'(push) - (AW + 1)'(pop_i);
  end

  `O3_ASSERT(LevelIsOfTheFifo, any == (level_q != '0), clk_i, rst_ni)
  `O3_ASSERT(NeverOverfull, level_q <= (AW + 1)'(DEPTH), clk_i, rst_ni)

endmodule
`default_nettype wire
