// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the earliest of some times to come, as a distance from now; a binary tree.
`default_nettype none

module o3_earliest #(
  parameter  int unsigned N = 8,
  parameter  int unsigned W = 24,
  localparam int unsigned L = (N > 1) ? $clog2(N) : 1,
  localparam int unsigned P = 1 << L
) (
  input  wire logic [W-1:0]   now_i,
  input  wire logic [N-1:0]   valid_i,
  input  wire logic [N*W-1:0] at_i,     // modulo 2^W; one that has passed is far away
  output logic                any_o,
  output logic [W-1:0]        for_o
);

  logic [2*P*W-1:0] node;  // node 1 is the root, 2n and 2n+1 are below n

  always_comb begin
    any_o = |valid_i;
    node  = '1;
    if (any_o) begin
      for (int unsigned i = 0; i < N; i++) begin
        if (valid_i[i]) node[(P + i) * W +: W] = at_i[i * W +: W] - now_i;
      end
      for (int unsigned i = P - 1; i > 0; i--) begin
        node[i * W +: W] = (node[2 * i * W +: W] < node[(2 * i + 1) * W +: W]) ? node[2 * i * W +: W]
                                                                              : node[(2 * i + 1) * W +: W];
      end
    end
    for_o = node[W +: W];
  end

endmodule
`default_nettype wire
