// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: in the place of rtl/onfi/onfi_bytes.sv in a proof: any cycles, burst and gap, a function of the segment and
// as stable as it is.
`default_nettype none

module onfi_bytes (
  input  wire logic [onfi_pkg::REGS*onfi_pkg::T_W-1:0] regs_i,
  input  wire logic [7:0]  seg_lun_i,
  input  wire logic [2:0]  seg_phase_i,
  input  wire logic [7:0]  seg_opcode_i,
  input  wire logic [1:0]  seg_plane_i,
  input  wire logic [2:0]  seg_nplanes_i,
  input  wire logic [7:0]  seg_col_i,
  input  wire logic [7:0]  seg_len_i,
  input  wire logic [23:0] seg_row_i,
  input  wire logic        seg_oob_i,
  input  wire logic [3:0]  index_i,
  output logic             command_o,
  output logic [7:0]       byte_o,
  output logic [3:0]       lead_o,
  output logic [7:0]       trail_o,
  output logic             has_trail_o,
  output logic             in_o,
  output logic             out_o,
  output logic             narrow_o,
  output logic [17:0]      strobes_o,
  output logic [15:0]      gap_o,
  output logic [3:0]       gap_name_o
);

  assign command_o   = seg_row_i[5'd8 + {1'b0, index_i}];
  assign byte_o      = {7'd0, seg_opcode_i[index_i[2:0]]};
  assign lead_o      = {2'd0, seg_row_i[1:0]};
  assign has_trail_o = seg_row_i[3];
  assign in_o        = seg_row_i[4];
  assign out_o       = seg_row_i[5];
  assign narrow_o    = seg_row_i[6];
  assign trail_o     = {7'd0, seg_row_i[7]};
  assign strobes_o   = 18'(seg_col_i[1:0]);
  assign gap_o       = 16'(seg_len_i[1:0]);
  assign gap_name_o  = seg_phase_i[0] ? onfi_pkg::RUN_ADL : onfi_pkg::RUN_WHR;

endmodule
`default_nettype wire
