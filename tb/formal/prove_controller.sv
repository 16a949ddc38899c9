// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the whole controller from its ports, 2x2 chips: an operation that is taken is carried out in full,
// once, and told once; a LUN has one operation from its first segment to its last and is left alone while it
// works; nothing passes what it depends on; each stream is told in its order; fences hold; and what is idle
// has told everything. Assumed: what docs/explanation/rtl.md asks of the other side of the ports.
//
// Two operations, `a` and `b`, are followed; which two is free, so what holds for them holds for every pair.
`default_nettype none
`include "prove.svh"

module prove_controller #(
  parameter  int unsigned PLANES   = 1,  // of an operation at most
  parameter  int unsigned OPS      = 2,  // taken in all; 0: any number
  parameter  bit          AT_ONCE  = 0,  // the first comes at the first edge at which it can
  parameter  bit          TIMELESS = 0,  // time stands still: nothing ages
  parameter  int unsigned LATE     = 0,  // not 0: R/B# falls up to so many clocks after a command, and has no clock
  parameter  bit          EAGER    = 0,  // all come at once, and the ports' other side never waits
  localparam int unsigned CHANNELS = 2,
  localparam int unsigned LUNS     = 2,
  localparam int unsigned TAGS     = 4,
  localparam int unsigned STATIONS = 2,
  localparam int unsigned TW       = 2
) (
  input  wire logic                clk_i,
  input  wire logic                stamp_i,       // time: free, so ages are anything
  input  wire logic                op_valid_i,
  input  wire logic [TW-1:0]       op_tag_i,
  input  wire logic [1:0]          op_opcode_i,
  input  wire logic [1:0]          op_priority_i,
  input  wire logic                op_fence_i,
  input  wire logic                op_channel_i,
  input  wire logic                op_ce_i,
  input  wire logic                op_planes_i,   // less one
  input  wire logic                op_alone_i,
  input  wire logic                op_stream_i,
  input  wire logic [3:0]          op_rows_i,
  input  wire logic                done_ready_i,
  input  wire logic                land_valid_i,
  input  wire logic [TW-1:0]       land_tag_i,
  input  wire logic [CHANNELS-1:0] seg_done_i,
  input  wire logic [CHANNELS-1:0] seg_fail_i,
  input  wire logic [CHANNELS*LUNS-1:0] fall_i,   // LATE: its line falls at once
  input  wire logic [CHANNELS*LUNS-1:0] rise_i    // the array of a LUN is done
);

  // A tick is a clock: tWB, two flops and the edge that sees the end of the segment, and one more.
  localparam logic [o3_pkg::MASK_W-1:0] MASK = (LATE != 0) ? 6'(LATE + 4) : 6'd0;

  localparam logic [1:0] READ    = 2'd1;
  localparam logic [1:0] PROGRAM = 2'd2;
  localparam logic [1:0] ERASE   = 2'd3;

  `PROVE_RESET

  (* anyconst *) logic [TW-1:0] a;
  (* anyconst *) logic [TW-1:0] b;
  (* anyconst *) logic          by_age;      // age limit: none, or one that is never reached

  logic                  planes;  // less one
  assign planes = PLANES != 1 && op_planes_i;
  logic                  op_ready, done_valid, land_ready, idle;
  logic [511:0]          op;
  logic [15:0]           done_tag;
  logic [CHANNELS-1:0]   seg_valid;
  logic [CHANNELS*8-1:0] seg_ce, seg_opcode, seg_status;
  logic [CHANNELS*3-1:0] seg_phase, seg_nplanes;
  logic [CHANNELS*2-1:0] seg_plane;
  logic [CHANNELS*16-1:0] seg_tag;
  logic [CHANNELS*LUNS-1:0] ready;

  always_comb begin
    op = '0;
    op[flash_op_pkg::FLASH_OP_TAG_LSB +: 16]     = 16'(op_tag_i);
    op[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8]   = 8'(op_opcode_i);
    op[flash_op_pkg::FLASH_OP_FLAGS_LSB +: 8]    = {5'd0, op_fence_i, op_priority_i};
    op[flash_op_pkg::FLASH_OP_CHANNEL_LSB +: 8]  = 8'(op_channel_i);
    op[flash_op_pkg::FLASH_OP_CE_LSB +: 8]       = 8'(op_ce_i);
    op[flash_op_pkg::FLASH_OP_NPLANES_LSB +: 8]  = 8'(planes) + 8'd1;
    op[flash_op_pkg::FLASH_OP_STREAM_LSB +: 16]  = op_alone_i ? flash_op_pkg::FLASH_NO_STREAM[15:0]
                                                              : 16'(op_stream_i);
    op[flash_op_pkg::FLASH_OP_ROW_LSB +: 32]      = 32'(op_rows_i[1:0]);
    op[flash_op_pkg::FLASH_OP_ROW_LSB + 32 +: 32] = 32'(op_rows_i[3:2]);
    for (int unsigned c = 0; c < CHANNELS; c++) seg_status[c * 8 +: 8] = {7'h20, seg_fail_i[c]};
  end

  o3_controller #(.CHANNELS(CHANNELS), .LUNS(LUNS), .TAGS(TAGS), .STATIONS(STATIONS), .DEPTH(2)) u_dut (
    .clk_i, .clk_straps_i(clk_i), .rst_ni(rst_n), .test_en_i(1'b0),
    .now_i((LATE != 0) ? {41'd0, ticks_q, 16'd0} : {43'd0, stamp_i && !TIMELESS, 20'd0}),
    .mode_i(o3_pkg::MODE_OOO), .stations_i(5'(STATIONS)),
    .age_limit_i((by_age && !TIMELESS) ? 32'd0 : 32'h7fffff), .timeout_i(32'd0), .page_bits_i(5'd1),
    .no_grant_i(2'd0), .suspend_i(2'd0), .suspends_i(4'd0), .suspend_priority_i(2'd0),
    .poll_i(1'b0), .poll_times_i(216'd0), .retries_i(6'd0), .row_lun_i(5'd8), .suspend_progress_i(24'd0),
    .ready_mask_i(MASK), .ready_synchronous_i(LATE == 0),
    .channels_i(8'd2), .ces_i(8'd2), .luns_i(8'd1), .lun_shift_i(3'd0),
    .op_valid_i(op_valid_i && rst_n), .op_ready_o(op_ready), .op_i(op), .op_window_i(1'b0),
    .abort_all_i(2'd0), .abort_valid_i(1'b0), .abort_ready_o(), .abort_tag_i(16'd0), .abort_found_o(),
    .done_valid_o(done_valid), .done_ready_i, .done_tag_o(done_tag), .done_status_o(), .done_planes_o(),
    .done_cookie_o(), .done_window_o(),
    .land_valid_i(land_valid_i && rst_n), .land_ready_o(land_ready), .land_tag_i(16'(land_tag_i)),
    .seg_valid_o(seg_valid), .seg_ce_o(seg_ce), .seg_lun_o(), .seg_phase_o(seg_phase),
    .seg_opcode_o(seg_opcode),
    .seg_plane_o(seg_plane), .seg_nplanes_o(seg_nplanes), .seg_col_o(), .seg_len_o(), .seg_flags_o(),
    .seg_tag_o(seg_tag), .seg_row_o(), .seg_buf_o(), .seg_oob_o(), .seg_level_o(),
    .seg_done_i, .seg_status_i(seg_status), .retry_i(4'd0), .ready_i(ready),
    .ended_o(), .held_o(), .held_tag_o(), .held_status_o(), .held_planes_o(), .event_o(), .event_no_o(),
    .work_o(), .blocked_o(), .lun_busy_o(), .outstanding_o(), .empty_o(), .idle_o(idle), .wake_at_o()
  );

  // ---- the other side of the ports ----
  logic [TAGS-1:0]          outstanding_q = '0, to_land_q = '0;  // taken and not told; its last burst is over
  logic [CHANNELS-1:0]      over_q = '0;      // the segment that still stands has been told its end
  logic [CHANNELS*LUNS-1:0] busy_q = '0;      // the LUN's array works
  logic [CHANNELS*LUNS-1:0] low_q = '0;       // and it has pulled its line
  logic [CHANNELS*LUNS*3-1:0] age_q;          // clocks for which its array has worked, up to LATE - 1
  logic [6:0]               ticks_q = '0;
  logic [2:0]               taken_q = '0;     // how many have been taken
  logic [2:0]               quiet_q = '0;     // edges since something happened at the ports
  logic                     take, tell, land, stir;
  assign take  = rst_n && op_valid_i && op_ready;
  assign tell  = rst_n && done_valid && done_ready_i;
  assign land  = rst_n && land_valid_i && land_ready;
  assign ready = (LATE != 0) ? ~low_q : ~busy_q;
  assign stir  = take || land || done_valid || to_land_q != '0 || seg_valid != '0 || busy_q != '0;

  // A channel's segment.
  logic [2:0]    s_phase;
  logic [1:0]    s_plane, s_lun, s_tag;
  logic          s_last;
  logic [CHANNELS*LUNS-1:0] owned_q = '0;     // some operation has had its first segment and not its last
  logic [CHANNELS*LUNS*TW-1:0] owner_q;

  // ---- the two ----
  // Record, written when it is taken; that it has ended, data in DRAM included; that b was taken after a.
  logic       a_in_q = 1'b0, b_in_q = 1'b0, a_end_q = 1'b0, after_q = 1'b0;
  logic [1:0] a_opc_q, b_opc_q, a_lun_q, b_lun_q;
  logic       a_alone_q, b_alone_q, a_stream_q, b_stream_q, b_fence_q, a_planes_q, b_planes_q;
  logic [3:0] a_rows_q, b_rows_q;
  logic [2:0] a_segs_q, a_all, want_phase;    // segments that have ended, of how many
  logic       a_off;                          // it has had its last
  logic       same_stream, page, block, depends;

  // Segments of an operation: bursts or commands a plane; and commands and bursts, or the status.
  assign a_all = (a_opc_q == READ) ? 3'd2 * (3'(a_planes_q) + 3'd1) : 3'(a_planes_q) + 3'd2;
  assign a_off = a_segs_q == a_all;

  always_comb begin
    same_stream = !a_alone_q && !b_alone_q && a_stream_q == b_stream_q;
    page  = 1'b0;
    block = 1'b0;
    for (int unsigned i = 0; i < 2; i++) begin
      for (int unsigned j = 0; j < 2; j++) begin
        if (1'(i) <= a_planes_q && 1'(j) <= b_planes_q) begin
          if (a_rows_q[i * 2 +: 2] == b_rows_q[j * 2 +: 2]) page = 1'b1;
          if (a_rows_q[i * 2 + 1] == b_rows_q[j * 2 + 1]) block = 1'b1;
        end
      end
    end
    depends = a_lun_q == b_lun_q
           && ((a_opc_q == READ && b_opc_q == READ) ? 1'b0
               : (a_opc_q == b_opc_q || a_opc_q == ERASE || b_opc_q == ERASE) ? block : page);
  end

  always_ff @(posedge clk_i) begin
    ticks_q <= ticks_q + 7'd1;
    if (rst_n) begin
      for (int unsigned c = 0; c < CHANNELS; c++) begin
        s_phase = seg_phase[c * 3 +: 3];
        s_lun   = {1'(c), seg_ce[c * 8]};
        s_tag   = seg_tag[c * 16 +: TW];
        s_plane = seg_plane[c * 2 +: 2];
        s_last  = 3'(s_plane) + 3'd1 == seg_nplanes[c * 3 +: 3];
        over_q[c] <= seg_valid[c] && (over_q[c] || seg_done_i[c]);
        if (seg_valid[c] && !over_q[c] && !owned_q[s_lun]) begin
          owned_q[s_lun] <= 1'b1;
          owner_q[s_lun * TW +: TW] <= s_tag;
        end
        if (seg_done_i[c]) begin
          if (s_phase == o3_pkg::PHASE_COMMAND || s_phase == o3_pkg::PHASE_DATA_IN) begin
            busy_q[s_lun] <= 1'b1;
            low_q[s_lun]  <= fall_i[s_lun];
            age_q[s_lun * 3 +: 3] <= '0;
          end
          if (s_phase == o3_pkg::PHASE_STATUS || (s_phase == o3_pkg::PHASE_DATA_OUT && s_last)) begin
            owned_q[s_lun] <= 1'b0;
          end
          if (s_phase == o3_pkg::PHASE_DATA_OUT && s_last) to_land_q[s_tag] <= 1'b1;
          if (s_tag == a) begin
            a_segs_q <= a_segs_q + 3'd1;
            if (s_phase == o3_pkg::PHASE_STATUS) a_end_q <= 1'b1;
          end
        end
      end
      for (int unsigned l = 0; l < CHANNELS * LUNS; l++) begin
        if (busy_q[l]) age_q[l * 3 +: 3] <= age_q[l * 3 +: 3] + 3'd1;
        if (busy_q[l] && !low_q[l]) low_q[l] <= LATE == 0 || fall_i[l] || age_q[l * 3 +: 3] == 3'(LATE - 1);
        if (busy_q[l] && rise_i[l] && (LATE == 0 || low_q[l])) begin
          busy_q[l] <= 1'b0;
          low_q[l]  <= 1'b0;
        end
      end
      if (land) begin
        to_land_q[land_tag_i] <= 1'b0;
        if (land_tag_i == a) a_end_q <= 1'b1;
      end
      if (take) outstanding_q[op_tag_i] <= 1'b1;
      if (take && OPS != 0) taken_q <= taken_q + 3'd1;
      if (tell) outstanding_q[done_tag[TW-1:0]] <= 1'b0;
      if (take && op_tag_i == a) begin
        a_in_q     <= 1'b1;
        a_end_q    <= 1'b0;
        after_q    <= 1'b0;
        a_segs_q   <= '0;
        a_opc_q    <= op_opcode_i;
        a_lun_q    <= {op_channel_i, op_ce_i};
        a_alone_q  <= op_alone_i;
        a_stream_q <= op_stream_i;
        a_planes_q <= planes;
        a_rows_q   <= op_rows_i;
      end else if (tell && done_tag == 16'(a)) a_in_q <= 1'b0;
      if (take && op_tag_i == b) begin
        b_in_q     <= 1'b1;
        after_q    <= a_in_q && !(tell && done_tag == 16'(a));
        b_opc_q    <= op_opcode_i;
        b_lun_q    <= {op_channel_i, op_ce_i};
        b_alone_q  <= op_alone_i;
        b_stream_q <= op_stream_i;
        b_fence_q  <= op_fence_i && !op_alone_i;
        b_planes_q <= planes;
        b_rows_q   <= op_rows_i;
      end else if (tell && done_tag == 16'(b)) b_in_q <= 1'b0;
      if (stir) quiet_q <= '0;
      else if (quiet_q != 3'd7) quiet_q <= quiet_q + 3'd1;
    end
  end

  // ---- assumed ----
  always_comb begin
    assume (a != b);
    assume (op_opcode_i != 2'd0);
    assume (!op_valid_i || OPS == 0 || taken_q != 3'(OPS));
    assume (!AT_ONCE || taken_q != '0 || op_valid_i);
    if (EAGER) begin
      assume (op_valid_i == (taken_q != 3'(OPS)));
      assume (done_ready_i && rise_i == '1 && seg_done_i == (seg_valid & ~over_q & {CHANNELS{rst_n}}));
      assume (land_valid_i == (to_land_q != '0));
    end
    assume (!planes || op_rows_i[1] != op_rows_i[3]);  // planes are of different blocks
    assume (!op_valid_i || !outstanding_q[op_tag_i]);
    assume (!land_valid_i || to_land_q[land_tag_i]);
    assume ((seg_done_i & ~(seg_valid & ~over_q)) == '0);
    if (!rst_n) assume (seg_done_i == '0);
  end

  // ---- proven ----
  logic completed_q = 1'b0;  // a was told before b, which was taken after it
  always_ff @(posedge clk_i) begin
    if (take && (op_tag_i == a || op_tag_i == b)) completed_q <= 1'b0;
    else if (rst_n && after && tell && done_tag == 16'(a)) completed_q <= 1'b1;
  end
  assign after = after_q && a_in_q && b_in_q;
  logic [2:0] c_phase;
  logic [1:0] c_plane, c_lun, c_tag;
  logic       is_a, is_b, after;
  always_comb begin
    {c_phase, c_plane, c_lun, c_tag, is_a, is_b, want_phase} = '0;
    if (rst_n) begin
      for (int unsigned c = 0; c < CHANNELS; c++) begin
        c_phase = seg_phase[c * 3 +: 3];
        c_lun   = {1'(c), seg_ce[c * 8]};
        c_tag   = seg_tag[c * 16 +: TW];
        c_plane = seg_plane[c * 2 +: 2];
        is_a    = seg_valid[c] && !over_q[c] && c_tag == a;
        is_b    = seg_valid[c] && !over_q[c] && c_tag == b;
        // One operation a LUN, and none while its array works.
        if (seg_valid[c] && !over_q[c]) begin
          `PROVE(outstanding_q[c_tag]);
          `PROVE(!busy_q[c_lun]);
          `PROVE(!owned_q[c_lun] || owner_q[c_lun * TW +: TW] == c_tag);
        end
        // Each of its segments once, in their order, where it belongs.
        if (is_a) begin
          `PROVE(a_in_q && !a_off && seg_tag[c * 16 +: 16] == 16'(a));
          `PROVE(c_lun == a_lun_q && seg_ce[c * 8 +: 8] == 8'(a_lun_q[0])
                 && seg_opcode[c * 8 +: 8] == 8'(a_opc_q));
          want_phase = (a_segs_q <= 3'(a_planes_q))
                       ? ((a_opc_q == PROGRAM) ? o3_pkg::PHASE_DATA_IN : o3_pkg::PHASE_COMMAND)
                       : ((a_opc_q == READ) ? o3_pkg::PHASE_DATA_OUT : o3_pkg::PHASE_STATUS);
          `PROVE(c_phase == want_phase);
          `PROVE(c_phase == o3_pkg::PHASE_STATUS
                 || c_plane == ((a_segs_q <= 3'(a_planes_q)) ? a_segs_q[1:0]
                                                             : 2'(a_segs_q - 3'(a_planes_q) - 3'd1)));
        end
        // b was taken after a: it does not pass what it depends on; a fence waits for the end of all before.
        if (is_b && after) begin
          `PROVE(!depends || a_off);
          `PROVE(!(b_fence_q && same_stream) || a_end_q);
        end
      end
      // Completed once, when it has ended.
      if (tell && done_tag == 16'(a)) `PROVE(a_in_q && a_end_q && a_off);
      `PROVE(!tell || done_tag < 16'(TAGS));
      `PROVE(!(after && same_stream && tell && done_tag == 16'(b)));
      `PROVE(!(quiet_q == 3'd7 && !stir && idle && outstanding_q != '0));
    end
    for (int unsigned o = 1; o <= 3; o++) begin
      `REACH(tell && done_tag == 16'(a) && a_opc_q == 2'(o));
    end
    if (OPS == 0 || OPS > 2) begin  // the first of two has its LUN before the second comes
      `REACH(after && tell && done_tag == 16'(b) && a_lun_q == b_lun_q);           // b passes a
    end
    if (OPS != 1) begin
      // Both are completed; b waits for a, where the depth allows for that.
      `REACH(completed_q && tell && done_tag == 16'(b) && (EAGER || (depends && b_opc_q == READ)));
    end
  end

endmodule
`default_nettype wire
