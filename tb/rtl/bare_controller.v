// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: simple_v2001 behind the ports that docs/start/own-rtl-controller.md asks for and no other: in order, for
// two channels of two CE# with one LUN each.
`default_nettype none

module bare_controller #(
  parameter CHANNELS = 2,
  parameter LUNS     = 2,
  parameter TAGS     = 16
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,
  input  wire                     op_valid_i,
  output wire                     op_ready_o,
  input  wire [511:0]             op_i,
  output wire                     done_valid_o,
  output wire [15:0]              done_tag_o,
  output wire [7:0]               done_status_o,
  output wire [7:0]               done_planes_o,
  output wire [31:0]              done_cookie_o,
  input  wire                     land_valid_i,
  input  wire [15:0]              land_tag_i,
  output wire [CHANNELS-1:0]      seg_valid_o,
  output wire [CHANNELS*8-1:0]    seg_ce_o,
  output wire [CHANNELS*8-1:0]    seg_lun_o,
  output wire [CHANNELS*3-1:0]    seg_phase_o,
  output wire [CHANNELS*8-1:0]    seg_opcode_o,
  output wire [CHANNELS*2-1:0]    seg_plane_o,
  output wire [CHANNELS*3-1:0]    seg_nplanes_o,
  output wire [CHANNELS*8-1:0]    seg_col_o,
  output wire [CHANNELS*8-1:0]    seg_len_o,
  output wire [CHANNELS*8-1:0]    seg_flags_o,
  output wire [CHANNELS*16-1:0]   seg_tag_o,
  output wire [CHANNELS*32-1:0]   seg_row_o,
  output wire [CHANNELS*32-1:0]   seg_buf_o,
  output wire [CHANNELS*32-1:0]   seg_oob_o,
  input  wire [CHANNELS-1:0]      seg_done_i,
  input  wire [CHANNELS*8-1:0]    seg_status_i,
  input  wire [CHANNELS*LUNS-1:0] ready_i
);

  wire idle;  // stays inside: the clock runs all the time

  simple_v2001 #(.CHANNELS(CHANNELS), .LUNS(LUNS), .TAGS(TAGS)) u_simple (
    .clk_i(clk_i), .rst_ni(rst_ni), .mode_serial_i(1'b0),
    .channels_i(8'd2), .ces_i(8'd2), .luns_i(8'd1), .lun_shift_i(3'd0),
    .op_valid_i(op_valid_i), .op_ready_o(op_ready_o), .op_i(op_i),
    .done_valid_o(done_valid_o), .done_tag_o(done_tag_o), .done_status_o(done_status_o),
    .done_planes_o(done_planes_o), .done_cookie_o(done_cookie_o),
    .land_valid_i(land_valid_i), .land_tag_i(land_tag_i),
    .seg_valid_o(seg_valid_o), .seg_ce_o(seg_ce_o), .seg_lun_o(seg_lun_o), .seg_phase_o(seg_phase_o),
    .seg_opcode_o(seg_opcode_o), .seg_plane_o(seg_plane_o), .seg_nplanes_o(seg_nplanes_o),
    .seg_col_o(seg_col_o), .seg_len_o(seg_len_o), .seg_flags_o(seg_flags_o), .seg_tag_o(seg_tag_o),
    .seg_row_o(seg_row_o), .seg_buf_o(seg_buf_o), .seg_oob_o(seg_oob_o),
    .seg_done_i(seg_done_i), .seg_status_i(seg_status_i), .ready_i(ready_i), .idle_o(idle)
  );

endmodule
`default_nettype wire
