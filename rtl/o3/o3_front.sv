// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the front of the controller: operations wait in a FIFO; its head is decoded, checked, and goes to its channel
// or is refused. A cycle each: loaded, decoded, in order checked. What a check finds free stays free, since only the
// head takes tags, LUNs and streams; so it is kept in a register. docs/explanation/rtl-o3.md.
`default_nettype none
`include "assert.svh"

module o3_front #(
  parameter  int unsigned CHANNELS = 8,
  parameter  int unsigned LUNS     = 16,
  parameter  int unsigned TAGS     = 256,
  parameter  int unsigned DEPTH    = 4,    // operations in the FIFO, a power of two
  localparam int unsigned DW       = $clog2(DEPTH),
  localparam int unsigned LW       = (LUNS > 1) ? $clog2(LUNS) : 1,
  localparam int unsigned CW       = (CHANNELS > 1) ? $clog2(CHANNELS) : 1,
  localparam int unsigned TW       = $clog2(TAGS),
  localparam int unsigned OW       = o3_pkg::OPC_W,
  localparam int unsigned STREAMS  = flash_op_pkg::FLASH_STREAMS,
  localparam int unsigned NW       = $clog2(STREAMS),
  localparam int unsigned HEAD_W   = 1 + TW + LW + OW + 2 + 2 + 1,
  localparam int unsigned DESC_W   = flash_op_pkg::FLASH_OP_COOKIE_LSB
) (
  input  wire logic                     clk_i,
  input  wire logic                     rst_ni,

  // Registers and straps, constant while operations are inside.
  input  wire logic                     ooo_i,
  input  wire logic                     serial_i,       // one operation at a time
  input  wire logic [1:0]               suspend_i,      // bit 0 erases, bit 1 programs
  input  wire logic [7:0]               channels_i,
  input  wire logic [7:0]               ces_i,          // CE# a channel
  input  wire logic [7:0]               luns_i,         // LUNs a CE#
  input  wire logic [2:0]               lun_shift_i,    // LUN index = (ce << shift) | lun

  // Operations in.
  input  wire logic                     op_valid_i,
  output logic                          op_ready_o,
  input  wire logic [511:0]             op_i,
  input  wire logic                     op_window_i,

  // What the head meets.
  input  wire logic                     free_i,         // no operation has tag_o
  input  wire logic                     outstanding_i,       // operations are outstanding
  input  wire logic [CHANNELS*LUNS-1:0] taken_i,        // LUNs that have or will have an operation
  input  wire logic [STREAMS-1:0]       streams_i,      // streams that have operations

  // The head goes to its channel in the cycle after one in which it may and ready_i is high, or is refused. The fields
  // are valid with fire_o and bad_o.
  input  wire logic                     ready_i,
  output logic                          fire_o,
  output logic                          bad_o,
  input  wire logic                     bad_take_i,
  output logic [DESC_W-1:0]             desc_o,         // for the store
  output logic [32:0]                   cookie_o,       // the operation's, and whether it came through the window
  output logic [15:0]                   tag_o,          // from the FIFO on
  output logic [NW-1:0]                 stream_o,
  output logic [CW-1:0]                 channel_o,
  output logic [LW-1:0]                 lun_o,
  output logic [LUNS-1:0]               mask_o,         // LUNs that it takes
  output logic                          alone_o,        // of no stream
  output logic                          fence_o,
  output logic [HEAD_W-1:0]             head_o,         // for the channel's intake

  output logic                          coming_o,       // in order: a head goes, or it is not known yet whether
  output logic                          fenced_o,       // in order: it waits, maybe for its fence
  output logic                          empty_o,
  output logic                          active_o        // the next edge changes something, op_valid_i or not
);

  localparam int unsigned OPCODE  = flash_op_pkg::FLASH_OP_OPCODE_LSB;
  localparam int unsigned CHANNEL = flash_op_pkg::FLASH_OP_CHANNEL_LSB;
  localparam int unsigned CE      = flash_op_pkg::FLASH_OP_CE_LSB;
  localparam int unsigned LUN     = flash_op_pkg::FLASH_OP_LUN_LSB;
  localparam int unsigned NPLANES = flash_op_pkg::FLASH_OP_NPLANES_LSB;
  localparam int unsigned STREAM  = flash_op_pkg::FLASH_OP_STREAM_LSB;
  localparam int unsigned FLAGS   = flash_op_pkg::FLASH_OP_FLAGS_LSB;

  // ---- FIFO ----
  logic [512:0]  fifo_m [0:DEPTH-1];  // window, operation
  logic [511:0]  op_q;
  logic          window_q;
  logic [DW-1:0] wp_q, rp_q;
  logic [DW:0]   count_q, count_d;
  logic          some_q;  // count_q is not 0
  logic          push, takes, load, past, pop;
  logic          head_q, decoded_q, checked_q;  // there is a head; its steps

  assign push    = op_valid_i && op_ready_o;
  assign pop     = fire_o || bad_take_i;
  // The choice of bad_take_i takes most of a cycle: what follows a refused head comes one cycle later.
  assign takes   = !head_q || fire_o;
  assign load    = some_q && takes;
  assign past    = push && !some_q && takes;  // it is the head at once
  assign count_d = count_q + (DW + 1)'(push && !past) - (DW + 1)'(load);

  // ---- decoded ----
  logic [7:0] opcode, ch, ce, lun, nplanes, index;
  assign opcode  = op_q[OPCODE +: 8];
  assign ch      = op_q[CHANNEL +: 8];
  assign ce      = op_q[CE +: 8];
  assign lun     = op_q[LUN +: 8];
  assign nplanes = op_q[NPLANES +: 8];
  assign index   = (ce << lun_shift_i) | (opcode == flash_op_pkg::FLASH_OP_RESET ? 8'd0 : lun);  // FFh: a whole CE#

  logic susp_q, legal_q, free_q, may_q;
  always_ff @(posedge clk_i) begin : p_decode
    logic alone;
    if (head_q && !decoded_q) begin
      alone    = ooo_i && op_q[STREAM +: 16] == flash_op_pkg::FLASH_NO_STREAM[15:0];
      alone_o  <= alone;
      fence_o  <= !alone && |(op_q[FLAGS +: 8] & flash_op_pkg::FLASH_FLAG_FENCE);
      susp_q   <= ooo_i && |(op_q[FLAGS +: 8] & flash_op_pkg::FLASH_FLAG_SUSPENDABLE)
               && ((suspend_i[0] && opcode == flash_op_pkg::FLASH_OP_ERASE)
                   || (suspend_i[1] && opcode == flash_op_pkg::FLASH_OP_PROGRAM));
      lun_o    <= index[LW-1:0];
      mask_o   <= LUNS'(1) << index[LW-1:0];
      if (opcode == flash_op_pkg::FLASH_OP_RESET) begin
        for (int unsigned i = 0; i < LUNS; i++) begin
          mask_o[i] <= (LW'(i) >> lun_shift_i) == ce[LW-1:0] && (8'(i) & ~(8'hff << lun_shift_i)) < luns_i;
        end
      end
      // Straps that name more than is built, or LUNs that the index cannot tell apart, reach nothing.
      legal_q  <= opcode >= flash_op_pkg::FLASH_OP_READ && opcode <= flash_op_pkg::FLASH_OP_RESET
               && ch < channels_i && ce < ces_i && lun < luns_i
               && {1'b0, ch} < 9'(CHANNELS) && (({7'd0, ce} << lun_shift_i) | 15'(lun)) < 15'(LUNS)
               && luns_i <= (8'd1 << lun_shift_i) && luns_i <= 8'd4
               && nplanes != 8'd0 && nplanes <= 8'(flash_op_pkg::FLASH_MAX_PLANES);
      free_q   <= free_i;
    end
  end

  // ---- checked: in order the head waits for its LUNs and for what its fence is for ----
  logic may;
  always_comb begin
    may = 1'b0;
    if (decoded_q && !ooo_i) begin
      may = (mask_o & taken_i[channel_o * LUNS +: LUNS]) == '0 && !(fence_o && streams_i[stream_o])
         && !(serial_i && outstanding_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (decoded_q) may_q <= may;
  end
  logic go;
  assign go    = decoded_q && legal_q && free_q && (ooo_i || (checked_q && may_q)) && !fire_o;
  assign bad_o = decoded_q && !(legal_q && free_q);

  assign desc_o    = op_q[DESC_W-1:0];
  assign cookie_o  = {window_q, op_q[flash_op_pkg::FLASH_OP_COOKIE_LSB +: 32]};
  assign tag_o     = op_q[flash_op_pkg::FLASH_OP_TAG_LSB +: 16];
  assign stream_o  = op_q[STREAM +: NW];
  assign channel_o = ch[CW-1:0];
  assign head_o    = {susp_q, tag_o[TW-1:0], lun_o, opcode[OW-1:0], op_q[FLAGS +: 2], nplanes[1:0] - 2'd1, fence_o};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wp_q       <= '0;
      rp_q       <= '0;
      count_q    <= '0;
      some_q     <= 1'b0;
      op_ready_o <= 1'b0;
      head_q     <= 1'b0;
      decoded_q  <= 1'b0;
      checked_q  <= 1'b0;
      fire_o     <= 1'b0;
    end else begin
      if (push && !past) wp_q <= wp_q + DW'(1);
      if (load) rp_q <= rp_q + DW'(1);
      count_q    <= count_d;
      some_q     <= count_d != '0;
      op_ready_o <= count_d < (DW + 1)'(DEPTH);
      head_q     <= load || past || (head_q && !pop);
      decoded_q  <= head_q && !pop;
      checked_q  <= decoded_q && !pop;
      fire_o     <= go && ready_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (push) fifo_m[wp_q] <= {op_window_i, op_i};
    if (past)      {window_q, op_q} <= {op_window_i, op_i};
    else if (load) {window_q, op_q} <= fifo_m[rp_q];
  end

  assign coming_o = (head_q ? !checked_q : some_q) || go || fire_o;
  assign fenced_o = checked_q && fence_o && !may_q;
  assign empty_o  = !some_q && !head_q;
  assign active_o = load || (head_q && !checked_q) || go || fire_o || bad_o || (decoded_q && may)
                 || op_ready_o != (count_q < (DW + 1)'(DEPTH));

  // For assertions.
  logic in_range_q;
  always_ff @(posedge clk_i) begin
    if (head_q && !decoded_q) in_range_q <= index < 8'(LUNS);
  end
  `O3_ASSERT(FrontFits, count_q <= (DW + 1)'(DEPTH), clk_i, rst_ni)
  `O3_ASSERT(SomeAreCounted, some_q == (count_q != '0), clk_i, rst_ni)
  `O3_ASSERT(PoppedIsThere, !pop || decoded_q, clk_i, rst_ni)
  `O3_ASSERT(SlotInRange, !fire_o || in_range_q, clk_i, rst_ni)
  `O3_ASSERT(WhatIsFreeStaysFree, !fire_o || free_i, clk_i, rst_ni)

endmodule
`default_nettype wire
