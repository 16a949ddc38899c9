// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what becomes of a LUN's operation at an event of its channel: its next phase, whether it asks for
// the bus, waits for R/B#, is suspended or ends. One operation starts, goes on or ends a cycle.
// docs/explanation/rtl-o3.md.
`default_nettype none

module o3_phases #(
  parameter  int unsigned LUNS  = 16,
  parameter  int unsigned TAGS  = 256,
  localparam int unsigned LW    = (LUNS > 1) ? $clog2(LUNS) : 1,
  localparam int unsigned TW    = $clog2(TAGS),
  localparam int unsigned OW    = o3_pkg::OPC_W,
  localparam int unsigned PW    = o3_pkg::PHASE_W,
  localparam int unsigned VW    = o3_pkg::LEVEL_W,
  localparam int unsigned RUN_W = 4 + TW + VW + OW + 2 + 2 + PW
) (
  input  wire logic [7:0]       luns_i,       // LUNs a CE#
  input  wire logic             poll_i,       // no ready lines: LUNs are polled
  input  wire logic [VW-1:0]    retries_i,    // read-retry levels that are tried

  // The event, at most one of these; without act_i outputs mean nothing, flags are low.
  input  wire logic             act_i,
  input  wire logic             ev_done_i,    // a segment has ended
  input  wire logic             ev_rb_i,      // R/B# is high
  input  wire logic             ev_timeout_i,    // the LUN is given up
  input  wire logic             ev_retry_i,   // ECC's verdict: the read goes on at the next level
  input  wire logic             due_i,        // a poll is due
  input  wire logic             in_reset_i,   // a RESET takes its CE#
  input  wire logic             sel_go_i,     // an operation is issued,
  input  wire logic             sel_stop_i,   // suspends the one at work,
  input  wire logic             sel_on_i,     // resumes the suspended one

  // Its LUN, the operation there and what is known of it.
  input  wire logic [LW-1:0]    ev_lun_i,
  input  wire logic [RUN_W-1:0] run_i,        // lost planes, tag, level, opcode, last plane, plane, phase
  input  wire logic             pending_run_i,   // it keeps its station
  input  wire logic             asked_i,      // its suspend waits for the bus
  input  wire logic             then_i,       // its suspend comes after the poll
  input  wire logic             polled_i,     // the segment was a poll
  input  wire logic             busy_yet_i,   // which found it busy
  input  wire logic             found_i,      // or ready
  // The segment's status byte. After a burst out: ECC has lost a codeword.
  input  wire logic             fail_i,
  input  wire logic             suspended_i,
  input  wire logic             silent_i,     // nobody drove the lines
  input  wire logic             aborted_i,    // the segment was left out: the operation is aborted

  input  wire logic             lost_i,       // the LUN did not answer
  input  wire logic             poll_one_i,   // it is being polled
  input  wire logic             level_one_i,  // its read-retry level is not 0

  // What was chosen for it, or takes it.
  input  wire logic [TW-1:0]    sel_tag_i,
  input  wire logic [OW-1:0]    sel_opc_i,
  input  wire logic [1:0]       sel_last_i,

  // The operation after the event, and its LUN.
  output logic [TW-1:0]         tag_o,
  output logic [3:0]            lost_o,       // planes that ECC has lost; up to plane_o at this level
  output logic [VW-1:0]         level_o,      // of read retry
  output logic [OW-1:0]         opc_o,
  output logic [1:0]            last_o,
  output logic [1:0]            plane_o,
  output logic [PW-1:0]         phase_o,
  output logic [LW-1:0]         run_lun_o,

  output logic                  want_o,       // it asks for the bus
  output logic                  burst_o,      // for a page burst
  output logic                  set_wait_o,   // it waits for R/B#, or its poll
  output logic                  next_lun_o,   // so does the next LUN of a RESET
  output logic                  arm_o,        // from now on, or a time on, it may be suspended
  output logic                  stop_o,       // it is suspended
  output logic                  start_o,      // it gets its LUN
  output logic                  refuse_o,     // its LUN is lost: it ends without a segment
  output logic                  fin_o,        // it leaves its LUN
  output logic                  drop_o,       // and its station
  output logic                  fin_end_o,    // it ends; a read ends by its landing
  output logic [o3_pkg::STATUS_W-1:0] fin_status_o
);

  localparam logic [OW-1:0] READ    = flash_op_pkg::FLASH_OP_READ[OW-1:0];
  localparam logic [OW-1:0] PROGRAM = flash_op_pkg::FLASH_OP_PROGRAM[OW-1:0];
  localparam logic [OW-1:0] RESET   = flash_op_pkg::FLASH_OP_RESET[OW-1:0];
  localparam logic [o3_pkg::STATUS_W-1:0] OK      = flash_op_pkg::FLASH_STATUS_OK[2:0];
  localparam logic [o3_pkg::STATUS_W-1:0] FAIL    = flash_op_pkg::FLASH_STATUS_FAIL[2:0];
  localparam logic [o3_pkg::STATUS_W-1:0] TIMEOUT = flash_op_pkg::FLASH_STATUS_TIMEOUT[2:0];
  localparam logic [o3_pkg::STATUS_W-1:0] ABORTED = flash_op_pkg::FLASH_STATUS_ABORTED[2:0];

  logic [3:0] rest;  // planes that are still to be read again at this level

  always_comb begin
    rest = '0;
    {tag_o, lost_o, level_o, opc_o, last_o, plane_o, phase_o, run_lun_o} = 'x;
    want_o       = 1'b0;
    set_wait_o   = 1'b0;
    next_lun_o   = 1'b0;
    fin_o        = 1'b0;
    fin_end_o    = 1'b0;
    fin_status_o = OK;
    start_o      = 1'b0;
    refuse_o     = 1'b0;
    arm_o        = 1'b0;
    stop_o       = 1'b0;
    burst_o      = 1'b0;
    drop_o       = 1'b0;
    if (act_i) begin
      {lost_o, tag_o, level_o, opc_o, last_o, plane_o, phase_o} = run_i;
      run_lun_o = ev_lun_i;
      if (due_i) begin  // its phase stays: the poll goes in between
        want_o = 1'b1;
      end else if (busy_yet_i) begin
        arm_o  = pending_run_i && phase_o == o3_pkg::PHASE_RESUME && !then_i;
        want_o = then_i;
        if (want_o) phase_o = o3_pkg::PHASE_SUSPEND;
      end else if (aborted_i) begin  // a read, too: no landing comes
        fin_o        = 1'b1;
        fin_end_o    = 1'b1;
        fin_status_o = ABORTED;
      end else if (ev_done_i && !polled_i) begin
        unique case (phase_o)
          o3_pkg::PHASE_DATA_OUT: begin
            lost_o = (lost_o & ~(4'd1 << plane_o)) | (4'(fail_i) << plane_o);
            rest   = (level_o == '0) ? '0 : lost_o & (4'he << plane_o);
            if (level_o == '0 && plane_o != last_o) begin
              plane_o = plane_o + 2'd1;
              want_o  = 1'b1;
            end else if (rest != '0) begin
              plane_o = rest[1] ? 2'd1 : rest[2] ? 2'd2 : 2'd3;  // the lowest; above plane_o, so never 0
              phase_o = o3_pkg::PHASE_COMMAND;
              want_o  = 1'b1;
            end else if (lost_o != '0 && level_o != retries_i) begin  // until ECC's verdict
              plane_o = 2'd0;
              phase_o = o3_pkg::PHASE_FEATURE;
            end else begin  // it completes by its landing
              fin_o = 1'b1;
            end
          end
          o3_pkg::PHASE_STATUS: begin
            stop_o       = pending_run_i && suspended_i && !silent_i;  // suspended
            fin_o        = !stop_o;
            fin_end_o    = !stop_o;
            fin_status_o = silent_i ? TIMEOUT : fail_i ? FAIL : OK;
          end
          default: begin
            set_wait_o = 1'b1;
            arm_o      = pending_run_i && plane_o == last_o && phase_o != o3_pkg::PHASE_SUSPEND
                      && phase_o != o3_pkg::PHASE_FEATURE;
          end
        endcase
      end else if (ev_rb_i || found_i) begin
        if (opc_o == RESET) begin  // plane counts the LUNs of the CE#
          if ({6'd0, plane_o} + 8'd1 < luns_i) begin
            plane_o    = plane_o + 2'd1;
            next_lun_o = 1'b1;
            run_lun_o  = ev_lun_i + LW'(1);
            want_o     = poll_i;
          end else begin
            fin_o     = 1'b1;
            fin_end_o = 1'b1;
          end
        end else if (phase_o == o3_pkg::PHASE_FEATURE) begin
          plane_o = (level_o == '0 || lost_o[0]) ? 2'd0 : lost_o[1] ? 2'd1 : lost_o[2] ? 2'd2 : 2'd3;
          phase_o = (opc_o == PROGRAM) ? o3_pkg::PHASE_DATA_IN : o3_pkg::PHASE_COMMAND;
          want_o  = 1'b1;
        end else if (level_o != '0) begin
          phase_o = o3_pkg::PHASE_DATA_OUT;
          want_o  = 1'b1;
        end else if (plane_o != last_o) begin
          plane_o = plane_o + 2'd1;
          want_o  = 1'b1;
        end else if (opc_o == READ) begin
          plane_o = 2'd0;
          phase_o = o3_pkg::PHASE_DATA_OUT;
          want_o  = 1'b1;
        end else if (found_i) begin  // the byte that says ready says the rest, too
          stop_o       = pending_run_i && suspended_i;
          fin_o        = !stop_o;
          fin_end_o    = !stop_o;
          fin_status_o = fail_i ? FAIL : OK;
        end else begin  // status of the last plane's row; FAIL is that of the operation
          phase_o = o3_pkg::PHASE_STATUS;
          want_o  = !asked_i;  // else it takes the place of the suspend that waits for the bus
        end
      end else if (ev_retry_i) begin
        level_o = level_o + VW'(1);
        want_o  = 1'b1;
      end else if (ev_timeout_i) begin
        fin_o        = 1'b1;
        fin_end_o    = 1'b1;
        fin_status_o = TIMEOUT;
      end else if (sel_go_i || sel_stop_i || sel_on_i || in_reset_i) begin
        tag_o        = sel_tag_i;
        lost_o       = '0;
        level_o      = '0;
        opc_o        = sel_opc_i;
        last_o       = in_reset_i ? 2'd0 : sel_last_i;
        plane_o      = (sel_stop_i || sel_on_i) ? last_o : 2'd0;
        phase_o      = sel_stop_i         ? o3_pkg::PHASE_SUSPEND
                     : sel_on_i           ? o3_pkg::PHASE_RESUME
                     : (sel_go_i && level_one_i) ? o3_pkg::PHASE_FEATURE  // back to level 0
                     : (opc_o == PROGRAM) ? o3_pkg::PHASE_DATA_IN : o3_pkg::PHASE_COMMAND;
        refuse_o     = !in_reset_i && lost_i;  // nothing works on a LUN that is lost
        start_o      = !refuse_o && !sel_stop_i;
        want_o       = !refuse_o;
        fin_end_o    = refuse_o;
        fin_status_o = TIMEOUT;
      end
      // A suspend while a poll is under way waits for its answer.
      if (sel_stop_i && poll_one_i) begin
        want_o = 1'b0;
      end
      burst_o = !due_i && (phase_o == o3_pkg::PHASE_DATA_OUT || phase_o == o3_pkg::PHASE_DATA_IN);
      drop_o  = fin_o && pending_run_i;
    end
  end

endmodule
`default_nettype wire
