// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: no ready is taken inside tWB (o3_ready, docs/explanation/ready-line.md): a LUN that has become busy is not taken for
// ready before it is, although its R/B# falls up to tWB later and belongs to no clock. Assumed: tWB is TWB clocks
// and a tick TICK clocks, in any phase; the mask is what rtl_straps.cpp makes of them; a segment's end comes to
// the channel at the next edge at the earliest.
`default_nettype none
`include "prove.svh"

module prove_ready #(
  parameter  int unsigned TWB  = 3,
  parameter  int unsigned TICK = 2,
  localparam int unsigned MASK = (TWB + 3 + TICK - 1) / TICK + 1
) (
  input  wire logic clk_i,
  input  wire logic end_i,     // a segment that makes LUN 0 busy ends
  input  wire logic late_i,    // the channel has to do with another event first
  input  wire logic fall_i,    // LUN 0 pulls its line now
  input  wire logic rise_i,    // its array is done
  input  wire logic other_i,   // LUN 1 becomes busy
  input  wire logic line_i,    // its line: anything
  input  wire logic update_i
);

  `PROVE_RESET

  logic          phase_q;            // any at first
  logic          busy_q = 1'b0;      // the die works, or is about to
  logic          low_q  = 1'b0;      // and has pulled its line
  logic          ended_q = 1'b0;     // the end of the segment waits for its event
  logic          waits_q = 1'b0;     // for R/B#
  logic [2:0]    age_q = '0;         // clocks since the segment's end
  logic          was_high_q = 1'b0;  // the line was high when the wait began
  logic [1:0]    ready, before, may;
  logic          start, wake, moves, go, ticks;

  assign ticks = phase_q || TICK == 1;  // the next edge
  assign start = ended_q && !late_i;
  assign go    = start || (other_i && !ended_q);
  o3_ready #(.LUNS(2)) u_dut (
    .clk_i, .lines_i(clk_i), .rst_ni(rst_n), .update_i(update_i || go), .mask_i(o3_pkg::MASK_W'(MASK)),
    .step_i(o3_pkg::MASK_W'(ticks)),
    .synchronous_i(1'b0), .ready_i({line_i, !low_q}), .start_i(go), .lun_i(!start),
    .ready_o(ready), .before_o(before), .may_o(may), .masking_o(), .wake_o(wake), .moves_o(moves)
  );

  always_ff @(posedge clk_i) begin
    phase_q <= !phase_q;
    if (rst_n) begin
      if (end_i) begin
        busy_q  <= 1'b1;
        ended_q <= 1'b1;
        age_q   <= '0;
      end else if (age_q != 3'(TWB)) age_q <= age_q + 3'd1;
      if (busy_q && (fall_i || age_q == 3'(TWB))) low_q <= 1'b1;
      if (low_q && rise_i) begin
        low_q  <= 1'b0;
        busy_q <= 1'b0;
      end
      if (start) begin
        ended_q    <= 1'b0;
        waits_q    <= 1'b1;
        was_high_q <= ready[0];
      end else if (may[0]) waits_q <= 1'b0;
    end
  end

  always_comb begin
    assume (!end_i || (rst_n && !busy_q && !ended_q && !waits_q));
    if (rst_n && waits_q) `PROVE(!(may[0] && busy_q));
    `REACH(rst_n && waits_q && may[0] && was_high_q);
  end

endmodule
`default_nettype wire
