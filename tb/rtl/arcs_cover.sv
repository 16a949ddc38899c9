// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the check of tb/rtl/cover/cover.svh alone, on a state that its test sets: 0 and 1, and one arc from 0 to 1.
`default_nettype none
`include "cover.svh"

module arcs_cover (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic [1:0] state_i
);

  `COVER_FSM_BEGIN(2)
  `COVER_FSM_LIST(2'd0, 2'd1)
  `COVER_FSM_END

endmodule
`default_nettype wire
