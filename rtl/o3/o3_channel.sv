// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one channel of the out-of-order controller: its parts. One event after the other, by steps of a cycle; the
// bus is granted between them. docs/explanation/o3.md, docs/explanation/rtl-o3-events.md.
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
  input  wire logic                       clk_desc_i,   // at the edges at which a descriptor comes
  input  wire logic                       rst_ni,
  input  wire logic                       test_en_i,    // the gated clock runs (o3_gate)

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
  input  wire logic [o3_pkg::POLLS*o3_pkg::TICK_W-1:0] poll_times_i,  // o3_pkg::POLL_*
  input  wire logic [o3_pkg::LEVEL_W-1:0] retries_i,           // read-retry levels that are tried

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
  input  wire logic                       desc_abort_i,    // its operation is to be aborted
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
  output logic [7:0]                      seg_level_o,
  input  wire logic                       seg_done_i,
  input  wire logic [7:0]                 seg_status_i,
  input  wire logic [LUNS-1:0]            retry_i,         // pulses: ECC's verdict, the LUN's read goes on
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
  localparam int unsigned PW    = o3_pkg::PHASE_W, VW = o3_pkg::LEVEL_W;
  localparam int unsigned SEG_W = TW + VW + OW + 2 + 2 + PW;
  localparam int unsigned RUN_W = 4 + SEG_W;
  localparam logic [OW-1:0] RESET = flash_op_pkg::FLASH_OP_RESET[OW-1:0];
  localparam logic [o3_pkg::STATUS_W-1:0] OK = flash_op_pkg::FLASH_STATUS_OK[2:0];

  // The clock of all registers below: gated, for at most edges a channel has nothing to do.
  logic            clk, wake;
  logic            awake;  // the next edge changes something; all below holds still without it

  // Inputs, registered.
  logic            sweep_q, ready_wake, ready_moves, masking;
  logic [LUNS-1:0] ready_q, ready_before_q, may_q;

  // LUNs, a bit each: o3_luns.
  logic [LUNS-1:0] busy_q, any_q, queued_q, wait_q, request_q, hold_q, timeout_q, again_q, lost_q;
  logic [LUNS-1:0] pending_q, work_q, susp_q, asked_q, poll_q, then_q, later_q, retry_q, level_q;
  logic [RUN_W-1:0] run_m [0:LUNS-1];  // lost planes, tag, level, opcode, last plane, plane, phase

  // Fences that have opened: the two bits of a tag differ. One side writes each.
  logic shut_m [0:TAGS-1];
  logic open_m [0:TAGS-1];

  // ---- the event: what it is, its LUN, its step ----
  logic            ev, ev_done, ev_rb, ev_timeout, ev_retry, ev_tick, ev_open, ev_request, ev_in;  // until commit
  logic            take_done, take_open, take_request, picked;
  logic            read, choose, age, compare, decide, commit, stale;
  logic [LW-1:0]   lun;
  logic            tick_any, tick_active, rb_any, request_any, h_any, h_asks, h_may, end_free, seg_end;
  logic [LW-1:0]   tick_lun, request_lun, seg_end_lun;
  logic [LUNS-1:0] rb_req;

  // The intake's head.
  logic            h_fence, h_susp, h_reset_may, in_active, in_may, h_open;
  logic [TW-1:0]   h_tag;
  logic [LW-1:0]   h_lun;
  logic [OW-1:0]   h_opc;
  logic [1:0]      h_prio, h_last;
  logic [o3_pkg::STAMP_W-1:0] h_since;
  logic [S-1:0]    h_waits;
  logic [LUNS-1:0] ce_mask, full_q;

  assign rb_req   = poll_i ? '0 : (wait_q & may_q);
  assign end_free = !end_valid_o;
  assign h_may    = h_asks && (h_opc == RESET ? h_reset_may : !full_q[h_lun]);

  o3_event #(.LUNS(LUNS)) u_event (
    .clk_i(clk), .rst_ni, .end_free_i(end_free),
    .done_i(seg_end), .done_lun_i(seg_end_lun), .rb_i(rb_req), .timeout_i(timeout_q & ~asked_q & ~poll_q),
    .retry_i(retry_q), .tick_i(tick_any), .tick_lun_i(tick_lun), .open_i(open_valid_i), .open_lun_i,
    .request_i(request_any), .request_lun_i(request_lun), .in_i(h_may), .in_lun_i(h_lun), .wait_i(wait_q),
    .take_done_o(take_done), .take_open_o(take_open), .take_request_o(take_request), .rb_any_o(rb_any),
    .picked_o(picked), .ev_o(ev), .done_o(ev_done), .rb_o(ev_rb), .timeout_o(ev_timeout), .retry_o(ev_retry),
    .tick_o(ev_tick), .open_o(ev_open), .request_o(ev_request), .in_o(ev_in), .lun_o(lun),
    .read_o(read), .stale_o(stale), .choose_o(choose), .single_i(single), .age_o(age), .compare_o(compare),
    .decide_o(decide), .commit_o(commit)
  );
  assign open_take_o = take_open;

  // What the event is about, from its first step on.
  logic [RUN_W-1:0] run_q;
  logic [TW-1:0]    open_tag_q;
  logic             asked, then_one, poll_one, later, busy_one, work_one, susp_one, lost_one, pending_one, level_one;
  logic             seg_fail, seg_suspended, seg_ready, seg_silent, seg_aborted;  // stand until the next segment's end
  logic             pending_run, polled, busy_yet, found, due, alone;
  always_ff @(posedge clk) begin
    if (take_open) open_tag_q <= open_tag_i;
    if (read) begin
      run_q <= run_m[lun];
      {asked, then_one, poll_one, later, level_one}
        <= {asked_q[lun], then_q[lun], poll_q[lun], later_q[lun], level_q[lun]};
      {busy_one, work_one, susp_one, lost_one, pending_one}
        <= {busy_q[lun], work_q[lun], susp_q[lun], lost_q[lun], pending_q[lun]};
      h_open <= !h_fence || (shut_m[h_tag] != open_m[h_tag]);
    end
  end
  assign pending_run = (ev_done || ev_timeout) && pending_one && !susp_one;  // it may end and keeps its station
  assign polled   = ev_done && poll_one;
  assign busy_yet = polled && !(seg_ready && !seg_silent);
  assign found    = polled && seg_ready && !seg_silent;
  assign due      = ev_tick && !later;
  assign alone    = run_q[PW + 4 + OW +: VW] != '0;  // its level: a plane is read again

  // ---- the stations of the LUN ----
  logic [S-1:0]    r_used;
  logic [S*TW-1:0] r_tag;
  logic [S*OW-1:0] r_opc;
  logic            row_write, row_left, row_empty, row_full, row_more;
  logic            single;    // the row has one operation at most
  logic            sel_go;    // the look issues an operation
  logic            sel_stop;  // it suspends the one at work
  logic            sel_on;    // it resumes the suspended one
  logic            keep;      // what is issued keeps its station
  logic [TW-1:0]   sel_tag;
  logic [OW-1:0]   sel_opc;
  logic [1:0]      sel_last;
  logic            in_reset, in_station, direct;
  assign in_reset   = ev_in && h_opc == RESET;
  assign in_station = in_may && !direct;
  // The intake's head needs no station: its LUN is free, and none waits for it.
  assign direct     = decide && ev_in && h_opc != RESET && r_used == '0 && h_open && !h_susp && !busy_one && !lost_one;

  // ---- what the event makes of the LUN's operation: decided, then done ----
  logic [TW-1:0]    d_tag, tag;
  logic [OW-1:0]    d_opc, opc;
  logic [1:0]       d_last, d_plane, last, plane;
  logic [3:0]       d_lost, lost;
  logic [VW-1:0]    d_level, level;
  logic [PW-1:0]    d_phase, phase;
  logic             d_want, d_burst, d_set_wait, d_next_lun, d_fin, d_fin_end, d_arm, d_stop, d_start;
  logic             d_refuse, d_drop, want, burst, set_wait, next_lun, fin, fin_end, arm, stop, start;
  logic             refuse, drop, go_q, stop_q, on_q, keep_q, in_station_q, in_reset_q, direct_q;
  logic [LW-1:0]    d_run_lun, run_lun;
  logic [o3_pkg::STATUS_W-1:0] d_fin_status, fin_status;

  o3_stations #(.LUNS(LUNS), .STATIONS(S), .TAGS(TAGS)) u_stations (
    .clk_i(clk), .rst_ni, .stations_i, .age_limit_i, .suspends_i, .suspend_priority_i, .now_i,
    .read_i(read), .lun_i(lun), .any_i(any_q[lun]), .pending_i(pending_q[lun]),
    .used_o(r_used), .tags_o(r_tag), .opcs_o(r_opc),
    .request_i(ev_request), .choose_i(choose), .age_i(age), .compare_i(compare), .decide_i(decide),
    .busy_i(busy_one), .work_i(work_one), .susp_i(susp_one), .lost_i(lost_one),
    .single_o(single), .go_o(sel_go), .stop_o(sel_stop), .on_o(sel_on), .keep_o(keep),
    .tag_o(sel_tag), .opc_o(sel_opc), .last_o(sel_last), .commit_i(commit), .leave_i(drop || (on_q && refuse)),
    .in_i(in_station_q), .in_tag_i(h_tag), .in_opc_i(h_opc), .in_prio_i(h_prio), .in_last_i(h_last),
    .in_susp_i(h_susp), .in_since_i(h_since), .in_open_i(h_open), .in_waits_i(h_waits),
    .open_i(ev_open), .open_tag_i(open_tag_q),
    .write_o(row_write), .left_o(row_left), .empty_o(row_empty), .full_o(row_full), .more_o(row_more)
  );

  o3_intake #(.LUNS(LUNS), .STATIONS(S), .TAGS(TAGS)) u_intake (
    .clk_i(clk), .rst_ni, .now_i, .push_i, .push_head_i, .since_o(h_since),
    .any_o(h_any), .tag_o(h_tag), .lun_o(h_lun), .opc_o(h_opc), .prio_o(h_prio), .last_o(h_last),
    .fence_o(h_fence), .susp_o(h_susp), .asks_o(h_asks), .row_i(decide && ev_in && h_opc != RESET),
    .used_i(r_used), .tags_i(r_tag), .opcs_i(r_opc), .may_o(in_may), .waits_o(h_waits),
    .pop_i(commit && (in_station_q || in_reset_q || direct_q)),
    .dep_req_o, .dep_old_o, .dep_done_i, .dep_hit_i, .active_o(in_active)
  );
  assign dep_young_o = h_tag;

  // A RESET takes its whole CE#, once nothing is on it or before it.
  logic          push_was, open_shut;
  logic [TW-1:0] push_tag;
  assign push_tag  = push_head_i[HEAD_W-2 -: TW];
  assign push_was  = open_m[push_tag];
  assign open_shut = shut_m[open_tag_i];
  always_comb begin
    ce_mask     = '0;
    h_reset_may = 1'b0;
    if (h_any && h_opc == RESET) begin
      for (int unsigned i = 0; i < LUNS; i++) begin
        ce_mask[i] = (LW'(i) >> lun_shift_i) == (h_lun >> lun_shift_i)
                  && (8'(i) & ~(8'hff << lun_shift_i)) < luns_i;
      end
      h_reset_may = ((any_q | busy_q) & ce_mask) == '0 && (!h_fence || (shut_m[h_tag] != open_m[h_tag]));
    end
  end

  // ---- R/B#: a suspend finds it low ----
  o3_ready #(.LUNS(LUNS)) u_ready (
    .clk_i(clk), .lines_i(clk_lines_i), .rst_ni, .update_i(commit), .step_i, .mask_i, .synchronous_i,
    .ready_i, .start_i(commit && set_wait && run_q[PW-1:0] != o3_pkg::PHASE_SUSPEND), .lun_i(lun),
    .ready_o(ready_q), .before_o(ready_before_q), .may_o(may_q), .masking_o(masking), .wake_o(ready_wake),
    .moves_o(ready_moves)
  );

  o3_phases #(.LUNS(LUNS), .TAGS(TAGS)) u_phases (
    .luns_i, .poll_i, .retries_i, .act_i(decide), .ev_done_i(ev_done), .ev_rb_i(ev_rb), .ev_timeout_i(ev_timeout),
    .ev_retry_i(ev_retry), .due_i(due), .in_reset_i(in_reset), .sel_go_i(sel_go || direct), .sel_stop_i(sel_stop),
    .sel_on_i(sel_on), .ev_lun_i(lun), .run_i(run_q), .pending_run_i(pending_run), .asked_i(asked), .then_i(then_one),
    .polled_i(polled), .busy_yet_i(busy_yet), .found_i(found), .fail_i(seg_fail), .suspended_i(seg_suspended),
    .silent_i(seg_silent), .aborted_i(ev_done && seg_aborted), .lost_i(lost_one), .poll_one_i(poll_one),
    .level_one_i(level_one),
    .sel_tag_i(ev_in ? h_tag : sel_tag), .sel_opc_i(ev_in ? h_opc : sel_opc), .sel_last_i(ev_in ? h_last : sel_last),
    .tag_o(d_tag), .lost_o(d_lost), .level_o(d_level), .opc_o(d_opc), .last_o(d_last), .plane_o(d_plane),
    .phase_o(d_phase),
    .run_lun_o(d_run_lun), .want_o(d_want), .burst_o(d_burst), .set_wait_o(d_set_wait),
    .next_lun_o(d_next_lun), .arm_o(d_arm), .stop_o(d_stop), .start_o(d_start), .refuse_o(d_refuse), .fin_o(d_fin),
    .drop_o(d_drop), .fin_end_o(d_fin_end), .fin_status_o(d_fin_status)
  );
  always_ff @(posedge clk) begin
    if (decide) begin
      {lost, tag, level, opc, last, plane, phase} <= {d_lost, d_tag, d_level, d_opc, d_last, d_plane, d_phase};
      {run_lun, want, burst, set_wait, next_lun} <= {d_run_lun, d_want, d_burst, d_set_wait, d_next_lun};
      {arm, stop, start, refuse, fin, drop, fin_end, fin_status} <= {d_arm, d_stop, d_start, d_refuse, d_fin, d_drop,
                                                                     d_fin_end, d_fin_status};
      {go_q, stop_q, on_q, keep_q}         <= {sel_go || direct, sel_stop, sel_on, keep};
      {in_station_q, in_reset_q, direct_q} <= {in_station, in_reset, direct};
    end
  end

  // ---- the LUN's timer: from a resume to the next suspend, until a poll ----
  logic arm_later, at_once;
  o3_times #(.LUNS(LUNS)) u_times (
    .clk_i(clk), .rst_ni, .tick_i, .progress_i, .poll_i, .poll_times_i, .decide_i(decide), .act_i(commit),
    .ev_lun_i(lun),
    .opc_i(run_q[PW + 4 +: OW]), .last_i(run_q[PW + 2 +: 2]), .plane_i(run_q[PW +: 2]), .phase_i(run_q[PW-1:0]),
    .alone_i(alone), .pending_run_i(pending_run), .then_i(then_one), .set_wait_i(set_wait), .busy_yet_i(busy_yet),
    .arm_i(arm), .at_once_o(at_once), .arm_later_o(arm_later),
    .clear_i(commit && (ev_rb || ev_timeout || found)),
    .stop_i(commit && stop_q && !poll_one), .stop_lun_i(lun),
    .any_o(tick_any), .lun_o(tick_lun), .take_i(ev_tick), .due_i(due),
    .next_any_o(timer_any_o), .next_at_o(timer_at_o), .active_o(tick_active)
  );

  // ---- the bus: a grant, then its operation, its descriptor, the segment ----
  logic             grant, can_grant, burst_may, seg_free, fetch, ended_q;
  logic [LW-1:0]    g_lun;
  logic [SEG_W-1:0] g_run;

  // A command that is on its way goes before a burst, in order that of the head, which comes a cycle later.
  assign burst_may = hold_q == '0 && !request_any && !(in_order_i && (head_goes_i || h_any || ended_q));

  // During an event nothing is granted: what it is about may become something else, and it may bring a command.
  o3_bus #(.LUNS(LUNS), .ISSUE_POLICY(ISSUE_POLICY)) u_bus (
    .clk_i(clk), .rst_ni, .want_i(commit && want), .want_burst_i(burst), .want_lun_i(run_lun),
    .free_i(seg_free && !ev && !no_grant_i), .burst_may_i(burst_may), .used_i(any_q), .lun_shift_i,
    .grant_o(grant), .lun_o(g_lun), .can_o(can_grant)
  );
  always_ff @(posedge clk) ended_q <= commit && fin;
  always_comb begin
    g_run = 'x;
    if (grant) begin
      g_run = SEG_W'(run_m[g_lun]);
      if (poll_q[g_lun]) g_run[PW-1:0] = o3_pkg::PHASE_STATUS;
    end
  end
  o3_segment #(.LUNS(LUNS), .TAGS(TAGS)) u_segment (
    .clk_i(clk), .clk_desc_i, .rst_ni, .grant_i(grant), .lun_i(g_lun), .run_i(g_run),
    .free_o(seg_free), .fetch_o(fetch), .desc_req_o, .desc_tag_o, .desc_plane_o, .desc_poll_o, .desc_ack_i,
    .desc_valid_i, .desc_i, .desc_abort_i, .seg_valid_o, .seg_ce_o, .seg_lun_o, .seg_phase_o, .seg_opcode_o,
    .seg_plane_o, .seg_nplanes_o, .seg_col_o, .seg_len_o, .seg_flags_o, .seg_tag_o, .seg_row_o, .seg_buf_o, .seg_oob_o,
    .seg_level_o, .seg_done_i, .seg_status_i, .done_o(seg_end), .take_i(take_done), .done_lun_o(seg_end_lun),
    .fail_o(seg_fail), .suspended_o(seg_suspended), .ready_o(seg_ready), .silent_o(seg_silent), .aborted_o(seg_aborted)
  );

  // ---- LUNs to look at, in the order of what happened to them ----
  logic            request_push, again_any, again_push;
  logic [LW-1:0]   request_push_lun;
  o3_requests #(.LUNS(LUNS)) u_requests (
    .clk_i(clk), .rst_ni, .commit_i(commit), .lun_i(lun),
    .may_i(ev_open || in_station_q || stop || at_once || (ev_tick && !due)),
    .refuse_i(refuse), .left_i(!row_empty), .fin_i(fin && opc != RESET),
    .any_i(any_q), .listed_i(request_q), .again_i(again_q), .again_any_o(again_any),
    .push_o(request_push), .push_lun_o(request_push_lun), .push_again_o(again_push),
    .take_i(take_request), .any_o(request_any), .lun_o(request_lun)
  );

  assign awake = ev || picked || rb_any || tick_active || sweep_q || sweep_i || push_i || end_valid_o || fetch || ended_q
              || in_active || (can_grant && seg_free) || (ready_q & ~ready_before_q & lost_q) != '0;
  assign wake  = awake || seg_done_i || retry_i != '0 || ready_wake || masking || !rst_ni;
  o3_gate u_gate (.clk_i, .test_en_i, .en_i(wake), .clk_o(clk));

  // ---- next state ----
  o3_luns #(.LUNS(LUNS)) u_luns (
    .clk_i(clk), .rst_ni, .commit_i(commit), .lun_shift_i, .poll_i, .sweep_i(sweep_q), .ready_i(ready_q),
    .back_i(ready_q & ~ready_before_q), .retry_i, .push_i, .push_mask_i,
    .ev_lun_i(lun), .ev_rb_i(commit && ev_rb), .ev_timeout_i(commit && ev_timeout), .polled_i(commit && polled),
    .busy_yet_i(commit && busy_yet), .found_i(commit && found), .opc_i(run_q[PW + 4 +: OW]),
    .last_i(run_q[PW + 2 +: 2]), .plane_i(run_q[PW +: 2]), .phase_i(run_q[PW-1:0]),
    .alone_i(alone), .ev_retry_i(commit && ev_retry), .set_wait_i(commit && set_wait),
    .fin_i(commit && fin), .stop_i(commit && stop), .at_once_i(at_once), .arm_later_i(arm_later),
    .next_lun_i(commit && next_lun), .run_lun_i(run_lun), .ev_tick_i(commit && ev_tick), .due_i(commit && due),
    .row_left_i(row_left), .row_empty_i(row_empty), .in_station_i(commit && in_station_q),
    .start_i(commit && start), .keep_i(commit && keep_q), .drop_i(commit && drop), .sel_go_i(commit && go_q),
    .sel_stop_i(commit && stop_q), .sel_on_i(commit && on_q), .refuse_i(refuse), .in_reset_i(commit && in_reset_q),
    .ce_mask_i(ce_mask),
    .grant_i(grant), .g_lun_i(g_lun), .ev_request_i(take_request), .request_lun_i(request_lun),
    .request_push_i(request_push), .request_push_lun_i(request_push_lun), .again_push_i(again_push),
    .busy_o(busy_q), .any_o(any_q), .queued_o(queued_q), .wait_o(wait_q), .request_o(request_q), .hold_o(hold_q),
    .timeout_o(timeout_q), .again_o(again_q), .lost_o(lost_q), .pending_o(pending_q), .work_o(work_q), .susp_o(susp_q),
    .asked_o(asked_q), .poll_o(poll_q), .then_o(then_q), .later_o(later_q), .retry_o(retry_q), .level_o(level_q)
  );
  assign taken_o = busy_q | any_q | queued_q;

  always_ff @(posedge clk) begin
    if (!rst_ni) begin
      sweep_q     <= 1'b0;
      end_valid_o <= 1'b0;
    end else begin
      sweep_q <= sweep_i;
      if (commit && fin_end) end_valid_o <= 1'b1;
      else if (end_take_i) end_valid_o <= 1'b0;
    end
  end

  // Payload, never reset.
  always_ff @(posedge clk) begin
    if (commit) run_m[run_lun] <= {lost, tag, level, opc, last, plane, phase};
    if (push_i) shut_m[push_tag] <= push_was ^ push_open_i;
    if (take_open) open_m[open_tag_i] <= !open_shut;
    if (commit && fin_end) begin
      end_tag_o    <= tag;
      end_status_o <= fin_status;
      end_planes_o <= (fin_status == OK) ? 4'h0 : (4'hf >> (2'd3 - last));
    end
  end

  // ---- for counters ----
  logic [LUNS-1:0] more_q;  // one in a LUN's stations that is not under way
  logic            in_dependent;
  assign in_dependent = h_waits != '0;
  assign event_o      = commit && ((start && !on_q) || (in_station_q && (in_dependent || !h_open)));
  assign event_no_o   = start ? {1'b0, opc[1:0] - 2'd1}
                      : in_dependent ? o3_pkg::PERF_DEPENDENT : o3_pkg::PERF_FENCED;
  assign work_o       = more_q != '0 || h_any || can_grant;
  assign blocked_o    = h_any && (h_opc == RESET ? !h_reset_may : full_q[h_lun]);
  always_ff @(posedge clk) begin
    if (!rst_ni) begin
      full_q <= '0;
      more_q <= '0;
    end else begin
      if (row_write) full_q[lun] <= row_full;
      if (commit) more_q[lun] <= row_more;
    end
  end

  assign waiting_o = wait_q != '0;
  assign active_o  = ev || picked || again_any || tick_active || sweep_q || seg_end || request_any || open_valid_i
                  || in_active || (can_grant && seg_free) || ended_q || fetch || end_valid_o
                  || (ready_q & ~ready_before_q & lost_q) != '0
                  || ready_moves || (!poll_i && (wait_q & ready_q & ~may_q) != '0);

  `O3_ASSERT_CONCURRENT(AwakeForAll, awake || !(ev || grant || push_i || sweep_i || end_take_i || request_push || desc_ack_i
                                     || desc_valid_i || dep_done_i || row_write || in_active || tick_active),
             clk_i, rst_ni)
  `O3_ASSERTS_AT(clk, awake)
  `O3_HOLDS(EndTakenIsValid, !end_take_i || end_valid_o)
  `O3_HOLDS(EndNotOverwritten, !(commit && fin_end) || !end_valid_o)
  `O3_HOLDS(StaleIsOfTheLine, !stale || ev_rb || ev_timeout)
  `O3_HOLDS(InOrderTheHeadTakesItsLun, !(in_order_i && h_any) || taken_o[h_lun])
  `O3_ASSERTS_END

endmodule
`default_nettype wire
