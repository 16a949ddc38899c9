// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: FIFO safety: o3_fifo holds what was put in, in that order, each word once, and says whether there
// is any. Assumed: nothing is taken from an empty one; nothing is put into a full one, unless one is taken.
`default_nettype none
`include "prove.svh"

module prove_fifo #(
  parameter  int unsigned DEPTH = 4,
  parameter  int unsigned W     = 3,
  localparam int unsigned NW    = $clog2(DEPTH + 1)
) (
  input  wire logic         clk_i,
  input  wire logic         push_i,
  input  wire logic [W-1:0] data_i,
  input  wire logic         pop_i,
  input  wire logic         watch_i  // free: which one of the words is followed
);

  `PROVE_RESET

  logic         any;
  logic [W-1:0] head;
  o3_fifo #(.DEPTH(DEPTH), .W(W)) u_dut (
    .clk_i, .rst_ni(rst_n), .push_i, .data_i, .pop_i, .any_o(any), .head_o(head)
  );

  logic [NW-1:0] count_q = '0;   // words inside
  logic [NW-1:0] ahead_q;        // before the one that is followed
  logic          watch_q = 1'b0; // there is one
  logic [W-1:0]  word_q;
  logic          full_q = 1'b0;  // it has been full since

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      count_q <= count_q + NW'(push_i) - NW'(pop_i);
      if (count_q == NW'(DEPTH)) full_q <= watch_q;
      if (!watch_q && push_i && watch_i) begin
        watch_q <= 1'b1;
        word_q  <= data_i;
        ahead_q <= count_q - NW'(pop_i);
      end else if (watch_q && pop_i) begin
        if (ahead_q == '0) watch_q <= 1'b0;
        ahead_q <= ahead_q - NW'(1);
      end
    end
  end

  always_comb begin
    if (!rst_n) assume (!push_i && !pop_i);
    assume (!pop_i || count_q != '0);
    assume (!push_i || pop_i || count_q != NW'(DEPTH));
    if (rst_n) begin
      `PROVE(any == (count_q != '0));
      `PROVE(!watch_q || ahead_q < count_q);
      `PROVE(!watch_q || ahead_q != '0 || head == word_q);
    end
    `REACH(watch_q && full_q && pop_i && ahead_q == '0 && count_q == NW'(1));
  end

endmodule
`default_nettype wire
