// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: states and arcs of o3_intake: what is known of the dependencies of the head.
`default_nettype none
`include "cover.svh"

module o3_intake_cover (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic [1:0] state_i
);

  localparam logic [1:0] FRESH = 2'd0;
  localparam logic [1:0] SHOWN = 2'd1;
  localparam logic [1:0] ASK = 2'd2;

  `COVER_FSM_BEGIN(2)
  `COVER_FSM_LIST(FRESH, ASK)
  `COVER_FSM_LIST(ASK, SHOWN)
  `COVER_FSM_LIST(SHOWN, ASK)
  `COVER_FSM_LIST(SHOWN, FRESH)
  `COVER_FSM_END

  `COVER_STATE(FRESH)
  `COVER_STATE(SHOWN)
  `COVER_STATE(ASK)
  `COVER_ARC(FRESH, ASK)
  `COVER_ARC(ASK, SHOWN)
  `COVER_ARC(SHOWN, ASK)
  `COVER_ARC(SHOWN, FRESH)

endmodule

bind o3_intake o3_intake_cover u_cover (.clk_i, .rst_ni, .state_i(state_q));
`default_nettype wire
