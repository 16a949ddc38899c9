// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a channel's intake: operations wait in order of submission for a station of their LUN. What the head depends
// on is found one station at a time: an event of the channel shows it its LUN's row, then one question is asked, then
// the row is shown again, until no station is left.
`default_nettype none
`include "assert.svh"

module o3_intake #(
  parameter  int unsigned LUNS     = 16,
  parameter  int unsigned STATIONS = 8,
  parameter  int unsigned TAGS     = 256,
  localparam int unsigned LW       = (LUNS > 1) ? $clog2(LUNS) : 1,
  localparam int unsigned TW       = $clog2(TAGS),
  localparam int unsigned OW       = o3_pkg::OPC_W,
  localparam int unsigned HEAD_W   = 1 + TW + LW + OW + 2 + 2 + 1
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,
  input  wire logic [o3_pkg::STAMP_W-1:0] now_i,

  input  wire logic                   push_i,
  input  wire logic [HEAD_W-1:0]      push_head_i,  // as head_o of u_fifo

  output logic                        any_o,
  output logic [TW-1:0]               tag_o,
  output logic [LW-1:0]               lun_o,
  output logic [OW-1:0]               opc_o,
  output logic [1:0]                  prio_o,
  output logic [1:0]                  last_o,
  output logic                        fence_o,
  output logic                        susp_o,
  output logic [o3_pkg::STAMP_W-1:0]  since_o,      // when it was pushed

  output logic                        asks_o,       // the head wants to see its LUN's row

  // The stations of the head's LUN.
  input  wire logic                   row_i,
  input  wire logic [STATIONS-1:0]    used_i,
  input  wire logic [STATIONS*TW-1:0] tags_i,
  input  wire logic [STATIONS*OW-1:0] opcs_i,

  output logic                        may_o,        // with row_i: the head goes in, waiting for waits_o
  output logic [STATIONS-1:0]         waits_o,      // after row_i, until pop_i
  input  wire logic                   pop_i,

  output logic                        dep_req_o,
  output logic [TW-1:0]               dep_old_o,
  input  wire logic                   dep_done_i,
  input  wire logic                   dep_hit_i,

  output logic                        active_o
);

  localparam logic [1:0] FRESH = 2'd0, SHOWN = 2'd1, ASK = 2'd2;

  logic                any;
  assign any_o = any;
  logic [1:0]          state_q;
  logic [STATIONS-1:0] left_q, waits_q, old_q;
  logic [TW-1:0]       old_tag_q;

  o3_queue #(.DEPTH(TAGS), .W(o3_pkg::STAMP_W + HEAD_W)) u_fifo (
    .clk_i, .rst_ni, .push_i, .data_i({now_i, push_head_i}), .pop_i, .any_o(any),
    .head_o({since_o, susp_o, tag_o, lun_o, opc_o, prio_o, last_o, fence_o})
  );

  logic                is_read;
  logic [STATIONS-1:0] left, lowest;
  logic [TW-1:0]       lowest_tag;

  assign is_read = {5'd0, opc_o} == flash_op_pkg::FLASH_OP_READ;

  // Stations that the head may depend on and that nobody has been asked about; what has left is no dependency.
  always_comb begin
    left       = '0;
    lowest     = '0;
    lowest_tag = '0;
    may_o      = 1'b0;
    if (row_i) begin
      for (int unsigned s = 0; s < STATIONS; s++) begin
        left[s] = used_i[s] && ((state_q == FRESH)
                ? !(is_read && {5'd0, opcs_i[s * OW +: OW]} == flash_op_pkg::FLASH_OP_READ) : left_q[s]);
      end
      lowest = left & (~left + STATIONS'(1));
      for (int unsigned s = 0; s < STATIONS; s++) begin
        if (lowest[s]) lowest_tag = lowest_tag | tags_i[s * TW +: TW];
      end
      may_o = left == '0;
    end
  end

  assign asks_o    = any && state_q != ASK;
  assign dep_req_o = state_q == ASK;
  assign dep_old_o = old_tag_q;
  assign waits_o   = waits_q;
  assign active_o  = state_q == ASK;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= FRESH;
    end else begin
      if (pop_i) state_q <= FRESH;
      else if (row_i && !may_o) state_q <= ASK;
      else if (state_q == ASK && dep_done_i) state_q <= SHOWN;
    end
  end

  always_ff @(posedge clk_i) begin
    if (row_i) begin
      left_q    <= left;
      waits_q   <= (state_q == FRESH) ? '0 : (waits_q & used_i);
      old_q     <= lowest;
      old_tag_q <= lowest_tag;
    end else if (state_q == ASK && dep_done_i) begin
      left_q  <= left_q & ~old_q;
      waits_q <= dep_hit_i ? (waits_q | old_q) : waits_q;
    end
  end

  // For assertions: the row was shown at the last edge, and the head may go in.
  logic shown_q;
  always_ff @(posedge clk_i) shown_q <= rst_ni && row_i && may_o;

  `O3_ASSERTS_WHEN(any || state_q != FRESH || dep_done_i || pop_i)
  `O3_HOLDS(AsksForAHead, state_q == FRESH || any)
  `O3_HOLDS(ShownToWhoLooks, !row_i || asks_o)
  `O3_HOLDS(AnswerIsAskedFor, !dep_done_i || dep_req_o)
  `O3_HOLDS(PopIsOfAHead, !pop_i || (any && state_q != ASK))
  `O3_HOLDS(WhoMayGoesNext, !shown_q || pop_i)
  `O3_HOLDS(WhoGoesWasShown, !pop_i || shown_q || {5'd0, opc_o} == flash_op_pkg::FLASH_OP_RESET)
  `O3_ASSERTS_END

endmodule
`default_nettype wire
