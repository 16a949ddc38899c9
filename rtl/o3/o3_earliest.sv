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

  // A time: how long until it, which is compared; whether after the next 0; when. Whether it counts is looked
  // at beside the comparison: who says so may be late.
  localparam int unsigned T = 2 * W + 1;

  logic [P*T-1:0] leaf;
  logic [R*T-1:0] group;
  logic [T-1:0]   root, one;
  logic [P-1:0]   valid;
  logic [R-1:0]   some;
  logic           first;

  always_comb begin
    any_o = |valid_i;
    valid = P'(valid_i);
    leaf  = '0;
    group = '0;
    some  = '0;
    root  = '0;
    one   = 'x;
    first = 1'b0;
    if (any_o) begin
      for (int unsigned i = 0; i < N; i++) begin
        leaf[i * T +: T] = {at_i[i * W +: W] - now_i, at_i[i * W +: W] < now_i, at_i[i * W +: W]};
      end
      for (int unsigned g = 0; g < R; g++) begin
        some[g] = |valid[g * R +: R];
        for (int unsigned i = 0; i < R; i++) begin
          one   = leaf[(g * R + i) * T +: T];
          first = valid[g * R + i];  // of those that are equal the lowest
          for (int unsigned j = 0; j < R; j++) begin
            if (j < i) first = first && (!valid[g * R + j]
                                     || one[T-1 -: W] < leaf[(g * R + j) * T + W + 1 +: W]);
            if (j > i) first = first && (!valid[g * R + j]
                                     || one[T-1 -: W] <= leaf[(g * R + j) * T + W + 1 +: W]);
          end
          if (first) group[g * T +: T] = group[g * T +: T] | one;
        end
      end
      for (int unsigned i = 0; i < R; i++) begin
        one   = group[i * T +: T];
        first = some[i];
        for (int unsigned j = 0; j < R; j++) begin
          if (j < i) first = first && (!some[j] || one[T-1 -: W] < group[j * T + W + 1 +: W]);
          if (j > i) first = first && (!some[j] || one[T-1 -: W] <= group[j * T + W + 1 +: W]);
        end
        if (first) root = root | one;
      end
    end
    {for_o, over_o, at_o} = root;
  end

endmodule
`default_nettype wire
