// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one channel of the round-robin controller: its LUNs' operations and its bus.
// One event a cycle changes one LUN: segment done, then R/B#, then insertion. The bus grant runs
// beside it: round robin over the LUNs that want a segment.
`default_nettype none
`include "assert.svh"

module rr_channel
#(
  parameter  int unsigned LUNS = 16,
  localparam int unsigned LW   = (LUNS > 1) ? $clog2(LUNS) : 1
) (
  input  wire logic            clk_i,
  input  wire logic            rst_ni,
  input  wire logic [2:0]      lun_shift_i,   // strap: LUN index = (ce << shift) | lun

  // Insertion of an operation whose LUNs are all available.
  input  wire logic            ins_valid_i,
  output logic                 ins_ready_o,
  input  wire logic [LW-1:0]   ins_lun_i,
  input  wire logic [LUNS-1:0] ins_mask_i,    // LUNs that it occupies (RESET: the whole CE#)
  input  wire logic [511:0]    ins_op_i,
  output logic [LUNS-1:0]      avail_o,       // LUN holds no operation and is ready

  // The end of an operation that needs no landing: program, erase, reset.
  output logic                 end_valid_o,
  input  wire logic            end_take_i,
  output logic [15:0]          end_tag_o,
  output logic [3:0]           end_planes_o,  // failed planes

  // Segment port: valid and the fields stand until done; then valid is low for a cycle or more.
  output logic                 seg_valid_o,
  output logic [7:0]           seg_ce_o,
  output logic [7:0]           seg_lun_o,
  output logic [2:0]           seg_phase_o,
  output logic [7:0]           seg_opcode_o,
  output logic [1:0]           seg_plane_o,
  output logic [2:0]           seg_nplanes_o,
  output logic [7:0]           seg_col_o,
  output logic [7:0]           seg_len_o,
  output logic [7:0]           seg_flags_o,
  output logic [15:0]          seg_tag_o,
  output logic [31:0]          seg_row_o,
  output logic [31:0]          seg_buf_o,
  output logic [31:0]          seg_oob_o,
  input  wire logic            seg_done_i,
  input  wire logic [7:0]      seg_status_i,
  input  wire logic [LUNS-1:0] ready_i,

  output logic                 active_o       // the next edge changes something
);

  localparam int unsigned DESC_W = flash_op_pkg::FLASH_OP_COOKIE_LSB;
  localparam int unsigned CTX_W  = 16 + 3 + 2 + 2 + 2;

  // Inputs, registered.
  logic            done_q;
  logic            fail_q;
  logic [LUNS-1:0] ready_q;

  // A LUN's operation: busy from insertion to its end, waiting for the bus or for R/B#.
  logic [LUNS-1:0] busy_q, busy_d;
  logic [LUNS-1:0] want_q, want_d;
  logic [LUNS-1:0] wait_q, wait_d;
  logic [CTX_W-1:0]  ctx_m  [0:LUNS-1];  // tag, opcode, last plane, plane, phase
  logic [DESC_W-1:0] desc_m [0:LUNS-1];

  logic [LW-1:0]   cur_q;                // LUN that has the bus
  logic [LUNS-1:0] after_q;              // round-robin mask

  // ---- one event ----
  logic            ev_done, ev_rb, ev_ins;
  logic [LUNS-1:0] rb_req, rb_after;
  logic            rb_any;
  logic [LW-1:0]   rb_lun, ev_lun;
  logic [LUNS-1:0] ev_bit, fin_mask;
  logic [15:0]     tag;
  logic [2:0]      opcode;
  logic [1:0]      last, plane, phase;
  logic [1:0]      ins_last;
  logic            set_want, set_wait, fin, fin_end;

  assign rb_req = wait_q & ready_q;
  rr_pick #(.N(LUNS)) u_rb (
    .req_i(rb_req), .after_i('0), .any_o(rb_any), .idx_o(rb_lun), .after_o(rb_after)
  );

  assign ev_done     = done_q && !end_valid_o;
  assign ev_rb       = rb_any && !done_q && !end_valid_o;
  assign ins_ready_o = !done_q && !rb_any;
  assign ev_ins      = ins_valid_i && ins_ready_o;
  assign avail_o     = ready_q & ~busy_q;

  // Planes - 1; RESET is one command whatever the descriptor says.
  assign ins_last = (ins_op_i[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8] == flash_op_pkg::FLASH_OP_RESET)
                  ? 2'd0 : ins_op_i[flash_op_pkg::FLASH_OP_NPLANES_LSB +: 2] - 2'd1;

  always_comb begin
    ev_lun   = ins_lun_i;
    set_want = 1'b0;
    set_wait = 1'b0;
    fin      = 1'b0;
    fin_end  = 1'b0;
    {tag, opcode, last, plane, phase} = '0;
    if (ev_done || ev_rb) begin
      ev_lun = ev_done ? cur_q : rb_lun;
      {tag, opcode, last, plane, phase} = ctx_m[ev_lun];
    end
    if (ev_done) begin
      unique case (phase)
        rr_pkg::PHASE_DATA_OUT: begin
          fin      = (plane == last);  // completed by its landing
          set_want = (plane != last);
          plane    = plane + 2'd1;
        end
        rr_pkg::PHASE_STATUS: begin
          fin     = 1'b1;
          fin_end = 1'b1;
        end
        default: set_wait = 1'b1;
      endcase
    end else if (ev_rb) begin
      if (plane != last) begin
        plane    = plane + 2'd1;
        set_want = 1'b1;
      end else begin
        unique case ({5'd0, opcode})
          flash_op_pkg::FLASH_OP_READ: begin
            plane    = 2'd0;
            phase    = rr_pkg::PHASE_DATA_OUT;
            set_want = 1'b1;
          end
          flash_op_pkg::FLASH_OP_RESET: begin
            fin     = 1'b1;
            fin_end = 1'b1;
          end
          default: begin  // status of the last plane's row; FAIL is that of the operation
            phase    = rr_pkg::PHASE_STATUS;
            set_want = 1'b1;
          end
        endcase
      end
    end else if (ev_ins) begin
      tag      = ins_op_i[flash_op_pkg::FLASH_OP_TAG_LSB +: 16];
      opcode   = ins_op_i[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 3];
      last     = ins_last;
      phase    = ({5'd0, opcode} == flash_op_pkg::FLASH_OP_PROGRAM) ? rr_pkg::PHASE_DATA_IN
                                                                    : rr_pkg::PHASE_COMMAND;
      set_want = 1'b1;
    end
  end

  // ---- the bus: one grant ----
  logic              grant, want_any;
  logic [LW-1:0]     g_lun;
  logic [LUNS-1:0]   g_after;
  logic [DESC_W-1:0] g_desc;
  logic [CTX_W-1:0]  g_ctx;
  logic [1:0]        g_plane;
  logic [31:0]       g_oob;

  rr_pick #(.N(LUNS)) u_grant (
    .req_i(want_q), .after_i(after_q), .any_o(want_any), .idx_o(g_lun), .after_o(g_after)
  );
  assign grant   = want_any && !seg_valid_o;
  assign g_desc  = desc_m[g_lun];
  assign g_ctx   = ctx_m[g_lun];
  assign g_plane = g_ctx[3:2];
  assign g_oob   = g_desc[flash_op_pkg::FLASH_OP_OOB_LSB +: 32];

  // ---- next state ----
  always_comb begin
    busy_d   = busy_q;
    want_d   = want_q;
    wait_d   = wait_q;
    ev_bit   = LUNS'(1) << ev_lun;
    fin_mask = ev_bit;
    if (fin && {5'd0, opcode} == flash_op_pkg::FLASH_OP_RESET) begin
      for (int unsigned i = 0; i < LUNS; i++) begin
        fin_mask[i] = (LW'(i) >> lun_shift_i) == (ev_lun >> lun_shift_i);
      end
    end
    if (ev_ins)   busy_d = busy_d | ins_mask_i;
    if (fin)      busy_d = busy_d & ~fin_mask;
    if (ev_rb)    wait_d = wait_d & ~ev_bit;
    if (set_wait) wait_d = wait_d | ev_bit;
    if (set_want) want_d = want_d | ev_bit;
    if (grant)    want_d = want_d & ~(LUNS'(1) << g_lun);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q      <= '0;
      want_q      <= '0;
      wait_q      <= '0;
      done_q      <= 1'b0;
      after_q     <= '0;
      seg_valid_o <= 1'b0;
      end_valid_o <= 1'b0;
    end else begin
      busy_q <= busy_d;
      want_q <= want_d;
      wait_q <= wait_d;
      done_q <= seg_done_i || (done_q && !ev_done);
      if (grant) after_q <= g_after;
      if (grant) seg_valid_o <= 1'b1;
      else if (ev_done) seg_valid_o <= 1'b0;
      if (fin_end) end_valid_o <= 1'b1;
      else if (end_take_i) end_valid_o <= 1'b0;
    end
  end

  // Payload, never reset.
  always_ff @(posedge clk_i) begin
    ready_q <= ready_i;
    if (seg_done_i) fail_q <= seg_status_i[rr_pkg::STATUS_FAIL_BIT];
    if (ev_done || ev_rb || ev_ins) ctx_m[ev_lun] <= {tag, opcode, last, plane, phase};
    if (ev_ins) desc_m[ins_lun_i] <= ins_op_i[DESC_W-1:0];
    if (fin_end) begin
      end_tag_o    <= tag;
      end_planes_o <= (ev_done && fail_q) ? (4'hf >> (2'd3 - last)) : 4'h0;
    end
    if (grant) begin
      cur_q         <= g_lun;
      seg_ce_o      <= g_desc[flash_op_pkg::FLASH_OP_CE_LSB +: 8];
      seg_lun_o     <= g_desc[flash_op_pkg::FLASH_OP_LUN_LSB +: 8];
      seg_opcode_o  <= g_desc[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8];
      seg_flags_o   <= g_desc[flash_op_pkg::FLASH_OP_FLAGS_LSB +: 8];
      seg_tag_o     <= g_desc[flash_op_pkg::FLASH_OP_TAG_LSB +: 16];
      seg_nplanes_o <= {1'b0, g_ctx[5:4]} + 3'd1;
      seg_plane_o   <= g_plane;
      seg_phase_o   <= {1'b0, g_ctx[1:0]};
      seg_row_o     <= g_desc[flash_op_pkg::FLASH_OP_ROW_LSB + 32 * {30'd0, g_plane} +: 32];
      seg_buf_o     <= g_desc[flash_op_pkg::FLASH_OP_BUF_LSB + 32 * {30'd0, g_plane} +: 32];
      seg_col_o     <= g_desc[flash_op_pkg::FLASH_OP_COL_LSB + 8 * {30'd0, g_plane} +: 8];
      seg_len_o     <= g_desc[flash_op_pkg::FLASH_OP_LEN_LSB + 8 * {30'd0, g_plane} +: 8];
      seg_oob_o     <= (g_oob == flash_op_pkg::FLASH_NO_OOB) ? g_oob
                     : g_oob + rr_pkg::OOB_STRIDE * {30'd0, g_plane};
    end
  end

  assign active_o = done_q || rb_any || grant || end_valid_o;

  `O3_ASSERT(SegDoneHasSegment, !seg_done_i || (seg_valid_o && !done_q), clk_i, rst_ni)
  `O3_ASSERT(InsertWhereFree, !ev_ins || (ins_mask_i & ~avail_o) == '0, clk_i, rst_ni)
  `O3_ASSERT(InsertWhenReady, !ins_valid_i || ins_ready_o, clk_i, rst_ni)
  `O3_ASSERT(EndTakenIsValid, !end_take_i || end_valid_o, clk_i, rst_ni)
  `O3_ASSERT(EndNotOverwritten, !fin_end || !end_valid_o, clk_i, rst_ni)
  `O3_ASSERT(OneStateALun, (want_q & wait_q) == '0 && ((want_q | wait_q) & ~busy_q) == '0, clk_i, rst_ni)

endmodule
`default_nettype wire
