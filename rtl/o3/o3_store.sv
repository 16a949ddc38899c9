// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the descriptors of all operations by tag, which of them are to be aborted, and the one unit that compares
// their rows.
// One read a cycle: the channels' segments first, then the comparison.
`default_nettype none
`include "assert.svh"

module o3_store #(
  parameter  int unsigned CHANNELS = 8,
  parameter  int unsigned TAGS     = 256,
  localparam int unsigned TW       = $clog2(TAGS),
  localparam int unsigned DESC_W   = flash_op_pkg::FLASH_OP_COOKIE_LSB
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,
  input  wire logic [31:0]            page_mask_i,  // ones at a row's page bits

  input  wire logic                   wr_i,
  input  wire logic [DESC_W-1:0]      wr_op_i,
  input  wire logic                   abort_i,      // not with wr_i: the operation of abort_tag_i is to be aborted
  input  wire logic [TW-1:0]          abort_tag_i,

  // A channel that has been given its bus: data one cycle after the acknowledge.
  input  wire logic [CHANNELS-1:0]    seg_req_i,
  input  wire logic [CHANNELS*TW-1:0] seg_tag_i,
  output logic [CHANNELS-1:0]         seg_ack_o,
  output logic [CHANNELS-1:0]         seg_valid_o,
  output logic [DESC_W-1:0]           seg_desc_o,
  output logic                        seg_abort_o,

  // Does `young` depend on `old`? The request stands until its answer.
  input  wire logic [CHANNELS-1:0]    dep_req_i,
  input  wire logic [CHANNELS*TW-1:0] dep_young_i,
  input  wire logic [CHANNELS*TW-1:0] dep_old_i,
  output logic [CHANNELS-1:0]         dep_done_o,
  output logic                        dep_hit_o,

  output logic                        active_o
);

  localparam int unsigned CW = (CHANNELS > 1) ? $clog2(CHANNELS) : 1;
  localparam logic [2:0] IDLE = 3'd0, READ_YOUNG = 3'd1, READ_OLD = 3'd2, TAKE_OLD = 3'd3, COMPARE = 3'd4;

  (* no_rw_check *)  // an operation is read when it has long been written
  logic [DESC_W-1:0] desc_m [0:TAGS-1];
  logic              abort_m [0:TAGS-1];  // an operation that takes a tag clears its bit

  // ---- who reads ----
  logic                seg_any, rd;
  logic [CW-1:0]       seg_idx, dep_idx, dep_q;
  logic [CHANNELS-1:0] seg_after_q, seg_after, dep_after_q, dep_after;
  logic [TW-1:0]       rd_tag;
  logic                dep_any;
  logic [2:0]          state_q;

  rr_pick #(.N(CHANNELS)) u_seg (
    .req_i(seg_req_i), .after_i(seg_after_q), .any_o(seg_any), .idx_o(seg_idx), .after_o(seg_after)
  );
  rr_pick #(.N(CHANNELS)) u_dep (
    .req_i(dep_req_i), .after_i(dep_after_q), .any_o(dep_any), .idx_o(dep_idx), .after_o(dep_after)
  );

  logic [TW-1:0] young_q, old_q, seg_tag, dep_young, dep_old;
  assign rd = seg_any || state_q == READ_YOUNG || state_q == READ_OLD;
  // No index times a width: that is a multiplier.
  always_comb begin
    {seg_tag, dep_young, dep_old} = '0;
    for (int unsigned c = 0; c < CHANNELS; c++) begin
      if (seg_any && seg_idx == CW'(c)) seg_tag = seg_tag | seg_tag_i[c * TW +: TW];
    end
    if (state_q == IDLE) begin
      for (int unsigned c = 0; c < CHANNELS; c++) begin
        if (dep_idx == CW'(c)) begin
          dep_young = dep_young | dep_young_i[c * TW +: TW];
          dep_old   = dep_old | dep_old_i[c * TW +: TW];
        end
      end
    end
  end
  always_comb begin
    rd_tag = (state_q == READ_YOUNG) ? young_q : old_q;
    if (seg_any) rd_tag = seg_tag;
    seg_ack_o = CHANNELS'(seg_any) << seg_idx;
  end

  always_ff @(posedge clk_i) begin
    if (wr_i) desc_m[wr_op_i[TW-1:0]] <= wr_op_i;
    if (wr_i || abort_i) abort_m[wr_i ? wr_op_i[TW-1:0] : abort_tag_i] <= !wr_i;
    if (rd) begin
      seg_desc_o  <= desc_m[rd_tag];
      seg_abort_o <= abort_m[rd_tag];
    end
  end

  // ---- the comparison: one row of the younger against all of the older in a cycle ----
  // The younger's rows move down by one each cycle, so that the first is always the one to compare.
  logic [127:0] young_rows_q, old_rows_q;
  logic [7:0]   young_opc_q, old_opc_q;
  logic [1:0]   young_last_q, old_last_q, plane_q;
  logic [31:0]  other;
  logic         by_page, hit, over;

  always_comb begin
    other   = '0;
    by_page = young_opc_q != old_opc_q && young_opc_q != flash_op_pkg::FLASH_OP_ERASE
           && old_opc_q != flash_op_pkg::FLASH_OP_ERASE;
    hit  = 1'b0;
    for (int unsigned i = 0; i < flash_op_pkg::FLASH_MAX_PLANES; i++) begin
      other = old_rows_q[i * 32 +: 32] ^ young_rows_q[31:0];
      if (2'(i) <= old_last_q && (other & ~page_mask_i) == '0 && (!by_page || (other & page_mask_i) == '0)) hit = 1'b1;
    end
    over = state_q == COMPARE && (hit || plane_q == young_last_q);
    dep_done_o = CHANNELS'(over) << dep_q;
  end
  assign dep_hit_o = hit;
  assign active_o  = seg_any || state_q != IDLE || dep_any || seg_valid_o != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q     <= IDLE;
      seg_after_q <= '0;
      dep_after_q <= '0;
      seg_valid_o <= '0;
    end else begin
      seg_valid_o <= seg_ack_o;
      if (seg_any) seg_after_q <= seg_after;
      unique case (state_q)
        IDLE: if (dep_any) begin
          state_q     <= READ_YOUNG;
          dep_after_q <= dep_after;
        end
        READ_YOUNG: if (!seg_any) state_q <= READ_OLD;
        READ_OLD:   if (!seg_any) state_q <= TAKE_OLD;
        TAKE_OLD:   state_q <= COMPARE;
        default:    if (over) state_q <= IDLE;
      endcase
    end
  end

  // What was read a cycle ago: of the younger in the first cycle of READ_OLD, which may last.
  logic fresh_q;
  always_ff @(posedge clk_i) begin
    fresh_q <= state_q == READ_YOUNG && !seg_any;
    if (state_q == IDLE) begin
      dep_q   <= dep_idx;
      young_q <= dep_young;
      old_q   <= dep_old;
    end
    if (fresh_q) begin
      young_rows_q <= seg_desc_o[flash_op_pkg::FLASH_OP_ROW_LSB +: 128];
      young_opc_q  <= seg_desc_o[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8];
      young_last_q <= seg_desc_o[flash_op_pkg::FLASH_OP_NPLANES_LSB +: 2] - 2'd1;
    end else if (state_q == COMPARE) begin
      young_rows_q <= {32'd0, young_rows_q[127:32]};
    end
    if (state_q == TAKE_OLD) begin
      old_rows_q <= seg_desc_o[flash_op_pkg::FLASH_OP_ROW_LSB +: 128];
      old_opc_q  <= seg_desc_o[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8];
      old_last_q <= seg_desc_o[flash_op_pkg::FLASH_OP_NPLANES_LSB +: 2] - 2'd1;
    end
    plane_q <= (state_q == COMPARE) ? plane_q + 2'd1 : 2'd0;
  end

  `O3_ASSERT(WrittenIsLegal, !wr_i || (wr_op_i[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8] >= flash_op_pkg::FLASH_OP_READ
             && wr_op_i[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8] <= flash_op_pkg::FLASH_OP_RESET
             && wr_op_i[flash_op_pkg::FLASH_OP_NPLANES_LSB +: 8] >= 8'd1
             && wr_op_i[flash_op_pkg::FLASH_OP_NPLANES_LSB +: 8] <= flash_op_pkg::FLASH_MAX_PLANES[7:0]), clk_i, rst_ni)
  `O3_ASSERT(OneWriteACycle, !(wr_i && abort_i), clk_i, rst_ni)
  `O3_ASSERT(AckIsAskedFor, (seg_ack_o & ~seg_req_i) == '0, clk_i, rst_ni)
  `O3_ASSERT(QuestionStands, state_q == IDLE || dep_req_i[dep_q], clk_i, rst_ni)
  `O3_ASSERT(OneReadACycle, (seg_ack_o & (seg_ack_o - CHANNELS'(1))) == '0, clk_i, rst_ni)
  `O3_ASSERT(AnswerIsAskedFor, (dep_done_o & ~dep_req_i) == '0, clk_i, rst_ni)

endmodule
`default_nettype wire
