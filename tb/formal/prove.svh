// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the proof harnesses share. Read by Yosys 0.23 only (scripts/prove).
//
// PROVE_RESET: rst_n is low before the first edge and never again. Every state that follows a reset is so a
// state of the proof, whatever the memories, which no reset touches, held before it.
// PROVE(x): has to hold. REACH(x): has to be reached; with TLMSSD_PROVE_COVER it is turned into "is never
// reached", which has to fail, and nothing else of the harness is asked.
`ifndef TLMSSD_PROVE_SVH
`define TLMSSD_PROVE_SVH

`define PROVE_RESET \
  logic rst_n = 1'b0; \
  always_ff @(posedge clk_i) rst_n <= 1'b1;

`ifdef TLMSSD_PROVE_COVER
`define PROVE(EXPR) begin end
`define REACH(EXPR) assert (!(EXPR))
`else
`define PROVE(EXPR) assert (EXPR)
`define REACH(EXPR) cover (EXPR)
`endif

`endif
