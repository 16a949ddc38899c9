// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: round-robin choice: the first request after the one that was chosen last.
`default_nettype none

module rr_pick #(
  parameter  int unsigned N = 4,
  localparam int unsigned W = (N > 1) ? $clog2(N) : 1
) (
  input  wire logic [N-1:0] req_i,
  input  wire logic [N-1:0] after_i,  // ones at the places behind the last choice
  output logic              any_o,
  output logic [W-1:0]      idx_o,
  output logic [N-1:0]      after_o   // the mask for the next choice
);

  logic [N-1:0] ahead;
  logic [N-1:0] from;
  logic [N-1:0] upto;    // a request here or below
  logic [N-1:0] lowest;

  always_comb begin
    ahead   = '0;
    from    = '0;
    upto    = '0;
    lowest  = '0;
    idx_o   = '0;
    after_o = after_i;
    any_o   = |req_i;
    if (any_o) begin
      ahead = req_i & after_i;
      from  = (|ahead) ? ahead : req_i;
      upto  = from;
      for (int unsigned k = 1; k < N; k = k * 2) upto = upto | (upto << k);  // no carry: that is slow
      after_o = upto << 1;
      lowest  = from & ~after_o;
      for (int unsigned i = 0; i < N; i++) begin
        if (lowest[i]) begin
          idx_o = idx_o | W'(i);
        end
      end
    end
  end

endmodule
`default_nettype wire
