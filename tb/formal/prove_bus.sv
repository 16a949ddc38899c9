// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the arbiter o3_bus: a grant is of exactly one LUN, which waits; no burst goes where none may; what
// can go goes as soon as the bus is free; and nobody starves. Assumed: a LUN that waits does not ask again.
//
// The bounds, in grants to others while the LUN of interest waits (those while no burst may go do not count
// for a burst): a burst PASSES commands for each burst that may go before it and for itself, and those
// bursts; a command the commands before it, and as many bursts as PASSES allows meanwhile.
`default_nettype none
`include "prove.svh"

module prove_bus #(
  parameter  int unsigned LUNS   = 2,
  parameter  int unsigned PASSES = 4,
  localparam int unsigned LW     = (LUNS > 1) ? $clog2(LUNS) : 1,
  localparam int unsigned BURST_BOUND   = (LUNS - 1) * (PASSES + 1) + PASSES,
  localparam int unsigned COMMAND_BOUND = (LUNS - 1) + 1 + (LUNS - 1) / PASSES
) (
  input  wire logic          clk_i,
  input  wire logic          want_i,
  input  wire logic          want_burst_i,
  input  wire logic [LW-1:0] want_lun_i,
  input  wire logic          free_i,
  input  wire logic          burst_may_i
);

  `PROVE_RESET

  (* anyconst *) logic [LW-1:0] who;  // the LUN of interest
  logic          grant, can;
  logic [LW-1:0] lun;

  o3_bus #(.LUNS(LUNS), .PASSES(PASSES)) u_dut (
    .clk_i, .rst_ni(rst_n), .want_i, .want_burst_i, .want_lun_i, .free_i, .burst_may_i,
    .grant_o(grant), .lun_o(lun), .can_o(can)
  );

  logic [LUNS-1:0] waits_q = '0;   // who waits, who of them for a burst
  logic [LUNS-1:0] bursts_q = '0;
  logic [LUNS-1:0] asks, gets;
  logic [15:0]     burst_passed_q = '0, command_passed_q = '0;

  always_comb begin
    asks = LUNS'(want_i) << want_lun_i;
    gets = LUNS'(grant) << lun;
  end

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      waits_q  <= (waits_q & ~gets) | asks;
      bursts_q <= (bursts_q & ~gets) | (want_burst_i ? asks : LUNS'(0));
      if (!waits_q[who] || !bursts_q[who] || gets[who]) burst_passed_q <= '0;
      else if (grant && burst_may_i)                    burst_passed_q <= burst_passed_q + 16'd1;
      if (!waits_q[who] || bursts_q[who] || gets[who])  command_passed_q <= '0;
      else if (grant)                                   command_passed_q <= command_passed_q + 16'd1;
    end
  end

  always_comb begin
    if (!rst_n) assume (!want_i && !free_i);
    assume ((asks & waits_q) == '0);
    if (rst_n) begin
      `PROVE(!grant || free_i);
      `PROVE((gets & ~waits_q) == '0);
      `PROVE(!grant || gets != '0);
      `PROVE(burst_may_i || (gets & bursts_q) == '0);
      `PROVE(can == ((waits_q & ~bursts_q) != '0 || (burst_may_i && bursts_q != '0)));
      `PROVE(grant == (free_i && can));
      `PROVE(burst_passed_q <= 16'(BURST_BOUND));
      `PROVE(command_passed_q <= 16'(COMMAND_BOUND));
    end
    `REACH(grant && gets[who] && bursts_q[who] && burst_passed_q >= 16'(PASSES));
  end

endmodule
`default_nettype wire
