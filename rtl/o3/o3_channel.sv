// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one channel of the out-of-order controller (docs/explanation/o3.md, docs/explanation/rtl-o3.md): its events, and
// its parts: intake, stations, phases of operations, times, states of LUNs, bus, segment.
// One event a cycle: segment done, R/B#, time out, fence opened, look at a LUN, take in. The grant
// of the bus runs beside it.
`default_nettype none
`include "assert.svh"

module o3_channel #(
  parameter  int unsigned LUNS     = 16,
  parameter  int unsigned STATIONS = 8,
  parameter  int unsigned TAGS     = 256,
  parameter  int unsigned ISSUE_POLICY = o3_pkg::POLICY_FIRST_COME,
  localparam int unsigned LW       = (LUNS > 1) ? $clog2(LUNS) : 1,
  localparam int unsigned TW       = $clog2(TAGS),
  localparam int unsigned OW       = o3_pkg::OPC_W,
  localparam int unsigned HEAD_W   = 1 + TW + LW + OW + 2 + 2 + 1
) (
  input  wire logic                       clk_i,
  input  wire logic                       clk_lines_i,  // at the edges that matter to the flops of ready_i
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
  output logic [1:0]                      desc_plane_o,
  output logic                            desc_poll_o,
  input  wire logic                       desc_ack_i,
  input  wire logic                       desc_valid_i,
  input  wire o3_pkg::seg_t               desc_i,
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
  input  wire logic [LUNS-1:0]            ready_i,         // R/B#, of no clock
  input  wire logic [o3_pkg::MASK_W-1:0]  mask_i,          // ticks from a command until R/B# has fallen
  input  wire logic [o3_pkg::MASK_W-1:0]  step_i,          // ticks that the next edge adds to tick_i
  input  wire logic                       synchronous_i,   // ready_i comes from clk_i

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
  localparam int unsigned RUN_W = TW + OW + 2 + 2 + PW;
  localparam logic [OW-1:0] RESET = flash_op_pkg::FLASH_OP_RESET[OW-1:0];
  localparam logic [o3_pkg::STATUS_W-1:0] OK = flash_op_pkg::FLASH_STATUS_OK[2:0];

  // The clock of all registers below: gated, for at most edges a channel has nothing to do.
  logic            clk, wake;

  // Inputs, registered.
  logic            sweep_q;
  logic [LUNS-1:0] ready_q, ready_before_q, may_q;
  logic            ready_wake, ready_moves;

  // LUNs, a bit each: o3_luns.
  logic [LUNS-1:0] busy_q, any_q, queued_q, wait_q, request_q, hold_q, timeout_q, again_q, lost_q;
  logic [LUNS-1:0] pending_q, work_q, susp_q, asked_q, poll_q, then_q, later_q;
  logic [RUN_W-1:0] run_m [0:LUNS-1];  // tag, opcode, last plane, plane, phase

  // Fences that have opened: the two bits of a tag differ. One side writes each.
  logic shut_m [0:TAGS-1];
  logic open_m [0:TAGS-1];

  // ---- the event of this cycle ----
  logic            tick_any, tick_active, ev_tick, arm, stop, pending_run, drop;
  logic            polled, busy_yet, found, due;  // poll over: still busy, or ready; one is due
  logic [LW-1:0]   tick_lun;
  logic            awake;  // this cycle changes something; all below holds still without it
  logic            act;    // there is an event
  logic            rb_any, timeout_any, ev_done, ev_rb, ev_timeout, ev_open, ev_request, ev_in, request_any, in_may;
  logic [LUNS-1:0] rb_req, pending_at_work;
  logic [LW-1:0]   rb_lun, timeout_lun, request_lun, ev_lun, row_lun;
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
  logic [o3_pkg::STAMP_W-1:0] h_since;
  logic [S-1:0]    h_waits;
  logic [LUNS-1:0] ce_mask;

  assign rb_req = poll_i ? '0 : (wait_q & may_q);
  o3_first #(.N(LUNS)) u_rb (.req_i(rb_req), .any_o(rb_any), .idx_o(rb_lun));
  o3_first #(.N(LUNS)) u_timeout (.req_i(timeout_q & ~asked_q & ~poll_q), .any_o(timeout_any), .idx_o(timeout_lun));

  assign end_free = !end_valid_o;
  assign ev_done  = seg_end && end_free;
  assign ev_rb    = rb_any && !seg_end && end_free;
  assign ev_timeout  = timeout_any && !rb_any && !seg_end && end_free;
  assign polled   = ev_done && poll_q[ev_lun];
  assign busy_yet = polled && !(seg_ready && !seg_silent);
  assign found    = polled && seg_ready && !seg_silent;
  assign due      = ev_tick && !later_q[tick_lun];
  assign ev_tick  = tick_any && !ev_done && !ev_rb && !ev_timeout;
  assign ev_open  = open_valid_i && !ev_done && !ev_rb && !ev_timeout && !ev_tick;
  assign ev_request  = request_any && end_free && !ev_done && !ev_rb && !ev_timeout && !ev_tick && !ev_open;
  assign ev_in    = in_may && !ev_done && !ev_rb && !ev_timeout && !ev_tick;
  assign open_take_o = ev_open;
  assign act      = ev_done || ev_rb || ev_timeout || ev_tick || ev_open || ev_request || ev_in;
  assign awake    = seg_end || rb_any || timeout_q != '0 || again_q != '0 || tick_active || sweep_q
                 || sweep_i || open_valid_i || request_any || h_any || push_i || end_valid_o || fetch
                 || (can_grant && seg_free) || (ready_q & ~ready_before_q & lost_q) != '0;
  assign wake     = awake || seg_done_i || ready_wake || !rst_ni;
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
  assign pending_at_work = pending_q & ~susp_q;
  assign pending_run = ev_done ? pending_at_work[seg_end_lun] : (ev_timeout && pending_at_work[timeout_lun]);
  assign row_lun  = ev_open ? open_lun_i : ev_request ? request_lun : pending_run ? ev_lun : h_lun;
  assign row_en   = ev_open || ev_request || pending_run || h_any;
  assign in_reset   = ev_in && h_opc == RESET;
  assign in_station = ev_in && h_opc != RESET;

  o3_stations #(.LUNS(LUNS), .STATIONS(S), .TAGS(TAGS)) u_stations (
    .clk_i(clk), .rst_ni, .stations_i, .age_limit_i, .suspends_i, .suspend_priority_i, .now_i,
    .en_i(row_en), .lun_i(row_lun), .any_i(any_q[row_lun]), .pending_i(pending_q[row_lun]),
    .used_o(r_used), .tags_o(r_tag), .opcs_o(r_opc),
    .request_i(ev_request), .busy_i(busy_q[request_lun]), .work_i(work_q[request_lun]), .susp_i(susp_q[request_lun]),
    .lost_i(lost_q[request_lun]), .go_o(sel_go), .stop_o(sel_stop), .on_o(sel_on), .keep_o(keep),
    .tag_o(sel_tag), .opc_o(sel_opc), .last_o(sel_last), .leave_i(drop || (sel_on && refuse)),
    .in_i(in_station), .in_tag_i(h_tag), .in_opc_i(h_opc), .in_prio_i(h_prio), .in_last_i(h_last),
    .in_susp_i(h_susp), .in_since_i(h_since), .in_open_i(h_open), .in_waits_i(h_waits),
    .open_i(ev_open), .open_tag_i,
    .write_o(row_write), .left_o(row_left), .empty_o(row_empty), .full_o(row_full), .more_o(row_more)
  );

  o3_intake #(.LUNS(LUNS), .STATIONS(S), .TAGS(TAGS)) u_intake (
    .clk_i(clk), .rst_ni, .stations_i, .now_i, .push_i, .push_head_i, .since_o(h_since),
    .any_o(h_any), .tag_o(h_tag), .lun_o(h_lun), .opc_o(h_opc), .prio_o(h_prio), .last_o(h_last),
    .fence_o(h_fence), .susp_o(h_susp), .row_i(!ev_open && !ev_request && !pending_run),
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

  // ---- R/B#: a suspend finds it low ----
  o3_ready #(.LUNS(LUNS)) u_ready (
    .clk_i, .lines_i(clk_lines_i), .gated_i(clk), .rst_ni, .awake_i(awake), .step_i, .mask_i, .synchronous_i, .ready_i,
    .start_i(set_wait && ev_phase != o3_pkg::PHASE_SUSPEND), .lun_i(ev_lun),
    .ready_o(ready_q), .before_o(ready_before_q), .may_o(may_q), .wake_o(ready_wake), .moves_o(ready_moves)
  );

  // ---- what becomes of the LUN's operation ----
  logic [TW-1:0]    tag;
  logic [OW-1:0]    opc;
  logic [1:0]       last, plane;
  logic [PW-1:0]    phase;
  // As it was before the event: what its end, wait or time depends on need not wait for the choice of a look.
  logic [RUN_W-1:0] ev_run;
  logic [OW-1:0]    ev_opc;
  logic [1:0]       ev_last, ev_plane;
  logic [PW-1:0]    ev_phase;
  logic             want, burst, set_wait, next_lun, fin, fin_end, run_write;
  logic [LW-1:0]    run_lun;
  logic [o3_pkg::STATUS_W-1:0] fin_status;
  logic             start;        // an operation gets its LUN

  assign ev_lun = ev_done ? seg_end_lun : ev_rb ? rb_lun : timeout_lun;
  always_comb begin
    ev_run = 'x;
    if (act) ev_run = run_m[ev_lun];
  end
  assign {ev_opc, ev_last, ev_plane, ev_phase} = ev_run[PW + 4 + OW - 1:0];

  o3_phases #(.LUNS(LUNS), .TAGS(TAGS)) u_phases (
    .luns_i, .poll_i, .act_i(act), .ev_done_i(ev_done), .ev_rb_i(ev_rb), .ev_timeout_i(ev_timeout), .due_i(due),
    .in_reset_i(in_reset), .sel_go_i(sel_go), .sel_stop_i(sel_stop), .sel_on_i(sel_on),
    .ev_lun_i(ev_lun), .run_i(ev_run), .pending_run_i(pending_run), .asked_i(asked_q[ev_lun]),
    .gone_i(asked_q[ev_lun] && grant && g_lun == ev_lun), .then_i(then_q[ev_lun]),
    .polled_i(polled), .busy_yet_i(busy_yet), .found_i(found),
    .fail_i(seg_fail), .suspended_i(seg_suspended), .silent_i(seg_silent), .tick_lun_i(tick_lun),
    .request_lun_i(request_lun), .lost_i(lost_q[request_lun]), .request_poll_i(poll_q[request_lun]),
    .sel_tag_i(sel_tag), .sel_opc_i(sel_opc), .sel_last_i(sel_last), .h_lun_i(h_lun), .h_tag_i(h_tag),
    .tag_o(tag), .opc_o(opc), .last_o(last), .plane_o(plane), .phase_o(phase),
    .run_lun_o(run_lun), .run_write_o(run_write), .want_o(want), .burst_o(burst), .set_wait_o(set_wait),
    .next_lun_o(next_lun), .arm_o(arm), .stop_o(stop), .start_o(start), .refuse_o(refuse), .fin_o(fin),
    .drop_o(drop), .fin_end_o(fin_end), .fin_status_o(fin_status)
  );

  // ---- the LUN's timer: from a resume to the next suspend, until a poll ----
  logic arm_later, at_once;
  o3_times #(.LUNS(LUNS)) u_times (
    .clk_i(clk), .rst_ni, .tick_i, .progress_i, .poll_i, .poll_times_i, .act_i(act), .ev_lun_i(ev_lun),
    .opc_i(ev_opc), .last_i(ev_last), .plane_i(ev_plane), .phase_i(ev_phase), .pending_run_i(pending_run),
    .then_i(then_q[ev_lun]), .set_wait_i(set_wait), .busy_yet_i(busy_yet), .arm_i(arm),
    .at_once_o(at_once), .arm_later_o(arm_later), .clear_i(ev_rb || ev_timeout || found),
    .stop_i(sel_stop && !poll_q[request_lun]), .stop_lun_i(request_lun),
    .any_o(tick_any), .lun_o(tick_lun), .take_i(ev_tick), .due_i(due),
    .next_any_o(timer_any_o), .next_at_o(timer_at_o), .active_o(tick_active)
  );

  // ---- the bus: a grant, then its descriptor, then the segment ----
  logic             grant, can_grant, burst_may;
  logic [LW-1:0]    g_lun;
  logic [RUN_W-1:0] g_run;

  // A command that is on its way goes before a burst.
  assign burst_may = hold_q == '0 && !request_any && !(in_order_i && (head_goes_i || h_any));

  o3_bus #(.LUNS(LUNS), .ISSUE_POLICY(ISSUE_POLICY)) u_bus (
    .clk_i(clk), .rst_ni, .want_i(want), .want_burst_i(burst), .want_lun_i(run_lun),
    .free_i(seg_free && !no_grant_i), .burst_may_i(burst_may), .used_i(any_q), .lun_shift_i,
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
    .clk_i(clk), .rst_ni, .grant_i(grant), .lun_i(g_lun), .run_i(g_run),
    .free_o(seg_free), .fetch_o(fetch), .desc_req_o, .desc_tag_o, .desc_plane_o, .desc_poll_o, .desc_ack_i,
    .desc_valid_i, .desc_i,
    .seg_valid_o, .seg_ce_o, .seg_lun_o, .seg_phase_o, .seg_opcode_o, .seg_plane_o, .seg_nplanes_o,
    .seg_col_o, .seg_len_o, .seg_flags_o, .seg_tag_o, .seg_row_o, .seg_buf_o, .seg_oob_o,
    .seg_done_i, .seg_status_i,
    .done_o(seg_end), .take_i(ev_done), .done_lun_o(seg_end_lun),
    .fail_o(seg_fail), .suspended_o(seg_suspended), .ready_o(seg_ready), .silent_o(seg_silent)
  );

  // ---- LUNs to look at, in the order of what happened to them ----
  logic            request_push, again_any;
  logic [LW-1:0]   request_push_lun, again_lun;
  o3_first #(.N(LUNS)) u_again (.req_i(again_q), .any_o(again_any), .idx_o(again_lun));
  always_comb begin
    request_push_lun = (ev_open || in_station || refuse) ? row_lun : ev_lun;
    request_push     = 1'b0;
    if (!awake) request_push = 1'b0;
    else if (ev_open || in_station) request_push = !request_q[row_lun];
    else if (refuse) request_push = !row_empty;
    else if (fin && ev_opc != RESET) request_push = any_q[ev_lun] && !request_q[ev_lun];
    else if (stop || at_once) request_push = !request_q[ev_lun];
    else if (ev_tick && !due) begin
      request_push_lun = tick_lun;
      request_push     = !request_q[tick_lun];
    end else if (again_any) begin
      request_push_lun = again_lun;
      request_push     = !request_q[again_lun];
    end
  end
  o3_fifo #(.DEPTH((LUNS > 1) ? (1 << LW) : 2), .W(LW)) u_request (
    .clk_i(clk), .rst_ni, .push_i(request_push), .data_i(request_push_lun), .pop_i(ev_request), .any_o(request_any),
    .head_o(request_lun)
  );

  // ---- next state ----
  o3_luns #(.LUNS(LUNS)) u_luns (
    .clk_i(clk), .rst_ni, .awake_i(awake), .lun_shift_i, .poll_i, .sweep_i(sweep_q), .ready_i(ready_q),
    .back_i(ready_q & ~ready_before_q), .push_i, .push_mask_i,
    .ev_lun_i(ev_lun), .ev_rb_i(ev_rb), .ev_timeout_i(ev_timeout), .polled_i(polled), .busy_yet_i(busy_yet),
    .found_i(found), .opc_i(ev_opc), .last_i(ev_last), .plane_i(ev_plane), .phase_i(ev_phase),
    .set_wait_i(set_wait),
    .fin_i(fin), .stop_i(stop), .at_once_i(at_once), .arm_later_i(arm_later), .next_lun_i(next_lun),
    .run_lun_i(run_lun), .ev_tick_i(ev_tick), .due_i(due), .tick_lun_i(tick_lun),
    .row_lun_i(row_lun), .row_left_i(row_left), .row_empty_i(row_empty), .in_station_i(in_station),
    .start_i(start), .keep_i(keep), .drop_i(drop), .sel_go_i(sel_go), .sel_stop_i(sel_stop),
    .sel_on_i(sel_on), .refuse_i(refuse), .in_reset_i(in_reset), .ce_mask_i(ce_mask),
    .grant_i(grant), .g_lun_i(g_lun), .ev_request_i(ev_request), .request_lun_i(request_lun),
    .request_push_i(request_push), .request_push_lun_i(request_push_lun),
    .again_push_i(again_any && request_push_lun == again_lun),
    .busy_o(busy_q), .any_o(any_q), .queued_o(queued_q), .wait_o(wait_q), .request_o(request_q), .hold_o(hold_q),
    .timeout_o(timeout_q), .again_o(again_q), .lost_o(lost_q), .pending_o(pending_q), .work_o(work_q), .susp_o(susp_q),
    .asked_o(asked_q), .poll_o(poll_q), .then_o(then_q), .later_o(later_q)
  );
  assign taken_o = busy_q | any_q | queued_q;

  always_ff @(posedge clk) begin
    if (!rst_ni) begin
      sweep_q     <= 1'b0;
      end_valid_o <= 1'b0;
    end else if (awake) begin
      sweep_q <= sweep_i;
      if (fin_end) end_valid_o <= 1'b1;
      else if (end_take_i) end_valid_o <= 1'b0;
    end
  end

  // Payload, never reset.
  always_ff @(posedge clk) begin
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
  always_ff @(posedge clk) begin
    if (!rst_ni) begin
      full_q <= '0;
      more_q <= '0;
    end else begin
      if (row_write) full_q[row_lun] <= row_full;
      if (row_write || keep) more_q[row_lun] <= row_more;
    end
  end

  assign waiting_o = wait_q != '0;
  assign active_o  = seg_end || rb_any || timeout_any || again_any || tick_active || sweep_q || open_valid_i
                  || request_any || in_active || (can_grant && seg_free) || fetch || end_valid_o
                  || (ready_q & ~ready_before_q & lost_q) != '0
                  || ready_moves || (!poll_i && (wait_q & ready_q & ~may_q) != '0);

  `O3_ASSERT(AwakeForAll, awake || !(act || grant || push_i || sweep_i || end_take_i || request_push || desc_ack_i
                                     || desc_valid_i || dep_done_i || row_write || in_active || tick_active),
             clk_i, rst_ni)
  `O3_ASSERTS_AT(clk, awake)
  `O3_HOLDS(EndTakenIsValid, !end_take_i || end_valid_o)
  `O3_HOLDS(EndNotOverwritten, !fin_end || !end_valid_o)
  `O3_ASSERTS_END

endmodule
`default_nettype wire
