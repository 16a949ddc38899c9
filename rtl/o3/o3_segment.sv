// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the segment port of one channel: after a grant it fetches the descriptor, puts the segment out
// and keeps what came back of it until that is taken. A segment of an operation that is to be aborted is left out,
// where no die waits for it.
`default_nettype none
`include "assert.svh"

module o3_segment #(
  parameter  int unsigned LUNS   = 16,
  parameter  int unsigned TAGS   = 256,
  localparam int unsigned LW     = (LUNS > 1) ? $clog2(LUNS) : 1,
  localparam int unsigned TW     = $clog2(TAGS),
  localparam int unsigned OW     = o3_pkg::OPC_W,
  localparam int unsigned PW     = o3_pkg::PHASE_W,
  localparam int unsigned RUN_W  = TW + o3_pkg::LEVEL_W + OW + 2 + 2 + PW
) (
  input  wire logic              clk_i,
  input  wire logic              clk_desc_i,    // at the edges at which a descriptor comes
  input  wire logic              rst_ni,

  input  wire logic              grant_i,       // the bus is this LUN's
  input  wire logic [LW-1:0]     lun_i,
  input  wire logic [RUN_W-1:0]  run_i,         // tag, level, opcode, last plane, plane, phase
  output logic                   free_o,        // it may be given away
  output logic                   fetch_o,       // the descriptor has not come yet

  output logic                   desc_req_o,
  output logic [TW-1:0]          desc_tag_o,
  output logic [1:0]             desc_plane_o,  // stands until it comes
  output logic                   desc_poll_o,   // a poll of a RESET
  input  wire logic              desc_ack_i,
  input  wire logic              desc_valid_i,
  input  wire o3_pkg::seg_t      desc_i,
  input  wire logic              desc_abort_i,  // its operation is to be aborted

  // As in o3_channel.
  output logic                   seg_valid_o,
  output logic [7:0]             seg_ce_o,
  output logic [7:0]             seg_lun_o,
  output logic [2:0]             seg_phase_o,
  output logic [7:0]             seg_opcode_o,
  output logic [1:0]             seg_plane_o,
  output logic [2:0]             seg_nplanes_o,
  output logic [7:0]             seg_col_o,
  output logic [7:0]             seg_len_o,
  output logic [7:0]             seg_flags_o,
  output logic [15:0]            seg_tag_o,
  output logic [31:0]            seg_row_o,
  output logic [31:0]            seg_buf_o,
  output logic [31:0]            seg_oob_o,
  output logic [7:0]             seg_level_o,
  input  wire logic              seg_done_i,
  input  wire logic [7:0]        seg_status_i,

  // A segment has ended, until it is taken: whose, and its status byte.
  output logic                   done_o,
  input  wire logic              take_i,
  output logic [LW-1:0]          done_lun_o,
  output logic                   fail_o,
  output logic                   suspended_o,   // and ready
  output logic                   ready_o,
  output logic                   silent_o,      // FFh: nobody drives the lines
  output logic                   aborted_o      // it was left out
);

  localparam logic [OW-1:0] RESET = flash_op_pkg::FLASH_OP_RESET[OW-1:0];

  logic             asking_q, granted_q, alone;
  logic [RUN_W-1:0] run_q;

  assign alone      = run_q[PW + 4 + OW +: o3_pkg::LEVEL_W] != '0;  // a plane that is read again
  assign free_o     = !granted_q && !seg_valid_o && !done_o;
  assign fetch_o    = granted_q;
  assign desc_req_o = asking_q;
  assign desc_tag_o = run_q[RUN_W-1 -: TW];
  assign desc_plane_o = run_q[PW +: 2];
  assign desc_poll_o  = run_q[PW + 4 +: OW] == RESET && run_q[PW-1:0] == o3_pkg::PHASE_STATUS;

  // A die that has had a plane's command or data waits for those of the others; what it reads out is not needed.
  logic leave_out;
  always_comb begin
    leave_out = 1'b0;
    if (desc_valid_i && desc_abort_i && run_q[PW + 4 +: OW] != RESET) begin
      leave_out = run_q[PW-1:0] == o3_pkg::PHASE_DATA_OUT
               || ((alone || run_q[PW +: 2] == 2'd0)
                   && (run_q[PW-1:0] == o3_pkg::PHASE_COMMAND || run_q[PW-1:0] == o3_pkg::PHASE_DATA_IN));
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      asking_q    <= 1'b0;
      granted_q   <= 1'b0;
      seg_valid_o <= 1'b0;
      done_o      <= 1'b0;
    end else begin
      if (grant_i || granted_q) begin
        asking_q  <= grant_i || (asking_q && !desc_ack_i);
        granted_q <= grant_i || !desc_valid_i;
      end
      if (desc_valid_i) seg_valid_o <= !leave_out;
      else if (take_i) seg_valid_o <= 1'b0;
      done_o <= seg_done_i || leave_out || (done_o && !take_i);
    end
  end

  // Payload, never reset.
  always_ff @(posedge clk_i) begin
    if (grant_i) begin
      done_lun_o <= lun_i;
      run_q      <= run_i;
    end
    if (seg_done_i) begin
      fail_o      <= seg_status_i[o3_pkg::STATUS_FAIL_BIT];
      suspended_o <= seg_status_i[o3_pkg::STATUS_SUSPENDED_BIT] && seg_status_i[o3_pkg::STATUS_READY_BIT];
      ready_o     <= seg_status_i[o3_pkg::STATUS_READY_BIT];
      silent_o    <= seg_status_i == o3_pkg::STATUS_UNDRIVEN;
    end
    if (desc_valid_i) aborted_o <= leave_out;
  end
  always_ff @(posedge clk_desc_i) begin
    if (desc_valid_i) begin
      seg_ce_o      <= desc_i.ce;
      seg_lun_o     <= desc_i.lun;
      seg_opcode_o  <= desc_i.opcode;
      seg_flags_o   <= desc_i.flags;
      seg_tag_o     <= desc_i.tag;
      seg_nplanes_o <= alone ? 3'd1 : {1'b0, run_q[PW + 2 +: 2]} + 3'd1;
      seg_plane_o   <= (alone || run_q[PW + 4 +: OW] == RESET) ? 2'd0 : desc_plane_o;
      seg_phase_o   <= run_q[PW-1:0];
      seg_row_o     <= desc_i.row;
      seg_buf_o     <= desc_i.buf_at;
      seg_col_o     <= desc_i.col;
      seg_len_o     <= desc_i.len;
      seg_oob_o     <= desc_i.oob;
      seg_level_o   <= 8'(run_q[PW + 4 + OW +: o3_pkg::LEVEL_W]);
    end
  end

  // For assertions: one edge back. No $past: it names the instance, and channels could not share code.
  logic valid_was_q, granted_was_q, done_was_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {valid_was_q, granted_was_q, done_was_q} <= '0;
    else         {valid_was_q, granted_was_q, done_was_q} <= {seg_valid_o, granted_q, done_o};
  end
  `O3_ASSERTS_WHEN(grant_i || granted_q || granted_was_q || seg_valid_o || valid_was_q || desc_ack_i || desc_valid_i
                   || seg_done_i || take_i)
  `O3_HOLDS(GrantWhereFree, !grant_i || free_o)
  `O3_HOLDS(DescriptorIsAskedFor, (!desc_ack_i || desc_req_o) && (!desc_valid_i || granted_q))
  `O3_HOLDS(SegDoneHasSegment, !seg_done_i || (seg_valid_o && !done_o))
  `O3_HOLDS(SegmentFollowsAGrant, !seg_valid_o || valid_was_q || granted_was_q)
  `O3_HOLDS(SegmentStandsUntilDone, seg_valid_o || !valid_was_q || done_was_q)
  `O3_HOLDS(SegmentIsNotOverwritten, !desc_valid_i || !seg_valid_o)
  `O3_HOLDS(TakenHasEnded, !take_i || done_o)
  `O3_HOLDS(LeftOutIsNotPutOut, !(done_o && aborted_o) || !(seg_valid_o || granted_q))
  `O3_ASSERTS_END

endmodule
`default_nettype wire
