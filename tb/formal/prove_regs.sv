// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: AXI4-Lite of the registers (o3_regs): an answer stands until it is taken; one answer for each request, in
// order, with the request's own result; a write waits for both its address and its data, which come in any order; no
// answer without a request; an answer within two edges of the request and of the answer before it; a port refuses
// only while it has a request that waits. A read changes no register. Registers change by a write alone.
// Assumed: the master holds a request until it is taken.
`default_nettype none
`include "prove.svh"

module prove_regs (
  input  wire logic        clk_i,
  input  wire logic        awvalid_i,
  input  wire logic [11:0] awaddr_i,
  input  wire logic        wvalid_i,
  input  wire logic [31:0] wdata_i,
  input  wire logic [3:0]  wstrb_i,
  input  wire logic        bready_i,
  input  wire logic        arvalid_i,
  input  wire logic [11:0] araddr_i,
  input  wire logic        rready_i,
  input  wire logic [3:0]  needs_i,  // what registers need to be written: free
  input  wire logic [2:0]  sets_i,   // interrupts
  input  wire logic        ends_i,   // of a soft reset
  input  wire logic [31:0] value_i   // of what is kept elsewhere
);

  localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10;
  localparam int unsigned ALL_W = 904;

  `PROVE_RESET

  logic             awready, wready, bvalid, arready, rvalid, hold, soft, push, pop, clear, abort, idle;
  logic [1:0]       bresp, rresp;
  logic [31:0]      rdata;
  logic [2:0]       noted;
  logic [ALL_W-1:0] all;  // every register that a write changes

  o3_regs u_dut (
    .clk_i, .rst_ni(rst_n), .awvalid_i, .awready_o(awready), .awaddr_i, .wvalid_i, .wready_o(wready), .wdata_i,
    .wstrb_i, .bvalid_o(bvalid), .bready_i, .bresp_o(bresp), .arvalid_i, .arready_o(arready), .araddr_i, .rvalid_o(rvalid),
    .rready_i, .rdata_o(rdata), .rresp_o(rresp),
    .if_cq_any_i(needs_i[0]), .if_idle_i(needs_i[1]), .if_window_free_i(needs_i[2]), .if_abort_free_i(needs_i[3]),
    .perf_rd_o(), .perf_addr_o(), .perf_data_i(value_i), .perf_channel_rd_o(), .perf_channel_addr_o(),
    .perf_channel_data_i(value_i),
    .shape0_channels_i(8'd2), .shape0_luns_i(8'd2), .shape0_stations_i(8'd2), .shape0_planes_i(8'd4),
    .shape1_tags_i(16'd16), .shape1_cq_depth_i(8'd2), .shape1_streams_i(8'd64),
    .ctrl_hold_o(hold), .ctrl_soft_reset_clr_i(ends_i), .ctrl_soft_reset_o(soft),
    .status_busy_i(value_i[0]), .status_window_full_i(value_i[1]), .status_cq_any_i(value_i[2]),
    .status_cq_full_i(value_i[3]), .mode_mode_o(all[1:0]), .stations_stations_o(all[6:2]),
    .age_limit_stamps_o(all[29:7]), .timeout_stamps_o(all[61:30]), .geometry_channels_o(all[69:62]),
    .geometry_ces_o(all[77:70]), .geometry_luns_o(all[85:78]), .geometry_lun_shift_o(all[88:86]),
    .row_page_bits_o(all[93:89]), .row_lun_lsb_o(all[98:94]),
    .intr_status_cq_any_i(value_i[2]), .intr_status_taken_set_i(sets_i[0]), .intr_status_taken_o(noted[0]),
    .intr_status_cq_full_set_i(sets_i[1]), .intr_status_cq_full_o(noted[1]), .intr_status_refused_set_i(sets_i[2]),
    .intr_status_refused_o(noted[2]), .intr_enable_mask_o(all[102:99]), .intr_test_force_o(all[106:103]),
    .window_word_o(all[618:107]), .doorbell_push_o(push), .pushed_count_i(value_i), .cq_level_waiting_i(value_i[7:0]),
    .cq_head_tag_i(value_i[15:0]), .cq_head_status_i(value_i[7:0]), .cq_head_failed_planes_i(value_i[7:0]),
    .cq_cookie_cookie_i(value_i), .cq_pop_pop_o(pop), .suspend_erases_o(all[619]), .suspend_programs_o(all[620]),
    .suspend_times_o(all[624:621]), .suspend_least_priority_o(all[626:625]), .suspend_progress_ticks_o(all[649:627]),
    .poll_enable_o(all[650]), .ready_mask_ticks_o(all[656:651]), .ready_synchronous_o(all[657]),
    .perf_ctrl_enable_o(all[658]), .perf_ctrl_clear_o(clear), .poll_read_ticks_o(all[681:659]),
    .poll_program_ticks_o(all[704:682]), .poll_erase_ticks_o(all[727:705]), .poll_plane_queue_ticks_o(all[750:728]),
    .poll_reset_ticks_o(all[773:751]), .poll_suspend_program_ticks_o(all[796:774]),
    .poll_suspend_erase_ticks_o(all[819:797]), .poll_again_ticks_o(all[842:820]),
    .abort_channels_o(all[858:843]), .abort_op_tag_o(all[874:859]), .abort_op_go_o(abort),
    .abort_op_found_i(value_i[0]), .abort_op_busy_i(value_i[1]), .read_retries_levels_o(all[880:875]),
    .poll_feature_ticks_o(all[903:881]), .idle_o(idle)
  );

  // ---- requests that have been taken and not answered: two of each at most, the older in place 0 ----
  // Of a write's address: is it that of CTRL, which every write may change, or of ID, which none may; of its data what
  // it would make of CTRL.
  localparam logic [11:2] CTRL = 10'h004, ID = 10'h000;
  logic [1:0] aw_q = '0, w_q = '0, ar_q = '0;  // how many
  logic [1:0] ctrl_q, id_q, data_q, strb_q, read_id_q, read_ctrl_q;
  logic       hold_q = 1'b0;                   // what CTRL has to be, once the write that is answered is done
  logic       aw, w, b, ar, r;
  assign aw = awvalid_i && awready;
  assign w  = wvalid_i && wready;
  assign b  = bvalid && bready_i;
  assign ar = arvalid_i && arready;
  assign r  = rvalid && rready_i;

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      aw_q <= aw_q + 2'(aw) - 2'(b);
      w_q  <= w_q + 2'(w) - 2'(b);
      ar_q <= ar_q + 2'(ar) - 2'(r);
      if (b) begin
        {ctrl_q[0], id_q[0]} <= {ctrl_q[1], id_q[1]};
        {data_q[0], strb_q[0]} <= {data_q[1], strb_q[1]};
        hold_q <= expected;
      end
      if (r) {read_id_q[0], read_ctrl_q[0]} <= {read_id_q[1], read_ctrl_q[1]};
      if (aw && aw_q == 2'(b))       {ctrl_q[0], id_q[0]} <= {awaddr_i[11:2] == CTRL, awaddr_i[11:2] == ID};
      if (aw && aw_q == 2'(b) + 2'd1) {ctrl_q[1], id_q[1]} <= {awaddr_i[11:2] == CTRL, awaddr_i[11:2] == ID};
      if (w && w_q == 2'(b))         {data_q[0], strb_q[0]} <= {wdata_i[0], wstrb_i[0]};
      if (w && w_q == 2'(b) + 2'd1)  {data_q[1], strb_q[1]} <= {wdata_i[0], wstrb_i[0]};
      if (ar && ar_q == 2'(r))       {read_id_q[0], read_ctrl_q[0]} <= {araddr_i[11:2] == ID, araddr_i[11:2] == CTRL};
      if (ar && ar_q == 2'(r) + 2'd1) {read_id_q[1], read_ctrl_q[1]} <= {araddr_i[11:2] == ID, araddr_i[11:2] == CTRL};
    end
  end
  logic expected;
  assign expected = (ctrl_q[0] && strb_q[0]) ? data_q[0] : hold_q;

  // ---- the edge before ----
  logic             was_q = 1'b0, bvalid_q, bready_q, rvalid_q, rready_q, write_q, idle_q, hold_was_q, soft_q, ends_q;
  logic [1:0]       bresp_q, rresp_q, b_waits_q = '0, r_waits_q = '0;
  logic [31:0]      rdata_q;
  logic [2:0]       noted_q, sets_q;
  logic [ALL_W-1:0] all_q;
  always_ff @(posedge clk_i) begin
    was_q <= rst_n;
    {bvalid_q, bready_q, rvalid_q, rready_q, hold_was_q} <= {bvalid, bready_i, rvalid, rready_i, hold};
    {soft_q, ends_q} <= {soft, ends_i};
    {bresp_q, rresp_q, rdata_q, noted_q, sets_q, all_q}  <= {bresp, rresp, rdata, noted, sets_i, all};
    write_q <= aw_q != 2'd0 && w_q != 2'd0;
    idle_q  <= idle && !awvalid_i && !wvalid_i && !arvalid_i && sets_i == '0 && !ends_i;
    // Edges that a request has waited, while no older answer stands.
    b_waits_q <= (rst_n && aw_q != 2'd0 && w_q != 2'd0 && !bvalid) ? b_waits_q + 2'd1 : 2'd0;
    r_waits_q <= (rst_n && ar_q != 2'd0 && !rvalid) ? r_waits_q + 2'd1 : 2'd0;
  end

  logic        aw_held_q = 1'b0, w_held_q = 1'b0, ar_held_q = 1'b0;
  logic [11:0] awaddr_q, araddr_q;
  logic [35:0] w_what_q;
  always_ff @(posedge clk_i) begin
    {aw_held_q, w_held_q, ar_held_q} <= {rst_n && awvalid_i && !awready, rst_n && wvalid_i && !wready,
                                         rst_n && arvalid_i && !arready};
    {awaddr_q, w_what_q, araddr_q}   <= {awaddr_i, wstrb_i, wdata_i, araddr_i};
  end

  always_comb begin
    assume (!aw_held_q || (awvalid_i && awaddr_i == awaddr_q));
    assume (!w_held_q || (wvalid_i && {wstrb_i, wdata_i} == w_what_q));
    assume (!ar_held_q || (arvalid_i && araddr_i == araddr_q));
    if (rst_n) begin
      // Never an answer to no request; no request refused without one that waits.
      `PROVE(!bvalid || (aw_q != 2'd0 && w_q != 2'd0));
      `PROVE(!rvalid || ar_q != 2'd0);
      `PROVE(aw_q <= 2'd2 && w_q <= 2'd2 && ar_q <= 2'd2);
      `PROVE((awready || aw_q != 2'd0) && (wready || w_q != 2'd0) && (arready || ar_q != 2'd0));
      // Bounded.
      `PROVE(b_waits_q <= 2'd1 && r_waits_q <= 2'd1);
      // In order, each its own answer and effect.
      if (bvalid) begin
        `PROVE(bresp == OKAY || bresp == SLVERR);
        `PROVE(!ctrl_q[0] || bresp == OKAY);
        `PROVE(!id_q[0] || bresp == SLVERR);
        `PROVE(hold == expected);
      end else begin
        `PROVE(hold == hold_q);
      end
      if (rvalid) begin
        `PROVE(rresp == OKAY || rresp == SLVERR);
        if (read_id_q[0]) `PROVE(rresp == OKAY && rdata == 32'h4f330101);
        if (read_ctrl_q[0]) `PROVE(rresp == OKAY && rdata[31:2] == '0);
      end
      if (was_q) begin
        // It stands until it is taken.
        if (bvalid_q && !bready_q) `PROVE(bvalid && bresp == bresp_q);
        if (rvalid_q && !rready_q) `PROVE(rvalid && rresp == rresp_q && rdata == rdata_q);
        // No write, no change: whatever is read.
        if (!write_q) begin
          `PROVE(hold == hold_was_q && all == all_q && noted == (noted_q | sets_q));
          `PROVE(!push && !pop && !clear && !abort);
          `PROVE(soft == (soft_q && !ends_q));  // it stands until its end
        end
        // idle_o: nothing changes without an input (its clock is gated).
        if (idle_q) begin
          `PROVE(idle && !bvalid && !rvalid && hold == hold_was_q && soft == soft_q && all == all_q && noted == noted_q);
        end
      end
    end
    // Two writes back to back whose data came first, answered late.
    `REACH(rst_n && b && ctrl_q[0] && aw_q == 2'd2 && w_q == 2'd2 && id_q[1] && hold != hold_q);
    `REACH(rst_n && r && read_ctrl_q[0] && rdata[0] && ar_q == 2'd2 && read_id_q[1]);
  end

endmodule
`default_nettype wire
