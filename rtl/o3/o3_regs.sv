// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: made by scripts/gen/gen_o3_regs.py from rtl/o3/o3_regs.rdl; do not edit.
`default_nettype none
`include "assert.svh"

module o3_regs (
  input  wire logic          clk_i,
  input  wire logic          rst_ni,

  // AXI4-Lite, 32 bits; protection is not looked at and has no ports.
  input  wire logic          awvalid_i,
  output logic               awready_o,
  input  wire logic [11:0]   awaddr_i,
  input  wire logic          wvalid_i,
  output logic               wready_o,
  input  wire logic [31:0]   wdata_i,
  input  wire logic [3:0]    wstrb_i,
  output logic               bvalid_o,
  input  wire logic          bready_i,
  output logic      [1:0]    bresp_o,
  input  wire logic          arvalid_i,
  output logic               arready_o,
  input  wire logic [11:0]   araddr_i,
  output logic               rvalid_o,
  input  wire logic          rready_i,
  output logic      [31:0]   rdata_o,
  output logic      [1:0]    rresp_o,

  // While it is low, registers that need it are not written.
  input  wire logic          if_abort_free_i,
  input  wire logic          if_cq_any_i,
  input  wire logic          if_idle_i,
  input  wire logic          if_window_free_i,

  // perf: kept elsewhere, read in the cycle in which rd is high.
  output logic               perf_rd_o,
  output logic      [4:2]    perf_addr_o,
  input  wire logic [31:0]   perf_data_i,

  // perf_channel: kept elsewhere, read in the cycle in which rd is high.
  output logic               perf_channel_rd_o,
  output logic      [10:2]   perf_channel_addr_o,
  input  wire logic [31:0]   perf_channel_data_i,

  // 0x004 shape0
  input  wire logic [7:0]    shape0_channels_i,
  input  wire logic [7:0]    shape0_luns_i,
  input  wire logic [7:0]    shape0_stations_i,
  input  wire logic [7:0]    shape0_planes_i,

  // 0x008 shape1
  input  wire logic [15:0]   shape1_tags_i,
  input  wire logic [7:0]    shape1_cq_depth_i,
  input  wire logic [7:0]    shape1_streams_i,

  // 0x010 ctrl
  output logic               ctrl_hold_o,
  input  wire logic          ctrl_soft_reset_clr_i,
  output logic               ctrl_soft_reset_o,

  // 0x014 status
  input  wire logic          status_busy_i,
  input  wire logic          status_window_full_i,
  input  wire logic          status_cq_any_i,
  input  wire logic          status_cq_full_i,

  // 0x018 mode
  output logic      [1:0]    mode_mode_o,

  // 0x01c stations
  output logic      [4:0]    stations_stations_o,

  // 0x020 age_limit
  output logic      [22:0]   age_limit_stamps_o,

  // 0x024 timeout
  output logic      [31:0]   timeout_stamps_o,

  // 0x028 geometry
  output logic      [7:0]    geometry_channels_o,
  output logic      [7:0]    geometry_ces_o,
  output logic      [7:0]    geometry_luns_o,
  output logic      [2:0]    geometry_lun_shift_o,

  // 0x02c row
  output logic      [4:0]    row_page_bits_o,
  output logic      [4:0]    row_lun_lsb_o,

  // 0x030 intr_status
  input  wire logic          intr_status_cq_any_i,
  input  wire logic          intr_status_taken_set_i,
  output logic               intr_status_taken_o,
  input  wire logic          intr_status_cq_full_set_i,
  output logic               intr_status_cq_full_o,
  input  wire logic          intr_status_refused_set_i,
  output logic               intr_status_refused_o,

  // 0x034 intr_enable
  output logic      [3:0]    intr_enable_mask_o,

  // 0x038 intr_test
  output logic      [3:0]    intr_test_force_o,

  // 0x040 window
  output logic      [511:0]  window_word_o,

  // 0x080 doorbell
  output logic               doorbell_push_o,

  // 0x084 pushed
  input  wire logic [31:0]   pushed_count_i,

  // 0x090 cq_level
  input  wire logic [7:0]    cq_level_waiting_i,

  // 0x094 cq_head
  input  wire logic [15:0]   cq_head_tag_i,
  input  wire logic [7:0]    cq_head_status_i,
  input  wire logic [7:0]    cq_head_failed_planes_i,

  // 0x098 cq_cookie
  input  wire logic [31:0]   cq_cookie_cookie_i,

  // 0x09c cq_pop
  output logic               cq_pop_pop_o,

  // 0x0a0 suspend
  output logic               suspend_erases_o,
  output logic               suspend_programs_o,
  output logic      [3:0]    suspend_times_o,
  output logic      [1:0]    suspend_least_priority_o,

  // 0x0a4 suspend_progress
  output logic      [22:0]   suspend_progress_ticks_o,

  // 0x0a8 poll
  output logic               poll_enable_o,

  // 0x0ac ready
  output logic      [5:0]    ready_mask_ticks_o,
  output logic               ready_synchronous_o,

  // 0x0b0 abort
  output logic      [15:0]   abort_channels_o,

  // 0x0b4 abort_op
  output logic      [15:0]   abort_op_tag_o,
  output logic               abort_op_go_o,
  input  wire logic          abort_op_found_i,
  input  wire logic          abort_op_busy_i,

  // 0x0b8 read_retries
  output logic      [5:0]    read_retries_levels_o,

  // 0x0bc poll_feature
  output logic      [22:0]   poll_feature_ticks_o,

  // 0x0c0 perf_ctrl
  output logic               perf_ctrl_enable_o,
  output logic               perf_ctrl_clear_o,

  // 0x0e0 poll_read
  output logic      [22:0]   poll_read_ticks_o,

  // 0x0e4 poll_program
  output logic      [22:0]   poll_program_ticks_o,

  // 0x0e8 poll_erase
  output logic      [22:0]   poll_erase_ticks_o,

  // 0x0ec poll_plane_queue
  output logic      [22:0]   poll_plane_queue_ticks_o,

  // 0x0f0 poll_reset
  output logic      [22:0]   poll_reset_ticks_o,

  // 0x0f4 poll_suspend_program
  output logic      [22:0]   poll_suspend_program_ticks_o,

  // 0x0f8 poll_suspend_erase
  output logic      [22:0]   poll_suspend_erase_ticks_o,

  // 0x0fc poll_again
  output logic      [22:0]   poll_again_ticks_o,

  // No edge changes anything before an input changes.
  output logic               idle_o
);

  // A request is kept until its answer can be put out; address and data of a write come in any order.
  logic        aw_full_q, w_full_q, ar_full_q, wr, rd, w_hit, r_hit;
  logic [11:2] aw_q, ar_q;
  logic [31:0] w_data_q, r_data;
  logic [3:0]  w_strb_q;

  assign awready_o = !aw_full_q;
  assign wready_o  = !w_full_q;
  assign arready_o = !ar_full_q;
  assign wr        = aw_full_q && w_full_q && !bvalid_o;
  assign rd        = ar_full_q && !rvalid_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_full_q <= 1'b0;
      w_full_q  <= 1'b0;
      ar_full_q <= 1'b0;
      bvalid_o  <= 1'b0;
      rvalid_o  <= 1'b0;
    end else begin
      aw_full_q <= (awvalid_i && awready_o) || (aw_full_q && !wr);
      w_full_q  <= (wvalid_i && wready_o) || (w_full_q && !wr);
      ar_full_q <= (arvalid_i && arready_o) || (ar_full_q && !rd);
      bvalid_o  <= wr || (bvalid_o && !bready_i);
      rvalid_o  <= rd || (rvalid_o && !rready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (awvalid_i && awready_o) aw_q <= awaddr_i[11:2];
    if (arvalid_i && arready_o) ar_q <= araddr_i[11:2];
    if (wvalid_i && wready_o) begin
      w_data_q <= wdata_i;
      w_strb_q <= wstrb_i;
    end
    if (wr) bresp_o <= w_hit ? 2'b00 : 2'b10;
    if (rd) begin
      rdata_o <= r_data;
      rresp_o <= r_hit ? 2'b00 : 2'b10;
    end
  end
  // Control
  logic w_ctrl;
  assign w_ctrl = wr && aw_q == 10'h004;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ctrl_hold_o <= 1'h0;
      ctrl_soft_reset_o <= 1'h0;
    end else begin
      if (w_ctrl && w_strb_q[0]) ctrl_hold_o <= w_data_q[0];
      ctrl_soft_reset_o <= (w_ctrl && w_strb_q[0] && w_data_q[1]) || (ctrl_soft_reset_o && !ctrl_soft_reset_clr_i);
    end
  end

  // Order of operations
  logic w_mode;
  assign w_mode = wr && if_idle_i && aw_q == 10'h006;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      mode_mode_o <= 2'h2;
    end else begin
      if (w_mode && w_strb_q[0]) mode_mode_o[1:0] <= w_data_q[1:0];
    end
  end

  // Stations in use
  logic w_stations;
  assign w_stations = wr && if_idle_i && aw_q == 10'h007;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      stations_stations_o <= 5'h10;
    end else begin
      if (w_stations && w_strb_q[0]) stations_stations_o[4:0] <= w_data_q[4:0];
    end
  end

  // Age limit
  logic w_age_limit;
  assign w_age_limit = wr && if_idle_i && aw_q == 10'h008;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      age_limit_stamps_o <= 23'h3b9;
    end else begin
      if (w_age_limit && w_strb_q[0]) age_limit_stamps_o[7:0] <= w_data_q[7:0];
      if (w_age_limit && w_strb_q[1]) age_limit_stamps_o[15:8] <= w_data_q[15:8];
      if (w_age_limit && w_strb_q[2]) age_limit_stamps_o[22:16] <= w_data_q[22:16];
    end
  end

  // Time out
  logic w_timeout;
  assign w_timeout = wr && aw_q == 10'h009;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      timeout_stamps_o <= 32'h0;
    end else begin
      if (w_timeout && w_strb_q[0]) timeout_stamps_o[7:0] <= w_data_q[7:0];
      if (w_timeout && w_strb_q[1]) timeout_stamps_o[15:8] <= w_data_q[15:8];
      if (w_timeout && w_strb_q[2]) timeout_stamps_o[23:16] <= w_data_q[23:16];
      if (w_timeout && w_strb_q[3]) timeout_stamps_o[31:24] <= w_data_q[31:24];
    end
  end

  // Geometry in use
  logic w_geometry;
  assign w_geometry = wr && if_idle_i && aw_q == 10'h00a;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      geometry_channels_o <= 8'h0;
      geometry_ces_o <= 8'h0;
      geometry_luns_o <= 8'h0;
      geometry_lun_shift_o <= 3'h0;
    end else begin
      if (w_geometry && w_strb_q[0]) geometry_channels_o[7:0] <= w_data_q[7:0];
      if (w_geometry && w_strb_q[1]) geometry_ces_o[7:0] <= w_data_q[15:8];
      if (w_geometry && w_strb_q[2]) geometry_luns_o[7:0] <= w_data_q[23:16];
      if (w_geometry && w_strb_q[3]) geometry_lun_shift_o[2:0] <= w_data_q[26:24];
    end
  end

  // Rows
  logic w_row;
  assign w_row = wr && if_idle_i && aw_q == 10'h00b;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      row_page_bits_o <= 5'h0;
      row_lun_lsb_o <= 5'h0;
    end else begin
      if (w_row && w_strb_q[0]) row_page_bits_o[4:0] <= w_data_q[4:0];
      if (w_row && w_strb_q[1]) row_lun_lsb_o[4:0] <= w_data_q[12:8];
    end
  end

  // Interrupt status
  logic w_intr_status;
  assign w_intr_status = wr && aw_q == 10'h00c;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      intr_status_taken_o <= 1'h0;
      intr_status_cq_full_o <= 1'h0;
      intr_status_refused_o <= 1'h0;
    end else begin
      intr_status_taken_o <= intr_status_taken_set_i || (intr_status_taken_o && !(w_intr_status && w_strb_q[0] && w_data_q[1]));
      intr_status_cq_full_o <= intr_status_cq_full_set_i || (intr_status_cq_full_o && !(w_intr_status && w_strb_q[0] && w_data_q[2]));
      intr_status_refused_o <= intr_status_refused_set_i || (intr_status_refused_o && !(w_intr_status && w_strb_q[0] && w_data_q[3]));
    end
  end

  // Interrupt enable
  logic w_intr_enable;
  assign w_intr_enable = wr && aw_q == 10'h00d;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      intr_enable_mask_o <= 4'h0;
    end else begin
      if (w_intr_enable && w_strb_q[0]) intr_enable_mask_o[3:0] <= w_data_q[3:0];
    end
  end

  // Interrupt test
  logic w_intr_test;
  assign w_intr_test = wr && aw_q == 10'h00e;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      intr_test_force_o <= 4'h0;
    end else begin
      if (w_intr_test && w_strb_q[0]) intr_test_force_o[3:0] <= w_data_q[3:0];
    end
  end

  // Operation window
  logic [15:0] w_window;
  always_comb begin
    w_window = '0;
    if (wr && if_window_free_i) begin
      for (int unsigned i = 0; i < 16; i++) begin
        w_window[i] = aw_q == 10'h010 + 10'(i);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      window_word_o <= {16{32'h0}};
    end else begin
      if (w_window != '0) begin
        for (int unsigned i = 0; i < 16; i++) begin
          if (w_window[i] && w_strb_q[0]) window_word_o[i*32 +: 8] <= w_data_q[7:0];
          if (w_window[i] && w_strb_q[1]) window_word_o[i*32 + 8 +: 8] <= w_data_q[15:8];
          if (w_window[i] && w_strb_q[2]) window_word_o[i*32 + 16 +: 8] <= w_data_q[23:16];
          if (w_window[i] && w_strb_q[3]) window_word_o[i*32 + 24 +: 8] <= w_data_q[31:24];
        end
      end
    end
  end

  // Doorbell
  logic w_doorbell;
  assign w_doorbell = wr && if_window_free_i && aw_q == 10'h020;
  always_ff @(posedge clk_i) begin
    doorbell_push_o <= w_doorbell && w_strb_q[0] && w_data_q[0];
  end

  // Pop
  logic w_cq_pop;
  assign w_cq_pop = wr && if_cq_any_i && aw_q == 10'h027;
  always_ff @(posedge clk_i) begin
    cq_pop_pop_o <= w_cq_pop && w_strb_q[0] && w_data_q[0];
  end

  // Suspend for reads
  logic w_suspend;
  assign w_suspend = wr && if_idle_i && aw_q == 10'h028;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      suspend_erases_o <= 1'h0;
      suspend_programs_o <= 1'h0;
      suspend_times_o <= 4'h4;
      suspend_least_priority_o <= 2'h0;
    end else begin
      if (w_suspend && w_strb_q[0]) suspend_erases_o <= w_data_q[0];
      if (w_suspend && w_strb_q[0]) suspend_programs_o <= w_data_q[1];
      if (w_suspend && w_strb_q[0]) suspend_times_o[3:0] <= w_data_q[7:4];
      if (w_suspend && w_strb_q[1]) suspend_least_priority_o[1:0] <= w_data_q[9:8];
    end
  end

  // Progress between suspends
  logic w_suspend_progress;
  assign w_suspend_progress = wr && if_idle_i && aw_q == 10'h029;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      suspend_progress_ticks_o <= 23'h5f7;
    end else begin
      if (w_suspend_progress && w_strb_q[0]) suspend_progress_ticks_o[7:0] <= w_data_q[7:0];
      if (w_suspend_progress && w_strb_q[1]) suspend_progress_ticks_o[15:8] <= w_data_q[15:8];
      if (w_suspend_progress && w_strb_q[2]) suspend_progress_ticks_o[22:16] <= w_data_q[22:16];
    end
  end

  // Polling
  logic w_poll;
  assign w_poll = wr && if_idle_i && aw_q == 10'h02a;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      poll_enable_o <= 1'h0;
    end else begin
      if (w_poll && w_strb_q[0]) poll_enable_o <= w_data_q[0];
    end
  end

  // Ready lines
  logic w_ready;
  assign w_ready = wr && if_idle_i && aw_q == 10'h02b;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ready_mask_ticks_o <= 6'h5;
      ready_synchronous_o <= 1'h0;
    end else begin
      if (w_ready && w_strb_q[0]) ready_mask_ticks_o[5:0] <= w_data_q[5:0];
      if (w_ready && w_strb_q[1]) ready_synchronous_o <= w_data_q[8];
    end
  end

  // Abort channels
  logic w_abort;
  assign w_abort = wr && aw_q == 10'h02c;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      abort_channels_o <= 16'h0;
    end else begin
      if (w_abort && w_strb_q[0]) abort_channels_o[7:0] <= w_data_q[7:0];
      if (w_abort && w_strb_q[1]) abort_channels_o[15:8] <= w_data_q[15:8];
    end
  end

  // Abort an operation
  logic w_abort_op;
  assign w_abort_op = wr && if_abort_free_i && aw_q == 10'h02d;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      abort_op_tag_o <= 16'h0;
      abort_op_go_o <= 1'h0;
    end else begin
      if (w_abort_op && w_strb_q[0]) abort_op_tag_o[7:0] <= w_data_q[7:0];
      if (w_abort_op && w_strb_q[1]) abort_op_tag_o[15:8] <= w_data_q[15:8];
      abort_op_go_o <= w_abort_op && w_strb_q[2] && w_data_q[16];
    end
  end

  // Read retry
  logic w_read_retries;
  assign w_read_retries = wr && if_idle_i && aw_q == 10'h02e;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_retries_levels_o <= 6'h0;
    end else begin
      if (w_read_retries && w_strb_q[0]) read_retries_levels_o[5:0] <= w_data_q[5:0];
    end
  end

  // Time until a poll: of a read-retry level that is being set
  logic w_poll_feature;
  assign w_poll_feature = wr && if_idle_i && aw_q == 10'h02f;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      poll_feature_ticks_o <= 23'h0;
    end else begin
      if (w_poll_feature && w_strb_q[0]) poll_feature_ticks_o[7:0] <= w_data_q[7:0];
      if (w_poll_feature && w_strb_q[1]) poll_feature_ticks_o[15:8] <= w_data_q[15:8];
      if (w_poll_feature && w_strb_q[2]) poll_feature_ticks_o[22:16] <= w_data_q[22:16];
    end
  end

  // Control of the performance counters
  logic w_perf_ctrl;
  assign w_perf_ctrl = wr && aw_q == 10'h030;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      perf_ctrl_enable_o <= 1'h0;
      perf_ctrl_clear_o <= 1'h0;
    end else begin
      if (w_perf_ctrl && w_strb_q[0]) perf_ctrl_enable_o <= w_data_q[0];
      perf_ctrl_clear_o <= w_perf_ctrl && w_strb_q[0] && w_data_q[1];
    end
  end

  // Time until a poll: of a read
  logic w_poll_read;
  assign w_poll_read = wr && if_idle_i && aw_q == 10'h038;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      poll_read_ticks_o <= 23'h0;
    end else begin
      if (w_poll_read && w_strb_q[0]) poll_read_ticks_o[7:0] <= w_data_q[7:0];
      if (w_poll_read && w_strb_q[1]) poll_read_ticks_o[15:8] <= w_data_q[15:8];
      if (w_poll_read && w_strb_q[2]) poll_read_ticks_o[22:16] <= w_data_q[22:16];
    end
  end

  // Time until a poll: of a program
  logic w_poll_program;
  assign w_poll_program = wr && if_idle_i && aw_q == 10'h039;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      poll_program_ticks_o <= 23'h0;
    end else begin
      if (w_poll_program && w_strb_q[0]) poll_program_ticks_o[7:0] <= w_data_q[7:0];
      if (w_poll_program && w_strb_q[1]) poll_program_ticks_o[15:8] <= w_data_q[15:8];
      if (w_poll_program && w_strb_q[2]) poll_program_ticks_o[22:16] <= w_data_q[22:16];
    end
  end

  // Time until a poll: of an erase
  logic w_poll_erase;
  assign w_poll_erase = wr && if_idle_i && aw_q == 10'h03a;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      poll_erase_ticks_o <= 23'h0;
    end else begin
      if (w_poll_erase && w_strb_q[0]) poll_erase_ticks_o[7:0] <= w_data_q[7:0];
      if (w_poll_erase && w_strb_q[1]) poll_erase_ticks_o[15:8] <= w_data_q[15:8];
      if (w_poll_erase && w_strb_q[2]) poll_erase_ticks_o[22:16] <= w_data_q[22:16];
    end
  end

  // Time until a poll: between the planes of an operation
  logic w_poll_plane_queue;
  assign w_poll_plane_queue = wr && if_idle_i && aw_q == 10'h03b;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      poll_plane_queue_ticks_o <= 23'h0;
    end else begin
      if (w_poll_plane_queue && w_strb_q[0]) poll_plane_queue_ticks_o[7:0] <= w_data_q[7:0];
      if (w_poll_plane_queue && w_strb_q[1]) poll_plane_queue_ticks_o[15:8] <= w_data_q[15:8];
      if (w_poll_plane_queue && w_strb_q[2]) poll_plane_queue_ticks_o[22:16] <= w_data_q[22:16];
    end
  end

  // Time until a poll: of a RESET
  logic w_poll_reset;
  assign w_poll_reset = wr && if_idle_i && aw_q == 10'h03c;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      poll_reset_ticks_o <= 23'h0;
    end else begin
      if (w_poll_reset && w_strb_q[0]) poll_reset_ticks_o[7:0] <= w_data_q[7:0];
      if (w_poll_reset && w_strb_q[1]) poll_reset_ticks_o[15:8] <= w_data_q[15:8];
      if (w_poll_reset && w_strb_q[2]) poll_reset_ticks_o[22:16] <= w_data_q[22:16];
    end
  end

  // Time until a poll: of a program that is being suspended
  logic w_poll_suspend_program;
  assign w_poll_suspend_program = wr && if_idle_i && aw_q == 10'h03d;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      poll_suspend_program_ticks_o <= 23'h0;
    end else begin
      if (w_poll_suspend_program && w_strb_q[0]) poll_suspend_program_ticks_o[7:0] <= w_data_q[7:0];
      if (w_poll_suspend_program && w_strb_q[1]) poll_suspend_program_ticks_o[15:8] <= w_data_q[15:8];
      if (w_poll_suspend_program && w_strb_q[2]) poll_suspend_program_ticks_o[22:16] <= w_data_q[22:16];
    end
  end

  // Time until a poll: of an erase that is being suspended
  logic w_poll_suspend_erase;
  assign w_poll_suspend_erase = wr && if_idle_i && aw_q == 10'h03e;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      poll_suspend_erase_ticks_o <= 23'h0;
    end else begin
      if (w_poll_suspend_erase && w_strb_q[0]) poll_suspend_erase_ticks_o[7:0] <= w_data_q[7:0];
      if (w_poll_suspend_erase && w_strb_q[1]) poll_suspend_erase_ticks_o[15:8] <= w_data_q[15:8];
      if (w_poll_suspend_erase && w_strb_q[2]) poll_suspend_erase_ticks_o[22:16] <= w_data_q[22:16];
    end
  end

  // Time from a poll that found its LUN busy to the next
  logic w_poll_again;
  assign w_poll_again = wr && if_idle_i && aw_q == 10'h03f;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      poll_again_ticks_o <= 23'h0;
    end else begin
      if (w_poll_again && w_strb_q[0]) poll_again_ticks_o[7:0] <= w_data_q[7:0];
      if (w_poll_again && w_strb_q[1]) poll_again_ticks_o[15:8] <= w_data_q[15:8];
      if (w_poll_again && w_strb_q[2]) poll_again_ticks_o[22:16] <= w_data_q[22:16];
    end
  end

  // ---- a write that has met no register is an error ----
  assign w_hit = w_ctrl || w_mode || w_stations || w_age_limit || w_timeout || w_geometry
              || w_row || w_intr_status || w_intr_enable || w_intr_test || (|w_window) || w_doorbell
              || w_cq_pop || w_suspend || w_suspend_progress || w_poll || w_ready || w_abort
              || w_abort_op || w_read_retries || w_poll_feature || w_perf_ctrl || w_poll_read || w_poll_program
              || w_poll_erase || w_poll_plane_queue || w_poll_reset || w_poll_suspend_program || w_poll_suspend_erase || w_poll_again;

  // ---- what a read finds ----
  logic in_perf;
  assign in_perf = ar_q[11:5] == 7'h8;
  assign perf_rd_o   = rd && in_perf;
  assign perf_addr_o = ar_q[4:2];
  logic in_perf_channel;
  assign in_perf_channel = ar_q[11:11] == 1'h1 && ar_q[6:2] <= 5'h13;
  assign perf_channel_rd_o   = rd && in_perf_channel;
  assign perf_channel_addr_o = ar_q[10:2];
  always_comb begin
    r_hit  = 1'b1;
    r_data = 32'd0;
    if (in_perf) r_data = perf_data_i;
    else if (in_perf_channel) r_data = perf_channel_data_i;
    else if (ar_q[11:6] == 6'h1) r_data = window_word_o[{ar_q[5:2], 5'd0} +: 32];
    else if (rd) begin
      unique case (ar_q)
        10'h000: r_data = {16'h4f33, 8'h1, 8'h1};  // id
        10'h001: r_data = {shape0_planes_i, shape0_stations_i, shape0_luns_i, shape0_channels_i};  // shape0
        10'h002: r_data = {shape1_streams_i, shape1_cq_depth_i, shape1_tags_i};  // shape1
        10'h004: r_data = {30'd0, ctrl_soft_reset_o, ctrl_hold_o};  // ctrl
        10'h005: r_data = {28'd0,
                           status_cq_full_i,
                           status_cq_any_i,
                           status_window_full_i,
                           status_busy_i};  // status
        10'h006: r_data = {30'd0, mode_mode_o};  // mode
        10'h007: r_data = {27'd0, stations_stations_o};  // stations
        10'h008: r_data = {9'd0, age_limit_stamps_o};  // age_limit
        10'h009: r_data = timeout_stamps_o;  // timeout
        10'h00a: r_data = {5'd0,
                           geometry_lun_shift_o,
                           geometry_luns_o,
                           geometry_ces_o,
                           geometry_channels_o};  // geometry
        10'h00b: r_data = {19'd0, row_lun_lsb_o, 3'd0, row_page_bits_o};  // row
        10'h00c: r_data = {28'd0,
                           intr_status_refused_o,
                           intr_status_cq_full_o,
                           intr_status_taken_o,
                           intr_status_cq_any_i};  // intr_status
        10'h00d: r_data = {28'd0, intr_enable_mask_o};  // intr_enable
        10'h00e: r_data = {28'd0, intr_test_force_o};  // intr_test
        10'h021: r_data = pushed_count_i;  // pushed
        10'h024: r_data = {24'd0, cq_level_waiting_i};  // cq_level
        10'h025: r_data = {cq_head_failed_planes_i, cq_head_status_i, cq_head_tag_i};  // cq_head
        10'h026: r_data = cq_cookie_cookie_i;  // cq_cookie
        10'h028: r_data = {22'd0,
                           suspend_least_priority_o,
                           suspend_times_o,
                           2'd0,
                           suspend_programs_o,
                           suspend_erases_o};  // suspend
        10'h029: r_data = {9'd0, suspend_progress_ticks_o};  // suspend_progress
        10'h02a: r_data = {31'd0, poll_enable_o};  // poll
        10'h02b: r_data = {23'd0, ready_synchronous_o, 2'd0, ready_mask_ticks_o};  // ready
        10'h02c: r_data = {16'd0, abort_channels_o};  // abort
        10'h02d: r_data = {13'd0, abort_op_busy_i, abort_op_found_i, 1'd0, abort_op_tag_o};  // abort_op
        10'h02e: r_data = {26'd0, read_retries_levels_o};  // read_retries
        10'h02f: r_data = {9'd0, poll_feature_ticks_o};  // poll_feature
        10'h030: r_data = {30'd0, 1'd0, perf_ctrl_enable_o};  // perf_ctrl
        10'h038: r_data = {9'd0, poll_read_ticks_o};  // poll_read
        10'h039: r_data = {9'd0, poll_program_ticks_o};  // poll_program
        10'h03a: r_data = {9'd0, poll_erase_ticks_o};  // poll_erase
        10'h03b: r_data = {9'd0, poll_plane_queue_ticks_o};  // poll_plane_queue
        10'h03c: r_data = {9'd0, poll_reset_ticks_o};  // poll_reset
        10'h03d: r_data = {9'd0, poll_suspend_program_ticks_o};  // poll_suspend_program
        10'h03e: r_data = {9'd0, poll_suspend_erase_ticks_o};  // poll_suspend_erase
        10'h03f: r_data = {9'd0, poll_again_ticks_o};  // poll_again
        default: r_hit = 1'b0;
      endcase
    end
  end

  assign idle_o = !wr && !rd && !bvalid_o && !rvalid_o;  // a pulse is the first cycle of its answer

  // The master holds a request until it is taken, this block an answer.
  `O3_STANDS(AwHeld, awvalid_i, awready_o, $bits(awaddr_i), awaddr_i, clk_i, rst_ni)
  `O3_STANDS(WHeld, wvalid_i, wready_o, 36, {wstrb_i, wdata_i}, clk_i, rst_ni)
  `O3_STANDS(ArHeld, arvalid_i, arready_o, $bits(araddr_i), araddr_i, clk_i, rst_ni)
  `O3_STANDS(BHeld, bvalid_o, bready_i, 2, bresp_o, clk_i, rst_ni)
  `O3_STANDS(RHeld, rvalid_o, rready_i, 34, {rresp_o, rdata_o}, clk_i, rst_ni)
  logic wr_was_q, rd_was_q, bvalid_was_q, rvalid_was_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {wr_was_q, rd_was_q, bvalid_was_q, rvalid_was_q} <= '0;
    else         {wr_was_q, rd_was_q, bvalid_was_q, rvalid_was_q} <= {wr, rd, bvalid_o, rvalid_o};
  end
  `O3_ASSERT(BAnswersAWrite, !bvalid_o || wr_was_q || bvalid_was_q, clk_i, rst_ni)
  `O3_ASSERT(RAnswersARead, !rvalid_o || rd_was_q || rvalid_was_q, clk_i, rst_ni)

endmodule
`default_nettype wire
