// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a channel's intake: operations wait in order of submission for a station of their LUN. For
// the head, what it depends on is found one station at a time before it is put in.
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
  input  wire logic [STATIONS-1:0]    stations_i,  // ones at the stations in use
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

  // The stations of the head's LUN, shown in this cycle.
  input  wire logic                   row_i,
  input  wire logic [STATIONS-1:0]    used_i,
  input  wire logic [STATIONS*TW-1:0] tags_i,
  input  wire logic [STATIONS*OW-1:0] opcs_i,
  input  wire logic                   reset_may_i,  // nothing on or before the head's CE#

  output logic                        may_o,        // the head can go in now, waiting for waits_o
  output logic [STATIONS-1:0]         waits_o,
  input  wire logic                   pop_i,

  output logic                        dep_req_o,
  output logic [TW-1:0]               dep_old_o,
  input  wire logic                   dep_done_i,
  input  wire logic                   dep_hit_i,

  output logic                        active_o
);

  localparam logic [1:0] LOOKUP = 2'd0, NEXT = 2'd1, ASK = 2'd2;

  logic                any;
  assign any_o = any;
  logic [1:0]          state_q;
  logic [STATIONS-1:0] left_q, waits_q, old_q;
  logic [TW-1:0]       old_tag_q;

  o3_queue #(.DEPTH(TAGS), .W(o3_pkg::STAMP_W + HEAD_W)) u_fifo (
    .clk_i, .rst_ni, .push_i, .data_i({now_i, push_head_i}), .pop_i, .any_o(any),
    .head_o({since_o, susp_o, tag_o, lun_o, opc_o, prio_o, last_o, fence_o})
  );

  logic                is_reset, is_read, full;
  logic [STATIONS-1:0] candidates, left, lowest;
  logic [TW-1:0]       lowest_tag;

  assign is_reset = {5'd0, opc_o} == flash_op_pkg::FLASH_OP_RESET;
  assign is_read  = {5'd0, opc_o} == flash_op_pkg::FLASH_OP_READ;
  assign full     = (used_i & stations_i) == stations_i;

  always_comb begin
    candidates = '0;
    lowest_tag = '0;
    left       = '0;
    lowest     = '0;
    may_o      = 1'b0;
    waits_o    = '0;
    if (any && row_i) begin
      left    = left_q & used_i;  // what has left since is no dependency
      lowest  = left & (~left + STATIONS'(1));
      waits_o = waits_q & used_i;
      for (int unsigned s = 0; s < STATIONS; s++) begin
        candidates[s] = used_i[s] && !(is_read
                      && {5'd0, opcs_i[s * OW +: OW]} == flash_op_pkg::FLASH_OP_READ);
        if (lowest[s]) lowest_tag = lowest_tag | tags_i[s * TW +: TW];
      end
      if (is_reset) may_o = reset_may_i;
      else if (state_q == LOOKUP) begin
        may_o   = !full && candidates == '0;
        waits_o = '0;
      end else may_o = state_q == NEXT && left == '0;
    end
  end

  assign dep_req_o = state_q == ASK;
  assign dep_old_o = old_tag_q;
  assign active_o  = state_q != LOOKUP || (any && (is_reset ? reset_may_i : (row_i && !full)));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= LOOKUP;
    end else begin
      unique case (state_q)
        LOOKUP:    if (any && row_i && !is_reset && !full && candidates != '0) state_q <= NEXT;
        NEXT:    if (pop_i) state_q <= LOOKUP;
                 else if (row_i && left != '0) state_q <= ASK;
        default: if (dep_done_i) state_q <= NEXT;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == LOOKUP) begin
      left_q  <= candidates;
      waits_q <= '0;
    end
    if (state_q == NEXT) begin
      old_q     <= lowest;
      old_tag_q <= lowest_tag;
    end
    if (state_q == ASK && dep_done_i) begin
      left_q  <= left_q & ~old_q;
      waits_q <= dep_hit_i ? (waits_q | old_q) : waits_q;
    end
  end

  `O3_ASSERTS_WHEN(any || state_q != LOOKUP || dep_done_i || pop_i)
  `O3_HOLDS(AsksForAHead, state_q == LOOKUP || any)
  `O3_HOLDS(AnswerIsAskedFor, !dep_done_i || dep_req_o)
  `O3_HOLDS(PopIsAllowed, !pop_i || may_o)
  `O3_ASSERTS_END

endmodule
`default_nettype wire
