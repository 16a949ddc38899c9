// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the performance counters of the out-of-order controller (docs/reference/o3-registers.md). All are exact
// with a gated clock: an event has its edge, a time is taken from the cycle numbers of its two ends.
`default_nettype none
`include "assert.svh"

module o3_perf #(
  parameter int unsigned CHANNELS = 8,
  parameter int unsigned W        = 40  // bits of a time in cycles
) (
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,
  input  wire logic                  test_en_i,    // the gated clock runs (o3_gate)
  input  wire logic [W-1:0]          cycle_i,      // number of this edge, gated ones counted
  input  wire logic                  enable_i,
  input  wire logic                  clear_i,

  // Of each channel.
  input  wire logic [CHANNELS-1:0]   event_i,      // a pulse
  input  wire logic [CHANNELS*3-1:0] event_no_i,   // o3_pkg::PERF_*
  input  wire logic [CHANNELS-1:0]   bus_i,        // a segment is on the bus
  input  wire logic [CHANNELS-1:0]   work_i,       // operations or segments wait
  input  wire logic [CHANNELS-1:0]   blocked_i,    // the intake's head can go nowhere
  input  wire logic [CHANNELS-1:0]   lun_busy_i,   // a LUN works
  // Of the whole.
  input  wire logic                  ended_i,      // pulses
  input  wire logic                  held_i,
  input  wire logic [15:0]           outstanding_i,     // operations outstanding

  // Reads: data in the cycle of rd. They change nothing, so several masters may read.
  input  wire logic                  rd_i,
  input  wire logic [4:2]            addr_i,
  output logic [31:0]                data_o,
  input  wire logic                  channel_rd_i,
  input  wire logic [10:2]           channel_addr_i,
  output logic [31:0]                channel_data_o
);

  logic [W-1:0] cycle_q;
  always_ff @(posedge clk_i) cycle_q <= cycle_i;

  // The clock of all below: for as long as something counts up, begins or ends.
  logic                  clk, moves, ended_q, held_q, count_q, more, event_any, event_any_q;
  logic [CHANNELS*4-1:0] run, run_q;  // o3_pkg::PERF_*, the times
  assign event_any = event_i != '0;
  assign moves     = event_any || event_any_q || ended_i || held_i || ended_q || held_q || run != run_q
                  || enable_i != count_q || more || clear_i || !rst_ni;
  o3_gate u_gate (.clk_i, .test_en_i, .en_i(moves), .clk_o(clk));
  always_comb begin
    run = '0;
    if (enable_i) begin
      for (int unsigned c = 0; c < CHANNELS; c++) begin
        run[c*4 +: 4] = {lun_busy_i[c], blocked_i[c], work_i[c] && !bus_i[c], bus_i[c]};
      end
    end
  end
  always_ff @(posedge clk) begin
    event_any_q <= event_any;
    if (!rst_ni || clear_i) run_q <= '0;  // what runs begins anew at the next edge
    else                    run_q <= run;
  end

  // ---- channels ----
  logic [CHANNELS*W-1:0] values;
  logic [CHANNELS-1:0]   runnings;
  for (genvar c = 0; c < CHANNELS; c++) begin : g_channel
    o3_perf_channel #(.W(W)) u_channel (
      .clk_i(clk), .rst_ni, .enable_i, .clear_i, .cycle_i(cycle_q),
      .event_i(event_i[c]), .event_no_i(event_no_i[c*3 +: 3]),
      .run_i(run[c*4 +: 4]), .run_was_i(run_q[c*4 +: 4]),
      .no_i(channel_addr_i[6:3]), .value_o(values[c*W +: W]), .running_o(runnings[c])
    );
  end

  // ---- the whole ----
  logic [31:0]  ended_count_q, held_count_q;
  logic [15:0]  outstanding_max_q;
  logic [W-1:0] cycles_q;
  assign more = enable_i && outstanding_i > outstanding_max_q;
  always_ff @(posedge clk) begin
    ended_q <= ended_i && enable_i;
    held_q  <= held_i && enable_i;
    count_q <= enable_i && !clear_i;
  end
  always_ff @(posedge clk) begin
    if (clear_i || !rst_ni) begin
      ended_count_q <= '0;
      held_count_q  <= '0;
      outstanding_max_q  <= '0;
      cycles_q      <= '0;
    end else begin
      if (ended_q) ended_count_q <= ended_count_q + 32'd1;
      if (held_q)  held_count_q  <= held_count_q + 32'd1;
      if (more) outstanding_max_q <= outstanding_i;
      if (enable_i != count_q) cycles_q <= cycle_q - cycles_q;
    end
  end

  // ---- reads ----
  logic [W-1:0]  sum, value;
  logic          running, lo;
  assign lo = rd_i ? !addr_i[2] : !channel_addr_i[2];
  always_comb begin
    sum     = '0;
    running = 1'b0;
    if (rd_i) begin
      unique case (addr_i[4:3])
        2'd0: begin
          sum     = cycles_q;
          running = count_q;
        end
        2'd1:    sum = W'(ended_count_q);
        2'd2:    sum = W'(held_count_q);
        default: sum = W'(outstanding_max_q);
      endcase
    end else if (channel_rd_i) begin
      for (int unsigned i = 0; i < CHANNELS; i++) begin
        if (channel_addr_i[10:7] == 4'(i)) begin
          sum     = sum | values[i*W +: W];
          running = running || runnings[i];
        end
      end
    end
    value = running ? cycle_q - sum : sum;
  end
  assign data_o         = lo ? value[31:0] : 32'(value[W-1:32]);
  assign channel_data_o = data_o;

  `O3_ASSERT(OneRead, !rd_i || !channel_rd_i, clk_i, rst_ni)
  `O3_ASSERT(CyclesGoForward, cycle_i >= cycle_q, clk_i, rst_ni)

endmodule
`default_nettype wire
