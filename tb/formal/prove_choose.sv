// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the choice among a LUN's stations (o3_choose, docs/explanation/o3.md "The rule inside a LUN"): one hot; never
// one that waits for another or is closed by a fence; the oldest of all; the oldest of the highest priority,
// the pending one behind all. Without state: one edge covers every case. Assumed: `older_i` says what the ages
// say.
`default_nettype none
`include "prove.svh"

module prove_choose #(
  parameter  int unsigned S  = 4,
  localparam int unsigned AW = $clog2(S)
) (
  input  wire logic           clk_i,
  input  wire logic           en_i,
  input  wire logic [S-1:0]   used_i,
  input  wire logic [S-1:0]   closed_i,
  input  wire logic [S*S-1:0] waits_i,
  input  wire logic [S*AW-1:0] ages_i,  // submitted in this order, 0 first
  input  wire logic [S*2-1:0] prio_i,
  input  wire logic           reads_only_i,
  input  wire logic [S-1:0]   pending_i,
  input  wire logic [S-1:0]   reads_i,
  input  wire logic [1:0]     least_i
);

  `PROVE_RESET  // for the engines only: they want a state

  logic           any;
  logic [S-1:0]   oldest, first, may;
  logic [S*S-1:0] older;

  o3_choose #(.STATIONS(S)) u_dut (
    .en_i, .used_i, .closed_i, .waits_i, .older_i(older), .prio_i, .reads_only_i, .pending_i, .reads_i, .least_i,
    .any_o(any), .oldest_o(oldest), .first_o(first)
  );

  always_comb begin
    older = '0;
    may   = '0;
    for (int unsigned s = 0; s < S; s++) begin
      for (int unsigned t = 0; t < S; t++) begin
        older[s * S + t] = used_i[t] && ages_i[t * AW +: AW] < ages_i[s * AW +: AW];
        assume (s == t || ages_i[s * AW +: AW] != ages_i[t * AW +: AW]);
      end
      may[s] = used_i[s] && !closed_i[s] && waits_i[s * S +: S] == '0
            && (!reads_only_i || pending_i[s] || (reads_i[s] && prio_i[s * 2 +: 2] >= least_i));
    end
    // One is kept at most, and it is in use.
    assume ((pending_i & (pending_i - S'(1))) == '0 && (pending_i & ~used_i) == '0);

    `PROVE(any == (en_i && may != '0));
    `PROVE((oldest & (oldest - S'(1))) == '0);
    `PROVE((first & (first - S'(1))) == '0);
    `PROVE((oldest != '0) == any && (first != '0) == any);
    for (int unsigned s = 0; s < S; s++) begin
      `PROVE(!oldest[s] || may[s]);
      `PROVE(!first[s] || may[s]);
      for (int unsigned t = 0; t < S; t++) begin
        `PROVE(!(oldest[s] && may[t]) || ages_i[s * AW +: AW] <= ages_i[t * AW +: AW]);
        `PROVE(!(first[s] && may[t] && !pending_i[t])
                || (!pending_i[s] && (prio_i[s * 2 +: 2] > prio_i[t * 2 +: 2]
                    || (prio_i[s * 2 +: 2] == prio_i[t * 2 +: 2]
                        && ages_i[s * AW +: AW] <= ages_i[t * AW +: AW]))));
      end
    end
    `REACH(rst_n && any && oldest != first && (first & pending_i) == '0 && pending_i != '0);
  end

endmodule
`default_nettype wire
