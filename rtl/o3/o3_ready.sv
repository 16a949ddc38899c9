// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: R/B# of a channel's LUNs: two flops into the clock, and a mask for each LUN, since R/B# falls only
// up to tWB after the command that makes a LUN busy. docs/explanation/ready-line.md.
`default_nettype none
`include "assert.svh"

module o3_ready #(
  parameter  int unsigned LUNS = 16,
  localparam int unsigned LW   = (LUNS > 1) ? $clog2(LUNS) : 1,
  localparam int unsigned MW   = o3_pkg::MASK_W
) (
  input  wire logic            clk_i,          // at edges with masking_o, wake_o or start_i at least
  input  wire logic            lines_i,        // at the edge at which a line has changed and at the next at least
  input  wire logic            rst_ni,
  input  wire logic            update_i,       // masks are counted down, as with start_i
  input  wire logic [MW-1:0]   step_i,         // ticks by which now goes on at the next edge, at most all ones
  input  wire logic [MW-1:0]   mask_i,         // ticks
  input  wire logic            synchronous_i,  // the lines come from clk_i: one flop
  input  wire logic [LUNS-1:0] ready_i,        // R/B#, of no clock

  input  wire logic            start_i,        // a segment that makes this LUN busy has ended
  input  wire logic [LW-1:0]   lun_i,

  output logic [LUNS-1:0]      ready_o,        // the line is high
  output logic [LUNS-1:0]      before_o,       // was high
  output logic [LUNS-1:0]      may_o,          // it is high and not masked: the LUN is ready
  output logic                 masking_o,      // a mask counts down or ends
  output logic                 wake_o,         // a line has changed
  output logic                 moves_o         // the next edge of lines_i changes something
);

  logic [LUNS-1:0] meta_q, shown;
  assign shown = synchronous_i ? ready_i : meta_q;
  always_ff @(posedge lines_i) begin
    meta_q  <= ready_i;
    ready_o <= shown;
  end
  always_ff @(posedge clk_i) before_o <= ready_o;

  // Ticks that were left at the last update, and those that have passed since: of a clock that has stood
  // still for long only as many count as a mask can have. Summed up as time goes on, since all that waits for a
  // LUN begins here; while none is masked they do not count.
  logic [LUNS*MW-1:0] left_q, left;
  logic [MW-1:0]      passed_q;
  logic               some;
  logic [LUNS-1:0]    masked, masked_q;
  assign some = left_q != '0;
  always_ff @(posedge clk_i) begin : p_passed
    logic [MW:0] sum;
    sum = {1'b0, passed_q} + {1'b0, step_i};
    if (update_i)          passed_q <= step_i;
    else if (masked != '0) passed_q <= sum[MW] ? '1 : sum[MW-1:0];
  end
  // Masked: seen a clock later, so that who asks may_o begins at flops.
  always_comb begin
    left   = '0;
    masked = '0;
    if (some) begin
      for (int unsigned i = 0; i < LUNS; i++) begin
        if (left_q[i * MW +: MW] > passed_q) begin
          left[i * MW +: MW] = left_q[i * MW +: MW] - passed_q;
          masked[i]          = 1'b1;
        end
      end
    end
  end
  always_ff @(posedge clk_i) masked_q <= masked | (LUNS'(start_i) << lun_i);
  assign may_o = ready_o & ~masked_q;
  assign masking_o = masked != '0 || masked_q != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) left_q <= '0;
    else if (update_i && (some || start_i)) begin
      left_q <= left;
      for (int unsigned i = 0; i < LUNS; i++) begin
        if (start_i && lun_i == LW'(i)) left_q[i * MW +: MW] <= mask_i;
      end
    end
  end
  assign wake_o  = ready_o != before_o;
  assign moves_o = !synchronous_i && meta_q != ready_o;

  `O3_ASSERTS_WHEN(start_i)
  `O3_HOLDS(StartsWithAnUpdate, !start_i || update_i)
  `O3_ASSERTS_END

endmodule
`default_nettype wire
