// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one timer a LUN of a channel. Kept: the earliest time. When that has come, the times of all
// are looked through, one a cycle. Times are ticks (o3_pkg::TICK_*) and differences modulo 2^24.
`default_nettype none
`include "assert.svh"

module o3_timer #(
  parameter  int unsigned LUNS = 16,
  localparam int unsigned LW   = (LUNS > 1) ? $clog2(LUNS) : 1,
  localparam int unsigned KW   = o3_pkg::TICK_W
) (
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  input  wire logic [KW-1:0] tick_i,      // now

  input  wire logic          set_i,       // a LUN's timer, in so many ticks; one that runs is set anew
  input  wire logic [LW-1:0] set_lun_i,
  input  wire logic [KW-1:0] set_for_i,   // below 2^23
  input  wire logic          clear_i,     // a LUN's timer does not matter any more
  input  wire logic [LW-1:0] clear_lun_i,

  output logic               any_o,       // a LUN's time has come
  output logic [LW-1:0]      lun_o,
  input  wire logic          take_i,

  output logic               next_any_o,  // at this tick an edge is needed
  output logic [KW-1:0]      next_at_o,
  output logic               active_o     // the next edge changes something
);

  logic [KW-1:0]   due_m [0:(1<<LW)-1];
  logic [LUNS-1:0] timed_q, fired_q, left_q;
  logic            have_q, scan, next_over, go;
  logic [LW-1:0]   scan_lun;
  logic [KW-1:0]   next_q, to_next;

  o3_first #(.N(LUNS)) u_scan (.req_i(left_q), .any_o(scan), .idx_o(scan_lun));
  o3_first #(.N(LUNS)) u_fired (.req_i(fired_q), .any_o(any_o), .idx_o(lun_o));

  assign to_next   = tick_i - next_q;
  assign next_over = have_q && !to_next[KW-1];
  assign go        = scan || any_o || next_over || set_i || clear_i;

  always_ff @(posedge clk_i) begin : p_next
    logic [LUNS-1:0] timed_d, fired_d, left_d, set_bit, clear_bit, scan_bit;
    logic [KW-1:0]   next_d, due, scan_due, new_due, since, ahead;
    logic            have_d, over, candidate;
    if (!rst_ni) begin
      timed_q <= '0;
      fired_q <= '0;
      left_q  <= '0;
      have_q  <= 1'b0;
    end else if (go) begin
      timed_d   = timed_q;
      fired_d   = fired_q;
      left_d    = left_q;
      have_d    = have_q;
      next_d    = next_q;
      scan_due  = due_m[scan_lun];
      new_due   = tick_i + set_for_i;
      since     = tick_i - scan_due;
      over      = !since[KW-1];
      set_bit   = LUNS'(set_i) << set_lun_i;
      clear_bit = LUNS'(clear_i) << clear_lun_i;
      scan_bit  = LUNS'(1) << scan_lun;
      due       = set_i ? new_due : scan_due;
      candidate = set_i || (scan && !over);
      ahead     = next_q - due;
      if (scan && !set_i) begin
        left_d = left_q & ~scan_bit;
        if (over) begin
          timed_d = timed_q & ~scan_bit;
          fired_d = fired_q | scan_bit;
        end
      end
      if (!scan && next_over) begin
        left_d = timed_q;
        have_d = 1'b0;
      end
      if (candidate && (!have_d || !ahead[KW-1])) begin
        have_d = 1'b1;
        next_d = due;
      end
      if (take_i) fired_d = fired_d & ~(LUNS'(1) << lun_o);
      timed_d = (timed_d & ~clear_bit) | set_bit;
      fired_d = fired_d & ~clear_bit & ~set_bit;
      left_d  = left_d & ~clear_bit & ~set_bit;

      timed_q <= timed_d;
      fired_q <= fired_d;
      left_q  <= left_d;
      have_q  <= have_d;
      if (have_d) next_q <= next_d;
      if (set_i) due_m[set_lun_i] <= new_due;
    end
  end

  assign next_any_o = have_q;
  assign next_at_o  = next_q;
  assign active_o   = scan || any_o || next_over;

  `O3_ASSERTS_WHEN(take_i || set_i || clear_i)
  `O3_HOLDS(TakesWhatHasCome, !take_i || any_o)
  `O3_HOLDS(SetAndClearOfOneLun, !(set_i && clear_i && set_lun_i == clear_lun_i))
  `O3_ASSERTS_END

endmodule
`default_nettype wire
