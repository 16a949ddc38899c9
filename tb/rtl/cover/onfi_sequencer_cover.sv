// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: states and arcs of onfi_sequencer: the primitives of a segment.
`default_nettype none
`include "cover.svh"

module onfi_sequencer_cover (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic [3:0] state_i
);

  localparam logic [3:0] IDLE = onfi_pkg::IDLE;
  localparam logic [3:0] SELECT = onfi_pkg::SELECT;
  localparam logic [3:0] LEAD = onfi_pkg::LEAD;
  localparam logic [3:0] GAP = onfi_pkg::GAP;
  localparam logic [3:0] PRE = onfi_pkg::PRE;
  localparam logic [3:0] DATA = onfi_pkg::DATA;
  localparam logic [3:0] POST = onfi_pkg::POST;
  localparam logic [3:0] TRAIL = onfi_pkg::TRAIL;
  localparam logic [3:0] DONE = onfi_pkg::DONE;

  `COVER_FSM_BEGIN(4)
  `COVER_FSM_LIST(IDLE, SELECT)
  `COVER_FSM_LIST(SELECT, LEAD)
  `COVER_FSM_LIST(SELECT, GAP)
  `COVER_FSM_LIST(LEAD, GAP)
  `COVER_FSM_LIST(LEAD, DONE)
  `COVER_FSM_LIST(GAP, PRE)
  `COVER_FSM_LIST(GAP, DATA)
  `COVER_FSM_LIST(PRE, DATA)
  `COVER_FSM_LIST(DATA, POST)
  `COVER_FSM_LIST(DATA, TRAIL)
  `COVER_FSM_LIST(DATA, DONE)
  `COVER_FSM_LIST(POST, TRAIL)
  `COVER_FSM_LIST(POST, DONE)
  `COVER_FSM_LIST(TRAIL, DONE)
  `COVER_FSM_LIST(DONE, IDLE)
  `COVER_FSM_END

  `COVER_STATE(IDLE)
  `COVER_STATE(SELECT)
  `COVER_STATE(LEAD)
  `COVER_STATE(GAP)
  `COVER_STATE(PRE)
  `COVER_STATE(DATA)
  `COVER_STATE(POST)
  `COVER_STATE(TRAIL)
  `COVER_STATE(DONE)
  `COVER_ARC(IDLE, SELECT)
  `COVER_ARC(SELECT, LEAD)
  `COVER_ARC(SELECT, GAP)
  `COVER_ARC(LEAD, GAP)
  `COVER_ARC(LEAD, DONE)
  `COVER_ARC(GAP, PRE)
  `COVER_ARC(GAP, DATA)
  `COVER_ARC(PRE, DATA)
  `COVER_ARC(DATA, POST)
  `COVER_ARC(DATA, TRAIL)
  `COVER_ARC(DATA, DONE)
  `COVER_ARC(POST, TRAIL)
  `COVER_ARC(POST, DONE)
  `COVER_ARC(TRAIL, DONE)
  `COVER_ARC(DONE, IDLE)

endmodule

bind onfi_sequencer onfi_sequencer_cover u_cover (.clk_i, .rst_ni, .state_i(step_q));
`default_nettype wire
