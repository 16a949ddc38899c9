// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the simplest flash controller that keeps the contract of docs/start/own-rtl-controller.md: in order, one
// operation a channel. Plain Verilog-2001.
`default_nettype none
`include "flash_op.vh"

module simple_v2001 #(
  parameter CHANNELS = 8,
  parameter LUNS     = 16,   // a channel, a power of two
  parameter TAGS     = 256   // a power of two
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,
  input  wire                     mode_serial_i,  // one operation in the whole controller
  input  wire [7:0]               channels_i,     // the geometry in use
  input  wire [7:0]               ces_i,
  input  wire [7:0]               luns_i,
  input  wire [2:0]               lun_shift_i,

  input  wire                     op_valid_i,
  output wire                     op_ready_o,
  input  wire [511:0]             op_i,

  output reg                      done_valid_o,
  output reg  [15:0]              done_tag_o,
  output reg  [7:0]               done_status_o,
  output reg  [7:0]               done_planes_o,
  output reg  [31:0]              done_cookie_o,

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
  input  wire [CHANNELS*LUNS-1:0] ready_i,

  output wire                     idle_o
);

  function integer bits_for;  // of an index below n, 1 at least
    input integer n;
    begin
      bits_for = 1;
      while ((1 << bits_for) < n) bits_for = bits_for + 1;
    end
  endfunction
  localparam LW = bits_for(LUNS);
  localparam CW = bits_for(CHANNELS);
  localparam TW = bits_for(TAGS);

  // ---- the head: one operation that waits for its channel ----
  reg         head_valid_q;
  reg [447:0] head_q;    // without its cookie
  reg [31:0]  cookie_m [0:TAGS-1];
  reg [15:0]  outstanding_q;  // started and not completed

  assign op_ready_o = !head_valid_q;
  wire take = op_valid_i && op_ready_o;

  wire [7:0] h_opcode  = head_q[`FLASH_OP_OPCODE_LSB +: 8];
  wire [7:0] h_flags   = head_q[`FLASH_OP_FLAGS_LSB +: 8];
  wire [7:0] h_channel = head_q[`FLASH_OP_CHANNEL_LSB +: 8];
  wire [7:0] h_ce      = head_q[`FLASH_OP_CE_LSB +: 8];
  wire [7:0] h_lun     = head_q[`FLASH_OP_LUN_LSB +: 8];
  wire [7:0] h_nplanes = head_q[`FLASH_OP_NPLANES_LSB +: 8];
  wire [7:0] h_index   = (h_ce << lun_shift_i) | h_lun;
  wire       h_legal   = h_opcode >= `FLASH_OP_READ && h_opcode <= `FLASH_OP_RESET && h_channel < channels_i
                      && h_ce < ces_i && h_lun < luns_i && h_nplanes != 8'd0 && h_nplanes <= 8'd4;
  // A fence waits for all that is inside, not only for its stream: more than it has to.
  wire       h_alone   = mode_serial_i || (h_flags & `FLASH_FLAG_FENCE) != 8'd0;
  wire       h_turn    = head_valid_q && (!h_alone || outstanding_q == 16'd0);

  wire [CHANNELS-1:0]      ch_free, ch_end, ch_active;
  wire [CHANNELS*LUNS-1:0] ch_ready;
  wire [CHANNELS*16-1:0]   ch_tag;
  wire [CHANNELS*4-1:0]    ch_planes;

  // LUNs that it needs ready: its own; RESET resets all of its CE#.
  wire [CW-1:0] h_bus = h_channel[CW-1:0];
  reg [LUNS-1:0] needs;
  integer i;
  always @* begin
    for (i = 0; i < LUNS; i = i + 1) begin
      needs[i] = (h_opcode == `FLASH_OP_RESET)
               ? (i >> lun_shift_i) == {24'd0, h_ce} && (i - ({24'd0, h_ce} << lun_shift_i)) < {24'd0, luns_i}
               : i == {24'd0, h_index};
    end
  end
  wire start  = h_turn && h_legal && ch_free[h_bus]
             && (needs & ~ch_ready[h_bus * LUNS +: LUNS]) == {LUNS{1'b0}};
  wire refuse = h_turn && !h_legal;

  // ---- completions: a landing, else the lowest channel, else the head that is refused ----
  reg          land_valid_q;
  reg [15:0]   land_tag_q;
  reg [CW-1:0] end_ch;
  reg          any_end;
  integer c;
  always @* begin
    end_ch  = {CW{1'b0}};
    any_end = 1'b0;
    for (c = CHANNELS - 1; c >= 0; c = c - 1) begin
      if (ch_end[c]) begin
        end_ch  = c[CW-1:0];
        any_end = 1'b1;
      end
    end
  end
  wire         end_taken = any_end && !land_valid_q;
  wire         refused   = refuse && !land_valid_q && !any_end;
  wire [15:0]  r_tag     = land_valid_q ? land_tag_q : any_end ? ch_tag[end_ch * 16 +: 16]
                                                               : head_q[`FLASH_OP_TAG_LSB +: 16];
  wire [3:0]   r_planes  = end_taken ? ch_planes[end_ch * 4 +: 4] : 4'h0;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_valid_q <= 1'b0;
      outstanding_q     <= 16'd0;
      land_valid_q <= 1'b0;
      done_valid_o <= 1'b0;
    end else begin
      head_valid_q <= take || (head_valid_q && !start && !refused);
      outstanding_q     <= outstanding_q + {15'd0, start} - {15'd0, land_valid_q || end_taken};
      land_valid_q <= land_valid_i;  // told at once, so there is always room
      done_valid_o <= land_valid_q || end_taken || refused;
    end
  end

  // Payload, never reset.
  always @(posedge clk_i) begin
    if (take) begin
      head_q <= op_i[447:0];
      cookie_m[op_i[`FLASH_OP_TAG_LSB +: TW]] <= op_i[`FLASH_OP_COOKIE_LSB +: 32];
    end
    if (land_valid_i) land_tag_q <= land_tag_i;
    done_tag_o    <= r_tag;
    done_status_o <= refused            ? `FLASH_STATUS_ILLEGAL
                   : (r_planes != 4'h0) ? `FLASH_STATUS_FAIL : `FLASH_STATUS_OK;
    done_planes_o <= {4'h0, r_planes};
    done_cookie_o <= cookie_m[r_tag[TW-1:0]];
  end

  genvar g;
  generate
    for (g = 0; g < CHANNELS; g = g + 1) begin : channel
      simple_channel #(.LUNS(LUNS), .LW(LW)) u_channel (
        .clk_i(clk_i), .rst_ni(rst_ni),
        .start_i(start && h_bus == g), .lun_i(h_index[LW-1:0]), .op_i(head_q),
        .free_o(ch_free[g]), .ready_o(ch_ready[g*LUNS +: LUNS]),
        .end_valid_o(ch_end[g]), .end_take_i(end_taken && end_ch == g),
        .end_tag_o(ch_tag[g*16 +: 16]), .end_planes_o(ch_planes[g*4 +: 4]),
        .seg_valid_o(seg_valid_o[g]), .seg_ce_o(seg_ce_o[g*8 +: 8]), .seg_lun_o(seg_lun_o[g*8 +: 8]),
        .seg_phase_o(seg_phase_o[g*3 +: 3]), .seg_opcode_o(seg_opcode_o[g*8 +: 8]),
        .seg_plane_o(seg_plane_o[g*2 +: 2]), .seg_nplanes_o(seg_nplanes_o[g*3 +: 3]),
        .seg_col_o(seg_col_o[g*8 +: 8]), .seg_len_o(seg_len_o[g*8 +: 8]),
        .seg_flags_o(seg_flags_o[g*8 +: 8]), .seg_tag_o(seg_tag_o[g*16 +: 16]),
        .seg_row_o(seg_row_o[g*32 +: 32]), .seg_buf_o(seg_buf_o[g*32 +: 32]),
        .seg_oob_o(seg_oob_o[g*32 +: 32]), .seg_done_i(seg_done_i[g]),
        .seg_fail_i(seg_status_i[g*8]), .ready_i(ready_i[g*LUNS +: LUNS]),
        .active_o(ch_active[g])
      );
    end
  endgenerate

  // Nothing changes before an input does.
  assign idle_o = !(start || refuse || land_valid_q || done_valid_o || ch_active != {CHANNELS{1'b0}});

endmodule
`default_nettype wire
