// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a segment as a row of primitives: select, command and address cycles, timers, data in, data out.
// It says which one runs and how many clocks of it have passed; onfi_phy_sdr and onfi_phy_ddr make pins of
// that, one clock later. CE# comes from here: decoded flip-flops, which fall with the edge that takes the request and
// rise with the edge that ends the segment.
`default_nettype none
`include "assert.svh"

module onfi_sequencer #(
  parameter int unsigned CES = 16  // CE# lines
) (
  input  wire logic           clk_i,
  input  wire logic           rst_ni,
  input  wire logic [onfi_pkg::REGS*onfi_pkg::T_W-1:0] regs_i,

  input  wire logic           seg_valid_i,  // high until the end has been seen
  input  wire logic [7:0]     seg_ce_i,
  output logic                seg_done_o,   // one clock: the segment has ended, CE# is high again

  // Of onfi_bytes.
  output logic [3:0]          index_o,
  input  wire logic [3:0]     lead_i,
  input  wire logic           has_trail_i,
  input  wire logic           in_i,
  input  wire logic           out_i,
  input  wire logic [17:0]    strobes_i,
  input  wire logic [15:0]    gap_i,
  input  wire logic [3:0]     gap_name_i,

  output logic [CES-1:0]      ce_no,
  output logic [3:0]          step_o,       // onfi_pkg: primitive that runs
  output logic [15:0]         count_o,      // clocks of its cycle or strobe that have passed
  output logic                last_o,       // the last clock of its cycle or strobe
  output logic [3:0]          run_o,        // onfi_pkg: which time of the data sheet
  output logic                idle_o        // no edge changes anything before seg_valid_i does
);

  logic [3:0]  step_q, step_d, index_q;
  logic [15:0] count_q, length, rhw_q, ceh_q;
  logic [17:0] left_q;
  logic [7:0]  ce_q;
  logic [CES-1:0] ce_d;
  logic        ended_q, ddr, rhw_ok, ceh_ok, start, burst, unit_last;

  assign ddr   = regs_i[16 * onfi_pkg::CTRL + onfi_pkg::CTRL_DDR];
  assign burst = in_i || out_i;

  // After a burst out no command cycle before tRHW; the same CE# stays high for tCEH.
  assign rhw_ok = lead_i == 4'd0 || rhw_q <= regs_i[16 * onfi_pkg::T_CS +: 16];
  assign ceh_ok = ceh_q == 16'd0 || seg_ce_i != ce_q;
  assign start  = step_q == onfi_pkg::IDLE && seg_valid_i && !ended_q && rhw_ok && ceh_ok;

  always_comb begin
    unique case (step_q)
      // The clock of the request has passed, and the pins come one clock after the step.
      onfi_pkg::SELECT: length = regs_i[16 * onfi_pkg::T_CS +: 16] - 16'd2;
      onfi_pkg::LEAD, onfi_pkg::TRAIL: length = regs_i[16 * onfi_pkg::T_CYCLE +: 16];
      onfi_pkg::GAP: length = gap_i;
      onfi_pkg::PRE: length = regs_i[16 * (in_i ? onfi_pkg::T_PRE_IN : onfi_pkg::T_PRE_OUT) +: 16];
      onfi_pkg::DATA: length = regs_i[16 * (in_i ? onfi_pkg::T_IN : onfi_pkg::T_OUT) +: 16];
      onfi_pkg::POST: length = regs_i[16 * (in_i ? onfi_pkg::T_POST_IN : onfi_pkg::T_POST_OUT) +: 16];
      default: length = 16'd1;
    endcase
  end

  assign unit_last = count_q + 16'd1 >= length;

  always_comb begin
    step_d = step_q;
    unique case (step_q)
      onfi_pkg::IDLE: if (start) step_d = onfi_pkg::SELECT;
      onfi_pkg::SELECT: if (unit_last) step_d = (lead_i != 4'd0) ? onfi_pkg::LEAD : onfi_pkg::GAP;
      onfi_pkg::LEAD: begin
        if (unit_last && index_q + 4'd1 == lead_i) step_d = burst ? onfi_pkg::GAP : onfi_pkg::DONE;
      end
      onfi_pkg::GAP: if (unit_last) step_d = ddr ? onfi_pkg::PRE : onfi_pkg::DATA;
      onfi_pkg::PRE: if (unit_last) step_d = onfi_pkg::DATA;
      onfi_pkg::DATA: begin
        if (unit_last && left_q == 18'd1) begin
          step_d = ddr ? onfi_pkg::POST : has_trail_i ? onfi_pkg::TRAIL : onfi_pkg::DONE;
        end
      end
      onfi_pkg::POST: if (unit_last) step_d = has_trail_i ? onfi_pkg::TRAIL : onfi_pkg::DONE;
      onfi_pkg::TRAIL: if (unit_last) step_d = onfi_pkg::DONE;
      default: step_d = onfi_pkg::IDLE;
    endcase
  end

  // Decoded from the next step: a flip-flop is all that stands before a pin, so that no die sees a glitch.
  always_comb begin
    ce_d = '1;
    for (int unsigned i = 0; i < CES; i++) begin
      if (step_d != onfi_pkg::IDLE && seg_ce_i == 8'(i)) ce_d[i] = 1'b0;
    end
  end

  always_comb begin
    unique case (step_q)
      onfi_pkg::IDLE: begin
        run_o = onfi_pkg::RUN_NONE;
        if (seg_valid_i && !ended_q && !ceh_ok) run_o = onfi_pkg::RUN_CEH;
        else if (seg_valid_i && !ended_q && !rhw_ok) run_o = onfi_pkg::RUN_RHW;
      end
      onfi_pkg::SELECT: run_o = onfi_pkg::RUN_CS;
      onfi_pkg::LEAD, onfi_pkg::TRAIL: run_o = onfi_pkg::RUN_CYCLE;
      onfi_pkg::GAP: run_o = gap_name_i;
      onfi_pkg::PRE: run_o = onfi_pkg::RUN_PRE;
      onfi_pkg::DATA: run_o = in_i ? onfi_pkg::RUN_IN : onfi_pkg::RUN_OUT;
      onfi_pkg::POST: run_o = onfi_pkg::RUN_POST;
      default: run_o = onfi_pkg::RUN_NONE;
    endcase
  end

  assign step_o  = step_q;
  assign count_o = count_q;
  assign last_o  = unit_last;
  assign index_o = index_q;
  assign idle_o  = step_q == onfi_pkg::IDLE && !seg_valid_i && !ended_q && rhw_q == 16'd0 && ceh_q == 16'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q     <= onfi_pkg::IDLE;
      ce_no      <= '1;
      ended_q    <= 1'b0;
      seg_done_o <= 1'b0;
      rhw_q      <= '0;
      ceh_q      <= '0;
      count_q    <= '0;
      index_q    <= '0;
      left_q     <= '0;
      ce_q       <= '0;
    end else begin
      step_q     <= step_d;
      ce_no      <= ce_d;
      count_q    <= (step_q == onfi_pkg::IDLE || unit_last) ? 16'd0 : count_q + 16'd1;
      seg_done_o <= step_q == onfi_pkg::DONE;
      ended_q    <= step_q == onfi_pkg::DONE || (ended_q && seg_valid_i);
      if (step_q == onfi_pkg::IDLE) index_q <= 4'd0;
      else if (step_q == onfi_pkg::LEAD && unit_last) index_q <= index_q + 4'd1;
      if (step_q == onfi_pkg::DATA) begin
        if (unit_last) left_q <= left_q - 18'd1;
      end else begin
        left_q <= strobes_i;
      end
      if (step_q == onfi_pkg::DONE) begin
        ce_q  <= seg_ce_i;
        ceh_q <= regs_i[16 * onfi_pkg::T_CEH +: 16];
        rhw_q <= out_i ? regs_i[16 * onfi_pkg::T_RHW +: 16] : 16'd0;
      end else begin
        if (ceh_q != 16'd0) ceh_q <= ceh_q - 16'd1;
        if (rhw_q != 16'd0) rhw_q <= rhw_q - 16'd1;
      end
    end
  end

  // For assertions.
  logic [15:0] fall, rise, half;
  assign fall = regs_i[16 * onfi_pkg::WE_FALL +: 16];
  assign rise = regs_i[16 * onfi_pkg::WE_RISE +: 16];
  assign half = regs_i[16 * onfi_pkg::T_HALF +: 16];
  `O3_ASSERT(SegmentStandsUntilItsEnd, step_q == onfi_pkg::IDLE || seg_valid_i, clk_i, rst_ni)
  `O3_ASSERT(OneCeInASegmentNoneOutside, $countones(~ce_no) == (step_q == onfi_pkg::IDLE ? 0 : 1), clk_i, rst_ni)
  `O3_ASSERT(BurstHasStrobes, step_q != onfi_pkg::DATA || left_q != 18'd0, clk_i, rst_ni)
  `O3_ASSERTS_WHEN(start)
  `O3_HOLDS(CeExists, !start || seg_ce_i < 8'(CES))
  `O3_HOLDS(OnlyABurstOutNeedsNoCycle, !start || lead_i != 4'd0 || out_i)
  `O3_HOLDS(BurstGoesOneWay, !start || !in_i || !out_i)
  `O3_HOLDS(TrailFollowsABurstIn, !start || !has_trail_i || in_i)
  `O3_HOLDS(BurstHasAGap, !start || !burst || (gap_i != 16'd0 && strobes_i != 18'd0))
  // Registers, as boot software writes them; tests write some of NV-DDR too small.
  `O3_HOLDS(SelectIsThreeClocks, !start || regs_i[16 * onfi_pkg::T_CS +: 16] >= 16'd3)
  `O3_HOLDS(PulseIsInItsCycle, !start || ddr || (fall < rise && rise <= regs_i[16 * onfi_pkg::T_CYCLE +: 16]))
  `O3_HOLDS(PulseIsInItsStrobe, !start || ddr || !in_i || rise <= regs_i[16 * onfi_pkg::T_IN +: 16])
  `O3_HOLDS(ReadPulseIsInItsStrobe, !start || ddr || !out_i
            || regs_i[16 * onfi_pkg::RE_RISE +: 16] < regs_i[16 * onfi_pkg::T_OUT +: 16])
  `O3_HOLDS(StrobeIsTwoHalves, !start || !ddr || !in_i || regs_i[16 * onfi_pkg::T_IN +: 16] == half + half)
  `O3_HOLDS(ClockBeginsInThePreamble, !start || !ddr || !burst
            || (in_i ? regs_i[16 * onfi_pkg::T_PRE_IN +: 16] > half + regs_i[16 * onfi_pkg::DQS_AT +: 16]
                     : regs_i[16 * onfi_pkg::T_PRE_OUT +: 16] > regs_i[16 * onfi_pkg::T_WRCK +: 16]))
  // Only the last CE# is remembered: a segment to another one takes tCEH.
  `O3_HOLDS(SegmentTakesTceh, !start || {1'b0, regs_i[16 * onfi_pkg::T_CEH +: 16]}
            <= {1'b0, regs_i[16 * onfi_pkg::T_CS +: 16]}
               + {1'b0, (lead_i != 4'd0) ? regs_i[16 * onfi_pkg::T_CYCLE +: 16] : gap_i})
  `O3_ASSERTS_END

endmodule
`default_nettype wire
