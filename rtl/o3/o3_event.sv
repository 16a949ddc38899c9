// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the events of a channel, one after the other: which one is next, what it is about, its step. In this order:
// a segment has ended; R/B# is high; a LUN is given up; a read goes on after ECC's verdict; a timer has come; a fence
// has opened; a LUN is to be looked at; the intake's head wants in. docs/explanation/rtl-o3-events.md.
`default_nettype none
`include "assert.svh"

module o3_event #(
  parameter  int unsigned LUNS = 16,
  localparam int unsigned LW   = (LUNS > 1) ? $clog2(LUNS) : 1
) (
  input  wire logic            clk_i,
  input  wire logic            rst_ni,

  // What may be next.
  input  wire logic            end_free_i,     // an operation may end
  input  wire logic            done_i,         // a segment has ended
  input  wire logic [LW-1:0]   done_lun_i,
  input  wire logic [LUNS-1:0] rb_i,           // LUNs that wait, and their R/B# is high
  input  wire logic [LUNS-1:0] timeout_i,      // that are given up
  input  wire logic [LUNS-1:0] retry_i,        // whose read goes on at another level
  input  wire logic            tick_i,         // a timer has come
  input  wire logic [LW-1:0]   tick_lun_i,
  input  wire logic            open_i,         // a fence has opened
  input  wire logic [LW-1:0]   open_lun_i,
  input  wire logic            request_i,      // a LUN is to be looked at
  input  wire logic [LW-1:0]   request_lun_i,
  input  wire logic            in_i,           // the intake's head
  input  wire logic [LW-1:0]   in_lun_i,
  input  wire logic [LUNS-1:0] wait_i,         // LUNs that wait for their line or poll

  // It is next; it is taken from where it waits.
  output logic                 take_done_o,
  output logic                 take_open_o,
  output logic                 take_request_o,
  output logic                 rb_any_o,
  output logic                 picked_o,       // one of them all

  // The event under way: its kind, its LUN.
  output logic                 ev_o,
  output logic                 done_o,
  output logic                 rb_o,
  output logic                 timeout_o,
  output logic                 retry_o,
  output logic                 tick_o,
  output logic                 open_o,
  output logic                 request_o,
  output logic                 in_o,
  output logic [LW-1:0]        lun_o,

  // Its steps, a cycle each. A look has all of them, or without age and compare; others have read, decide, commit.
  output logic                 read_o,
  output logic                 stale_o,        // at read: its LUN waits no more, for its suspend got the bus; it ends
  output logic                 choose_o,
  input  wire logic            single_i,       // with choose_o: the row has one operation at most
  output logic                 age_o,
  output logic                 compare_o,
  output logic                 decide_o,
  output logic                 commit_o
);

  logic          timeout_any, retry_any, done, rb, timeout, retry, tick, open, request, enter;
  logic [LW-1:0] rb_lun, timeout_lun, retry_lun;

  o3_first #(.N(LUNS)) u_rb (.req_i(rb_i), .any_o(rb_any_o), .idx_o(rb_lun));
  o3_first #(.N(LUNS)) u_timeout (.req_i(timeout_i), .any_o(timeout_any), .idx_o(timeout_lun));
  o3_first #(.N(LUNS)) u_retry (.req_i(retry_i), .any_o(retry_any), .idx_o(retry_lun));

  always_comb begin
    {done, rb, timeout, retry, tick, open, request, enter} = '0;
    if (!ev_o) begin
      if (done_i && end_free_i)           done    = 1'b1;
      else if (rb_any_o && end_free_i)    rb      = 1'b1;
      else if (timeout_any && end_free_i) timeout = 1'b1;
      else if (retry_any)                 retry   = 1'b1;
      else if (tick_i)                    tick    = 1'b1;
      else if (open_i)                    open    = 1'b1;
      else if (request_i && end_free_i)   request = 1'b1;
      else if (in_i)                      enter   = 1'b1;
    end
  end
  assign take_done_o    = done;
  assign take_open_o    = open;
  assign take_request_o = request;
  assign picked_o       = done || rb || timeout || retry || tick || open || request || enter;

  assign stale_o = read_o && (rb_o || timeout_o) && !wait_i[lun_o];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {ev_o, read_o, choose_o, age_o, compare_o, decide_o, commit_o} <= '0;
    end else begin
      ev_o      <= picked_o || (ev_o && !commit_o && !stale_o);
      read_o    <= picked_o;
      choose_o  <= read_o && request_o;
      age_o     <= choose_o && !single_i;
      compare_o <= age_o;
      decide_o  <= compare_o || (choose_o && single_i) || (read_o && !request_o && !stale_o);
      commit_o  <= decide_o;
    end
  end
  always_ff @(posedge clk_i) begin
    if (picked_o) begin
      {done_o, rb_o, timeout_o, retry_o, tick_o, open_o, request_o, in_o}
        <= {done, rb, timeout, retry, tick, open, request, enter};
      lun_o <= done ? done_lun_i : rb ? rb_lun : timeout ? timeout_lun : retry ? retry_lun : tick ? tick_lun_i
             : open ? open_lun_i : request ? request_lun_i : in_lun_i;
    end
  end

  `O3_ASSERTS_WHEN(ev_o || picked_o)
  `O3_HOLDS(OneStep, 3'(read_o) + 3'(choose_o) + 3'(age_o) + 3'(compare_o) + 3'(decide_o) + 3'(commit_o)
                     == 3'(ev_o))
  `O3_ASSERTS_END

endmodule
`default_nettype wire
