// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the proof harnesses share. Read by Yosys 0.23 only (scripts/prove).
//
// PROVE_RESET: rst_n is low before the first edge and never again. Every state that follows a reset is
// so a state of the proof, whatever the memories, which no reset touches, held before it.
// PROVE(x): has to hold. REACH(n, x): has to be reached; with TLMSSD_PROVE_COVER the n-th of them is turned into
// "is never reached", parameter COVER chooses it, and nothing else of the harness is asked.
`ifndef TLMSSD_PROVE_SVH
`define TLMSSD_PROVE_SVH

`define PROVE_RESET \
  logic rst_n = 1'b0; \
  always_ff @(posedge clk_i) rst_n <= 1'b1;

`ifdef TLMSSD_PROVE_COVER
`define PROVE(EXPR) if (1'b0) assert (EXPR)
`define REACH(N, EXPR) if (COVER == (N)) assert (!(EXPR))
`else
`define PROVE(EXPR) assert (EXPR)
`define REACH(N, EXPR) cover (EXPR)
`endif

`endif
