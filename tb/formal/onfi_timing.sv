// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: in the place of rtl/onfi/onfi_timing.sv in a proof: registers of few bits that hold any values for ever. What
// boot software (models/flash/pins/phy_registers.cpp) never writes is left out here and in prove_onfi.
`default_nettype none

module onfi_timing (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        write_i,
  input  wire logic [4:0]  addr_i,
  input  wire logic [15:0] wdata_i,
  output logic [15:0]      rdata_o,
  output logic [onfi_pkg::REGS*onfi_pkg::T_W-1:0] regs_o
);

  (* anyconst *) logic       ddr, cs, half, dqs, pre_in, pre_out;
  (* anyconst *) logic [1:0] cycle, fall, rise, strobe_in, strobe_out, re_rise, sample, wrck, post_in, post_out;
  (* anyconst *) logic [2:0] rhw, ceh;
  logic [15:0] half_w, dqs_w;

  assign rdata_o = '0;
  always_comb begin
    half_w = 16'd2 + {15'd0, half};
    dqs_w  = 16'd1 + {15'd0, dqs && half};
    regs_o = '0;
    regs_o[16 * onfi_pkg::CTRL + onfi_pkg::CTRL_DDR] = ddr;
    regs_o[16 * onfi_pkg::T_CS +: 16]       = 16'd3 + {15'd0, cs};
    regs_o[16 * onfi_pkg::T_CYCLE +: 2]     = cycle;
    regs_o[16 * onfi_pkg::WE_FALL +: 2]     = fall;
    regs_o[16 * onfi_pkg::WE_RISE +: 2]     = rise;
    regs_o[16 * onfi_pkg::T_IN +: 16]       = ddr ? half_w + half_w : {14'd0, strobe_in};
    regs_o[16 * onfi_pkg::T_OUT +: 16]      = ddr ? half_w + half_w : {14'd0, strobe_out};
    regs_o[16 * onfi_pkg::T_HALF +: 16]     = half_w;
    regs_o[16 * onfi_pkg::RE_RISE +: 2]     = re_rise;
    regs_o[16 * onfi_pkg::SAMPLE +: 2]      = sample;
    regs_o[16 * onfi_pkg::DQS_AT +: 16]     = dqs_w;
    regs_o[16 * onfi_pkg::T_RHW +: 3]       = rhw;
    regs_o[16 * onfi_pkg::T_CEH +: 3]       = ceh;
    regs_o[16 * onfi_pkg::T_PRE_IN +: 16]   = half_w + dqs_w + 16'd1 + {15'd0, pre_in};
    regs_o[16 * onfi_pkg::T_POST_IN +: 2]   = post_in;
    regs_o[16 * onfi_pkg::T_WRCK +: 2]      = wrck;
    regs_o[16 * onfi_pkg::T_PRE_OUT +: 16]  = {14'd0, wrck} + 16'd1 + {15'd0, pre_out};
    regs_o[16 * onfi_pkg::T_POST_OUT +: 2]  = post_out;
  end

endmodule
`default_nettype wire
