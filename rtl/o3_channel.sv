// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one channel of the out-of-order controller (docs/o3.md, docs/rtl-o3.md): its events, the states of
// its LUNs, and what becomes of a LUN's operation. Its parts are instances: intake, stations, bus, segment.
// One event a cycle: segment done, R/B#, time out, fence opened, look at a LUN, take in. The grant
// of the bus runs beside it.
`default_nettype none
`include "assert.svh"

module o3_channel #(
  parameter  int unsigned LUNS     = 16,
  parameter  int unsigned STATIONS = 8,
  parameter  int unsigned TAGS     = 256,
  localparam int unsigned LW       = (LUNS > 1) ? $clog2(LUNS) : 1,
  localparam int unsigned TW       = $clog2(TAGS),
  localparam int unsigned OW       = o3_pkg::OPC_W,
  localparam int unsigned HEAD_W   = 1 + TW + LW + OW + 2 + 2 + 1,
  localparam int unsigned DESC_W   = flash_op_pkg::FLASH_OP_COOKIE_LSB
) (
  input  wire logic                       clk_i,
  input  wire logic                       rst_ni,

  // Registers and straps, constant while operations are inside.
  input  wire logic [STATIONS-1:0]        stations_i,   // ones at the stations in use
  input  wire logic [o3_pkg::STAMP_W-1:0] age_limit_i,
  input  wire logic [2:0]                 lun_shift_i,  // LUN index = (ce << shift) | lun
  input  wire logic [7:0]                 luns_i,       // LUNs a CE#
  input  wire logic                       no_grant_i,   // fault injection: the bus is never given away

  input  wire logic [o3_pkg::SUSPENDS_W-1:0] suspends_i,       // of one operation at most
  input  wire logic [1:0]                 suspend_priority_i,  // least of a read that suspends
  input  wire logic [o3_pkg::TICK_W-1:0]  progress_i,          // from a resume to the next suspend

  input  wire logic                       poll_i,          // no ready lines: LUNs are polled
  input  wire logic [8*o3_pkg::TICK_W-1:0] poll_times_i,   // o3_pkg::POLL_*
  input  wire logic [4:0]                 row_lun_i,       // lowest bit of the LUN in a row

  input  wire logic [o3_pkg::STAMP_W-1:0] now_i,
  input  wire logic [o3_pkg::TICK_W-1:0]  tick_i,
  input  wire logic                       sweep_i,      // LUNs that wait since the last one have timed out

  // In: to the intake. open: its fence, if it has one, is open.
  input  wire logic                       push_i,
  input  wire logic [HEAD_W-1:0]          push_head_i,
  input  wire logic                       push_open_i,
  input  wire logic [LUNS-1:0]            push_mask_i,  // LUNs that it takes
  output logic [LUNS-1:0]                 taken_o,      // LUN has or will have an operation
  input  wire logic                       in_order_i,   // what is in the intake may go
  input  wire logic                       head_goes_i,  // in order: an operation is about to come

  // A fence has opened.
  input  wire logic                       open_valid_i,
  input  wire logic [TW-1:0]              open_tag_i,
  input  wire logic [LW-1:0]              open_lun_i,
  output logic                            open_take_o,

  // Out: the end of an operation that needs no landing.
  output logic                            end_valid_o,
  input  wire logic                       end_take_i,
  output logic [TW-1:0]                   end_tag_o,
  output logic [o3_pkg::STATUS_W-1:0]     end_status_o,
  output logic [3:0]                      end_planes_o,

  // Descriptors.
  output logic                            desc_req_o,
  output logic [TW-1:0]                   desc_tag_o,
  input  wire logic                       desc_ack_i,
  input  wire logic                       desc_valid_i,
  input  wire logic [DESC_W-1:0]          desc_i,
  output logic                            dep_req_o,
  output logic [TW-1:0]                   dep_young_o,
  output logic [TW-1:0]                   dep_old_o,
  input  wire logic                       dep_done_i,
  input  wire logic                       dep_hit_i,

  // Segment port: valid and the fields stand until done; then valid is low for a cycle or more.
  output logic                            seg_valid_o,
  output logic [7:0]                      seg_ce_o,
  output logic [7:0]                      seg_lun_o,
  output logic [2:0]                      seg_phase_o,
  output logic [7:0]                      seg_opcode_o,
  output logic [1:0]                      seg_plane_o,
  output logic [2:0]                      seg_nplanes_o,
  output logic [7:0]                      seg_col_o,
  output logic [7:0]                      seg_len_o,
  output logic [7:0]                      seg_flags_o,
  output logic [15:0]                     seg_tag_o,
  output logic [31:0]                     seg_row_o,
  output logic [31:0]                     seg_buf_o,
  output logic [31:0]                     seg_oob_o,
  input  wire logic                       seg_done_i,
  input  wire logic [7:0]                 seg_status_i,
  input  wire logic [LUNS-1:0]            ready_i,

  // For counters.
  output logic                            event_o,      // a pulse: event_no_o, o3_pkg::PERF_*, has happened
  output logic [2:0]                      event_no_o,
  output logic                            work_o,       // operations or segments wait
  output logic                            blocked_o,    // the intake's head can go nowhere yet

  output logic                            timer_any_o,  // an edge is needed at this tick
  output logic [o3_pkg::TICK_W-1:0]       timer_at_o,
  output logic                            waiting_o,    // a LUN works
  output logic                            active_o      // the next edge changes something
);

  localparam int unsigned S     = STATIONS;
  localparam int unsigned PW    = o3_pkg::PHASE_W;
  localparam int unsigned KW    = o3_pkg::TICK_W;
  localparam int unsigned RUN_W = TW + OW + 2 + 2 + PW;
  localparam logic [OW-1:0] READ    = flash_op_pkg::FLASH_OP_READ[OW-1:0];
  localparam logic [OW-1:0] PROGRAM = flash_op_pkg::FLASH_OP_PROGRAM[OW-1:0];
  localparam logic [OW-1:0] RESET   = flash_op_pkg::FLASH_OP_RESET[OW-1:0];
  localparam logic [o3_pkg::STATUS_W-1:0] OK      = flash_op_pkg::FLASH_STATUS_OK[2:0];
  localparam logic [o3_pkg::STATUS_W-1:0] FAIL    = flash_op_pkg::FLASH_STATUS_FAIL[2:0];
  localparam logic [o3_pkg::STATUS_W-1:0] TIMEOUT = flash_op_pkg::FLASH_STATUS_TIMEOUT[2:0];

  // The clock of all registers below: gated, for at most edges a channel has nothing to do.
  logic            clk, wake;

  // Inputs, registered.
  logic            sweep_q;
  logic [LUNS-1:0] ready_q, ready_before_q;

  // LUNs.
  logic [LUNS-1:0] busy_q, busy_d;    // an operation has it
  logic [LUNS-1:0] any_q, any_d;      // operations in its stations
  logic [LUNS-1:0] queued_q, queued_d;  // in order: one is on its way to it
  logic [LUNS-1:0] wait_q, wait_d;    // waits for R/B#
  logic [LUNS-1:0] look_q, look_d;    // in the list of LUNs to look at
  logic [LUNS-1:0] hold_q, hold_d;    // between 32h or D1h and the next plane's command
  logic [LUNS-1:0] mark_q, mark_d;    // waited at the last sweep
  logic [LUNS-1:0] late_q, late_d;    // and still do at this one
  logic [LUNS-1:0] again_q, again_d;  // to be looked at after a RESET
  logic [LUNS-1:0] lost_q, lost_d;    // did not answer
  logic [LUNS-1:0] kept_q, kept_d;    // its operation may be suspended and keeps its station
  logic [LUNS-1:0] work_q, work_d;    // may be suspended now
  logic [LUNS-1:0] susp_q, susp_d;    // is suspended
  logic [LUNS-1:0] asked_q, asked_d;  // its suspend waits for the bus
  logic [LUNS-1:0] poll_q, poll_d;    // a status read is asked for or on the bus while it works
  logic [LUNS-1:0] then_q, then_d;    // its suspend comes after that
  logic [LUNS-1:0] later_q, later_d;  // resumed: may be suspended when its timer says so
  logic [KW-1:0]   poll_m [0:LUNS-1];  // when the next poll is due; suspended: how much of it is left
  logic [RUN_W-1:0] run_m [0:LUNS-1];  // tag, opcode, last plane, plane, phase

  // Fences that have opened: the two bits of a tag differ. One side writes each.
  logic shut_m [0:TAGS-1];
  logic open_m [0:TAGS-1];

  // ---- the event of this cycle ----
  logic            tick_any, tick_active, ev_tick, arm, stop, kept_run, drop;
  logic            polled, busy_yet, found, due;  // poll over: still busy, or ready; one is due
  logic [LW-1:0]   tick_lun, due_lun;
  logic            awake;  // this cycle changes something; all below holds still without it
  logic            act;    // there is an event
  logic            rb_any, late_any, ev_done, ev_rb, ev_late, ev_open, ev_look, ev_in, look_any, in_may;
  logic [LUNS-1:0] rb_req, ev_bit;
  logic [LW-1:0]   rb_lun, late_lun, look_lun, ev_lun, row_lun;
  // The segment that has ended: its LUN, and its status byte.
  logic            seg_end, seg_free, fetch, seg_fail, seg_suspended, seg_ready, seg_silent;
  logic [LW-1:0]   seg_end_lun;
  logic            end_free;

  // The intake's head.
  logic            h_fence, h_susp, h_reset_may, in_active;
  logic [TW-1:0]   h_tag;
  logic [LW-1:0]   h_lun;
  logic [OW-1:0]   h_opc;
  logic [1:0]      h_prio, h_last;
  logic [S-1:0]    h_waits;
  logic [LUNS-1:0] ce_mask;

  assign rb_req = poll_i ? '0 : (wait_q & ready_q);
  o3_first #(.N(LUNS)) u_rb (.req_i(rb_req), .any_o(rb_any), .idx_o(rb_lun));
  o3_first #(.N(LUNS)) u_late (.req_i(late_q & ~asked_q & ~poll_q), .any_o(late_any), .idx_o(late_lun));

  assign end_free = !end_valid_o;
  assign ev_done  = seg_end && end_free;
  assign ev_rb    = rb_any && !seg_end && end_free;
  assign ev_late  = late_any && !rb_any && !seg_end && end_free;
  assign polled   = ev_done && poll_q[ev_lun];
  assign busy_yet = polled && !(seg_ready && !seg_silent);
  assign found    = polled && seg_ready && !seg_silent;
  assign due      = ev_tick && !later_q[tick_lun];
  assign ev_tick  = tick_any && !ev_done && !ev_rb && !ev_late;
  assign ev_open  = open_valid_i && !ev_done && !ev_rb && !ev_late && !ev_tick;
  assign ev_look  = look_any && end_free && !ev_done && !ev_rb && !ev_late && !ev_tick && !ev_open;
  assign ev_in    = in_may && !ev_done && !ev_rb && !ev_late && !ev_tick;
  assign open_take_o = ev_open;
  assign act      = ev_done || ev_rb || ev_late || ev_tick || ev_open || ev_look || ev_in;
  assign awake    = seg_end || rb_any || late_q != '0 || again_q != '0 || tick_active || sweep_q
                 || sweep_i || open_valid_i || look_any || h_any || push_i || end_valid_o || fetch
                 || (can_grant && seg_free) || (ready_q & ~ready_before_q & lost_q) != '0;
  assign wake     = awake || seg_done_i || ready_i != ready_q || ready_q != ready_before_q;
  o3_gate u_gate (.clk_i, .en_i(wake), .clk_o(clk));

  // ---- the stations of one LUN ----
  logic [S-1:0]    r_used;
  logic [S*TW-1:0] r_tag;
  logic [S*OW-1:0] r_opc;
  logic            row_write, row_left, row_empty, row_full, row_more, row_en, h_any;
  logic            sel_go;    // the look issues an operation
  logic            sel_stop;  // it suspends the one at work
  logic            sel_on;    // it resumes the suspended one
  logic            keep;      // what is issued keeps its station
  logic [TW-1:0]   sel_tag;
  logic [OW-1:0]   sel_opc;
  logic [1:0]      sel_last;
  logic            refuse;    // its LUN is lost
  logic            in_reset, in_station;

  // A LUN's operation that keeps its station may end.
  assign kept_run = (ev_done || ev_late) && kept_q[ev_lun] && !susp_q[ev_lun];
  assign row_lun  = ev_open ? open_lun_i : ev_look ? look_lun : kept_run ? ev_lun : h_lun;
  assign row_en   = ev_open || ev_look || kept_run || h_any;
  assign in_reset   = ev_in && h_opc == RESET;
  assign in_station = ev_in && h_opc != RESET;

  o3_stations #(.LUNS(LUNS), .STATIONS(S), .TAGS(TAGS)) u_stations (
    .clk_i(clk), .rst_ni, .stations_i, .age_limit_i, .suspends_i, .suspend_priority_i, .now_i,
    .came_i(push_i), .came_tag_i(push_tag),
    .en_i(row_en), .lun_i(row_lun), .any_i(any_q[row_lun]), .kept_i(kept_q[row_lun]),
    .used_o(r_used), .tags_o(r_tag), .opcs_o(r_opc),
    .look_i(ev_look), .busy_i(busy_q[look_lun]), .work_i(work_q[look_lun]), .susp_i(susp_q[look_lun]),
    .lost_i(lost_q[look_lun]), .go_o(sel_go), .stop_o(sel_stop), .on_o(sel_on), .keep_o(keep),
    .tag_o(sel_tag), .opc_o(sel_opc), .last_o(sel_last), .leave_i(drop || (sel_on && refuse)),
    .in_i(in_station), .in_tag_i(h_tag), .in_opc_i(h_opc), .in_prio_i(h_prio), .in_last_i(h_last),
    .in_susp_i(h_susp), .in_open_i(h_open), .in_waits_i(h_waits), .open_i(ev_open), .open_tag_i,
    .write_o(row_write), .left_o(row_left), .empty_o(row_empty), .full_o(row_full), .more_o(row_more)
  );

  o3_intake #(.LUNS(LUNS), .STATIONS(S), .TAGS(TAGS)) u_intake (
    .clk_i(clk), .rst_ni, .stations_i, .push_i, .push_head_i,
    .any_o(h_any), .tag_o(h_tag), .lun_o(h_lun), .opc_o(h_opc), .prio_o(h_prio), .last_o(h_last),
    .fence_o(h_fence), .susp_o(h_susp), .row_i(!ev_open && !ev_look && !kept_run),
    .used_i(r_used), .tags_i(r_tag), .opcs_i(r_opc),
    .reset_may_i(h_reset_may), .may_o(in_may), .waits_o(h_waits), .pop_i(ev_in),
    .dep_req_o, .dep_old_o, .dep_done_i, .dep_hit_i, .active_o(in_active)
  );
  assign dep_young_o = h_tag;

  // A RESET takes its whole CE#, once nothing is on it or before it.
  logic          h_open, push_was, open_shut;
  logic [TW-1:0] push_tag;
  assign push_tag  = push_head_i[HEAD_W-2 -: TW];
  assign push_was  = open_m[push_tag];
  assign open_shut = shut_m[open_tag_i];
  assign h_open = !h_fence || (shut_m[h_tag] != open_m[h_tag]);
  always_comb begin
    ce_mask     = '0;
    h_reset_may = 1'b0;
    if (h_any && h_opc == RESET) begin
      for (int unsigned i = 0; i < LUNS; i++) begin
        ce_mask[i] = (LW'(i) >> lun_shift_i) == (h_lun >> lun_shift_i)
                  && (8'(i) & ~(8'hff << lun_shift_i)) < luns_i;
      end
      h_reset_may = ((any_q | busy_q) & ce_mask) == '0 && h_open;
    end
  end

  // ---- what becomes of the LUN's operation ----
  logic [TW-1:0] tag;
  logic [OW-1:0] opc;
  logic [1:0]    last, plane;
  logic [PW-1:0] phase;
  logic          want, burst, set_wait, next_lun, fin, fin_end, run_write;
  logic [LW-1:0] run_lun;
  logic [o3_pkg::STATUS_W-1:0] fin_status;
  logic          start;        // an operation gets its LUN

  assign ev_lun = ev_done ? seg_end_lun : ev_rb ? rb_lun : late_lun;

  always_comb begin
    {tag, opc, last, plane, phase, run_lun} = 'x;
    run_write  = 1'b0;
    want       = 1'b0;
    set_wait   = 1'b0;
    next_lun   = 1'b0;
    fin        = 1'b0;
    fin_end    = 1'b0;
    fin_status = OK;
    start      = 1'b0;
    refuse     = 1'b0;
    arm        = 1'b0;
    stop       = 1'b0;
    burst      = 1'b0;
    drop       = 1'b0;
    if (act) begin
      {tag, opc, last, plane, phase} = run_m[ev_lun];
      run_lun   = ev_lun;
      run_write = (ev_done && !busy_yet) || (ev_rb && !(asked_q[ev_lun] && grant && g_lun == ev_lun));
      if (due) begin  // its phase stays: the poll goes in between
        run_lun = tick_lun;
        want    = 1'b1;
      end else if (busy_yet) begin
        arm       = kept_run && phase == o3_pkg::PHASE_RESUME && !then_q[ev_lun];
        want      = then_q[ev_lun];
        if (want) phase = o3_pkg::PHASE_SUSPEND;
        run_write = want;
      end else if (ev_done && !polled) begin
        unique case (phase)
          o3_pkg::PHASE_DATA_OUT: begin
            fin   = plane == last;  // it completes by its landing
            want  = plane != last;
            plane = plane + 2'd1;
          end
          o3_pkg::PHASE_STATUS: begin
            stop       = kept_run && seg_suspended && !seg_silent;  // suspended
            fin        = !stop;
            fin_end    = !stop;
            fin_status = seg_silent ? TIMEOUT : seg_fail ? FAIL : OK;
          end
          default: begin
            set_wait = 1'b1;
            arm      = kept_run && plane == last && phase != o3_pkg::PHASE_SUSPEND;
          end
        endcase
      end else if (ev_rb || found) begin
        if (opc == RESET) begin  // plane counts the LUNs of the CE#
          if ({6'd0, plane} + 8'd1 < luns_i) begin
            plane    = plane + 2'd1;
            next_lun = 1'b1;
            run_lun  = ev_lun + LW'(1);
            want     = poll_i;
          end else begin
            fin     = 1'b1;
            fin_end = 1'b1;
          end
        end else if (plane != last) begin
          plane = plane + 2'd1;
          want  = 1'b1;
        end else if (opc == READ) begin
          plane = 2'd0;
          phase = o3_pkg::PHASE_DATA_OUT;
          want  = 1'b1;
        end else if (found) begin  // the byte that says ready says the rest, too
          stop       = kept_run && seg_suspended;
          fin        = !stop;
          fin_end    = !stop;
          fin_status = seg_fail ? FAIL : OK;
        end else begin  // status of the last plane's row; FAIL is that of the operation
          phase = o3_pkg::PHASE_STATUS;
          want  = !asked_q[ev_lun];  // else it takes the place of the suspend that waits for the bus
        end
      end else if (ev_late) begin
        fin        = 1'b1;
        fin_end    = 1'b1;
        fin_status = TIMEOUT;
      end else if (sel_go || sel_stop || sel_on || in_reset) begin
        run_lun   = in_reset ? h_lun : look_lun;
        tag       = in_reset ? h_tag : sel_tag;
        opc       = in_reset ? RESET : sel_opc;
        last      = in_reset ? 2'd0 : sel_last;
        plane     = (sel_stop || sel_on) ? last : 2'd0;
        phase     = sel_stop         ? o3_pkg::PHASE_SUSPEND
                  : sel_on           ? o3_pkg::PHASE_RESUME
                  : (opc == PROGRAM) ? o3_pkg::PHASE_DATA_IN : o3_pkg::PHASE_COMMAND;
        refuse    = !in_reset && !sel_stop && lost_q[look_lun];
        start     = !refuse && !sel_stop;
        want      = !refuse;
        run_write = !refuse;
        fin_end    = refuse;
        fin_status = TIMEOUT;
      end
      // A suspend while a poll is under way waits for its answer.
      if (sel_stop && poll_q[look_lun]) begin
        want      = 1'b0;
        run_write = 1'b0;
      end
      burst = !due && (phase == o3_pkg::PHASE_DATA_OUT || phase == o3_pkg::PHASE_DATA_IN);
      drop  = fin && kept_run;
    end
  end

  // ---- the LUN's timer: from a resume to the next suspend, until a poll ----
  logic          resumed, poll_first, arm_later, at_once, set_poll, poll_write, stop_timer;
  logic [KW-1:0] poll_due, poll_for, poll_new, typical;
  always_comb begin
    typical   = '0;
    poll_due  = '0;
    resumed   = arm && !busy_yet && phase == o3_pkg::PHASE_RESUME && progress_i != '0;
    poll_for  = progress_i;
    poll_new  = '0;
    poll_first = 1'b0;
    set_poll   = 1'b0;
    poll_write = 1'b0;
    if (poll_i && act) begin
      poll_due = poll_m[due_lun];
      typical  = (phase == o3_pkg::PHASE_SUSPEND)
                 ? ((opc == PROGRAM) ? poll_times_i[o3_pkg::POLL_SUSPEND_PROGRAM * KW +: KW]
                                     : poll_times_i[o3_pkg::POLL_SUSPEND_ERASE * KW +: KW])
               : (phase == o3_pkg::PHASE_RESUME) ? poll_due
               : (opc == RESET)   ? poll_times_i[o3_pkg::POLL_RESET * KW +: KW]
               : (plane != last)  ? poll_times_i[o3_pkg::POLL_QUEUE * KW +: KW]
               : (opc == READ)    ? poll_times_i[o3_pkg::POLL_READ * KW +: KW]
               : (opc == PROGRAM) ? poll_times_i[o3_pkg::POLL_PROGRAM * KW +: KW]
                                  : poll_times_i[o3_pkg::POLL_ERASE * KW +: KW];
      if (busy_yet) typical = poll_times_i[o3_pkg::POLL_AGAIN * KW +: KW];
      set_poll   = set_wait || (busy_yet && !then_q[ev_lun]);
      poll_first = poll_due < progress_i;  // and the poll that finds it busy lets it be suspended
      poll_for   = (resumed && !poll_first) ? progress_i : typical;
      poll_new   = tick_i + typical;
      poll_write = kept_run && (set_wait || busy_yet) && (phase != o3_pkg::PHASE_SUSPEND || then_q[ev_lun]);
      // Suspended: what is left of the time until the poll that was due.
      if (set_wait && phase == o3_pkg::PHASE_SUSPEND) begin
        poll_write = 1'b1;
        poll_new   = poll_due - tick_i;
        if (poll_new[KW-1]) poll_new = '0;
      end
      if (ev_tick && !due) begin  // progress made; on to the poll
        set_poll = 1'b1;
        poll_for = poll_due - tick_i;
        if (poll_for[KW-1]) poll_for = '0;
      end
    end
    arm_later = resumed && !poll_first;
    at_once   = arm && !resumed;
  end
  assign stop_timer = poll_i && sel_stop && !poll_q[look_lun];
  assign due_lun = ev_tick ? tick_lun : ev_lun;
  o3_timer #(.LUNS(LUNS)) u_timer (
    .clk_i(clk), .rst_ni, .tick_i, .set_i(arm_later || set_poll), .set_lun_i(due_lun), .set_for_i(poll_for),
    .clear_i(ev_rb || ev_late || found || stop_timer),
    .clear_lun_i(stop_timer ? look_lun : ev_lun), .any_o(tick_any), .lun_o(tick_lun), .take_i(ev_tick),
    .next_any_o(timer_any_o), .next_at_o(timer_at_o), .active_o(tick_active)
  );

  // ---- the bus: a grant, then its descriptor, then the segment ----
  logic             grant, can_grant, burst_may;
  logic [LW-1:0]    g_lun;
  logic [RUN_W-1:0] g_run;

  // A command that is on its way goes before a burst.
  assign burst_may = hold_q == '0 && !look_any && !(in_order_i && (head_goes_i || h_any));

  o3_bus #(.LUNS(LUNS)) u_bus (
    .clk_i(clk), .rst_ni, .want_i(want), .want_burst_i(burst), .want_lun_i(run_lun),
    .free_i(seg_free && !no_grant_i), .burst_may_i(burst_may),
    .grant_o(grant), .lun_o(g_lun), .can_o(can_grant)
  );
  always_comb begin
    g_run = 'x;
    if (grant) begin
      g_run = run_m[g_lun];
      if (poll_q[g_lun]) g_run[PW-1:0] = o3_pkg::PHASE_STATUS;
    end
  end
  o3_segment #(.LUNS(LUNS), .TAGS(TAGS)) u_segment (
    .clk_i(clk), .rst_ni, .row_lun_i, .grant_i(grant), .lun_i(g_lun), .run_i(g_run),
    .free_o(seg_free), .fetch_o(fetch), .desc_req_o, .desc_tag_o, .desc_ack_i, .desc_valid_i, .desc_i,
    .seg_valid_o, .seg_ce_o, .seg_lun_o, .seg_phase_o, .seg_opcode_o, .seg_plane_o, .seg_nplanes_o,
    .seg_col_o, .seg_len_o, .seg_flags_o, .seg_tag_o, .seg_row_o, .seg_buf_o, .seg_oob_o,
    .seg_done_i, .seg_status_i,
    .done_o(seg_end), .take_i(ev_done), .done_lun_o(seg_end_lun),
    .fail_o(seg_fail), .suspended_o(seg_suspended), .ready_o(seg_ready), .silent_o(seg_silent)
  );

  // ---- LUNs to look at, in the order of what happened to them ----
  logic            look_push, again_any;
  logic [LW-1:0]   look_push_lun, again_lun;
  o3_first #(.N(LUNS)) u_again (.req_i(again_q), .any_o(again_any), .idx_o(again_lun));
  always_comb begin
    look_push_lun = (ev_open || in_station || refuse) ? row_lun : ev_lun;
    look_push     = 1'b0;
    if (!awake) look_push = 1'b0;
    else if (ev_open || in_station) look_push = !look_q[row_lun];
    else if (refuse) look_push = !row_empty;
    else if (fin && opc != RESET) look_push = any_q[ev_lun] && !look_q[ev_lun];
    else if (stop || at_once) look_push = !look_q[ev_lun];
    else if (ev_tick && !due) begin
      look_push_lun = tick_lun;
      look_push     = !look_q[tick_lun];
    end else if (again_any) begin
      look_push_lun = again_lun;
      look_push     = !look_q[again_lun];
    end
  end
  o3_fifo #(.DEPTH((LUNS > 1) ? (1 << LW) : 2), .W(LW)) u_look (
    .clk_i(clk), .rst_ni, .push_i(look_push), .data_i(look_push_lun), .pop_i(ev_look), .any_o(look_any),
    .head_o(look_lun)
  );

  // ---- next state ----
  logic [LUNS-1:0] row_bit, run_bit, grant_bit, tick_bit, fin_mask;
  always_comb begin
    {ev_bit, row_bit, run_bit, grant_bit, tick_bit, fin_mask} = 'x;
    {busy_d, any_d, queued_d, wait_d, look_d, hold_d, mark_d, late_d, lost_d, again_d} = 'x;
    if (awake) begin
      ev_bit   = LUNS'(1) << ev_lun;
      row_bit  = LUNS'(1) << row_lun;
      run_bit  = LUNS'(1) << run_lun;
      grant_bit = LUNS'(grant) << g_lun;
      tick_bit  = LUNS'(1) << tick_lun;
      fin_mask = ev_bit;
      if (fin && opc == RESET) begin
        for (int unsigned i = 0; i < LUNS; i++) begin
          fin_mask[i] = (LW'(i) >> lun_shift_i) == (ev_lun >> lun_shift_i);
        end
      end
      busy_d   = busy_q;
      any_d    = any_q;
      wait_d   = wait_q;
      look_d   = look_q;
      hold_d   = hold_q;
      queued_d = push_i ? (queued_q | push_mask_i) : queued_q;
      mark_d   = mark_q & wait_q;
      late_d   = late_q & wait_q;
      lost_d   = lost_q & ~(ready_q & ~ready_before_q);
      if (sweep_q) begin
        late_d = wait_q & mark_q;
        mark_d = wait_q;
      end
      if (ev_rb || ev_late || found) begin
        wait_d = wait_d & ~ev_bit;
        late_d = late_d & ~ev_bit;
      end
      // Not back after tDBSY: others need not wait.
      if (ev_rb || ev_late || polled) hold_d = hold_d & ~ev_bit;
      if (set_wait) begin
        wait_d = wait_d | ev_bit;
        mark_d = mark_d & ~ev_bit;
        if (phase == o3_pkg::PHASE_COMMAND && plane != last) hold_d = hold_d | ev_bit;
      end
      if (next_lun) begin
        wait_d = wait_d | run_bit;
        mark_d = mark_d & ~run_bit;
      end
      if (fin || stop)  busy_d = busy_d & ~fin_mask;
      // A RESET: every LUN that is not ready; polled, the one that was asked.
      if (ev_late)      lost_d = lost_d | (poll_i ? ev_bit : (fin_mask & ~ready_q));
      if (fin && !ev_late && opc == RESET) lost_d = lost_d & ~fin_mask;
      if (start) busy_d = busy_d | (in_reset ? ce_mask : row_bit);
      if (row_left && row_empty) any_d = any_d & ~row_bit;
      if (sel_go) queued_d = queued_d & ~row_bit;
      if (in_station) any_d = any_d | row_bit;
      if (in_reset)   queued_d = queued_d & ~ce_mask;
      if (ev_look)    look_d = look_d & ~(LUNS'(1) << look_lun);
      if (look_push)  look_d = look_d | (LUNS'(1) << look_push_lun);
      // While its suspend is on the bus nothing else is asked of a LUN.
      wait_d = wait_d & ~(grant_bit & asked_q);
      late_d = late_d & ~(grant_bit & asked_q);
      again_d = again_q;
      if (fin && opc == RESET) again_d = again_d | (fin_mask & any_q);
      else if (again_any && look_push_lun == again_lun) again_d = again_d & ~(LUNS'(1) << again_lun);
    end
  end

  // ---- what may be suspended ----
  always_comb begin
    {kept_d, work_d, susp_d, asked_d, then_d, later_d, poll_d} = 'x;
    if (awake) begin
      kept_d  = kept_q;
      work_d  = work_q;
      susp_d  = susp_q;
      asked_d = asked_q;
      if (keep)      kept_d = kept_d | row_bit;
      if (drop || (sel_on && refuse)) kept_d = kept_d & ~row_bit;
      if (at_once)   work_d = work_d | ev_bit;
      if (ev_tick && !due) work_d = work_d | tick_bit;
      if (ev_rb || ev_late || found) work_d = work_d & ~ev_bit;
      if (sel_stop)  work_d = work_d & ~row_bit;
      if (stop)      susp_d = susp_d | ev_bit;
      if (sel_on)    susp_d = susp_d & ~row_bit;
      if (sel_stop && !poll_q[look_lun]) asked_d = asked_d | row_bit;
      if (busy_yet && then_q[ev_lun])    asked_d = asked_d | ev_bit;
      if (ev_rb)     asked_d = asked_d & ~ev_bit;
      asked_d = asked_d & ~grant_bit;
      then_d  = then_q;
      if (sel_stop && poll_q[look_lun]) then_d = then_d | row_bit;
      if (polled)    then_d = then_d & ~ev_bit;
      later_d = later_q;
      if (arm_later) later_d = later_d | ev_bit;
      if (ev_tick)   later_d = later_d & ~tick_bit;
      if (ev_rb || ev_late || found) later_d = later_d & ~ev_bit;
      poll_d  = poll_q;
      if (polled)    poll_d = poll_d & ~ev_bit;
      if (due)       poll_d = poll_d | tick_bit;
      if (next_lun && poll_i) poll_d = poll_d | run_bit;
    end
  end
  assign taken_o = busy_q | any_q | queued_q;

  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q      <= '0;
      any_q       <= '0;
      queued_q    <= '0;
      wait_q      <= '0;
      look_q      <= '0;
      hold_q      <= '0;
      mark_q      <= '0;
      late_q      <= '0;
      lost_q      <= '0;
      again_q     <= '0;
      kept_q      <= '0;
      work_q      <= '0;
      susp_q      <= '0;
      asked_q     <= '0;
      then_q      <= '0;
      later_q     <= '0;
      poll_q      <= '0;
      sweep_q     <= 1'b0;
      end_valid_o <= 1'b0;
    end else if (awake) begin
      busy_q   <= busy_d;
      any_q    <= any_d;
      queued_q <= queued_d;
      wait_q   <= wait_d;
      look_q   <= look_d;
      hold_q   <= hold_d;
      mark_q   <= mark_d;
      late_q   <= late_d;
      lost_q   <= lost_d;
      again_q  <= again_d;
      kept_q   <= kept_d;
      work_q   <= work_d;
      susp_q   <= susp_d;
      asked_q  <= asked_d;
      then_q   <= then_d;
      later_q  <= later_d;
      poll_q   <= poll_d;
      sweep_q  <= sweep_i;
      if (fin_end) end_valid_o <= 1'b1;
      else if (end_take_i) end_valid_o <= 1'b0;
    end
  end

  // Payload, never reset.
  always_ff @(posedge clk) begin
    ready_q        <= ready_i;
    ready_before_q <= ready_q;
    if (poll_write) poll_m[due_lun] <= poll_new;
    if (run_write) run_m[run_lun] <= {tag, opc, last, plane, phase};
    if (push_i) shut_m[push_tag] <= push_was ^ push_open_i;
    if (ev_open) open_m[open_tag_i] <= !open_shut;
    if (fin_end) begin
      end_tag_o    <= tag;
      end_status_o <= fin_status;
      end_planes_o <= (fin_status == OK) ? 4'h0 : (4'hf >> (2'd3 - last));
    end
  end

  // ---- for counters ----
  logic [LUNS-1:0] full_q;  // all stations in use
  logic [LUNS-1:0] more_q;  // one in them that is not under way
  logic            in_dependent;
  assign in_dependent = h_waits != '0;
  assign event_o      = (start && !sel_on) || (in_station && (in_dependent || !h_open));
  assign event_no_o   = start ? {1'b0, opc[1:0] - 2'd1}
                      : in_dependent ? o3_pkg::PERF_DEPENDENT : o3_pkg::PERF_FENCED;
  assign work_o       = more_q != '0 || h_any || can_grant;
  assign blocked_o    = h_any && (h_opc == RESET ? !h_reset_may : full_q[h_lun]);
  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q <= '0;
      more_q <= '0;
    end else begin
      if (row_write) full_q[row_lun] <= row_full;
      if (row_write || keep) more_q[row_lun] <= row_more;
    end
  end

  assign waiting_o = wait_q != '0;
  assign active_o  = seg_end || rb_any || late_any || again_any || tick_active || sweep_q || open_valid_i
                  || look_any || in_active || (can_grant && seg_free) || fetch || end_valid_o
                  || (ready_q & ~ready_before_q & lost_q) != '0;

  `O3_ASSERT(AwakeForAll, awake || !(act || grant || push_i || sweep_i || end_take_i || look_push || desc_ack_i
                                     || desc_valid_i || dep_done_i || row_write || in_active || tick_active),
             clk_i, rst_ni)
  `O3_ASSERTS_AT(clk, awake)
  `O3_HOLDS(StartWhereFree, !start || (busy_q & (in_reset ? ce_mask : row_bit)) == '0)
  `O3_HOLDS(EndTakenIsValid, !end_take_i || end_valid_o)
  `O3_HOLDS(EndNotOverwritten, !fin_end || !end_valid_o)
  `O3_HOLDS(OnlyBusyLunsWait, (wait_q & ~busy_q) == '0)
  `O3_HOLDS(OnlyWaitingLunsArePolled, (poll_q & ~wait_q) == '0)
  `O3_HOLDS(OnlyWorkIsSuspended, !sel_stop || (work_q[look_lun] && wait_q[look_lun]))
  `O3_HOLDS(SuspendedIsKept, (susp_q & ~kept_q) == '0)
  `O3_HOLDS(WorkIsKeptAndBusy, (work_q & ~(kept_q & busy_q & ~susp_q)) == '0)
  `O3_HOLDS(ResumeHasItsLun, !sel_on || (susp_q[look_lun] && !busy_q[look_lun]))
  `O3_ASSERTS_END

endmodule
`default_nettype wire
