// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: every segment of the segment port gives the cycles and the burst that prove_onfi assumes: at most seven
// cycles; a burst goes one way; a command follows a burst in only; without a cycle there is a burst out.
`default_nettype none
`include "prove.svh"

module prove_onfi_bytes (
  input  wire logic        clk_i,
  input  wire logic [4:0]  ctrl_i,
  input  wire logic [15:0] times_i,        // of each gap
  input  wire logic [2:0]  seg_phase_i,
  input  wire logic [7:0]  seg_opcode_i,
  input  wire logic [1:0]  seg_plane_i,
  input  wire logic [2:0]  seg_nplanes_i,
  input  wire logic [3:0]  index_i
);

  `PROVE_RESET

  logic [onfi_pkg::REGS*onfi_pkg::T_W-1:0] regs;
  logic [15:0] gap;
  logic [17:0] strobes;
  logic [3:0]  lead;
  logic        command, has_trail, in, out;

  always_comb begin
    regs = '0;
    regs[16 * onfi_pkg::CTRL +: 5]      = ctrl_i;
    regs[16 * onfi_pkg::CODEWORD +: 16] = 16'd528;
    regs[16 * onfi_pkg::T_RR +: 16]     = times_i;
    regs[16 * onfi_pkg::T_WHR +: 16]    = times_i;
    regs[16 * onfi_pkg::T_CCS +: 16]    = times_i;
    regs[16 * onfi_pkg::T_ADL +: 16]    = times_i;
  end

  onfi_bytes u_dut (
    .regs_i(regs), .seg_lun_i(8'd1), .seg_phase_i, .seg_opcode_i, .seg_plane_i, .seg_nplanes_i, .seg_col_i(8'd1), .seg_len_i(8'd1),
    .seg_row_i(24'd0), .seg_oob_i(1'b0), .index_i, .command_o(command), .byte_o(), .lead_o(lead), .trail_o(),
    .has_trail_o(has_trail), .in_o(in), .out_o(out), .narrow_o(), .strobes_o(strobes), .gap_o(gap), .gap_name_o()
  );

  always_comb begin
    assume (seg_phase_i <= onfi_pkg::RESUME);  // the phases that there are
    assume (times_i != 16'd0);
    if (rst_n) begin
      `PROVE(!(in && out));
      `PROVE(!has_trail || in);
      `PROVE(lead != 4'd0 || out);
      `PROVE(lead <= 4'd7);
      `PROVE((!in && !out) || (gap != 16'd0 && strobes != 18'd0));
      `PROVE(index_i != 4'd0 || command);  // the first cycle is a command
    end
    `REACH(rst_n && lead == 4'd7 && out);
    `REACH(rst_n && lead == 4'd0);
  end

endmodule
`default_nettype wire
