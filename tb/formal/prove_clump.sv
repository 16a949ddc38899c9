// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the bursts of o3_clump: what goes has asked and has not gone since; it is of the highest level, of
// equal ones who asked first, unless the oldest has been passed PASSES times, which then goes; so the k-th
// oldest sees at most (PASSES + 1) k - 1 others go. Levels change freely. Assumed: a LUN that waits does not
// ask again, and nothing goes where nobody waits. The order is proved of any two LUNs.
`default_nettype none
`include "prove.svh"

module prove_clump #(
  parameter  int unsigned COVER  = 0,
  parameter  int unsigned LUNS   = 4,
  parameter  int unsigned PASSES = 2,
  localparam int unsigned LW     = (LUNS > 1) ? $clog2(LUNS) : 1,
  localparam int unsigned BOUND  = (PASSES + 1) * LUNS - 1
) (
  input  wire logic            clk_i,
  input  wire logic            push_i,
  input  wire logic [LW-1:0]   data_i,
  input  wire logic            pop_i,
  input  wire logic [LUNS-1:0] used_i
);

  `PROVE_RESET

  (* anyconst *) logic [2:0]    shift;  // LUN index = (ce << shift) | lun
  (* anyconst *) logic [LW-1:0] who;    // the LUN of interest ...
  (* anyconst *) logic [LW-1:0] other;  // ... and one beside it
  logic          any;
  logic [LW-1:0] head;

  o3_clump #(.LUNS(LUNS), .PASSES(PASSES)) u_dut (
    .clk_i, .rst_ni(rst_n), .push_i, .data_i, .pop_i, .used_i, .lun_shift_i(shift), .any_o(any), .head_o(head)
  );

  logic [LUNS-1:0] waits_q = '0;
  logic [LUNS-1:0] asks, gets;
  logic            other_first_q = 1'b0;  // both wait, and it asked first
  logic [5:0]      seen_q = '0;           // others that went while `who` waits
  logic [5:0]      bound_q = '0;
  logic [1:0]      level_who, level_other, level_head;

  function automatic logic [1:0] level(input logic [LW-1:0] lun);
    level = 2'd0;
    for (int unsigned i = 0; i < LUNS; i++) begin
      if (used_i[i] && (LW'(i) >> shift) == (lun >> shift) && level == 2'd0) level = 2'd1;
    end
    if (used_i[lun]) level = 2'd2;
  endfunction

  always_comb begin
    asks        = LUNS'(push_i) << data_i;
    gets        = LUNS'(pop_i) << head;
    level_who   = level(who);
    level_other = level(other);
    level_head  = level(head);
  end

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      waits_q <= (waits_q & ~gets) | asks;
      if (asks[who]) begin
        other_first_q <= waits_q[other] && !gets[other];
        seen_q        <= '0;
        bound_q       <= 6'((PASSES + 1) * (32'($countones(waits_q & ~gets)) + 1) - 1);
      end else if (pop_i && waits_q[who]) begin
        seen_q <= seen_q + 6'd1;
      end
      if (gets[other]) other_first_q <= 1'b0;
    end
  end

  always_comb begin
    assume (shift <= 3'd2);
    assume (who != other);
    if (!rst_n) assume (!push_i && !pop_i);
    assume ((asks & waits_q) == '0);
    assume (!pop_i || any);
    if (rst_n) begin
      `PROVE(any == (waits_q != '0));
      `PROVE((gets & ~waits_q) == '0);
      // Of equal ones who asked first.
      `PROVE(!(gets[who] && waits_q[other] && other_first_q && level_other >= level_who));
      // A bound for each place in the order of asking.
      `PROVE(!waits_q[who] || seen_q <= bound_q);
      `PROVE(bound_q <= 6'(BOUND));
    end
    `REACH(gets[who] && seen_q == bound_q && level_head < level_other && waits_q[other]);
  end

endmodule
`default_nettype wire
