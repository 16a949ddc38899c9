// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a segment needs of its operation's descriptor: one plane's row, buffer, column, length and
// OOB record. One for all channels, for the store gives one descriptor a cycle.
`default_nettype none

module o3_select (
  input  wire logic                                      valid_i,
  input  wire logic [flash_op_pkg::FLASH_OP_COOKIE_LSB-1:0] desc_i,
  input  wire logic [1:0]                                plane_i,
  // A poll of a RESET: its LUNs are polled one after the other, plane_i counts them; 78h chooses by row.
  input  wire logic                                      reset_poll_i,
  input  wire logic [4:0]                                row_lun_i,     // lowest bit of the LUN in a row
  output o3_pkg::seg_t                                   seg_o
);

  logic [31:0] row, buf_at, oob;
  logic [7:0]  col, len;

  always_comb begin
    {row, buf_at, oob, col, len} = 'x;
    seg_o = 'x;
    if (valid_i) begin
      {row, buf_at, col, len} = '0;
      for (int unsigned i = 0; i < flash_op_pkg::FLASH_MAX_PLANES; i++) begin
        if (plane_i == 2'(i)) begin
          row    = row | desc_i[flash_op_pkg::FLASH_OP_ROW_LSB + 32 * i +: 32];
          buf_at = buf_at | desc_i[flash_op_pkg::FLASH_OP_BUF_LSB + 32 * i +: 32];
          col    = col | desc_i[flash_op_pkg::FLASH_OP_COL_LSB + 8 * i +: 8];
          len    = len | desc_i[flash_op_pkg::FLASH_OP_LEN_LSB + 8 * i +: 8];
        end
      end
      oob = desc_i[flash_op_pkg::FLASH_OP_OOB_LSB +: 32];
      if (oob != flash_op_pkg::FLASH_NO_OOB) oob = oob + o3_pkg::OOB_STRIDE * {30'd0, plane_i};
      if (reset_poll_i) row = {30'd0, plane_i} << row_lun_i;
      seg_o = {desc_i[flash_op_pkg::FLASH_OP_TAG_LSB +: 16], desc_i[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8],
               desc_i[flash_op_pkg::FLASH_OP_CE_LSB +: 8],
               reset_poll_i ? {6'd0, plane_i} : desc_i[flash_op_pkg::FLASH_OP_LUN_LSB +: 8],
               desc_i[flash_op_pkg::FLASH_OP_FLAGS_LSB +: 8], col, len, row, buf_at, oob};
    end
  end

endmodule
`default_nettype wire
