// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one timer a LUN of a channel. Kept: the earliest time. When that has come, the times of all
// are looked through, one a cycle. A time is compared in the cycle after the one in which it was set or
// read. Times are ticks (o3_pkg::TICK_*) and differences modulo 2^24.
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
  input  wire logic          take_i,      // that of this LUN is taken note of
  input  wire logic [LW-1:0] take_lun_i,

  output logic               next_any_o,  // at this tick an edge is needed
  output logic [KW-1:0]      next_at_o,
  output logic               active_o     // the next edge changes something
);

  logic [KW-1:0]   due_m [0:(1<<LW)-1];
  logic [LUNS-1:0] timed_q, fired_q, left_q;
  logic            have_q, scan, next_over;
  logic [LW-1:0]   scan_lun;
  logic [KW-1:0]   next_q, to_next;

  // A time on its way into the memory, or out of it in a search: compared in the next cycle.
  logic            set_q, scan_q;
  logic [LW-1:0]   due_lun_q;
  logic [KW-1:0]   due_q;

  o3_first #(.N(LUNS)) u_scan (.req_i(left_q), .any_o(scan), .idx_o(scan_lun));
  o3_first #(.N(LUNS)) u_fired (.req_i(fired_q), .any_o(any_o), .idx_o(lun_o));

  assign to_next   = tick_i - next_q;
  assign next_over = have_q && !to_next[KW-1];

  always_ff @(posedge clk_i) begin : p_next
    logic [LUNS-1:0] timed_d, fired_d, left_d, set_bit, clear_bit, due_bit;
    logic [KW-1:0]   since, ahead;
    logic            over, candidate;
    if (!rst_ni) begin
      timed_q <= '0;
      fired_q <= '0;
      left_q  <= '0;
      have_q  <= 1'b0;
      set_q   <= 1'b0;
      scan_q  <= 1'b0;
    end else if (scan || any_o || next_over || set_i || clear_i || set_q || scan_q) begin
      set_bit   = LUNS'(set_i) << set_lun_i;
      clear_bit = LUNS'(clear_i) << clear_lun_i;
      due_bit   = LUNS'(1) << due_lun_q;
      since     = tick_i - due_q;
      ahead     = next_q - due_q;
      over      = scan_q && !since[KW-1];
      candidate = set_q || (scan_q && !over);
      timed_d = timed_q;
      fired_d = fired_q;
      left_d  = left_q;
      if (set_q) timed_d = timed_d | due_bit;
      if (over) begin
        timed_d = timed_d & ~due_bit;
        fired_d = fired_d | due_bit;
      end
      if (scan && !set_i) left_d = left_d & ~(LUNS'(1) << scan_lun);
      if (!scan && !set_i && !set_q && !scan_q && next_over) left_d = timed_q;
      if (take_i) fired_d = fired_d & ~(LUNS'(1) << take_lun_i);
      timed_q <= timed_d & ~clear_bit & ~set_bit;
      fired_q <= fired_d & ~clear_bit & ~set_bit;
      left_q  <= left_d & ~clear_bit & ~set_bit;
      have_q  <= candidate || (have_q && (scan || set_i || scan_q || !next_over));
      set_q   <= set_i;
      // One whose timer is set or cleared meanwhile is searched no more.
      scan_q  <= scan && !set_i && !(clear_i && clear_lun_i == scan_lun);
      if (candidate && (!have_q || !ahead[KW-1])) next_q <= due_q;
      if (set_i) due_q <= tick_i + set_for_i;
      else       due_q <= due_m[scan_lun];
      due_lun_q <= set_i ? set_lun_i : scan_lun;
      if (set_q) due_m[due_lun_q] <= due_q;
    end
  end

  assign next_any_o = have_q;
  assign next_at_o  = next_q;
  assign active_o   = scan || any_o || next_over || set_q || scan_q;

  `O3_ASSERTS_WHEN(take_i || set_i || clear_i)
  `O3_HOLDS(TakesWhatHasCome, !take_i || fired_q[take_lun_i])
  `O3_HOLDS(SetAndClearOfOneLun, !(set_i && clear_i && set_lun_i == clear_lun_i))
  `O3_ASSERTS_END

endmodule
`default_nettype wire
