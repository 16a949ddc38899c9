// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: performance counters of one channel: events in a small memory, times in flip-flops.
`default_nettype none
`include "assert.svh"

module o3_perf_channel #(
  parameter int unsigned W = 40  // bits of a time in cycles
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         enable_i,
  input  wire logic         clear_i,
  input  wire logic [W-1:0] cycle_i,     // of the edge before this one: what differs now has changed then

  input  wire logic         event_i,     // a pulse
  input  wire logic [2:0]   event_no_i,  // o3_pkg::PERF_*
  input  wire logic [3:0]   run_i,       // o3_pkg::PERF_*, the times that run; functions of registers
  input  wire logic [3:0]   run_was_i,   // at the last edge

  input  wire logic [3:0]   no_i,        // which counter is read
  output logic [W-1:0]      value_o,
  output logic              running_o    // the time runs: it is cycle_i - value_o
);

  localparam int unsigned EVENTS = 8;

  // Registered: a long way ends at them, and a count may come an edge late.
  logic       event_q;
  logic [2:0] event_no_q;
  always_ff @(posedge clk_i) event_q <= event_i && enable_i;
  always_ff @(posedge clk_i) begin
    if (event_i) event_no_q <= event_no_i;
  end

  // The memory is never reset: some_q tells which counts are not 0.
  logic [31:0]       count_m [0:EVENTS-1];
  logic [EVENTS-1:0] some_q;
  logic [31:0]       count;
  assign count = some_q[event_no_q] ? count_m[event_no_q] + 32'd1 : 32'd1;
  always_ff @(posedge clk_i) begin
    if (!rst_ni)      some_q <= '0;
    else if (clear_i) some_q <= '0;
    else if (event_q) some_q[event_no_q] <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (event_q) count_m[event_no_q] <= count;
  end

  // A time is the sum of its ends less that of its beginnings, so it needs no edge in between:
  // sum <= cycle - sum at each of them. While it runs, the time is cycle - sum.
  logic [W-1:0] time0_q, time1_q, time2_q, time3_q;
  always_ff @(posedge clk_i) begin
    if (clear_i || !rst_ni) begin
      time0_q <= '0;
      time1_q <= '0;
      time2_q <= '0;
      time3_q <= '0;
    end else if (run_i != run_was_i) begin
      if (run_i[0] != run_was_i[0]) time0_q <= cycle_i - time0_q;
      if (run_i[1] != run_was_i[1]) time1_q <= cycle_i - time1_q;
      if (run_i[2] != run_was_i[2]) time2_q <= cycle_i - time2_q;
      if (run_i[3] != run_was_i[3]) time3_q <= cycle_i - time3_q;
    end
  end

  always_comb begin
    running_o = 1'b0;
    unique case (no_i)
      o3_pkg::PERF_BUS_BUSY: begin
        value_o   = time0_q;
        running_o = run_was_i[0];
      end
      o3_pkg::PERF_BUS_STARVED: begin
        value_o   = time1_q;
        running_o = run_was_i[1];
      end
      o3_pkg::PERF_BLOCKED: begin
        value_o   = time2_q;
        running_o = run_was_i[2];
      end
      o3_pkg::PERF_LUN_BUSY: begin
        value_o   = time3_q;
        running_o = run_was_i[3];
      end
      default: value_o = some_q[no_i[2:0]] ? W'(count_m[no_i[2:0]]) : '0;
    endcase
  end

  // A time that stands is a sum of whole intervals: no longer than all cycles.
  `O3_ASSERTS_WHEN(event_i || run_i != run_was_i)
  `O3_HOLDS(EventHasACounter, !event_i || event_no_i <= o3_pkg::PERF_FENCED)
  `O3_HOLDS(TimesAreWithinTheRun, (run_was_i[0] || time0_q <= cycle_i) && (run_was_i[1] || time1_q <= cycle_i)
                                  && (run_was_i[2] || time2_q <= cycle_i) && (run_was_i[3] || time3_q <= cycle_i))
  `O3_ASSERTS_END

endmodule
`default_nettype wire
