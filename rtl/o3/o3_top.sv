// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the out-of-order controller with its registers, completion queue and performance counters.
// Operations come through the port or through the registers' window, and are told where they came from.
`default_nettype none
`include "assert.svh"

module o3_top
#(
  parameter  int unsigned CHANNELS = 8,    // 1 to 16
  parameter  int unsigned LUNS     = 16,   // a channel, a power of two up to 64
  parameter  int unsigned TAGS     = 256,  // a power of two, 16 to 256
  parameter  int unsigned STATIONS = 8,    // a LUN, 1 to 16
  parameter  int unsigned CQ_DEPTH = 16,   // completion queue, a power of two, 2 to 128
  parameter  int unsigned ISSUE_POLICY = o3_pkg::POLICY_FIRST_COME,  // who gets a bus, o3_pkg::POLICY_*
  localparam int unsigned CYCLE_W  = 40
) (
  input  wire logic                     clk_i,
  input  wire logic                     rst_ni,
  input  wire logic                     test_en_i,      // every gated clock runs (o3_gate); constant but in a scan test
  input  wire logic [63:0]              now_i,          // ps
  input  wire logic [CYCLE_W-1:0]       cycle_i,        // number of this edge, gated ones counted
  input  wire logic [CHANNELS-1:0]      no_grant_i,     // fault injection, see o3_controller

  // Registers.
  input  wire logic                     awvalid_i,
  output logic                          awready_o,
  input  wire logic [11:0]              awaddr_i,
  input  wire logic                     wvalid_i,
  output logic                          wready_o,
  input  wire logic [31:0]              wdata_i,
  input  wire logic [3:0]               wstrb_i,
  output logic                          bvalid_o,
  input  wire logic                     bready_i,
  output logic [1:0]                    bresp_o,
  input  wire logic                     arvalid_i,
  output logic                          arready_o,
  input  wire logic [11:0]              araddr_i,
  output logic                          rvalid_o,
  input  wire logic                     rready_i,
  output logic [31:0]                   rdata_o,
  output logic [1:0]                    rresp_o,
  output logic                          irq_o,

  // All below as in o3_controller.
  input  wire logic                     op_valid_i,
  output logic                          op_ready_o,
  input  wire logic [511:0]             op_i,
  output logic                          done_valid_o,
  input  wire logic                     done_ready_i,
  output logic [15:0]                   done_tag_o,
  output logic [7:0]                    done_status_o,
  output logic [7:0]                    done_planes_o,
  output logic [31:0]                   done_cookie_o,
  input  wire logic                     land_valid_i,
  output logic                          land_ready_o,
  input  wire logic [15:0]              land_tag_i,
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
  output logic [CHANNELS*8-1:0]         seg_level_o,
  input  wire logic [CHANNELS-1:0]      seg_done_i,
  input  wire logic [CHANNELS*8-1:0]    seg_status_i,
  input  wire logic [CHANNELS*LUNS-1:0] retry_i,
  input  wire logic [CHANNELS*LUNS-1:0] ready_i,
  // For observation: at the next edge the end of this operation is held back for an older one of its stream.
  output logic                          held_valid_o,
  output logic [15:0]                   held_tag_o,
  output logic [7:0]                    held_status_o,
  output logic [7:0]                    held_planes_o,
  output logic                          idle_o,
  output logic [63:0]                   wake_at_o
);

  localparam int unsigned TW = $clog2(TAGS);
  localparam int unsigned QW = $clog2(CQ_DEPTH) + 1;

  // ---- reset ----
  logic rst_n;
  o3_reset u_reset (.clk_i, .rst_ni, .rst_no(rst_n));

  // ---- registers ----
  logic [1:0]   mode;
  logic [4:0]   stations, page_bits;
  logic [22:0]  age_limit;
  logic [31:0]  timeout;
  logic [7:0]   channels, ces, luns;
  logic [2:0]   lun_shift;
  logic         suspend_erases, suspend_programs, poll;
  logic [3:0]   suspends;
  logic [1:0]   suspend_priority;
  logic [22:0]  suspend_progress;
  logic [4:0]   row_lun;
  logic [22:0]  poll_read, poll_program, poll_erase, poll_queue, poll_reset, poll_again;
  logic [22:0]  poll_suspend_program, poll_suspend_erase, poll_feature;
  logic [o3_pkg::LEVEL_W-1:0] retries;
  logic [o3_pkg::MASK_W-1:0] ready_mask;
  logic         ready_synchronous;
  logic [o3_pkg::POLLS*24-1:0] poll_times;  // by o3_pkg::POLL_*
  logic         soft_reset, soft_end, abort_go, abort_wait_q, abort_ready, abort_found, abort_found_q;
  logic [15:0]  abort_channels, abort_tag;
  logic         hold, busy, regs_idle, push, pop, perf_enable, perf_clear, perf_rd, perf_channel_rd;
  logic [511:0] window;
  logic         taken_intr, full_intr, refused_intr, take_window, refuse;
  logic [3:0]   intr_mask, intr_test;
  logic [31:0]  pushed_q, perf_data, perf_channel_data;
  logic [4:2]   perf_addr;
  logic [10:2]  perf_channel_addr;
  logic         window_full_q, window_free, cq_any, cq_ready, cq_fills;
  logic [QW-1:0] cq_level;
  logic [63:0]  cq_head;

  // Registers change by accesses, by operations that came through the window and by ends of aborts; the controller's
  // copies of what is written an edge later, at which regs_idle is still low.
  logic clk_regs, regs_set;
  assign regs_set = take_window || refuse || (done_valid && ours) || abort_wait_q || soft_end;
  o3_gate u_gate_regs (
    .clk_i, .test_en_i, .en_i(awvalid_i || wvalid_i || arvalid_i || regs_set || !regs_idle || !rst_n), .clk_o(clk_regs)
  );

  o3_regs u_regs (
    .clk_i(clk_regs), .rst_ni(rst_n),
    .awvalid_i, .awready_o, .awaddr_i, .wvalid_i, .wready_o, .wdata_i, .wstrb_i, .bvalid_o, .bready_i,
    .bresp_o, .arvalid_i, .arready_o, .araddr_i, .rvalid_o, .rready_i, .rdata_o, .rresp_o,
    .if_cq_any_i(cq_any), .if_abort_free_i(!abort_go && !abort_wait_q), .if_idle_i(!busy),
    .if_window_free_i(window_free),
    .perf_rd_o(perf_rd), .perf_addr_o(perf_addr), .perf_data_i(perf_data),
    .perf_channel_rd_o(perf_channel_rd), .perf_channel_addr_o(perf_channel_addr),
    .perf_channel_data_i(perf_channel_data),
    .shape0_channels_i(8'(CHANNELS)), .shape0_luns_i(8'(LUNS)), .shape0_stations_i(8'(STATIONS)),
    .shape0_planes_i(flash_op_pkg::FLASH_MAX_PLANES[7:0]), .shape1_tags_i(16'(TAGS)),
    .shape1_cq_depth_i(8'(CQ_DEPTH)), .shape1_streams_i(flash_op_pkg::FLASH_STREAMS[7:0]),
    .ctrl_hold_o(hold), .ctrl_soft_reset_clr_i(soft_end), .ctrl_soft_reset_o(soft_reset),
    .status_busy_i(busy), .status_window_full_i(!window_free),
    .status_cq_any_i(cq_any), .status_cq_full_i(!cq_ready),
    .mode_mode_o(mode), .stations_stations_o(stations), .age_limit_stamps_o(age_limit),
    .timeout_stamps_o(timeout), .geometry_channels_o(channels), .geometry_ces_o(ces),
    .geometry_luns_o(luns), .geometry_lun_shift_o(lun_shift), .row_page_bits_o(page_bits),
    .row_lun_lsb_o(row_lun), .suspend_erases_o(suspend_erases), .suspend_programs_o(suspend_programs),
    .suspend_times_o(suspends), .suspend_least_priority_o(suspend_priority),
    .suspend_progress_ticks_o(suspend_progress), .poll_enable_o(poll),
    .abort_channels_o(abort_channels), .abort_op_tag_o(abort_tag), .abort_op_go_o(abort_go),
    .abort_op_found_i(abort_found_q), .abort_op_busy_i(abort_go || abort_wait_q),
    .poll_read_ticks_o(poll_read), .poll_program_ticks_o(poll_program), .poll_erase_ticks_o(poll_erase),
    .poll_plane_queue_ticks_o(poll_queue), .poll_reset_ticks_o(poll_reset),
    .poll_suspend_program_ticks_o(poll_suspend_program),
    .poll_suspend_erase_ticks_o(poll_suspend_erase), .poll_again_ticks_o(poll_again),
    .poll_feature_ticks_o(poll_feature), .read_retries_levels_o(retries),
    .ready_mask_ticks_o(ready_mask), .ready_synchronous_o(ready_synchronous),
    .intr_status_cq_any_i(cq_any), .intr_status_taken_set_i(take_window),
    .intr_status_taken_o(taken_intr), .intr_status_cq_full_set_i(cq_fills),
    .intr_status_cq_full_o(full_intr), .intr_status_refused_set_i(refuse),
    .intr_status_refused_o(refused_intr), .intr_enable_mask_o(intr_mask), .intr_test_force_o(intr_test),
    .window_word_o(window), .doorbell_push_o(push), .pushed_count_i(pushed_q),
    .cq_level_waiting_i(8'(cq_level)), .cq_head_tag_i(cq_head[15:0]), .cq_head_status_i(cq_head[23:16]),
    .cq_head_failed_planes_i(cq_head[31:24]), .cq_cookie_cookie_i(cq_head[63:32]), .cq_pop_pop_o(pop),
    .perf_ctrl_enable_o(perf_enable), .perf_ctrl_clear_o(perf_clear), .idle_o(regs_idle)
  );
  assign irq_o = (({refused_intr, full_intr, taken_intr, cq_any} | intr_test) & intr_mask) != 4'd0;

  assign poll_times = {1'b0, poll_feature, 1'b0, poll_again, 1'b0, poll_suspend_erase, 1'b0, poll_suspend_program,
                       1'b0, poll_reset, 1'b0, poll_queue, 1'b0, poll_erase, 1'b0, poll_program,
                       1'b0, poll_read};

  // ---- operations in: the window goes first. A soft reset lets none of the port in, but that of the window, held or
  // not, which it aborts ----
  logic         op_valid, op_ready, window_may, port_may, empty;
  logic [511:0] op;
  assign window_may  = !hold || soft_reset;
  assign port_may    = !hold && !soft_reset;
  assign refuse      = push && window[15:0] >= 16'(TAGS);
  assign window_free = !window_full_q && !push && !soft_reset;
  assign op_valid    = window_full_q ? window_may : port_may && op_valid_i;
  assign op          = window_full_q ? window : op_i;
  assign op_ready_o  = op_ready && !window_full_q && port_may;
  assign take_window = window_full_q && op_ready && window_may;
  assign busy        = !empty || !window_free;
  always_ff @(posedge clk_regs) begin
    if (!rst_n) begin
      window_full_q <= 1'b0;
      pushed_q      <= '0;
    end else begin
      window_full_q <= (push && !refuse) || (window_full_q && !take_window);
      if (take_window) pushed_q <= pushed_q + 32'd1;
    end
  end

  // ---- aborts. A soft reset aborts all channels, and ends when no operation is left ----
  assign soft_end = soft_reset && empty && !window_full_q;
  always_ff @(posedge clk_regs) begin
    if (!rst_n) begin
      abort_wait_q  <= 1'b0;
      abort_found_q <= 1'b0;
    end else begin
      abort_wait_q  <= abort_go || (abort_wait_q && !abort_ready);
      if (abort_wait_q) abort_found_q <= abort_ready && abort_found;
    end
  end

  // ---- completions out: where the operation came from ----
  logic        done_valid, done_ready, ours;
  logic [15:0] done_tag;
  logic [7:0]  done_status, done_planes;
  logic [31:0] done_cookie;
  assign done_ready    = ours ? cq_ready : done_ready_i;
  assign done_valid_o  = done_valid && !ours;
  assign done_tag_o    = done_tag;
  assign done_status_o = done_status;
  assign done_planes_o = done_planes;
  assign done_cookie_o = done_cookie;
  o3_completions #(.DEPTH(CQ_DEPTH), .W(64)) u_completions (
    .clk_i(clk_regs), .rst_ni(rst_n), .valid_i(done_valid && ours), .ready_o(cq_ready),
    .data_i({done_cookie, done_planes, done_status, done_tag}), .any_o(cq_any), .fills_o(cq_fills),
    .level_o(cq_level), .head_o(cq_head), .pop_i(pop)
  );

  // ---- the controller ----
  logic                  ended, held, controller_idle;
  logic [TW-1:0]         held_tag;
  logic [o3_pkg::STATUS_W-1:0] held_status;
  logic [3:0]            held_planes;
  logic [CHANNELS-1:0]   ch_event, work, blocked, lun_busy;
  logic [CHANNELS*3-1:0] ch_event_no;
  logic [15:0]           ops_outstanding;
  o3_controller #(
    .CHANNELS(CHANNELS), .LUNS(LUNS), .TAGS(TAGS), .STATIONS(STATIONS), .ISSUE_POLICY(ISSUE_POLICY)
  ) u_controller (
    .clk_i, .clk_straps_i(clk_regs), .rst_ni(rst_n), .test_en_i, .now_i, .no_grant_i,
    .mode_i(mode), .stations_i((stations == 5'd0) ? 5'd1 : stations), .age_limit_i({9'd0, age_limit}),
    .timeout_i(timeout), .page_bits_i(page_bits), .channels_i(channels), .ces_i(ces), .luns_i(luns),
    .lun_shift_i(lun_shift), .suspend_i({suspend_programs, suspend_erases}), .suspends_i(suspends),
    .suspend_priority_i(suspend_priority), .suspend_progress_i({1'b0, suspend_progress}),
    .poll_i(poll), .poll_times_i(poll_times), .retries_i(retries), .row_lun_i(row_lun),
    .ready_mask_i(ready_mask), .ready_synchronous_i(ready_synchronous),
    .op_valid_i(op_valid), .op_ready_o(op_ready), .op_i(op), .op_window_i(window_full_q),
    .abort_all_i(abort_channels[CHANNELS-1:0] | {CHANNELS{soft_reset}}),
    .abort_valid_i(abort_wait_q), .abort_ready_o(abort_ready), .abort_tag_i(abort_tag), .abort_found_o(abort_found),
    .done_valid_o(done_valid), .done_ready_i(done_ready), .done_tag_o(done_tag),
    .done_status_o(done_status), .done_planes_o(done_planes), .done_cookie_o(done_cookie),
    .done_window_o(ours),
    .land_valid_i, .land_ready_o, .land_tag_i,
    .seg_valid_o, .seg_ce_o, .seg_lun_o, .seg_phase_o, .seg_opcode_o, .seg_plane_o, .seg_nplanes_o,
    .seg_col_o, .seg_len_o, .seg_flags_o, .seg_tag_o, .seg_row_o, .seg_buf_o, .seg_oob_o,
    .seg_level_o, .seg_done_i, .seg_status_i, .retry_i, .ready_i,
    .ended_o(ended), .held_o(held), .held_tag_o(held_tag), .held_status_o(held_status),
    .held_planes_o(held_planes),
    .event_o(ch_event), .event_no_o(ch_event_no), .work_o(work),
    .blocked_o(blocked), .lun_busy_o(lun_busy), .outstanding_o(ops_outstanding), .empty_o(empty),
    .idle_o(controller_idle), .wake_at_o
  );

  o3_perf #(.CHANNELS(CHANNELS), .W(CYCLE_W)) u_perf (
    .clk_i, .rst_ni(rst_n), .test_en_i, .cycle_i, .enable_i(perf_enable), .clear_i(perf_clear),
    .event_i(ch_event), .event_no_i(ch_event_no), .bus_i(seg_valid_o), .work_i(work),
    .blocked_i(blocked), .lun_busy_i(lun_busy), .ended_i(ended), .held_i(held), .outstanding_i(ops_outstanding),
    .rd_i(perf_rd), .addr_i(perf_addr), .data_o(perf_data),
    .channel_rd_i(perf_channel_rd), .channel_addr_i(perf_channel_addr), .channel_data_o(perf_channel_data)
  );

  // For assertions: operations outstanding by where they came from, counted at the two borders.
  logic [15:0] by_port_q, by_window_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      by_port_q   <= '0;
      by_window_q <= '0;
    end else begin
      by_port_q   <= by_port_q + 16'(op_valid_i && op_ready_o) - 16'(done_valid_o && done_ready_i);
      by_window_q <= by_window_q + 16'(take_window) - 16'(done_valid && ours && cq_ready);
    end
  end

  assign held_valid_o  = held;
  assign held_tag_o    = 16'(held_tag);
  assign held_status_o = 8'(held_status);
  assign held_planes_o = 8'(held_planes);
  assign idle_o = controller_idle && regs_idle && !take_window && !abort_wait_q && !soft_end;

  `O3_ASSERT(DoorbellOnAFreeWindow, !push || !window_full_q, clk_i, rst_n)
  `O3_STANDS(WindowWaitsUntilTaken, window_full_q, take_window, 1, 1'b1, clk_i, rst_n)
  `O3_ASSERT(CompletesWhereHandedIn, (!done_valid_o || by_port_q != 16'd0)
                                && (!(done_valid && ours) || by_window_q != 16'd0), clk_i, rst_n)
  // One may be offered still, and one that was refused may be on its way to that.
  `O3_ASSERT(SoftResetEndsEmpty, !soft_end || by_port_q + by_window_q <= 16'd2, clk_i, rst_n)
  // Who offers holds what it offers until it is taken.
  `O3_STANDS(OpHeld, op_valid_i, op_ready_o, 512, op_i, clk_i, rst_n)
  `O3_STANDS(LandHeld, land_valid_i, land_ready_o, 16, land_tag_i, clk_i, rst_n)
  `O3_STANDS(DoneHeld, done_valid, done_ready, 16 + 8 + 8 + 32,
             {done_tag, done_status, done_planes, done_cookie}, clk_i, rst_n)

endmodule
`default_nettype wire
