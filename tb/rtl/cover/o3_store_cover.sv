// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: states and arcs of o3_store: a comparison of rows.
`default_nettype none
`include "cover.svh"

module o3_store_cover (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic [2:0] state_i
);

  localparam logic [2:0] IDLE = 3'd0;
  localparam logic [2:0] READ_YOUNG = 3'd1;
  localparam logic [2:0] READ_OLD = 3'd2;
  localparam logic [2:0] TAKE_OLD = 3'd3;
  localparam logic [2:0] COMPARE = 3'd4;

  `COVER_FSM_BEGIN(3)
  `COVER_FSM_LIST(IDLE, READ_YOUNG)
  `COVER_FSM_LIST(READ_YOUNG, READ_OLD)
  `COVER_FSM_LIST(READ_OLD, TAKE_OLD)
  `COVER_FSM_LIST(TAKE_OLD, COMPARE)
  `COVER_FSM_LIST(COMPARE, IDLE)
  `COVER_FSM_END

  `COVER_STATE(IDLE)
  `COVER_STATE(READ_YOUNG)
  `COVER_STATE(READ_OLD)
  `COVER_STATE(TAKE_OLD)
  `COVER_STATE(COMPARE)
  `COVER_ARC(IDLE, READ_YOUNG)
  `COVER_ARC(READ_YOUNG, READ_OLD)
  `COVER_ARC(READ_OLD, TAKE_OLD)
  `COVER_ARC(TAKE_OLD, COMPARE)
  `COVER_ARC(COMPARE, IDLE)

endmodule

bind o3_store o3_store_cover u_cover (.clk_i, .rst_ni, .state_i(state_q));
`default_nettype wire
