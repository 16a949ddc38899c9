// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: SDR pins of a primitive. All of them are registers; they follow the sequencer by one clock.
`default_nettype none
`include "assert.svh"

module onfi_phy_sdr (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [onfi_pkg::REGS*onfi_pkg::T_W-1:0] regs_i,
  input  wire logic [3:0]  step_i,
  input  wire logic [15:0] count_i,
  input  wire logic        last_i,
  input  wire logic        in_i,
  input  wire logic        command_i,     // LEAD: the cycle is a command
  input  wire logic [7:0]  byte_i,        // LEAD, TRAIL
  input  wire logic [15:0] wdata_i,
  output logic             wready_o,      // the word on wdata_i is taken at the next edge

  output logic             cle_o,
  output logic             ale_o,
  output logic             we_no,
  output logic             re_no,
  output logic [15:0]      dq_o,
  output logic             dq_oe_o,
  input  wire logic [15:0] dq_i,
  output logic             rvalid_o,      // a word has come
  output logic [15:0]      rdata_o
);

  logic cycle, write, read, sample_q, low;

  assign cycle    = step_i == onfi_pkg::LEAD || step_i == onfi_pkg::TRAIL;
  assign write    = cycle || (step_i == onfi_pkg::DATA && in_i);
  assign read     = step_i == onfi_pkg::DATA && !in_i;
  assign wready_o = step_i == onfi_pkg::DATA && in_i && last_i;
  assign low      = count_i >= regs_i[16 * onfi_pkg::WE_FALL +: 16]
                  && count_i < regs_i[16 * onfi_pkg::WE_RISE +: 16];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cle_o    <= 1'b0;
      ale_o    <= 1'b0;
      we_no    <= 1'b1;
      re_no    <= 1'b1;
      dq_oe_o  <= 1'b0;
      sample_q <= 1'b0;
      rvalid_o <= 1'b0;
    end else begin
      cle_o    <= step_i == onfi_pkg::TRAIL || (step_i == onfi_pkg::LEAD && command_i);
      ale_o    <= step_i == onfi_pkg::LEAD && !command_i;
      we_no    <= !(write && low);
      re_no    <= !(read && count_i < regs_i[16 * onfi_pkg::RE_RISE +: 16]);
      dq_oe_o  <= write;
      sample_q <= read && count_i + 16'd1 == regs_i[16 * onfi_pkg::SAMPLE +: 16];
      rvalid_o <= sample_q;
    end
  end

  // Payload, never reset.
  always_ff @(posedge clk_i) begin
    dq_o <= cycle ? {8'd0, byte_i} : wdata_i;
    if (sample_q) rdata_o <= dq_i;
  end

  `O3_ASSERT(NeverBothEnables, we_no || re_no, clk_i, rst_ni)
  `O3_ASSERT(DqIsNotDrivenInReads, re_no || !dq_oe_o, clk_i, rst_ni)
  `O3_ASSERT(NeverCommandAndAddress, !cle_o || !ale_o, clk_i, rst_ni)

endmodule
`default_nettype wire
