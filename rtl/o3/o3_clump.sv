// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the page bursts of a channel that wait for its bus, with ISSUE_POLICY clump: the one that holds up
// most goes first, of equal ones the first that asked, and the oldest after PASSES bursts (docs/explanation/o3-bus.md).
`default_nettype none
`include "assert.svh"

module o3_clump #(
  parameter  int unsigned LUNS   = 16,  // a power of two
  parameter  int unsigned PASSES = 8,
  localparam int unsigned LW     = (LUNS > 1) ? $clog2(LUNS) : 1
) (
  input  wire logic            clk_i,
  input  wire logic            rst_ni,
  input  wire logic            push_i,       // a LUN asks; it has not asked before
  input  wire logic [LW-1:0]   data_i,
  input  wire logic            pop_i,        // head_o goes
  input  wire logic [LUNS-1:0] used_i,       // a station of the LUN is in use
  input  wire logic [2:0]      lun_shift_i,  // LUN index = (ce << shift) | lun; at most 2
  output logic                 any_o,
  output logic [LW-1:0]        head_o        // whose turn it is now
);

  localparam int unsigned PW = $clog2(PASSES + 1);

  // Who asked, in that order, without gaps.
  logic [LUNS*LW-1:0] list_q, list_d;
  logic [LUNS-1:0]    valid_q, valid_d, tail;
  logic [PW-1:0]      passed_q;  // bursts that went since the oldest came to the front
  logic               due;

  // By LUN: a station of its CE# is in use.
  logic [LUNS-1:0] pairs, quads, ce_used;
  for (genvar l = 0; l < LUNS; l++) begin : g_ce
    if (LUNS >= 2) begin : g_pair
      assign pairs[l] = used_i[l] | used_i[l ^ 1];
    end else begin : g_pair
      assign pairs[l] = used_i[l];
    end
    if (LUNS >= 4) begin : g_quad
      assign quads[l] = pairs[l] | pairs[l ^ 2];
    end else begin : g_quad
      assign quads[l] = pairs[l];
    end
  end
  assign ce_used = (lun_shift_i == 3'd0) ? used_i : (lun_shift_i == 3'd1) ? pairs : quads;

  // By place: its level, and which places have the highest one that occurs.
  logic [LUNS-1:0] node, cluster, best;
  logic [LW-1:0]   place;
  logic            found;
  assign any_o = valid_q[0];
  assign due   = passed_q == PW'(PASSES);
  always_comb begin
    {node, cluster, best} = 'x;
    if (any_o) begin
      for (int unsigned i = 0; i < LUNS; i++) begin
        node[i]    = valid_q[i] && used_i[list_q[i*LW +: LW]];
        cluster[i] = valid_q[i] && ce_used[list_q[i*LW +: LW]];
      end
      best = (node != '0) ? node : (cluster != '0) ? cluster : valid_q;
      if (due) best = LUNS'(1);
    end
  end
  o3_first #(.N(LUNS)) u_place (.req_i(any_o ? best : '0), .any_o(found), .idx_o(place));
  always_comb begin
    head_o = 'x;
    if (found) head_o = list_q[place * LW +: LW];
  end

  // What goes leaves no gap; what comes goes behind all.
  always_comb begin
    list_d  = list_q;
    valid_d = valid_q;
    if (pop_i) begin
      valid_d = valid_q >> 1;
      for (int unsigned i = 0; i + 1 < LUNS; i++) begin
        if (LW'(i) >= place) list_d[i*LW +: LW] = list_q[(i+1)*LW +: LW];
      end
    end
    tail = ~valid_d & ((valid_d << 1) | LUNS'(1));
    if (push_i) begin
      valid_d = valid_d | tail;
      for (int unsigned i = 0; i < LUNS; i++) begin
        if (tail[i]) list_d[i*LW +: LW] = data_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q  <= '0;
      passed_q <= '0;
    end else if (push_i || pop_i) begin
      valid_q <= valid_d;
      if (pop_i) passed_q <= (place == '0) ? '0 : passed_q + PW'(1);
    end
  end
  always_ff @(posedge clk_i) begin
    if (push_i || pop_i) list_q <= list_d;
  end

  // For assertions, by LUN and beside the list: who waits, and how many have gone since the one that is now
  // the oldest became it.
  logic [LUNS-1:0] waits_q, come, gone, on_top;
  logic [LW-1:0]   oldest;
  logic [PW:0]     since_q;
  always_comb begin
    come   = LUNS'(push_i) << data_i;
    gone   = LUNS'(pop_i) << head_o;
    oldest = list_q[LW-1:0];
    on_top = waits_q & used_i;
    if (on_top == '0) on_top = waits_q & ce_used;
    if (on_top == '0) on_top = waits_q;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waits_q <= '0;
      since_q <= '0;
    end else if (push_i || pop_i) begin
      waits_q <= (waits_q & ~gone) | come;
      if (pop_i) since_q <= (gone[oldest]) ? '0 : since_q + (PW + 1)'(1);
    end
  end

  `O3_ASSERTS_WHEN(push_i || pop_i)
  `O3_HOLDS(AsksOnce, (come & waits_q & ~gone) == '0)
  `O3_HOLDS(OneThatWaitsGoes, !pop_i || (any_o && (gone & ~waits_q) == '0))
  `O3_HOLDS(TheOldestIsNotPassedForEver, since_q < (PW + 1)'(PASSES) || !pop_i || gone[oldest])
  `O3_HOLDS(PassesAreCounted, since_q <= (PW + 1)'(PASSES))
  `O3_HOLDS(NobodyOfAHigherLevelWaits, !pop_i || since_q == (PW + 1)'(PASSES) || (gone & on_top) != '0)
  `O3_HOLDS(ListHasNoGap, (valid_q & (valid_q + LUNS'(1))) == '0)
  `O3_HOLDS(AsManyAsWait, $countones(valid_q) == $countones(waits_q))
  `O3_ASSERTS_END

endmodule
`default_nettype wire
