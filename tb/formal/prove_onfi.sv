// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the ONFI PHY (onfi_phy with its sequencer, SDR or NV-DDR pins) keeps the rules that models/onfi/pins has for
// the pins, in clocks of its own registers; a segment takes the time of the bus's equations and ends with one pulse.
// Registers (onfi_timing) and cycles (onfi_bytes) are any: the leaves of this folder stand in their places. Assumed:
// the segment port stands until the end, words are there in time, and the registers and cycles below.
`default_nettype none
`include "prove.svh"

module prove_onfi #(
  parameter  int unsigned CES = 2,
  parameter  int unsigned DDR = 0,
  localparam int unsigned AW  = 4,  // bits of an age
  localparam int unsigned TW  = 6   // of a time of a segment
) (
  input  wire logic        clk_i,
  input  wire logic        seg_valid_i,
  input  wire logic [7:0]  seg_ce_i,
  input  wire logic [2:0]  seg_phase_i,
  input  wire logic [7:0]  seg_opcode_i,
  input  wire logic [7:0]  seg_col_i,
  input  wire logic [7:0]  seg_len_i,
  input  wire logic [31:0] seg_row_i,
  input  wire logic        wdata_i,
  input  wire logic [15:0] dq_i,
  input  wire logic        dqs_i
);

  `PROVE_RESET

  logic [CES-1:0] ce_n;
  logic           wready, done, cle, ale, we_n, re_n, oe, dqs, dqs_oe, idle;
  logic [15:0]    dq;
  logic [3:0]     lead;
  logic           has_trail, in, out;
  logic [15:0]    strobes;

  onfi_phy #(.CES(CES)) u_dut (
    .clk_i, .rst_ni(rst_n), .reg_write_i(1'b0), .reg_addr_i(5'd0), .reg_wdata_i(16'd0), .reg_rdata_o(),
    .seg_valid_i, .seg_ce_i, .seg_lun_i(8'd0), .seg_phase_i, .seg_opcode_i, .seg_plane_i(2'd0), .seg_nplanes_i(3'd1),
    .seg_col_i, .seg_len_i, .seg_row_i, .seg_oob_i(32'd0), .seg_done_o(done), .seg_status_o(),
    .wvalid_i(1'b1), .wready_o(wready), .wdata_i({15'd0, wdata_i}), .rvalid_o(), .rdata_o(),
    .ce_no(ce_n), .cle_o(cle), .ale_o(ale), .we_no(we_n), .re_no(re_n), .dq_o(dq), .dq_oe_o(oe),
    .dqs_o(dqs), .dqs_oe_o(dqs_oe), .dq_i, .dqs_i, .run_o(), .idle_o(idle)
  );

  // The registers, and what the segment is (onfi_bytes of this folder).
  (* hierconn *) logic [onfi_pkg::REGS*onfi_pkg::T_W-1:0] \u_dut.regs ;
  logic [onfi_pkg::REGS*onfi_pkg::T_W-1:0] regs;
  logic [AW-1:0] t_cs, t_cycle, fall, rise, t_in, t_out, t_half, re_rise, sample, dqs_at, t_rhw, t_ceh, pre_in,
                 wrck, pre_out, post_in, post_out, a_gap;
  always_comb regs = \u_dut.regs ;
  always_comb begin
    t_cs    = regs[16 * onfi_pkg::T_CS +: AW];
    t_cycle = regs[16 * onfi_pkg::T_CYCLE +: AW];
    fall    = regs[16 * onfi_pkg::WE_FALL +: AW];
    rise    = regs[16 * onfi_pkg::WE_RISE +: AW];
    t_in    = regs[16 * onfi_pkg::T_IN +: AW];
    t_out   = regs[16 * onfi_pkg::T_OUT +: AW];
    t_half  = regs[16 * onfi_pkg::T_HALF +: AW];
    re_rise = regs[16 * onfi_pkg::RE_RISE +: AW];
    sample  = regs[16 * onfi_pkg::SAMPLE +: AW];
    dqs_at  = regs[16 * onfi_pkg::DQS_AT +: AW];
    t_rhw   = regs[16 * onfi_pkg::T_RHW +: AW];
    t_ceh   = regs[16 * onfi_pkg::T_CEH +: AW];
    pre_in  = regs[16 * onfi_pkg::T_PRE_IN +: AW];
    wrck    = regs[16 * onfi_pkg::T_WRCK +: AW];
    pre_out = regs[16 * onfi_pkg::T_PRE_OUT +: AW];
    post_in  = regs[16 * onfi_pkg::T_POST_IN +: AW];
    post_out = regs[16 * onfi_pkg::T_POST_OUT +: AW];
    a_gap   = AW'(seg_len_i[1:0]);
    lead      = {2'd0, seg_row_i[1:0]};
    has_trail = seg_row_i[3];
    in        = seg_row_i[4];
    out       = seg_row_i[5];
    strobes   = 16'(seg_col_i[1:0]);
  end

  // ---- assumed of boot software and of onfi_bytes: asserted in onfi_sequencer and onfi_phy_test.cpp ----
  always_comb begin
    assume (regs[16 * onfi_pkg::CTRL + onfi_pkg::CTRL_DDR] == (DDR != 0));
    assume (t_cs >= AW'(3) && fall < rise && rise <= t_cycle);
    assume (t_ceh <= t_cs + t_cycle);
    if (DDR != 0) begin
      assume (fall != '0);  // set-up times; CLK is low between two cycles
      assume (t_half >= AW'(2) && t_in == t_half + t_half && t_out == t_in);
      assume (dqs_at != '0 && dqs_at < t_half && pre_in > t_half + dqs_at && pre_out > wrck);
      assume (post_in != '0 && post_out != '0);
    end else begin
      assume (rise < t_cycle && rise < t_in);  // hold times
      assume (re_rise != '0 && re_rise < t_out && sample != '0 && sample <= t_out);
    end
    if (seg_valid_i) begin
      assume (seg_ce_i < 8'(CES));
      assume (!(in && out) && (!has_trail || in) && (lead != 4'd0 || out));
      assume (lead <= 4'd2 && strobes <= 16'd2);
      assume ((!in && !out) || (strobes != '0 && a_gap != '0));
      assume (lead != 4'd0 || t_ceh <= t_cs + a_gap);
    end
  end

  // ---- the segment port: a request and what belongs to it stand until the end has been seen ----
  logic        open_q = 1'b0;   // a segment stands that has not ended
  logic        was_q  = 1'b0;   // the request of the clock before
  logic [74:0] what, what_q;
  always_comb what = {seg_ce_i, seg_phase_i, seg_opcode_i, seg_col_i, seg_len_i, seg_row_i, 8'd0};
  logic        taken_q = 1'b0;
  logic        wdata_q;
  always_ff @(posedge clk_i) begin
    taken_q <= wready;
    wdata_q <= wdata_i;
    was_q  <= rst_n && seg_valid_i;
    what_q <= what;
    open_q <= rst_n && seg_valid_i && !done && (open_q || !was_q);
  end
  always_comb begin
    if (!rst_n) assume (!seg_valid_i);
    if (open_q && !done) assume (seg_valid_i);
    if (was_q && seg_valid_i) assume (what == what_q);
    if (open_q && !done) assume (what == what_q);
    if (was_q && !taken_q) assume (wdata_i == wdata_q);  // a word stands until it is taken
  end

  // ---- events at the pins, and their ages: 0 in the clock of the event, at most MAX ----
  localparam logic [AW-1:0] MAX = {AW{1'b1}};
  logic [CES-1:0] ce_n_q = {CES{1'b1}};
  logic           cle_q = 1'b0, ale_q = 1'b0, we_n_q = DDR == 0, re_n_q = 1'b1, oe_q = 1'b0, done_q = 1'b0;
  logic [15:0]    dq_q = '0;
  logic [AW-1:0]  ce_fell_q = MAX, cle_at_q = MAX, ale_at_q = MAX, dq_at_q = MAX, we_fell_q = MAX, we_rose_q = MAX,
                  latch_q = MAX, re_fell_q = MAX, re_rose_q = MAX;
  logic [CES*AW-1:0] ce_rose_q = {CES*AW{1'b1}};  // by CE#
  logic           data_q = 1'b0;      // the last strobe in was of data
  logic           reads_q = 1'b0;     // RE# has been low in this segment
  logic [AW-1:0]  ce_fell, cle_at, ale_at, dq_at, we_fell, we_rose, re_fell, re_rose, latch;
  logic [AW-1:0]  we_rose_now, latch_now, dqs_edge_now;
  logic           sel, sel_q, strobe, changes;
  // NV-DDR.
  logic           dqs_q = 1'b0;
  logic           latched_q = 1'b0;   // the last pulse of CLK was of a cycle
  logic [AW-1:0]  dqs_edge_q = MAX, out_at_q = MAX, dqs_edge, out_at;

  function automatic [AW-1:0] older(input logic [AW-1:0] age);
    older = age == {AW{1'b1}} ? age : age + AW'(1);
  endfunction

  // Ages in this clock: of levels with a change in it, of strobes (we_rose, latch, dqs_edge) also before it.
  always_comb begin
    sel     = !(&ce_n);
    sel_q   = !(&ce_n_q);
    strobe  = we_n && !we_n_q;  // SDR: WE# rises; NV-DDR: CLK rises
    changes  = oe != oe_q || dq != dq_q;
    ce_fell  = (sel && !sel_q) ? '0 : older(ce_fell_q);
    cle_at   = (cle != cle_q) ? '0 : older(cle_at_q);
    ale_at   = (ale != ale_q) ? '0 : older(ale_at_q);
    dq_at    = changes ? '0 : older(dq_at_q);
    we_fell  = (!we_n && we_n_q) ? '0 : older(we_fell_q);
    re_fell  = (!re_n && re_n_q) ? '0 : older(re_fell_q);
    re_rose  = (re_n && !re_n_q) ? '0 : older(re_rose_q);
    we_rose  = older(we_rose_q);
    latch    = older(latch_q);
    dqs_edge = older(dqs_edge_q);
    out_at   = older(out_at_q);
    we_rose_now  = strobe ? '0 : we_rose;
    latch_now    = (strobe && cle != ale) ? '0 : latch;
    dqs_edge_now = (dqs != dqs_q) ? '0 : dqs_edge;
  end

  always_ff @(posedge clk_i) if (rst_n) begin
    ce_n_q <= ce_n;
    cle_q  <= cle;
    ale_q  <= ale;
    we_n_q <= we_n;
    re_n_q <= re_n;
    oe_q   <= oe;
    dq_q   <= dq;
    done_q <= done;
    ce_fell_q <= ce_fell;
    cle_at_q  <= cle_at;
    ale_at_q  <= ale_at;
    dq_at_q   <= dq_at;
    we_fell_q <= we_fell;
    // Of a segment.
    we_rose_q <= sel ? we_rose_now : MAX;
    latch_q   <= sel ? latch_now : MAX;
    re_fell_q <= re_fell;
    re_rose_q <= re_rose;
    if (strobe) data_q <= !cle && !ale;
    if (strobe) latched_q <= cle != ale;
    dqs_q      <= dqs;
    dqs_edge_q <= sel ? dqs_edge_now : MAX;
    out_at_q   <= (strobe && !re_n) ? '0 : out_at;
    reads_q <= sel && (reads_q || !re_n);
    for (int unsigned i = 0; i < CES; i++) begin
      ce_rose_q[i * AW +: AW] <= (ce_n[i] && !ce_n_q[i]) ? '0 : older(ce_rose_q[i * AW +: AW]);
    end
  end

  logic [AW-1:0] unit, tail;  // length of the last cycle or strobe in, and what of it follows the rise
  always_comb begin
    unit = data_q ? t_in : t_cycle;
    tail = unit - rise;
  end

  // The time of a segment by the equations of the bus (docs/explanation/onfi.md). CE# falls one clock after it begins.
  logic [TW-1:0] total, total_q, low_q = '0, waits_q = '0, waits_most;
  always_comb begin
    total = TW'(t_cs) + TW'(lead + {3'd0, has_trail}) * TW'(t_cycle);
    if (in || out) begin
      total = total + TW'(a_gap) + TW'(strobes) * TW'(in ? t_in : t_out);
      if (DDR != 0) total = total + TW'(in ? pre_in : pre_out) + TW'(in ? post_in : post_out);
    end
    waits_most = TW'(t_ceh > t_rhw ? t_ceh : t_rhw) + TW'(2);
  end
  always_ff @(posedge clk_i) total_q <= total;  // done: the segment may have gone
  always_ff @(posedge clk_i) if (rst_n) begin
    low_q   <= sel ? low_q + TW'(1) : '0;
    waits_q <= (seg_valid_i && !sel && !done) ? waits_q + TW'(1) : '0;
  end

  always_comb begin
    if (rst_n) begin
      `PROVE(!sel || low_q + TW'(1) < total);
      `PROVE(!done || low_q + TW'(1) == total_q);
      `PROVE(!open_q || sel || done || waits_q <= waits_most);
      `PROVE($countones(~ce_n) <= 1);
      `PROVE(!(sel && sel_q) || ce_n == ce_n_q);                 // high between two
      for (int unsigned i = 0; i < CES; i++) begin
        if (!ce_n[i] && ce_n_q[i]) `PROVE(older(ce_rose_q[i * AW +: AW]) >= t_ceh);
      end
      `PROVE(!done || (!done_q && open_q && !sel && sel_q));
      `PROVE(!sel || (open_q && !ce_n[seg_ce_i[0]]));
      `PROVE(!idle || (!sel && !open_q && !oe));
      `PROVE(!(oe && !re_n) && !(dqs_oe && !re_n));
      `PROVE(!(reads_q && (oe || dqs_oe)));
      if (DDR == 0) begin
        `PROVE((we_n && re_n) || (sel && sel_q));
        `PROVE(we_n || re_n);
        `PROVE(!cle || !ale);
        if (!we_n && we_n_q) begin
          `PROVE(we_rose >= unit - (rise - fall));
          `PROVE(re_rose >= t_rhw);
        end
        if (strobe) begin
          `PROVE(oe && sel);
          `PROVE(we_fell == rise - fall);
          `PROVE(ce_fell >= t_cs + rise - AW'(1));
          `PROVE(cle_at >= rise && ale_at >= rise && dq_at >= rise);
          `PROVE(cle || ale || latch >= a_gap + t_cycle || data_q);
        end
        if (cle != cle_q || ale != ale_q || (changes && oe_q) || (!sel && sel_q))
          `PROVE(we_rose_now >= tail);
        if (!re_n && re_n_q) begin
          `PROVE(re_rose >= t_out - re_rise);
          `PROVE(latch_now >= a_gap + t_cycle - rise);
          `PROVE(!cle && !ale && cle_at >= a_gap && ale_at >= a_gap && dq_at >= a_gap);
          `PROVE(ce_fell >= t_cs + a_gap - AW'(1));
        end
        if (re_n && !re_n_q) `PROVE(re_fell == re_rise && sel);
      end else begin
        `PROVE((!we_n && re_n && !dqs_oe) || sel);
        if (strobe) begin
          `PROVE(we_rose >= AW'(2));
          if (cle != ale) begin
            `PROVE(oe && re_n && sel_q);
            `PROVE(ce_fell >= t_cs + fall - AW'(1));
            `PROVE(cle_at >= fall && ale_at >= fall && dq_at >= fall);
            `PROVE(latch >= t_cycle);
            `PROVE(out_at >= t_rhw);
          end else begin
            `PROVE(cle && ale && sel && (in || !re_n));
            `PROVE(re_n || re_fell >= wrck);
            `PROVE(we_rose >= (latched_q ? a_gap + t_cycle - fall : t_in));
          end
        end
        if (we_n != we_n_q && !we_n) `PROVE(we_rose >= (latched_q ? rise - fall : t_half));
        if (cle != cle_q || ale != ale_q || (changes && oe_q && latched_q) || (!sel && sel_q))
          `PROVE(latch_now >= t_cycle - fall);
        if (!re_n && re_n_q) begin
          `PROVE(latch_now >= a_gap + t_cycle - fall && dq_at >= a_gap);
          `PROVE(ce_fell >= t_cs + a_gap - AW'(1));
        end
        if (dqs != dqs_q && dqs_oe) begin
          `PROVE(oe && dq_at >= dqs_at && latch_now >= a_gap && dqs_edge >= t_half);
        end
        if (oe && oe_q && dqs_oe && dq != dq_q) `PROVE(dqs_edge_now >= t_half - dqs_at);
      end
    end
    `REACH(rst_n && done && open_q && in && has_trail && seg_valid_i && lead == 4'd2);
    `REACH(rst_n && done && out && seg_valid_i && lead == 4'd1);
    `REACH(rst_n && sel && !sel_q && t_ceh == AW'(6) && older(ce_rose_q[0 +: AW]) == t_ceh + AW'(1) && !ce_n[0]);
  end

endmodule
`default_nettype wire
