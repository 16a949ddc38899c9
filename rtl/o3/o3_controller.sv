// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: out-of-order flash controller: data dependencies are the only order among operations, each
// stream completes in its own order. docs/explanation/rtl-o3.md. Inputs meet a register at the edge; outputs are
// functions of registers.
`default_nettype none
`include "assert.svh"

module o3_controller
#(
  parameter int unsigned CHANNELS = 8,    // 1 to 16
  parameter int unsigned LUNS     = 16,   // a channel, a power of two up to 64
  parameter int unsigned TAGS     = 256,  // a power of two, 16 to 256
  parameter int unsigned STATIONS = 8,    // a LUN, 1 to 16
  parameter int unsigned DEPTH    = 4,    // operations in the front FIFO, a power of two
  parameter int unsigned ISSUE_POLICY = o3_pkg::POLICY_FIRST_COME  // who gets a bus, o3_pkg::POLICY_*
) (
  input  wire logic                     clk_i,
  input  wire logic                     clk_straps_i,   // needed at the edge after a register has changed
  input  wire logic                     rst_ni,
  input  wire logic                     test_en_i,      // every gated clock runs (o3_gate); constant but in a scan test
  input  wire logic [63:0]              now_i,          // ps

  // Registers, constant while operations are inside; the time out may change at any time.
  input  wire logic [1:0]               mode_i,         // o3_pkg::MODE_*
  input  wire logic [4:0]               stations_i,     // in use, 1 to STATIONS
  input  wire logic [31:0]              age_limit_i,    // stamps of 2^20 ps, below 2^23
  input  wire logic [31:0]              timeout_i,      // stamps; 0: wait for ever
  input  wire logic [4:0]               page_bits_i,    // of a row
  input  wire logic [CHANNELS-1:0]      no_grant_i,     // fault injection: these buses are never given away
  input  wire logic [1:0]               suspend_i,      // for reads: bit 0 erases, bit 1 programs
  input  wire logic [3:0]               suspends_i,     // of one operation at most
  input  wire logic [1:0]               suspend_priority_i,  // least of a read that suspends
  input  wire logic                     poll_i,         // no ready lines
  input  wire logic [o3_pkg::POLLS*24-1:0] poll_times_i,  // ticks of 2^16 ps, o3_pkg::POLL_*, each below 2^23
  input  wire logic [o3_pkg::LEVEL_W-1:0] retries_i,    // read-retry levels that are tried
  input  wire logic [o3_pkg::MASK_W-1:0] ready_mask_i,  // ticks from a command until R/B# has fallen
  input  wire logic                     ready_synchronous_i,  // R/B# comes from clk_i
  input  wire logic [4:0]               row_lun_i,      // lowest bit of the LUN in a row
  // Ticks of 2^16 ps from a resume to the next suspend, below 2^23.
  input  wire logic [23:0]              suspend_progress_i,
  // Straps: the geometry in use, at most the built one.
  input  wire logic [7:0]               channels_i,
  input  wire logic [7:0]               ces_i,          // CE# a channel
  input  wire logic [7:0]               luns_i,         // LUNs a CE#, 1 to 4
  input  wire logic [2:0]               lun_shift_i,    // LUN index = (ce << shift) | lun

  // Operations in.
  input  wire logic                     op_valid_i,
  output logic                          op_ready_o,
  input  wire logic [511:0]             op_i,
  input  wire logic                     op_window_i,    // given back with the completion

  // Aborts: all operations of a channel, while its bit is set; the operation that has a tag.
  input  wire logic [CHANNELS-1:0]      abort_all_i,
  input  wire logic                     abort_valid_i,
  output logic                          abort_ready_o,
  input  wire logic [15:0]              abort_tag_i,
  output logic                          abort_found_o,  // with abort_ready_o: there is one

  // Completions out.
  output logic                          done_valid_o,
  input  wire logic                     done_ready_i,
  output logic [15:0]                   done_tag_o,
  output logic [7:0]                    done_status_o,
  output logic [7:0]                    done_planes_o,  // failed planes
  output logic [31:0]                   done_cookie_o,
  output logic                          done_window_o,

  // Landings in: the data path has put a read's last burst into DRAM.
  input  wire logic                     land_valid_i,
  output logic                          land_ready_o,
  input  wire logic [15:0]              land_tag_i,

  // Segment ports and R/B#, one a channel.
  output logic [CHANNELS-1:0]           seg_valid_o,
  output logic [CHANNELS*8-1:0]         seg_ce_o,
  output logic [CHANNELS*8-1:0]         seg_lun_o,
  output logic [CHANNELS*3-1:0]         seg_phase_o,
  output logic [CHANNELS*8-1:0]         seg_opcode_o,
  output logic [CHANNELS*2-1:0]         seg_plane_o,
  output logic [CHANNELS*3-1:0]         seg_nplanes_o,
  output logic [CHANNELS*8-1:0]         seg_col_o,
  output logic [CHANNELS*8-1:0]         seg_len_o,
  output logic [CHANNELS*8-1:0]         seg_flags_o,
  output logic [CHANNELS*16-1:0]        seg_tag_o,
  output logic [CHANNELS*32-1:0]        seg_row_o,
  output logic [CHANNELS*32-1:0]        seg_buf_o,
  output logic [CHANNELS*32-1:0]        seg_oob_o,
  output logic [CHANNELS*8-1:0]         seg_level_o,    // of read retry
  input  wire logic [CHANNELS-1:0]      seg_done_i,
  input  wire logic [CHANNELS*8-1:0]    seg_status_i,   // after a burst out: bit 0, ECC has lost a codeword of it
  // ECC's verdict on a read, of which planes are lost and levels left, at its landing: it goes on at the next level.
  input  wire logic [CHANNELS*LUNS-1:0] retry_i,
  input  wire logic [CHANNELS*LUNS-1:0] ready_i,

  // For counters: pulses, events of the channels (o3_pkg::PERF_*), states.
  output logic                          ended_o,
  output logic                          held_o,         // and what has ended, valid with it
  output logic [$clog2(TAGS)-1:0]       held_tag_o,
  output logic [o3_pkg::STATUS_W-1:0]   held_status_o,
  output logic [3:0]                    held_planes_o,
  output logic [CHANNELS-1:0]           event_o,
  output logic [CHANNELS*3-1:0]         event_no_o,
  output logic [CHANNELS-1:0]           work_o,         // operations or segments wait
  output logic [CHANNELS-1:0]           blocked_o,      // the intake's head can go nowhere
  output logic [CHANNELS-1:0]           lun_busy_o,
  output logic [15:0]                   outstanding_o,       // operations, those that wait to be told included
  output logic                          empty_o,        // no operation anywhere

  // Clock gating: idle, nothing changes without a new input; wake_at_o: no later than this.
  output logic                          idle_o,
  output logic [63:0]                   wake_at_o
);

  localparam int unsigned LW = (LUNS > 1) ? $clog2(LUNS) : 1;
  localparam int unsigned CW = (CHANNELS > 1) ? $clog2(CHANNELS) : 1;
  localparam int unsigned TW = $clog2(TAGS);
  localparam int unsigned OW = o3_pkg::OPC_W;
  localparam int unsigned SW = o3_pkg::STAMP_W;
  localparam int unsigned KW = o3_pkg::TICK_W;
  localparam int unsigned NW = $clog2(flash_op_pkg::FLASH_STREAMS);
  localparam int unsigned ST = o3_pkg::STATUS_W;
  localparam int unsigned HEAD_W = 1 + TW + LW + OW + 2 + 2 + 1;
  localparam int unsigned DESC_W = flash_op_pkg::FLASH_OP_COOKIE_LSB;

  // ---- registers for the channels ----
  logic [STATIONS-1:0] stations_q;
  logic [31:0]         page_mask_q;
  logic                ooo_q, serial_q;
  logic [63:0]         now_q;
  logic [7:0]          channels_q, ces_q, luns_q;
  logic [2:0]          lun_shift_q;
  logic [31:0]         age_limit_q, timeout_q;
  logic [CHANNELS-1:0] no_grant_q;
  logic [1:0]          suspend_q, suspend_priority_q;
  logic [3:0]          suspends_q;
  logic [KW-1:0]       progress_q;
  logic                poll_q;
  logic [o3_pkg::POLLS*KW-1:0] poll_times_q;
  logic [o3_pkg::LEVEL_W-1:0] retries_q;
  logic [o3_pkg::MASK_W-1:0] ready_mask_q;
  logic                ready_synchronous_q;
  logic [4:0]          row_lun_q;
  always_ff @(posedge clk_i) now_q <= now_i;
  always_ff @(posedge clk_straps_i) begin
    for (int unsigned s = 0; s < STATIONS; s++) stations_q[s] <= 5'(s) < stations_i;
    page_mask_q <= ~(32'hffffffff << page_bits_i);
    ooo_q       <= mode_i == o3_pkg::MODE_OOO;
    serial_q    <= mode_i == o3_pkg::MODE_SERIAL;
    channels_q  <= channels_i;
    ces_q       <= ces_i;
    luns_q      <= luns_i;
    lun_shift_q <= lun_shift_i;
    age_limit_q <= age_limit_i;
    timeout_q   <= timeout_i;
    suspend_q          <= suspend_i;
    suspends_q         <= suspends_i;
    suspend_priority_q <= suspend_priority_i;
    progress_q         <= suspend_progress_i;
    poll_q       <= poll_i;
    poll_times_q <= poll_times_i;
    retries_q    <= retries_i;
    ready_mask_q        <= ready_mask_i;
    ready_synchronous_q <= ready_synchronous_i;
    row_lun_q    <= row_lun_i;
  end

  // ---- the ticks of the next edge ----
  logic [KW-1:0]             tick_step;
  logic [o3_pkg::MASK_W-1:0] step;
  assign tick_step = now_i[o3_pkg::TICK_LSB +: KW] - now_q[o3_pkg::TICK_LSB +: KW];
  assign step      = (tick_step[KW-1:o3_pkg::MASK_W] != '0) ? '1 : tick_step[o3_pkg::MASK_W-1:0];

  // ---- R/B#: the flops of its lines have a clock for as long as something moves in them; so has no_grant_i ----
  logic                     clk_lines, lines_differ, lines_settle_q;
  logic [CHANNELS*LUNS-1:0] lines_q;
  assign lines_differ = ready_i != lines_q || no_grant_i != no_grant_q;
  o3_gate u_lines (.clk_i, .test_en_i, .en_i(lines_differ || lines_settle_q || !rst_ni), .clk_o(clk_lines));
  always_ff @(posedge clk_lines) begin
    lines_q        <= ready_i;
    no_grant_q     <= no_grant_i;
    lines_settle_q <= lines_differ;
  end

  // ---- time outs: a sweep finds the LUNs that have waited since the last one ----
  logic                        sweep_on_q, sweep, waits_any;
  logic [63:o3_pkg::STAMP_LSB] sweep_at_q;
  logic [CHANNELS-1:0]         waiting;
  assign waits_any = waiting != '0 && timeout_q != '0;
  assign sweep     = sweep_on_q && now_q[63:o3_pkg::STAMP_LSB] >= sweep_at_q;
  always_ff @(posedge clk_i) sweep_on_q <= waits_any && timeout_i == timeout_q;  // a new limit counts from now on
  always_ff @(posedge clk_i) begin
    if (waits_any && (!sweep_on_q || sweep)) begin
      sweep_at_q <= now_q[63:o3_pkg::STAMP_LSB] + 44'(timeout_q) + 44'd1;
    end
  end

  // ---- the earliest of the channels' timers and the sweep ----
  // The sweep is one of the times where it is so near that it has no more bits than they have.
  logic [CHANNELS-1:0]        timer_any;
  logic [CHANNELS*KW-1:0]     timer_at;
  logic [63:o3_pkg::TICK_LSB] sweep_wake;
  logic [23:0]                now_hi, sweep_hi;
  logic [KW-1:0]              now_lo, sweep_lo, wake_lo;
  logic                       sweep_less, sweep_past, sweep_near, timed, wake_over;
  assign sweep_wake = {sweep_at_q, 4'd0};
  assign {now_hi, now_lo}     = now_q[63:o3_pkg::TICK_LSB];
  assign {sweep_hi, sweep_lo} = sweep_wake;
  o3_earliest #(.N(CHANNELS + 1), .W(KW)) u_earliest (
    .now_i(now_lo), .valid_i({sweep_near, timer_any}), .at_i({sweep_lo, timer_at}),
    .any_o(timed), .for_o(), .at_o(wake_lo), .over_o(wake_over)
  );
  always_comb begin
    {sweep_less, sweep_past, sweep_near} = '0;
    if (sweep_on_q) begin
      sweep_less = sweep_lo < now_lo;
      sweep_past = sweep_hi < now_hi || (sweep_hi == now_hi && sweep_less);
      sweep_near = sweep_less ? sweep_hi == now_hi + 24'd1 : sweep_hi == now_hi;
    end
  end
  always_comb begin
    wake_at_o = '1;
    if (sweep_past || (sweep_on_q && !timed)) wake_at_o = {sweep_wake, 16'd0};
    else if (timed) wake_at_o = {wake_over ? now_hi + 24'd1 : now_hi, wake_lo, 16'd0};
  end

  // ---- clocks of the parts that have nothing to do at most edges ----
  logic clk_ops, clk_store, front_active, retire_active, store_active, fire;
  o3_gate u_gate_ops (
    .clk_i, .test_en_i, .clk_o(clk_ops),
    .en_i(front_active || retire_active || reporting_q || op_valid_i || land_valid_i || !rst_ni)
  );
  o3_gate u_gate_store (
    .clk_i, .test_en_i, .en_i(store_active || fire || abort_valid_i || !rst_ni), .clk_o(clk_store)
  );

  // ---- operations in ----
  logic [DESC_W-1:0] h_desc;
  logic [32:0]     h_cookie;
  logic [15:0]     h_tag, outstanding_q;
  logic [NW-1:0]   h_stream;
  logic [CW-1:0]   h_bus;
  logic [LW-1:0]   h_lun;
  logic [LUNS-1:0] h_mask;
  logic [HEAD_W-1:0] h_head;
  logic            h_free, h_alone, h_fence, bad, bad_take, app_ready, coming, fenced;
  logic            front_empty;
  logic [flash_op_pkg::FLASH_STREAMS-1:0] streams;
  logic [CHANNELS*LUNS-1:0] taken;
  logic [CHANNELS-1:0]      ch_push;

  o3_front #(.CHANNELS(CHANNELS), .LUNS(LUNS), .TAGS(TAGS), .DEPTH(DEPTH)) u_front (
    .clk_i(clk_ops), .rst_ni, .ooo_i(ooo_q), .serial_i(serial_q), .suspend_i(suspend_q), .channels_i(channels_q),
    .ces_i(ces_q), .luns_i(luns_q), .lun_shift_i(lun_shift_q),
    .op_valid_i, .op_ready_o, .op_i, .op_window_i,
    .free_i(h_free), .outstanding_i(outstanding_q != 16'd0), .taken_i(taken), .streams_i(streams),
    .ready_i(app_ready), .fire_o(fire), .bad_o(bad), .bad_take_i(bad_take),
    .desc_o(h_desc), .cookie_o(h_cookie), .tag_o(h_tag), .stream_o(h_stream), .channel_o(h_bus), .lun_o(h_lun),
    .mask_o(h_mask), .alone_o(h_alone), .fence_o(h_fence), .head_o(h_head),
    .coming_o(coming), .fenced_o(fenced), .empty_o(front_empty), .active_o(front_active)
  );
  assign ch_push = CHANNELS'(fire) << h_bus;
  always_ff @(posedge clk_ops) begin
    if (!rst_ni) outstanding_q <= '0;
    else         outstanding_q <= outstanding_q + 16'(fire) - 16'(ended);
  end

  // ---- tags in use: landings and aborts ask for theirs; an abort waits for a cycle in which it can and no operation
  // goes to the store ----
  logic          ended, ask_known;
  logic [15:0]   ask_tag;
  logic [TW-1:0] ended_tag;
  assign ask_tag       = (land_valid_i && land_ready_o) ? land_tag_i : abort_tag_i;
  assign abort_ready_o = abort_valid_i && !(land_valid_i && land_ready_o) && !fire;
  assign abort_found_o = ask_known;
  o3_tags #(.TAGS(TAGS)) u_tags (
    .clk_i(clk_ops), .rst_ni, .op_tag_i(h_tag), .op_free_o(h_free), .ask_tag_i(ask_tag), .ask_known_o(ask_known),
    .take_i(fire), .leave_i(ended), .leave_tag_i(ended_tag)
  );

  // ---- landings; that of an operation which is not there is dropped ----
  logic          land_valid_q, land_take;
  logic [TW-1:0] land_tag_q;
  assign land_ready_o = !land_valid_q;
  always_ff @(posedge clk_ops) begin
    if (!rst_ni) land_valid_q <= 1'b0;
    else         land_valid_q <= (land_valid_i && land_ready_o && ask_known) || (land_valid_q && !land_take);
  end
  always_ff @(posedge clk_ops) begin
    if (land_valid_i && land_ready_o) land_tag_q <= land_tag_i[TW-1:0];
  end

  // ---- streams ----
  logic [CHANNELS-1:0]    ch_end, ch_end_take, ch_open, ch_open_take, ch_active;
  logic [CHANNELS*TW-1:0] ch_end_tag;
  logic [CHANNELS*ST-1:0] ch_end_status;
  logic [CHANNELS*4-1:0]  ch_end_planes;
  logic                   open_valid;
  logic [CW-1:0]          open_channel;
  logic [LW-1:0]          open_lun;
  logic [TW-1:0]          open_tag;

  o3_retire #(.CHANNELS(CHANNELS), .LUNS(LUNS), .TAGS(TAGS)) u_retire (
    .clk_i(clk_ops), .rst_ni, .ooo_i(ooo_q),
    .app_ready_o(app_ready), .append_i(fire), .app_tag_i(h_tag[TW-1:0]), .app_stream_i(h_stream),
    .app_channel_i(h_bus), .app_lun_i(h_lun), .app_alone_i(h_alone), .app_fence_i(h_fence),
    .app_cookie_i(h_cookie), .streams_o(streams),
    .end_valid_i(ch_end), .end_take_o(ch_end_take), .end_tag_i(ch_end_tag),
    .end_status_i(ch_end_status), .end_planes_i(ch_end_planes),
    .land_valid_i(land_valid_q), .land_take_o(land_take), .land_tag_i(land_tag_q),
    .bad_valid_i(bad), .bad_take_o(bad_take), .bad_tag_i(h_tag),
    .bad_cookie_i(h_cookie),
    .open_valid_o(open_valid), .open_take_i(|ch_open_take), .open_channel_o(open_channel),
    .open_lun_o(open_lun), .open_tag_o(open_tag),
    .done_valid_o, .done_ready_i, .done_tag_o, .done_status_o, .done_planes_o,
    .done_cookie_o({done_window_o, done_cookie_o}),
    .ended_o(ended), .ended_tag_o(ended_tag), .held_o, .held_tag_o, .held_status_o, .held_planes_o,
    .active_o(retire_active)
  );
  assign ended_o = ended;

  // In order: a head may go soon; or a fence holds it, and an end that is being reported may open that.
  logic head_goes, reporting_q;
  always_ff @(posedge clk_ops) reporting_q <= rst_ni && !ooo_q && (|ch_end || retire_active);
  assign head_goes = coming || (fenced && reporting_q);

  assign ch_open = CHANNELS'(open_valid) << open_channel;

  // ---- descriptors ----
  logic [CHANNELS-1:0]    desc_req, desc_ack, desc_valid, dep_req, dep_done;
  logic [CHANNELS*TW-1:0] desc_tag, dep_young, dep_old;
  logic [DESC_W-1:0]      desc;
  logic                   dep_hit, desc_abort;

  o3_store #(.CHANNELS(CHANNELS), .TAGS(TAGS)) u_store (
    .clk_i(clk_store), .rst_ni, .page_mask_i(page_mask_q), .wr_i(fire), .wr_op_i(h_desc),
    .abort_i(abort_ready_o && abort_found_o), .abort_tag_i(abort_tag_i[TW-1:0]), .seg_abort_o(desc_abort),
    .seg_req_i(desc_req), .seg_tag_i(desc_tag), .seg_ack_o(desc_ack), .seg_valid_o(desc_valid),
    .seg_desc_o(desc),
    .dep_req_i(dep_req), .dep_young_i(dep_young), .dep_old_i(dep_old), .dep_done_o(dep_done),
    .dep_hit_o(dep_hit), .active_o(store_active)
  );

  // What the channel that gets it needs of it.
  logic [CHANNELS*2-1:0] desc_plane;
  logic [CHANNELS-1:0]   desc_poll;
  logic [1:0]            seg_plane;
  o3_pkg::seg_t          desc_seg;
  always_comb begin
    seg_plane = '0;
    if (desc_valid != '0) begin
      for (int unsigned c = 0; c < CHANNELS; c++) begin
        if (desc_valid[c]) seg_plane = seg_plane | desc_plane[c*2 +: 2];
      end
    end
  end
  o3_select u_select (
    .valid_i(desc_valid != '0), .desc_i(desc), .plane_i(seg_plane),
    .reset_poll_i((desc_valid & desc_poll) != '0), .row_lun_i(row_lun_q), .seg_o(desc_seg)
  );

  for (genvar c = 0; c < CHANNELS; c++) begin : g_channel
    o3_channel #(.LUNS(LUNS), .STATIONS(STATIONS), .TAGS(TAGS), .ISSUE_POLICY(ISSUE_POLICY)) u_channel (
      .clk_i, .clk_lines_i(clk_lines), .clk_desc_i(clk_store), .rst_ni, .test_en_i, .stations_i(stations_q),
      .age_limit_i(age_limit_q[SW-1:0]),
      .lun_shift_i(lun_shift_q), .luns_i(luns_q),
      .no_grant_i(no_grant_q[c]), .now_i(now_q[o3_pkg::STAMP_LSB +: SW]), .sweep_i(sweep),
      .suspends_i(suspends_q), .suspend_priority_i(suspend_priority_q), .progress_i(progress_q),
      .poll_i(poll_q), .poll_times_i(poll_times_q), .retries_i(retries_q),
      .tick_i(now_q[o3_pkg::TICK_LSB +: KW]), .timer_any_o(timer_any[c]), .timer_at_o(timer_at[c*KW +: KW]),
      .push_i(ch_push[c]), .push_head_i(h_head), .push_open_i(!streams[h_stream]), .push_mask_i(h_mask),
      .taken_o(taken[c*LUNS +: LUNS]), .in_order_i(!ooo_q), .head_goes_i(head_goes),
      .open_valid_i(ch_open[c]), .open_tag_i(open_tag), .open_lun_i(open_lun),
      .open_take_o(ch_open_take[c]),
      .end_valid_o(ch_end[c]), .end_take_i(ch_end_take[c]), .end_tag_o(ch_end_tag[c*TW +: TW]),
      .end_status_o(ch_end_status[c*ST +: ST]), .end_planes_o(ch_end_planes[c*4 +: 4]),
      .desc_req_o(desc_req[c]), .desc_tag_o(desc_tag[c*TW +: TW]), .desc_ack_i(desc_ack[c]),
      .desc_plane_o(desc_plane[c*2 +: 2]), .desc_poll_o(desc_poll[c]),
      .desc_valid_i(desc_valid[c]), .desc_i(desc_seg), .desc_abort_i(desc_abort || abort_all_i[c]),
      .dep_req_o(dep_req[c]), .dep_young_o(dep_young[c*TW +: TW]), .dep_old_o(dep_old[c*TW +: TW]),
      .dep_done_i(dep_done[c]), .dep_hit_i(dep_hit),
      .seg_valid_o(seg_valid_o[c]), .seg_ce_o(seg_ce_o[c*8 +: 8]),
      .seg_lun_o(seg_lun_o[c*8 +: 8]), .seg_phase_o(seg_phase_o[c*3 +: 3]),
      .seg_opcode_o(seg_opcode_o[c*8 +: 8]), .seg_plane_o(seg_plane_o[c*2 +: 2]),
      .seg_nplanes_o(seg_nplanes_o[c*3 +: 3]), .seg_col_o(seg_col_o[c*8 +: 8]),
      .seg_len_o(seg_len_o[c*8 +: 8]), .seg_flags_o(seg_flags_o[c*8 +: 8]),
      .seg_tag_o(seg_tag_o[c*16 +: 16]), .seg_row_o(seg_row_o[c*32 +: 32]),
      .seg_buf_o(seg_buf_o[c*32 +: 32]), .seg_oob_o(seg_oob_o[c*32 +: 32]),
      .seg_level_o(seg_level_o[c*8 +: 8]), .retry_i(retry_i[c*LUNS +: LUNS]),
      .seg_done_i(seg_done_i[c]), .seg_status_i(seg_status_i[c*8 +: 8]),
      .ready_i(ready_i[c*LUNS +: LUNS]), .mask_i(ready_mask_q), .step_i(step),
      .synchronous_i(ready_synchronous_q),
      .event_o(event_o[c]), .event_no_o(event_no_o[c*3 +: 3]),
      .work_o(work_o[c]), .blocked_o(blocked_o[c]), .waiting_o(waiting[c]), .active_o(ch_active[c])
    );
  end

  assign lun_busy_o = waiting;
  assign outstanding_o   = outstanding_q;
  assign empty_o    = front_empty && outstanding_q == 16'd0;

  assign idle_o = !(front_active || retire_active || reporting_q || store_active || (|ch_active)) && sweep_on_q == waits_any && !sweep;

  `O3_ASSERT(EndedWasOutstanding, !ended || outstanding_q != 16'd0, clk_i, rst_ni)
  `O3_STANDS(OpenStands, open_valid, |ch_open_take, CW + LW + TW, {open_channel, open_lun, open_tag}, clk_i, rst_ni)
  `O3_ASSERT(SerialIsSerial, !serial_q || outstanding_q <= 16'd1, clk_i, rst_ni)

endmodule
`default_nettype wire
