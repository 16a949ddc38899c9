// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: who gets a channel's bus next: commands and status before page bursts, each first come
// first served (bursts by ISSUE_POLICY), and a burst at the latest after PASSES commands that passed it.
`default_nettype none
`include "assert.svh"

module o3_bus #(
  parameter  int unsigned LUNS   = 16,
  parameter  int unsigned PASSES = 32,
  parameter  int unsigned ISSUE_POLICY = o3_pkg::POLICY_FIRST_COME,
  parameter  int unsigned BURST_PASSES = 8,  // clump: bursts that pass the oldest one at most
  localparam int unsigned LW     = (LUNS > 1) ? $clog2(LUNS) : 1,
  localparam int unsigned DEPTH  = (LUNS > 1) ? (1 << LW) : 2
) (
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  input  wire logic          want_i,        // a LUN asks for the bus; it has not asked before
  input  wire logic          want_burst_i,
  input  wire logic [LW-1:0] want_lun_i,
  input  wire logic          free_i,        // the bus may be given away
  input  wire logic          burst_may_i,   // to a burst, too
  // For ISSUE_POLICY clump: a station of the LUN is in use; LUN index = (ce << shift) | lun.
  input  wire logic [LUNS-1:0] used_i,
  input  wire logic [2:0]    lun_shift_i,
  output logic               grant_o,
  output logic [LW-1:0]      lun_o,
  output logic               can_o          // something could be granted were the bus free
);

  localparam int unsigned PW = $clog2(PASSES + 1);

  logic          c_any, b_any, take_burst;
  logic [LW-1:0] c_lun, b_lun;
  logic [PW-1:0] passed_q;  // commands that went while a burst could have

  assign take_burst = b_any && burst_may_i && (!c_any || passed_q == PW'(PASSES));
  assign can_o      = c_any || (b_any && burst_may_i);
  assign grant_o    = free_i && can_o;
  assign lun_o      = take_burst ? b_lun : c_lun;

  o3_fifo #(.DEPTH(DEPTH), .W(LW)) u_commands (
    .clk_i, .rst_ni, .push_i(want_i && !want_burst_i), .data_i(want_lun_i),
    .pop_i(grant_o && !take_burst), .any_o(c_any), .head_o(c_lun)
  );
  if (ISSUE_POLICY == o3_pkg::POLICY_CLUMP) begin : g_clump
    o3_clump #(.LUNS(LUNS), .PASSES(BURST_PASSES)) u_bursts (
      .clk_i, .rst_ni, .push_i(want_i && want_burst_i), .data_i(want_lun_i),
      .pop_i(grant_o && take_burst), .used_i, .lun_shift_i, .any_o(b_any), .head_o(b_lun)
    );
  end else begin : g_first_come
    o3_fifo #(.DEPTH(DEPTH), .W(LW)) u_bursts (
      .clk_i, .rst_ni, .push_i(want_i && want_burst_i), .data_i(want_lun_i),
      .pop_i(grant_o && take_burst), .any_o(b_any), .head_o(b_lun)
    );
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      passed_q <= '0;
    end else if (grant_o) begin
      if (take_burst || !b_any) passed_q <= '0;
      else if (burst_may_i && passed_q != PW'(PASSES)) passed_q <= passed_q + PW'(1);
    end
  end

  // For assertions, beside the queues: which LUNs wait, which of them for a burst, and how many commands have
  // gone since a burst could have and did not.
  logic [LUNS-1:0] waits_q, bursts_q, want_bit, grant_bit;
  logic [PW:0]     since_q;
  always_comb begin
    want_bit  = LUNS'(want_i) << want_lun_i;
    grant_bit = LUNS'(grant_o) << lun_o;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waits_q  <= '0;
      bursts_q <= '0;
      since_q  <= '0;
    end else if (want_i || grant_o) begin
      waits_q  <= (waits_q & ~grant_bit) | want_bit;
      bursts_q <= (bursts_q & ~grant_bit) | (want_bit & {LUNS{want_burst_i}});
      if (bursts_q == '0 || (grant_bit & bursts_q) != '0) since_q <= '0;
      else if (grant_o && burst_may_i)                    since_q <= since_q + (PW + 1)'(1);
    end
  end

  `O3_ASSERTS_WHEN(want_i || grant_o)
  `O3_HOLDS(AsksOnce, (want_bit & waits_q) == '0)
  `O3_HOLDS(GrantIsOfOneThatWaits, (grant_bit & ~waits_q) == '0)
  `O3_HOLDS(NoBurstWhereItMayNot, burst_may_i || (grant_bit & bursts_q) == '0)
  `O3_HOLDS(BurstsAreNotPassedForEver, since_q <= (PW + 1)'(PASSES))
  `O3_ASSERTS_END

endmodule
`default_nettype wire
