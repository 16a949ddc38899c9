// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: NV-DDR pins of a primitive. All of them are registers; they follow the sequencer by one clock.
// CLK runs where it counts and rests low. DQS of a burst out is sampled by the PHY's clock: an edge of it
// brings a word, so that no delay of the die needs to be known.
`default_nettype none
`include "assert.svh"

module onfi_phy_ddr (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [onfi_pkg::REGS*onfi_pkg::T_W-1:0] regs_i,
  input  wire logic [3:0]  step_i,
  input  wire logic [15:0] count_i,
  input  wire logic        last_i,
  input  wire logic        in_i,
  input  wire logic        narrow_i,
  input  wire logic [17:0] strobes_i,
  input  wire logic        command_i,     // LEAD: the cycle is a command
  input  wire logic [7:0]  byte_i,        // LEAD, TRAIL
  input  wire logic [15:0] wdata_i,
  output logic             wready_o,      // the word on wdata_i is taken at the next edge

  output logic             cle_o,
  output logic             ale_o,
  output logic             clk_o,         // CLK, on WE#
  output logic             wr_no,         // W/R#, on RE#
  output logic [15:0]      dq_o,
  output logic             dq_oe_o,
  output logic             dqs_o,
  output logic             dqs_oe_o,
  input  wire logic [15:0] dq_i,
  input  wire logic        dqs_i,
  output logic             rvalid_o,      // a word has come
  output logic [15:0]      rdata_o
);

  logic [15:0] half, dqs_at, phase, phase_q;
  logic [17:0] clocks_q;
  logic        cycle, burst, begins, runs, ends, high, dqs_q, odd_q, edge_seen, listens;

  assign half   = regs_i[16 * onfi_pkg::T_HALF +: 16];
  assign dqs_at = regs_i[16 * onfi_pkg::DQS_AT +: 16];
  assign cycle  = step_i == onfi_pkg::LEAD || step_i == onfi_pkg::TRAIL;
  assign high   = count_i >= regs_i[16 * onfi_pkg::WE_FALL +: 16]
                && count_i < regs_i[16 * onfi_pkg::WE_RISE +: 16];
  assign burst  = step_i == onfi_pkg::PRE || step_i == onfi_pkg::DATA || (step_i == onfi_pkg::POST && in_i);

  // A word a half strobe; a register byte stands for both.
  assign wready_o = step_i == onfi_pkg::DATA && in_i && (last_i || (!narrow_i && count_i + 16'd1 == half));

  // CLK of a burst: one pulse a strobe. Those of a burst in are one period ahead of DQS.
  assign begins = step_i == onfi_pkg::PRE
                && count_i == (in_i ? half + dqs_at : regs_i[16 * onfi_pkg::T_WRCK +: 16]);
  assign phase  = begins ? 16'd0 : phase_q;
  assign runs   = begins || clocks_q != 18'd0;
  assign ends   = phase + 16'd1 == regs_i[16 * (in_i ? onfi_pkg::T_IN : onfi_pkg::T_OUT) +: 16];

  // W/R# has been low: the edges of DQS are the die's.
  assign listens   = !wr_no || dqs_q;
  assign edge_seen = listens && dqs_i != dqs_q && !dqs_oe_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cle_o    <= 1'b0;
      ale_o    <= 1'b0;
      clk_o    <= 1'b0;
      wr_no    <= 1'b1;
      dq_oe_o  <= 1'b0;
      dqs_o    <= 1'b0;
      dqs_oe_o <= 1'b0;
      dqs_q    <= 1'b0;
      odd_q    <= 1'b0;
      rvalid_o <= 1'b0;
      clocks_q <= '0;
      phase_q  <= '0;
    end else begin
      cle_o    <= step_i == onfi_pkg::TRAIL || (step_i == onfi_pkg::LEAD && command_i) || burst;
      ale_o    <= (step_i == onfi_pkg::LEAD && !command_i) || burst;
      clk_o    <= cycle ? high : runs && phase < half;
      wr_no    <= !((step_i == onfi_pkg::PRE || step_i == onfi_pkg::DATA) && !in_i);
      dq_oe_o  <= cycle || (step_i == onfi_pkg::DATA && in_i);
      dqs_oe_o <= burst && in_i;
      dqs_o    <= step_i == onfi_pkg::DATA && in_i && count_i >= dqs_at && count_i < dqs_at + half;
      if (runs) begin
        phase_q <= ends ? 16'd0 : phase + 16'd1;
        if (begins) clocks_q <= strobes_i - (ends ? 18'd1 : 18'd0);
        else if (ends) clocks_q <= clocks_q - 18'd1;
      end
      dqs_q    <= listens && dqs_i && !dqs_oe_o;
      odd_q    <= listens && (odd_q ^ edge_seen);
      rvalid_o <= edge_seen && !(narrow_i && odd_q);  // a register byte comes with both edges
    end
  end

  // Payload, never reset.
  always_ff @(posedge clk_i) begin
    dq_o <= cycle ? {8'd0, byte_i} : wdata_i;
    if (edge_seen) rdata_o <= dq_i;
  end

  `O3_ASSERT(WhoeverIsReadDrivesNothing, wr_no || (!dq_oe_o && !dqs_oe_o), clk_i, rst_ni)
  `O3_ASSERT(ClockStopsWithTheBurst, clocks_q == 18'd0 || burst, clk_i, rst_ni)

endmodule
`default_nettype wire
