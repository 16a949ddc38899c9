// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the states of a channel's LUNs, a flip-flop each a LUN: what the events of a cycle make of them.
// docs/explanation/rtl-o3.md.
`default_nettype none
`include "assert.svh"

module o3_luns #(
  parameter  int unsigned LUNS = 16,
  localparam int unsigned LW   = (LUNS > 1) ? $clog2(LUNS) : 1,
  localparam int unsigned OW   = o3_pkg::OPC_W,
  localparam int unsigned PW   = o3_pkg::PHASE_W
) (
  input  wire logic            clk_i,
  input  wire logic            rst_ni,
  input  wire logic [2:0]      lun_shift_i,    // LUN index = (ce << shift) | lun
  input  wire logic            poll_i,         // no ready lines: LUNs are polled
  input  wire logic            sweep_i,        // LUNs that wait since the last one have timed out
  input  wire logic [LUNS-1:0] ready_i,        // R/B# is high
  input  wire logic [LUNS-1:0] back_i,         // and was low
  input  wire logic [LUNS-1:0] retry_i,        // ECC's verdict: the read of the LUN goes on
  input  wire logic            push_i,         // an operation has come to the channel
  input  wire logic [LUNS-1:0] push_mask_i,    // for these

  // The event of ev_lun ends: without it no input of the event is looked at.
  input  wire logic            commit_i,
  // Of ev_lun: R/B# high, given up, a poll over (found it busy, or ready); its operation before the event.
  input  wire logic [LW-1:0]   ev_lun_i,
  input  wire logic            ev_rb_i,
  input  wire logic            ev_timeout_i,
  input  wire logic            polled_i,
  input  wire logic            busy_yet_i,
  input  wire logic            found_i,
  input  wire logic [OW-1:0]   opc_i,
  input  wire logic [1:0]      last_i,
  input  wire logic [1:0]      plane_i,
  input  wire logic [PW-1:0]   phase_i,
  input  wire logic            alone_i,        // a plane is read again alone
  input  wire logic            ev_retry_i,     // it is set to the next read-retry level
  input  wire logic            set_wait_i,     // it has become busy
  input  wire logic            fin_i,          // its operation leaves it
  input  wire logic            stop_i,         // or is suspended
  input  wire logic            at_once_i,      // may be suspended now
  input  wire logic            arm_later_i,    // or when its timer has come
  input  wire logic            next_lun_i,     // a RESET goes on to run_lun
  input  wire logic [LW-1:0]   run_lun_i,

  // A LUN's timer has come; it is that of its poll.
  input  wire logic            ev_tick_i,
  input  wire logic            due_i,

  // The LUN whose stations are shown: operations leave, come, are issued, suspended, resumed; lost.
  input  wire logic            row_left_i,
  input  wire logic            row_empty_i,
  input  wire logic            in_station_i,
  input  wire logic            start_i,
  input  wire logic            keep_i,         // keeps its station
  input  wire logic            drop_i,         // leaves the one it kept
  input  wire logic            sel_go_i,
  input  wire logic            sel_stop_i,
  input  wire logic            sel_on_i,
  input  wire logic            refuse_i,
  input  wire logic            in_reset_i,     // a RESET takes the LUNs of ce_mask
  input  wire logic [LUNS-1:0] ce_mask_i,

  input  wire logic            grant_i,        // the bus is given to this LUN
  input  wire logic [LW-1:0]   g_lun_i,

  // The list of LUNs to look at.
  input  wire logic            ev_request_i,
  input  wire logic [LW-1:0]   request_lun_i,
  input  wire logic            request_push_i,
  input  wire logic [LW-1:0]   request_push_lun_i,
  input  wire logic            again_push_i,   // this one was in again_o

  output logic [LUNS-1:0]      busy_o,    // an operation has it
  output logic [LUNS-1:0]      any_o,     // operations in its stations
  output logic [LUNS-1:0]      queued_o,  // in order: one is on its way to it
  output logic [LUNS-1:0]      wait_o,    // waits for R/B#
  output logic [LUNS-1:0]      request_o,    // in the list of LUNs to look at
  output logic [LUNS-1:0]      hold_o,    // between 32h or D1h and the next plane's command
  output logic [LUNS-1:0]      timeout_o,    // waited at the last two sweeps
  output logic [LUNS-1:0]      again_o,   // to be looked at after a RESET
  output logic [LUNS-1:0]      lost_o,    // did not answer
  output logic [LUNS-1:0]      pending_o,    // its operation may be suspended and keeps its station
  output logic [LUNS-1:0]      work_o,    // may be suspended now
  output logic [LUNS-1:0]      susp_o,    // is suspended
  output logic [LUNS-1:0]      asked_o,   // its suspend waits for the bus
  output logic [LUNS-1:0]      poll_o,    // a status read is asked for or on the bus while it works
  output logic [LUNS-1:0]      then_o,    // its suspend comes after that
  output logic [LUNS-1:0]      later_o,   // resumed: may be suspended when its timer says so
  output logic [LUNS-1:0]      retry_o,   // its read goes on at the next level
  output logic [LUNS-1:0]      level_o    // its read-retry level is not 0
);

  localparam logic [OW-1:0] RESET = flash_op_pkg::FLASH_OP_RESET[OW-1:0];

  logic [LUNS-1:0] mark_q;  // waited at the last sweep

  always_ff @(posedge clk_i) begin : p_next
    logic [LUNS-1:0] busy_d, any_d, queued_d, wait_d, request_d, hold_d, mark_d, timeout_d, again_d, lost_d;
    logic [LUNS-1:0] pending_d, work_d, susp_d, asked_d, poll_d, then_d, later_d, retry_d, level_d;
    logic [LUNS-1:0] ev_bit, run_bit, grant_bit, fin_mask;
    if (!rst_ni) begin
      busy_o    <= '0;
      any_o     <= '0;
      queued_o  <= '0;
      wait_o    <= '0;
      request_o <= '0;
      hold_o    <= '0;
      mark_q    <= '0;
      timeout_o <= '0;
      lost_o    <= '0;
      again_o   <= '0;
      pending_o <= '0;
      work_o    <= '0;
      susp_o    <= '0;
      asked_o   <= '0;
      then_o    <= '0;
      later_o   <= '0;
      poll_o    <= '0;
      retry_o   <= '0;
      level_o   <= '0;
    end else begin
      ev_bit   = LUNS'(1) << ev_lun_i;
      run_bit  = LUNS'(1) << run_lun_i;
      grant_bit = LUNS'(1) << g_lun_i;
      fin_mask = ev_bit;
      if (fin_i && opc_i == RESET) begin
        for (int unsigned i = 0; i < LUNS; i++) begin
          fin_mask[i] = (LW'(i) >> lun_shift_i) == (ev_lun_i >> lun_shift_i);
        end
      end
      busy_d   = busy_o;
      any_d    = any_o;
      wait_d   = wait_o;
      request_d   = request_o;
      hold_d   = hold_o;
      queued_d = push_i ? (queued_o | push_mask_i) : queued_o;
      mark_d   = mark_q & wait_o;
      timeout_d   = timeout_o & wait_o;
      lost_d   = lost_o & ~back_i;
      if (sweep_i) begin
        timeout_d = wait_o & mark_q;
        mark_d = wait_o;
      end
      if (ev_request_i) request_d = request_d & ~(LUNS'(1) << request_lun_i);
      if (request_push_i) request_d = request_d | (LUNS'(1) << request_push_lun_i);
      pending_d  = pending_o;
      work_d  = work_o;
      susp_d  = susp_o;
      asked_d = asked_o;
      then_d  = then_o;
      later_d = later_o;
      poll_d  = poll_o;
      retry_d = retry_o | retry_i;
      level_d = level_o;
      if (commit_i) begin
        if (ev_rb_i || ev_timeout_i || found_i) begin
          wait_d = wait_d & ~ev_bit;
          timeout_d = timeout_d & ~ev_bit;
        end
        // Not back after tDBSY: others need not wait.
        if (ev_rb_i || ev_timeout_i || polled_i) hold_d = hold_d & ~ev_bit;
        if (set_wait_i) begin
          wait_d = wait_d | ev_bit;
          if (phase_i == o3_pkg::PHASE_COMMAND && plane_i != last_i && !alone_i) hold_d = hold_d | ev_bit;
        end
        if (next_lun_i) wait_d = wait_d | run_bit;
        if (fin_i || stop_i)  busy_d = busy_d & ~fin_mask;
        // A RESET: every LUN that is not ready; polled, the one that was asked.
        if (ev_timeout_i) lost_d = lost_d | (poll_i ? ev_bit : (fin_mask & ~ready_i));
        if (fin_i && !ev_timeout_i && opc_i == RESET) lost_d = lost_d & ~fin_mask;
        if (start_i) busy_d = busy_d | (in_reset_i ? ce_mask_i : ev_bit);
        if (row_left_i && row_empty_i) any_d = any_d & ~ev_bit;
        if (sel_go_i) queued_d = queued_d & ~ev_bit;
        if (in_station_i) any_d = any_d | ev_bit;
        if (in_reset_i) queued_d = queued_d & ~ce_mask_i;

        // What may be suspended.
        if (keep_i) pending_d = pending_d | ev_bit;
        if (drop_i || (sel_on_i && refuse_i)) pending_d = pending_d & ~ev_bit;
        if (at_once_i) work_d = work_d | ev_bit;
        if (ev_tick_i && !due_i) work_d = work_d | ev_bit;
        if (ev_rb_i || ev_timeout_i || found_i) work_d = work_d & ~ev_bit;
        if (sel_stop_i) work_d = work_d & ~ev_bit;
        if (stop_i) susp_d = susp_d | ev_bit;
        if (sel_on_i) susp_d = susp_d & ~ev_bit;
        if (sel_stop_i && !poll_o[ev_lun_i]) asked_d = asked_d | ev_bit;
        if (busy_yet_i && then_o[ev_lun_i])    asked_d = asked_d | ev_bit;
        if (sel_stop_i && poll_o[ev_lun_i]) then_d = then_d | ev_bit;
        if (polled_i) then_d = then_d & ~ev_bit;
        if (arm_later_i) later_d = later_d | ev_bit;
        if (ev_tick_i) later_d = later_d & ~ev_bit;
        if (ev_rb_i || ev_timeout_i || found_i) later_d = later_d & ~ev_bit;
        if (polled_i) poll_d = poll_d & ~ev_bit;
        if (due_i) poll_d = poll_d | ev_bit;
        if (next_lun_i && poll_i) poll_d = poll_d | run_bit;

        // Read retry: what is issued next sets the level back.
        if (ev_retry_i) begin
          retry_d = retry_d & ~ev_bit;
          level_d = level_d | ev_bit;
        end
        if (sel_go_i && !refuse_i) level_d = level_d & ~ev_bit;
      end
      again_d = again_o;
      if (fin_i && opc_i == RESET) again_d = again_d | (fin_mask & any_o);
      else if (again_push_i) again_d = again_d & ~(LUNS'(1) << request_push_lun_i);
      if (grant_i) begin
        // While its suspend is on the bus nothing else is asked of a LUN.
        wait_d = wait_d & ~(grant_bit & asked_o);
        timeout_d = timeout_d & ~(grant_bit & asked_o);
        asked_d = asked_d & ~grant_bit;
      end

      busy_o    <= busy_d;
      any_o     <= any_d;
      queued_o  <= queued_d;
      wait_o    <= wait_d;
      request_o <= request_d;
      hold_o    <= hold_d;
      mark_q    <= mark_d;
      timeout_o <= timeout_d;
      lost_o    <= lost_d;
      again_o   <= again_d;
      pending_o <= pending_d;
      work_o    <= work_d;
      susp_o    <= susp_d;
      asked_o   <= asked_d;
      then_o    <= then_d;
      later_o   <= later_d;
      poll_o    <= poll_d;
      retry_o   <= retry_d;
      level_o   <= level_d;
    end
  end

  logic [LUNS-1:0] row_bit;  // for assertions
  assign row_bit = LUNS'(1) << ev_lun_i;
  `O3_ASSERTS_WHEN(1'b1)
  `O3_HOLDS(StartWhereFree, !start_i || (busy_o & (in_reset_i ? ce_mask_i : row_bit)) == '0)
  `O3_HOLDS(OnlyBusyLunsWait, (wait_o & ~busy_o) == '0)
  `O3_HOLDS(RetriesAreOfBusyLuns, (retry_o & (~busy_o | wait_o)) == '0)
  `O3_HOLDS(OnlyWaitingLunsArePolled, (poll_o & ~wait_o) == '0)
  `O3_HOLDS(OnlyWorkIsSuspended, !sel_stop_i || (work_o[ev_lun_i] && wait_o[ev_lun_i]))
  `O3_HOLDS(SuspendedIsPending, (susp_o & ~pending_o) == '0)
  `O3_HOLDS(WorkIsPendingAndBusy, (work_o & ~(pending_o & busy_o & ~susp_o)) == '0)
  `O3_HOLDS(ResumeHasItsLun, !sel_on_i || (susp_o[ev_lun_i] && !busy_o[ev_lun_i]))
  `O3_ASSERTS_END

endmodule
`default_nettype wire
