// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one channel of simple_v2001: one operation at a time, from its first segment to its last.
// Plain Verilog-2001.
`default_nettype none
`include "flash_op.vh"

module simple_channel #(
  parameter LUNS = 16,   // a power of two
  parameter LW   = 4     // bits of a LUN's index, 1 at least
) (
  input  wire            clk_i,
  input  wire            rst_ni,

  // An operation whose LUNs are ready, while free_o is high. op_i: the descriptor without its cookie.
  input  wire            start_i,
  input  wire [LW-1:0]   lun_i,
  input  wire [447:0]    op_i,
  output wire            free_o,
  output reg  [LUNS-1:0] ready_o,        // R/B#, registered

  // The end of an operation that needs no landing.
  output wire            end_valid_o,
  input  wire            end_take_i,
  output wire [15:0]     end_tag_o,
  output wire [3:0]      end_planes_o,   // failed planes

  // Segment port: valid and the fields stand until seg_done_i; then valid is low for an edge or more.
  output reg             seg_valid_o,
  output wire [7:0]      seg_ce_o,
  output wire [7:0]      seg_lun_o,
  output wire [2:0]      seg_phase_o,
  output wire [7:0]      seg_opcode_o,
  output wire [1:0]      seg_plane_o,
  output wire [2:0]      seg_nplanes_o,
  output wire [7:0]      seg_col_o,
  output wire [7:0]      seg_len_o,
  output wire [7:0]      seg_flags_o,
  output wire [15:0]     seg_tag_o,
  output wire [31:0]     seg_row_o,
  output wire [31:0]     seg_buf_o,
  output wire [31:0]     seg_oob_o,
  input  wire            seg_done_i,
  input  wire            seg_fail_i,     // FAIL of the status byte
  input  wire [LUNS-1:0] ready_i,

  output wire            active_o        // the next edge changes something by itself
);

  // The numbers of seg_phase_o.
  localparam [1:0] COMMAND = 2'd0, DATA_OUT = 2'd1, DATA_IN = 2'd2, STATUS = 2'd3;

  // FREE; the bus is WANTed, the segment is on the BUS, WAIT for R/B#, END to be taken.
  localparam [2:0] FREE = 3'd0, WANT = 3'd1, BUS = 3'd2, WAIT = 3'd3, END = 3'd4;

  reg  [2:0]    state_q;
  reg  [447:0]  op_q;
  reg  [LW-1:0] lun_q;
  reg  [1:0]    phase_q, plane_q, last_q;
  reg           done_q, fail_q;

  wire [7:0] opcode   = op_q[`FLASH_OP_OPCODE_LSB +: 8];
  wire [7:0] start_op = op_i[`FLASH_OP_OPCODE_LSB +: 8];
  // Planes - 1. RESET is one command, whatever the descriptor says.
  wire [1:0] start_last = (start_op == `FLASH_OP_RESET) ? 2'd0 : op_i[`FLASH_OP_NPLANES_LSB +: 2] - 2'd1;
  wire       is_ready = ready_o[lun_q];
  wire       is_last  = plane_q == last_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= FREE;
      seg_valid_o <= 1'b0;
      done_q      <= 1'b0;
    end else begin
      done_q <= seg_done_i;
      case (state_q)
        FREE: if (start_i) state_q <= WANT;
        WANT: begin
          seg_valid_o <= 1'b1;
          state_q     <= BUS;
        end
        BUS: if (done_q) begin
          seg_valid_o <= 1'b0;
          case (phase_q)
            DATA_OUT: state_q <= is_last ? FREE : WANT;  // a read ends by its landing
            STATUS:   state_q <= END;
            default:  state_q <= WAIT;
          endcase
        end
        WAIT: if (is_ready) state_q <= (opcode == `FLASH_OP_RESET) ? END : WANT;
        default: if (end_take_i) state_q <= FREE;
      endcase
    end
  end

  // Payload, never reset.
  always @(posedge clk_i) begin
    ready_o <= ready_i;
    if (seg_done_i) fail_q <= seg_fail_i;
    case (state_q)
      FREE: if (start_i) begin
        op_q    <= op_i;
        lun_q   <= lun_i;
        last_q  <= start_last;
        plane_q <= 2'd0;
        phase_q <= (start_op == `FLASH_OP_PROGRAM) ? DATA_IN : COMMAND;
      end
      BUS: if (done_q && phase_q == DATA_OUT) plane_q <= plane_q + 2'd1;
      WAIT: if (is_ready) begin
        if (!is_last) begin
          plane_q <= plane_q + 2'd1;
        end else if (opcode == `FLASH_OP_READ) begin
          plane_q <= 2'd0;
          phase_q <= DATA_OUT;
        end else begin
          phase_q <= STATUS;  // of the last plane's row; FAIL is that of the operation
        end
      end
      default: ;
    endcase
  end

  assign free_o       = state_q == FREE;
  assign end_valid_o  = state_q == END;
  assign end_tag_o    = op_q[`FLASH_OP_TAG_LSB +: 16];
  assign end_planes_o = (opcode != `FLASH_OP_RESET && fail_q) ? (4'hf >> (2'd3 - last_q)) : 4'h0;
  assign active_o     = done_q || state_q == WANT || (state_q == WAIT && is_ready) || state_q == END;

  // 70h tells no plane, so a RESET has no FAIL: it reads no status. OOB records are 16 bytes a plane.
  wire [31:0] oob = op_q[`FLASH_OP_OOB_LSB +: 32];
  assign seg_ce_o      = op_q[`FLASH_OP_CE_LSB +: 8];
  assign seg_lun_o     = op_q[`FLASH_OP_LUN_LSB +: 8];
  assign seg_phase_o   = {1'b0, phase_q};
  assign seg_opcode_o  = opcode;
  assign seg_plane_o   = plane_q;
  assign seg_nplanes_o = {1'b0, last_q} + 3'd1;
  assign seg_col_o     = op_q[`FLASH_OP_COL_LSB + 8 * plane_q +: 8];
  assign seg_len_o     = op_q[`FLASH_OP_LEN_LSB + 8 * plane_q +: 8];
  assign seg_flags_o   = op_q[`FLASH_OP_FLAGS_LSB +: 8];
  assign seg_tag_o     = end_tag_o;
  assign seg_row_o     = op_q[`FLASH_OP_ROW_LSB + 32 * plane_q +: 32];
  assign seg_buf_o     = op_q[`FLASH_OP_BUF_LSB + 32 * plane_q +: 32];
  assign seg_oob_o     = (oob == `FLASH_NO_OOB) ? oob : oob + {26'd0, plane_q, 4'd0};

endmodule
`default_nettype wire
