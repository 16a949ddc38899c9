// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the earliest of some times to come. In two steps of groups, all pairs of a group at once: a binary
// tree would have a comparison's carry after the other.
`default_nettype none

module o3_earliest #(
  parameter  int unsigned N = 8,   // up to 25
  parameter  int unsigned W = 24,
  localparam int unsigned R = (N > 16) ? 5 : (N > 9) ? 4 : (N > 4) ? 3 : 2,  // groups, and times in each
  localparam int unsigned P = R * R
) (
  input  wire logic [W-1:0]   now_i,
  input  wire logic [N-1:0]   valid_i,
  input  wire logic [N*W-1:0] at_i,     // modulo 2^W; one that has passed is far away
  output logic                any_o,
  output logic [W-1:0]        for_o,    // from now on
  output logic [W-1:0]        at_o,
  output logic                over_o    // and after the next 0
);

  // A time: not valid and how long until it, which are compared; whether after the next 0; when.
  localparam int unsigned T = 2 * W + 2;

  logic [P*T-1:0] leaf;
  logic [R*T-1:0] group;
  logic [T-1:0]   root, one;
  logic           first;

  always_comb begin
    any_o = |valid_i;
    leaf  = '1;
    group = '0;
    root  = '1;
    one   = 'x;
    first = 1'b0;
    if (any_o) begin
      for (int unsigned i = 0; i < N; i++) begin
        if (valid_i[i]) begin
          leaf[i * T +: T] = {1'b0, at_i[i * W +: W] - now_i, at_i[i * W +: W] < now_i, at_i[i * W +: W]};
        end
      end
      for (int unsigned g = 0; g < R; g++) begin
        for (int unsigned i = 0; i < R; i++) begin
          one   = leaf[(g * R + i) * T +: T];
          first = 1'b1;  // of those that are equal the lowest
          for (int unsigned j = 0; j < R; j++) begin
            if (j < i) first = first && one[T-1 -: W+1] < leaf[(g * R + j) * T + W + 1 +: W+1];
            if (j > i) first = first && one[T-1 -: W+1] <= leaf[(g * R + j) * T + W + 1 +: W+1];
          end
          if (first) group[g * T +: T] = group[g * T +: T] | one;
        end
      end
      root = '0;
      for (int unsigned i = 0; i < R; i++) begin
        one   = group[i * T +: T];
        first = 1'b1;
        for (int unsigned j = 0; j < R; j++) begin
          if (j < i) first = first && one[T-1 -: W+1] < group[j * T + W + 1 +: W+1];
          if (j > i) first = first && one[T-1 -: W+1] <= group[j * T + W + 1 +: W+1];
        end
        if (first) root = root | one;
      end
    end
    {for_o, over_o, at_o} = root[T-2:0];
  end

endmodule
`default_nettype wire
