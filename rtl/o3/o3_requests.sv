// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the list of a channel's LUNs that are to be looked at, in the order of what happened to them; each stands in
// it once. docs/explanation/rtl-o3-events.md.
`default_nettype none
`include "assert.svh"

module o3_requests #(
  parameter  int unsigned LUNS = 16,
  localparam int unsigned LW   = (LUNS > 1) ? $clog2(LUNS) : 1
) (
  input  wire logic            clk_i,
  input  wire logic            rst_ni,

  // An event of this LUN ends: something may go there now; operations of its stations were refused, and are left; its
  // operation leaves it.
  input  wire logic            commit_i,
  input  wire logic [LW-1:0]   lun_i,
  input  wire logic            may_i,
  input  wire logic            refuse_i,
  input  wire logic            left_i,
  input  wire logic            fin_i,

  input  wire logic [LUNS-1:0] any_i,        // operations in its stations
  input  wire logic [LUNS-1:0] listed_i,     // in the list
  input  wire logic [LUNS-1:0] again_i,      // to be put into it after a RESET
  output logic                 again_any_o,

  output logic                 push_o,       // into the list: this one,
  output logic [LW-1:0]        push_lun_o,
  output logic                 push_again_o, // which was in again_i
  input  wire logic            take_i,
  output logic                 any_o,
  output logic [LW-1:0]        lun_o         // the first one
);

  logic [LW-1:0] again_lun;
  o3_first #(.N(LUNS)) u_again (.req_i(again_i), .any_o(again_any_o), .idx_o(again_lun));
  always_comb begin
    push_lun_o   = lun_i;
    push_o       = 1'b0;
    push_again_o = 1'b0;
    if (commit_i) begin
      if (may_i)         push_o = !listed_i[lun_i];
      else if (refuse_i) push_o = left_i;
      else if (fin_i)    push_o = any_i[lun_i] && !listed_i[lun_i];
    end else if (again_any_o) begin
      push_lun_o   = again_lun;
      push_o       = !listed_i[again_lun];
      push_again_o = 1'b1;
    end
  end
  o3_fifo #(.DEPTH((LUNS > 1) ? (1 << LW) : 2), .W(LW)) u_list (
    .clk_i, .rst_ni, .push_i(push_o), .data_i(push_lun_o), .pop_i(take_i), .any_o, .head_o(lun_o)
  );

  `O3_ASSERTS_WHEN(push_o || take_i)
  `O3_HOLDS(OnceInTheList, !push_o || !listed_i[push_lun_o])
  `O3_HOLDS(TakenIsThere, !take_i || (any_o && listed_i[lun_o]))
  `O3_ASSERTS_END

endmodule
`default_nettype wire
