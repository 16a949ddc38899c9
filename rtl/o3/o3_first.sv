// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the lowest request.
`default_nettype none

module o3_first #(
  parameter  int unsigned N = 4,
  localparam int unsigned W = (N > 1) ? $clog2(N) : 1
) (
  input  wire logic [N-1:0] req_i,
  output logic              any_o,
  output logic [W-1:0]      idx_o
);

  logic [N-1:0] upto, lowest;  // upto: a request here or below

  always_comb begin
    {upto, lowest} = 'x;
    any_o = |req_i;
    idx_o = '0;
    if (any_o) begin  // most of the time there is none, and a simulator need not look
      upto = req_i;
      for (int unsigned k = 1; k < N; k = k * 2) upto = upto | (upto << k);  // no carry: that is slow
      lowest = req_i & ~(upto << 1);
      for (int unsigned i = 0; i < N; i++) begin
        if (lowest[i]) idx_o = idx_o | W'(i);
      end
    end
  end

endmodule
`default_nettype wire
