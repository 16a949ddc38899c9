// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the times of a channel's LUNs: from a resume to the next suspend, and until a poll; one timer a
// LUN stands for whichever comes first. A suspended operation's time until its poll stands still.
// docs/explanation/rtl-o3-times.md.
`default_nettype none
`include "assert.svh"

module o3_times #(
  parameter  int unsigned LUNS = 16,
  localparam int unsigned LW   = (LUNS > 1) ? $clog2(LUNS) : 1,
  localparam int unsigned OW   = o3_pkg::OPC_W,
  localparam int unsigned PW   = o3_pkg::PHASE_W,
  localparam int unsigned KW   = o3_pkg::TICK_W
) (
  input  wire logic            clk_i,
  input  wire logic            rst_ni,
  input  wire logic [KW-1:0]   tick_i,        // now
  input  wire logic [KW-1:0]   progress_i,    // from a resume to the next suspend
  input  wire logic            poll_i,        // no ready lines: LUNs are polled
  input  wire logic [o3_pkg::POLLS*KW-1:0] poll_times_i,  // o3_pkg::POLL_*

  // An event: its LUN, and the operation there as it was before. Times are read with decide_i, and set with act_i in
  // the next cycle, in which the rest of it has to stand.
  input  wire logic            decide_i,
  input  wire logic            act_i,
  input  wire logic [LW-1:0]   ev_lun_i,
  input  wire logic [OW-1:0]   opc_i,
  input  wire logic [1:0]      last_i,
  input  wire logic [1:0]      plane_i,
  input  wire logic [PW-1:0]   phase_i,
  input  wire logic            alone_i,       // a plane is read again alone
  input  wire logic            pending_run_i,    // it keeps its station
  input  wire logic            then_i,        // its suspend comes after the poll
  input  wire logic            set_wait_i,    // the LUN has become busy
  input  wire logic            busy_yet_i,    // a poll has found it busy
  input  wire logic            arm_i,         // it may be suspended, once progress_i has passed if resumed:
  output logic                 at_once_o,     // now
  output logic                 arm_later_o,   // when its timer has come

  // A LUN's timer does not matter any more.
  input  wire logic            clear_i,       // of the event
  input  wire logic            stop_i,        // of this LUN, which is to be suspended
  input  wire logic [LW-1:0]   stop_lun_i,

  output logic                 any_o,         // a LUN's time has come
  output logic [LW-1:0]        lun_o,
  input  wire logic            take_i,        // the event is of this LUN's
  input  wire logic            due_i,         // it is that of its poll

  output logic                 next_any_o,    // at this tick an edge is needed
  output logic [KW-1:0]        next_at_o,
  output logic                 active_o       // the next edge changes something
);

  localparam logic [OW-1:0] READ    = flash_op_pkg::FLASH_OP_READ[OW-1:0];
  localparam logic [OW-1:0] PROGRAM = flash_op_pkg::FLASH_OP_PROGRAM[OW-1:0];
  localparam logic [OW-1:0] RESET   = flash_op_pkg::FLASH_OP_RESET[OW-1:0];

  logic [KW-1:0] poll_m [0:LUNS-1];  // when the next poll is due; suspended: how much of it is left
  logic          resumed, poll_first, set_poll, poll_write, stop_timer;
  logic [o3_pkg::POLLS-1:0] which;  // of the times in poll_times_i
  logic [KW-1:0] poll_due, poll_for, typical, typical_q, poll_left_q;
  logic          poll_first_q;

  // ---- read; what depends on now is computed at its edge, so that nothing follows now from edge to edge ----
  always_comb begin
    which    = '0;
    typical  = '0;
    poll_due = '0;
    if (poll_i && decide_i) begin
      poll_due = poll_m[ev_lun_i];
      if (busy_yet_i) which[o3_pkg::POLL_AGAIN] = 1'b1;
      else if (phase_i == o3_pkg::PHASE_SUSPEND) begin
        if (opc_i == PROGRAM) which[o3_pkg::POLL_SUSPEND_PROGRAM] = 1'b1;
        else                  which[o3_pkg::POLL_SUSPEND_ERASE] = 1'b1;
      end else if (phase_i == o3_pkg::PHASE_RESUME) typical = poll_due;
      else if (phase_i == o3_pkg::PHASE_FEATURE) which[o3_pkg::POLL_FEATURE] = 1'b1;
      else if (opc_i == RESET)    which[o3_pkg::POLL_RESET] = 1'b1;
      else if (plane_i != last_i && !alone_i) which[o3_pkg::POLL_QUEUE] = 1'b1;
      else if (opc_i == READ)     which[o3_pkg::POLL_READ] = 1'b1;
      else if (opc_i == PROGRAM)  which[o3_pkg::POLL_PROGRAM] = 1'b1;
      else                        which[o3_pkg::POLL_ERASE] = 1'b1;
      for (int unsigned i = 0; i < o3_pkg::POLLS; i++) begin
        if (which[i]) typical = typical | poll_times_i[i * KW +: KW];
      end
    end
  end
  always_ff @(posedge clk_i) begin : p_read
    logic [KW-1:0] left;
    if (poll_i && decide_i) begin
      left = poll_due - tick_i;
      typical_q    <= typical;
      poll_left_q  <= left[KW-1] ? '0 : left;
      poll_first_q <= poll_due < progress_i;  // and the poll that finds it busy lets it be suspended
    end
  end

  // ---- set ----
  always_comb begin
    resumed    = act_i && arm_i && !busy_yet_i && phase_i == o3_pkg::PHASE_RESUME && progress_i != '0;
    poll_first = poll_i && poll_first_q;
    set_poll   = poll_i && act_i && (set_wait_i || (busy_yet_i && !then_i) || (take_i && !due_i));
    poll_for   = take_i                   ? poll_left_q  // progress made; on to the poll
               : (resumed && !poll_first) ? progress_i : typical_q;
    poll_write = poll_i && act_i
              && ((pending_run_i && (set_wait_i || busy_yet_i) && (phase_i != o3_pkg::PHASE_SUSPEND || then_i))
                  || (set_wait_i && phase_i == o3_pkg::PHASE_SUSPEND));
    arm_later_o = resumed && !poll_first;
    at_once_o   = act_i && arm_i && !resumed;
  end
  assign stop_timer = poll_i && stop_i;
  o3_timer #(.LUNS(LUNS)) u_timer (
    .clk_i, .rst_ni, .tick_i, .set_i(arm_later_o || set_poll), .set_lun_i(ev_lun_i), .set_for_i(poll_for),
    .clear_i(clear_i || stop_timer), .clear_lun_i(stop_timer ? stop_lun_i : ev_lun_i),
    .any_o, .lun_o, .take_i(act_i && take_i), .take_lun_i(ev_lun_i), .next_any_o, .next_at_o, .active_o
  );

  // Suspended: what is left of the time until the poll that was due.
  always_ff @(posedge clk_i) begin
    if (poll_write) begin
      poll_m[ev_lun_i] <= (phase_i == o3_pkg::PHASE_SUSPEND && set_wait_i) ? poll_left_q : tick_i + typical_q;
    end
  end

  `O3_ASSERTS_WHEN(act_i)
  `O3_HOLDS(PollsOnlyWherePolled, poll_i || !(act_i && due_i))
  `O3_HOLDS(TimesAreLessThanHalfTheRange, !(arm_later_o || set_poll) || !poll_for[KW-1])
  `O3_ASSERTS_END

endmodule
`default_nettype wire
