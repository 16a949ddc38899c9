// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: cover points of a state register, for modules that are bound to a module of rtl/ (scripts/rtl-coverage).
// The option --coverage-fsm of Verilator 5.048 ends with an internal error where an `assign` compares a part of a
// vector, as rtl/ does. So states and arcs are listed here, and an arc that is not listed is an error.
// In: clk_i, rst_ni (low: not counted), state_i. A reset needs no clock: that of onfi_phy ends without an edge.
`ifndef TLMSSD_COVER_SVH
`define TLMSSD_COVER_SVH

`define COVER_FSM_BEGIN(W) \
  logic [(W)-1:0] was_q; \
  logic           any_q; \
  logic           listed; \
  always_ff @(posedge clk_i) was_q <= state_i; \
  always_ff @(posedge clk_i or negedge rst_ni) begin \
    if (!rst_ni) any_q <= 1'b0; \
    else         any_q <= 1'b1; \
  end \
  always_comb begin \
    listed = was_q == state_i;
`define COVER_FSM_LIST(FROM, TO) \
    listed = listed || (was_q == FROM && state_i == TO);
`define COVER_FSM_END \
  end \
  ArcIsListed : assert property (@(posedge clk_i) disable iff (!rst_ni) !any_q || listed) \
  else $error("assertion failed: ArcIsListed");

`define COVER_STATE(STATE) \
  state_``STATE : cover property (@(posedge clk_i) rst_ni && state_i == STATE);
`define COVER_ARC(FROM, TO) \
  arc_``FROM``_``TO : cover property (@(posedge clk_i) rst_ni && any_q && was_q == FROM && state_i == TO);

`endif
