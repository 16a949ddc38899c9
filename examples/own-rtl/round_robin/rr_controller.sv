// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: round-robin flash controller: in-order issue, one operation a LUN, a bus arbiter a channel.
// docs/start/own-rtl-controller.md describes the ports. Every input meets a register at the edge; outputs are registers,
// except idle_o, which is a function of registers.
`default_nettype none
`include "assert.svh"

module rr_controller
#(
  parameter int unsigned CHANNELS = 8,
  parameter int unsigned LUNS     = 16,   // a channel, a power of two up to 64
  parameter int unsigned TAGS     = 128,
  parameter int unsigned DEPTH    = 16    // operations in the front FIFO, a power of two
) (
  input  wire logic                     clk_i,
  input  wire logic                     rst_ni,

  // Straps, constant after reset: the geometry in use, at most the built one.
  input  wire logic                     mode_serial_i,  // one operation in the whole controller
  input  wire logic [7:0]               channels_i,
  input  wire logic [7:0]               ces_i,          // CE# a channel
  input  wire logic [7:0]               luns_i,         // LUNs a CE#
  input  wire logic [2:0]               lun_shift_i,    // LUN index = (ce << shift) | lun

  // Operations in.
  input  wire logic                     op_valid_i,
  output logic                          op_ready_o,
  input  wire logic [511:0]             op_i,

  // Completions out.
  output logic                          done_valid_o,
  input  wire logic                     done_ready_i,
  output logic [15:0]                   done_tag_o,
  output logic [7:0]                    done_status_o,
  output logic [7:0]                    done_planes_o,  // failed planes
  output logic [31:0]                   done_cookie_o,

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
  input  wire logic [CHANNELS-1:0]      seg_done_i,
  input  wire logic [CHANNELS*8-1:0]    seg_status_i,
  input  wire logic [CHANNELS*LUNS-1:0] ready_i,

  // Clock gating: nothing changes without a new input. There are no timers, hence no wake_at_o.
  output logic                          idle_o
);

  localparam int unsigned DW = $clog2(DEPTH);
  localparam int unsigned LW = (LUNS > 1) ? $clog2(LUNS) : 1;
  localparam int unsigned CW = (CHANNELS > 1) ? $clog2(CHANNELS) : 1;
  localparam int unsigned TW = $clog2(TAGS);
  localparam int unsigned SOURCES = CHANNELS + 2;  // of completions: channels, landing, illegal
  localparam int unsigned SW = $clog2(SOURCES);
  localparam int unsigned LAND = CHANNELS;
  localparam int unsigned ILLEGAL = CHANNELS + 1;
  localparam int unsigned MAX_PLANES = flash_op_pkg::FLASH_MAX_PLANES;

  // ---- front FIFO and its head ----
  logic [511:0]  fifo_m [0:DEPTH-1];
  logic [35:0]   meta_m [0:TAGS-1];  // stream modulo 16, cookie
  logic [DW-1:0] wp_q, rp_q;
  logic [DW:0]   count_q, count_d;
  logic          head_valid_q;
  logic [511:0]  head_q;
  logic          push, load, pop;

  assign push = op_valid_i && op_ready_o;
  assign load = !head_valid_q && count_q != '0;
  assign count_d = count_q + (DW + 1)'(push) - (DW + 1)'(load);

  // ---- may the head go? ----
  logic [7:0]  h_opcode, h_channel, h_ce, h_lun, h_nplanes, h_index;
  logic [15:0] h_tag;
  logic [3:0]  h_stream;
  logic        h_fence, h_reset, h_legal, h_in_turn, h_free, fire;
  logic [LUNS-1:0] h_mask;
  logic [LW-1:0]   h_slot;
  logic [CW-1:0]   h_bus;

  assign h_tag     = head_q[flash_op_pkg::FLASH_OP_TAG_LSB +: 16];
  assign h_opcode  = head_q[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8];
  assign h_channel = head_q[flash_op_pkg::FLASH_OP_CHANNEL_LSB +: 8];
  assign h_ce      = head_q[flash_op_pkg::FLASH_OP_CE_LSB +: 8];
  assign h_lun     = head_q[flash_op_pkg::FLASH_OP_LUN_LSB +: 8];
  assign h_nplanes = head_q[flash_op_pkg::FLASH_OP_NPLANES_LSB +: 8];
  assign h_stream  = head_q[flash_op_pkg::FLASH_OP_STREAM_LSB +: 4];
  assign h_fence   = |(head_q[flash_op_pkg::FLASH_OP_FLAGS_LSB +: 8] & flash_op_pkg::FLASH_FLAG_FENCE);
  assign h_reset   = h_opcode == flash_op_pkg::FLASH_OP_RESET;
  assign h_index   = (h_ce << lun_shift_i) | h_lun;
  assign h_slot    = h_index[LW-1:0];
  assign h_bus     = h_channel[CW-1:0];
  assign h_legal   = h_opcode >= flash_op_pkg::FLASH_OP_READ && h_opcode <= flash_op_pkg::FLASH_OP_RESET
                  && h_channel < channels_i && h_ce < ces_i && h_lun < luns_i
                  && h_nplanes != 8'd0 && h_nplanes <= 8'(MAX_PLANES);

  // ---- operations in flight: all of them, and a stream's (modulo 16; 16 bits each) ----
  logic [15:0] inflight_q;
  logic [rr_pkg::STREAMS*16-1:0] stream_q;

  logic [CHANNELS*LUNS-1:0] avail;
  logic [CHANNELS-1:0]      ins_ready, ins_valid, active;

  assign h_in_turn = head_valid_q && (!h_fence || stream_q[{h_stream, 4'd0} +: 16] == 16'd0)
                  && (!mode_serial_i || inflight_q == 16'd0);

  always_comb begin
    h_mask    = '0;
    h_free    = 1'b0;
    ins_valid = '0;
    if (h_in_turn && h_legal) begin
      h_mask = LUNS'(1) << h_slot;
      if (h_reset) begin  // FFh resets every LUN of its CE#
        for (int unsigned i = 0; i < LUNS; i++) begin
          h_mask[i] = (LW'(i) >> lun_shift_i) == h_ce[LW-1:0] && (8'(i) & ~(8'hff << lun_shift_i)) < luns_i;
        end
      end
      h_free = (h_mask & ~avail[h_bus * LUNS +: LUNS]) == '0 && ins_ready[h_bus];
      ins_valid[h_bus] = h_free;
    end
  end
  assign fire = h_free;

  // ---- completions: one at a time, round robin over the sources ----
  logic [SOURCES-1:0]     end_req, end_after_q, end_after;
  logic                   end_any, retire;
  logic [SW-1:0]          end_src;
  logic [CHANNELS-1:0]    ch_end, end_take;
  logic [CHANNELS*16-1:0] ch_tag;
  logic [CHANNELS*4-1:0]  ch_planes;
  logic                   land_valid_q;
  logic [15:0]            land_tag_q;
  logic [15:0]            r_tag;
  logic [7:0]             r_status;
  logic [3:0]             r_planes, r_stream;
  logic [31:0]            r_cookie;
  logic                   r_counted;

  assign end_req = {h_in_turn && !h_legal, land_valid_q, ch_end};
  rr_pick #(.N(SOURCES)) u_end (
    .req_i(end_req), .after_i(end_after_q), .any_o(end_any), .idx_o(end_src), .after_o(end_after)
  );
  assign retire = end_any && !done_valid_o;
  assign pop    = fire || (retire && end_src == SW'(ILLEGAL));

  always_comb begin
    end_take  = '0;
    r_tag     = land_tag_q;
    r_status  = flash_op_pkg::FLASH_STATUS_OK;
    r_planes  = 4'd0;
    r_counted = retire;
    if (end_src == SW'(ILLEGAL)) begin
      r_tag     = h_tag;
      r_status  = flash_op_pkg::FLASH_STATUS_ILLEGAL;
      r_counted = 1'b0;
    end else if (end_src != SW'(LAND)) begin
      end_take[end_src[CW-1:0]] = retire;
      r_tag    = ch_tag[end_src[CW-1:0] * 16 +: 16];
      r_planes = ch_planes[end_src[CW-1:0] * 4 +: 4];
      if (r_planes != 4'd0) r_status = flash_op_pkg::FLASH_STATUS_FAIL;
    end
    {r_stream, r_cookie} = meta_m[r_tag[TW-1:0]];
  end

  assign land_ready_o = !land_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wp_q         <= '0;
      rp_q         <= '0;
      count_q      <= '0;
      op_ready_o   <= 1'b0;
      head_valid_q <= 1'b0;
      inflight_q   <= '0;
      stream_q     <= '0;
      end_after_q  <= '0;
      land_valid_q <= 1'b0;
      done_valid_o <= 1'b0;
    end else begin
      if (push) wp_q <= wp_q + DW'(1);
      if (load) rp_q <= rp_q + DW'(1);
      count_q      <= count_d;
      op_ready_o   <= count_d < (DW + 1)'(DEPTH);
      head_valid_q <= load || (head_valid_q && !pop);
      inflight_q   <= inflight_q + 16'(fire) - 16'(r_counted);
      if (!(fire && r_counted && h_stream == r_stream)) begin
        if (fire) stream_q[{h_stream, 4'd0} +: 16] <= stream_q[{h_stream, 4'd0} +: 16] + 16'd1;
        if (r_counted) stream_q[{r_stream, 4'd0} +: 16] <= stream_q[{r_stream, 4'd0} +: 16] - 16'd1;
      end
      if (retire) end_after_q <= end_after;
      land_valid_q <= (land_valid_i && land_ready_o) || (land_valid_q && !(retire && end_src == SW'(LAND)));
      done_valid_o <= retire || (done_valid_o && !done_ready_i);
    end
  end

  // Payload, never reset.
  always_ff @(posedge clk_i) begin
    if (push) begin
      fifo_m[wp_q] <= op_i;
      meta_m[op_i[TW-1:0]] <= {op_i[flash_op_pkg::FLASH_OP_STREAM_LSB +: 4],
                               op_i[flash_op_pkg::FLASH_OP_COOKIE_LSB +: 32]};
    end
    if (load) head_q <= fifo_m[rp_q];
    if (land_valid_i) land_tag_q <= land_tag_i;
    if (retire) begin
      done_tag_o    <= r_tag;
      done_status_o <= r_status;
      done_planes_o <= {4'd0, r_planes};
      done_cookie_o <= r_cookie;
    end
  end

  for (genvar c = 0; c < CHANNELS; c++) begin : g_channel
    rr_channel #(.LUNS(LUNS)) u_channel (
      .clk_i, .rst_ni, .lun_shift_i,
      .ins_valid_i(ins_valid[c]), .ins_ready_o(ins_ready[c]),
      .ins_lun_i(h_slot), .ins_mask_i(h_mask), .ins_op_i(head_q),
      .avail_o(avail[c*LUNS +: LUNS]),
      .end_valid_o(ch_end[c]), .end_take_i(end_take[c]),
      .end_tag_o(ch_tag[c*16 +: 16]), .end_planes_o(ch_planes[c*4 +: 4]),
      .seg_valid_o(seg_valid_o[c]), .seg_ce_o(seg_ce_o[c*8 +: 8]),
      .seg_lun_o(seg_lun_o[c*8 +: 8]), .seg_phase_o(seg_phase_o[c*3 +: 3]),
      .seg_opcode_o(seg_opcode_o[c*8 +: 8]), .seg_plane_o(seg_plane_o[c*2 +: 2]),
      .seg_nplanes_o(seg_nplanes_o[c*3 +: 3]), .seg_col_o(seg_col_o[c*8 +: 8]),
      .seg_len_o(seg_len_o[c*8 +: 8]), .seg_flags_o(seg_flags_o[c*8 +: 8]),
      .seg_tag_o(seg_tag_o[c*16 +: 16]), .seg_row_o(seg_row_o[c*32 +: 32]),
      .seg_buf_o(seg_buf_o[c*32 +: 32]), .seg_oob_o(seg_oob_o[c*32 +: 32]),
      .seg_done_i(seg_done_i[c]), .seg_status_i(seg_status_i[c*8 +: 8]),
      .ready_i(ready_i[c*LUNS +: LUNS]), .active_o(active[c])
    );
  end

  assign idle_o    = !(load || fire || end_any || done_valid_o || (|active))
                  && op_ready_o == (count_q < (DW + 1)'(DEPTH));

  `O3_ASSERT(OpTagInRange, !push || op_i[15:0] < 16'(TAGS), clk_i, rst_ni)
  `O3_ASSERT(OpFits, !push || count_q < (DW + 1)'(DEPTH), clk_i, rst_ni)
  `O3_ASSERT(LandCounted, !land_valid_i || inflight_q != 16'd0, clk_i, rst_ni)
  `O3_ASSERT(DoneCounted, !r_counted || stream_q[{r_stream, 4'd0} +: 16] != 16'd0, clk_i, rst_ni)
  `O3_ASSERT(SerialIsSerial, !mode_serial_i || inflight_q <= 16'd1, clk_i, rst_ni)
  `O3_ASSERT(SlotInRange, !fire || h_index < 8'(LUNS), clk_i, rst_ni)

endmodule
`default_nettype wire
