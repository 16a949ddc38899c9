// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tags in use, from an operation's start to the edge at which its completion is offered. An operation
// whose tag is in use, or is none of the built ones, would share a descriptor with another: it is refused.
`default_nettype none
`include "assert.svh"

module o3_tags #(
  parameter  int unsigned TAGS = 256,  // a power of two, 2 to 256
  localparam int unsigned TW   = $clog2(TAGS)
) (
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  input  wire logic [15:0]   op_tag_i,
  output logic               op_free_o,     // an operation may take it
  input  wire logic [15:0]   ask_tag_i,
  output logic               ask_known_o,   // its operation has not been told
  input  wire logic          take_i,        // op_tag_i goes in
  input  wire logic          leave_i,
  input  wire logic [TW-1:0] leave_tag_i
);

  logic [TAGS-1:0] used_q;

  assign op_free_o   = op_tag_i[15:TW] == '0 && !used_q[op_tag_i[TW-1:0]];
  assign ask_known_o = ask_tag_i[15:TW] == '0 && used_q[ask_tag_i[TW-1:0]];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) used_q <= '0;
    else if (take_i || leave_i) begin
      used_q <= (used_q & ~(TAGS'(leave_i) << leave_tag_i)) | (TAGS'(take_i) << op_tag_i[TW-1:0]);
    end
  end

  `O3_ASSERT(TakenWasFree, !take_i || op_free_o, clk_i, rst_ni)
  `O3_ASSERT(LeftWasUsed, !leave_i || used_q[leave_tag_i], clk_i, rst_ni)

endmodule
`default_nettype wire
