// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the ONFI PHY of one channel: segments of the segment port on the pins of SDR or NV-DDR, page data
// as a stream of DQ words. docs/explanation/rtl-pins.md.
`default_nettype none
`include "assert.svh"

module onfi_phy #(
  parameter int unsigned CES = 16  // CE# lines
) (
  input  wire logic           clk_i,
  input  wire logic           rst_ni,

  // Registers.
  input  wire logic           reg_write_i,
  input  wire logic [4:0]     reg_addr_i,
  input  wire logic [15:0]    reg_wdata_i,
  output logic [15:0]         reg_rdata_o,

  // Segment port of one channel (docs/explanation/rtl.md); stable while seg_valid_i.
  input  wire logic           seg_valid_i,
  input  wire logic [7:0]     seg_ce_i,
  input  wire logic [7:0]     seg_lun_i,
  input  wire logic [2:0]     seg_phase_i,
  input  wire logic [7:0]     seg_opcode_i,
  input  wire logic [1:0]     seg_plane_i,
  input  wire logic [2:0]     seg_nplanes_i,
  input  wire logic [7:0]     seg_col_i,
  input  wire logic [7:0]     seg_len_i,
  input  wire logic [31:0]    seg_row_i,
  input  wire logic [31:0]    seg_oob_i,
  output logic                seg_done_o,
  output logic [7:0]          seg_status_o,  // the last byte out

  // Words of DQ: in from the data path, taken at edges where both are high; out to it. Register bytes: one a word.
  input  wire logic           wvalid_i,
  output logic                wready_o,
  input  wire logic [15:0]    wdata_i,
  output logic                rvalid_o,
  output logic [15:0]         rdata_o,

  // Pins. NV-DDR: we_no is CLK, re_no is W/R#.
  output logic [CES-1:0]      ce_no,
  output logic                cle_o,
  output logic                ale_o,
  output logic                we_no,
  output logic                re_no,
  output logic [15:0]         dq_o,
  output logic                dq_oe_o,
  output logic                dqs_o,
  output logic                dqs_oe_o,
  input  wire logic [15:0]    dq_i,
  input  wire logic           dqs_i,

  output logic [3:0]          run_o,      // onfi_pkg: which time of the data sheet runs
  output logic                idle_o         // no edge changes anything before an input changes
);

  logic [onfi_pkg::REGS*onfi_pkg::T_W-1:0] regs;
  logic [3:0]  index, lead, step, gap_name, run;
  logic [15:0] gap, count, s_dq, d_dq, s_rdata, d_rdata;
  logic [17:0] strobes;
  logic [7:0]  cycle_byte, trail, lead_byte;
  logic        command, has_trail, in, out, narrow, last, ddr, seq_idle;
  logic        s_cle, s_ale, s_we_n, s_re_n, s_dq_oe, s_wready, s_rvalid;
  logic        d_cle, d_ale, d_clk, d_wr_n, d_dq_oe, d_dqs, d_dqs_oe, d_wready, d_rvalid;
  logic [3:0]  s_step, d_step;

  onfi_timing u_timing (
    .clk_i, .rst_ni,
    .write_i (reg_write_i), .addr_i (reg_addr_i), .wdata_i (reg_wdata_i), .rdata_o (reg_rdata_o),
    .regs_o  (regs)
  );

  onfi_bytes u_bytes (
    .regs_i (regs),
    .seg_lun_i, .seg_phase_i, .seg_opcode_i, .seg_plane_i, .seg_nplanes_i, .seg_col_i, .seg_len_i,
    .seg_row_i   (seg_row_i[23:0]),
    .seg_oob_i   (seg_oob_i != flash_op_pkg::FLASH_NO_OOB),
    .index_i     (index),
    .command_o   (command),
    .byte_o      (lead_byte),
    .lead_o      (lead),
    .trail_o     (trail),
    .has_trail_o (has_trail),
    .in_o        (in),
    .out_o       (out),
    .narrow_o    (narrow),
    .strobes_o   (strobes),
    .gap_o       (gap),
    .gap_name_o  (gap_name)
  );

  onfi_sequencer #(.CES(CES)) u_sequencer (
    .clk_i, .rst_ni,
    .regs_i (regs),
    .seg_valid_i, .seg_ce_i, .seg_done_o,
    .index_o     (index),
    .lead_i      (lead),
    .has_trail_i (has_trail),
    .in_i        (in),
    .out_i       (out),
    .strobes_i   (strobes),
    .gap_i       (gap),
    .gap_name_i  (gap_name),
    .ce_no,
    .step_o      (step),
    .count_o     (count),
    .last_o      (last),
    .run_o       (run),
    .idle_o      (seq_idle)
  );

  assign ddr        = regs[16 * onfi_pkg::CTRL + onfi_pkg::CTRL_DDR];
  assign cycle_byte = (step == onfi_pkg::TRAIL) ? trail : lead_byte;
  // The interface that is not in use rests.
  assign s_step = ddr ? onfi_pkg::IDLE : step;
  assign d_step = ddr ? step : onfi_pkg::IDLE;

  onfi_phy_sdr u_sdr (
    .clk_i, .rst_ni,
    .regs_i (regs), .step_i (s_step), .count_i (count), .last_i (last), .in_i (in),
    .command_i (command), .byte_i (cycle_byte), .wdata_i, .wready_o (s_wready),
    .cle_o (s_cle), .ale_o (s_ale), .we_no (s_we_n), .re_no (s_re_n), .dq_o (s_dq), .dq_oe_o (s_dq_oe),
    .dq_i, .rvalid_o (s_rvalid), .rdata_o (s_rdata)
  );

  onfi_phy_ddr u_ddr (
    .clk_i, .rst_ni,
    .regs_i (regs), .step_i (d_step), .count_i (count), .last_i (last), .in_i (in), .narrow_i (narrow),
    .strobes_i (strobes),
    .command_i (command), .byte_i (cycle_byte), .wdata_i, .wready_o (d_wready),
    .cle_o (d_cle), .ale_o (d_ale), .clk_o (d_clk), .wr_no (d_wr_n), .dq_o (d_dq), .dq_oe_o (d_dq_oe),
    .dqs_o (d_dqs), .dqs_oe_o (d_dqs_oe),
    .dq_i, .dqs_i, .rvalid_o (d_rvalid), .rdata_o (d_rdata)
  );

  assign cle_o        = ddr ? d_cle : s_cle;
  assign ale_o        = ddr ? d_ale : s_ale;
  assign we_no        = ddr ? d_clk : s_we_n;
  assign re_no        = ddr ? d_wr_n : s_re_n;
  assign dq_o         = ddr ? d_dq : s_dq;
  assign dq_oe_o      = ddr ? d_dq_oe : s_dq_oe;
  assign dqs_o        = ddr && d_dqs;
  assign dqs_oe_o     = ddr && d_dqs_oe;
  assign wready_o     = ddr ? d_wready : s_wready;
  assign rvalid_o     = ddr ? d_rvalid : s_rvalid;
  assign rdata_o      = ddr ? d_rdata : s_rdata;
  assign seg_status_o = rdata_o[7:0];
  // Pins follow the sequencer by one clock and words by two; it is idle two clocks after its last step, and later.
  assign idle_o       = seq_idle && run_o == onfi_pkg::RUN_NONE && !reg_write_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) run_o <= onfi_pkg::RUN_NONE;
    else         run_o <= run;
  end

  // For assertions: who asks for a segment holds its fields until the cycle in which it is done; the request may stay
  // after that, and has to be low before the next. Not O3_STANDS: this reset needs no clock.
  logic        open_q, valid_q;
  logic [74:0] fields, fields_q;
  assign fields = {seg_ce_i, seg_lun_i, seg_phase_i, seg_opcode_i, seg_col_i, seg_len_i, seg_row_i};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {open_q, valid_q} <= '0;
    else         {open_q, valid_q} <= {seg_valid_i && !seg_done_o && (open_q || !valid_q), seg_valid_i};
  end
  always_ff @(posedge clk_i) begin
    if (seg_valid_i) fields_q <= fields;
  end
  `O3_ASSERT(SegmentFieldsStand, !open_q || seg_done_o || (seg_valid_i && fields_q == fields), clk_i, rst_ni)
  // The data path never lets the bus wait.
  `O3_ASSERT(PinsRestWhereIdle, !idle_o || (!cle_o && !ale_o && we_no == !ddr && re_no && !dq_oe_o && !dqs_oe_o
                                            && (ddr || !rvalid_o)), clk_i, rst_ni)  // a die lets DQS go in POST
  `O3_ASSERT(WordsAreThereInTime, !wready_o || wvalid_i, clk_i, rst_ni)

endmodule
`default_nettype wire
