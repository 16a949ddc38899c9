// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: made by scripts/gen/gen_flash_op.py from firmware/hal/flash_op.yaml; do not edit.
`default_nettype none
package flash_op_pkg;

  localparam logic [7:0] FLASH_OP_READ = 8'h1;
  localparam logic [7:0] FLASH_OP_PROGRAM = 8'h2;
  localparam logic [7:0] FLASH_OP_ERASE = 8'h3;
  localparam logic [7:0] FLASH_OP_RESET = 8'h4;
  localparam logic [7:0] FLASH_OP_COPYBACK = 8'h5;

  localparam logic [7:0] FLASH_FLAG_PRIORITY_MASK = 8'h3;
  localparam logic [7:0] FLASH_FLAG_FENCE = 8'h4;
  localparam logic [7:0] FLASH_FLAG_SUSPENDABLE = 8'h8;
  localparam logic [7:0] FLASH_FLAG_META = 8'h10;
  localparam logic [7:0] FLASH_FLAG_RAW = 8'h20;

  localparam logic [7:0] FLASH_STATUS_OK = 8'h0;
  localparam logic [7:0] FLASH_STATUS_FAIL = 8'h1;
  localparam logic [7:0] FLASH_STATUS_ILLEGAL = 8'h2;
  localparam logic [7:0] FLASH_STATUS_UNCORRECTABLE = 8'h3;
  localparam logic [7:0] FLASH_STATUS_TIMEOUT = 8'h4;
  localparam logic [7:0] FLASH_STATUS_ABORTED = 8'h5;

  localparam logic [31:0] FLASH_MAX_PLANES = 32'h4;
  localparam logic [31:0] FLASH_STREAMS = 32'h40;
  localparam logic [31:0] FLASH_NO_STREAM = 32'hffff;
  localparam logic [31:0] FLASH_NO_OOB = 32'hffffffff;

  // flash_op: bit offset and width of each field (of its first entry, for arrays).
  localparam int unsigned FLASH_OP_BITS = 512;
  localparam int unsigned FLASH_OP_TAG_LSB = 0;
  localparam int unsigned FLASH_OP_TAG_W = 16;
  localparam int unsigned FLASH_OP_OPCODE_LSB = 16;
  localparam int unsigned FLASH_OP_OPCODE_W = 8;
  localparam int unsigned FLASH_OP_FLAGS_LSB = 24;
  localparam int unsigned FLASH_OP_FLAGS_W = 8;
  localparam int unsigned FLASH_OP_CHANNEL_LSB = 32;
  localparam int unsigned FLASH_OP_CHANNEL_W = 8;
  localparam int unsigned FLASH_OP_CE_LSB = 40;
  localparam int unsigned FLASH_OP_CE_W = 8;
  localparam int unsigned FLASH_OP_LUN_LSB = 48;
  localparam int unsigned FLASH_OP_LUN_W = 8;
  localparam int unsigned FLASH_OP_NPLANES_LSB = 56;
  localparam int unsigned FLASH_OP_NPLANES_W = 8;
  localparam int unsigned FLASH_OP_STREAM_LSB = 64;
  localparam int unsigned FLASH_OP_STREAM_W = 16;
  localparam int unsigned FLASH_OP_SEQ_LSB = 80;
  localparam int unsigned FLASH_OP_SEQ_W = 16;
  localparam int unsigned FLASH_OP_ROW_LSB = 96;
  localparam int unsigned FLASH_OP_ROW_W = 32;
  localparam int unsigned FLASH_OP_BUF_LSB = 224;
  localparam int unsigned FLASH_OP_BUF_W = 32;
  localparam int unsigned FLASH_OP_OOB_LSB = 352;
  localparam int unsigned FLASH_OP_OOB_W = 32;
  localparam int unsigned FLASH_OP_COL_LSB = 384;
  localparam int unsigned FLASH_OP_COL_W = 8;
  localparam int unsigned FLASH_OP_LEN_LSB = 416;
  localparam int unsigned FLASH_OP_LEN_W = 8;
  localparam int unsigned FLASH_OP_COOKIE_LSB = 448;
  localparam int unsigned FLASH_OP_COOKIE_W = 32;
  localparam int unsigned FLASH_OP_RESERVED_LSB = 480;
  localparam int unsigned FLASH_OP_RESERVED_W = 32;

  // flash_completion: bit offset and width of each field (of its first entry, for arrays).
  localparam int unsigned FLASH_COMPLETION_BITS = 128;
  localparam int unsigned FLASH_COMPLETION_TAG_LSB = 0;
  localparam int unsigned FLASH_COMPLETION_TAG_W = 16;
  localparam int unsigned FLASH_COMPLETION_STATUS_LSB = 16;
  localparam int unsigned FLASH_COMPLETION_STATUS_W = 8;
  localparam int unsigned FLASH_COMPLETION_FAILED_PLANES_LSB = 24;
  localparam int unsigned FLASH_COMPLETION_FAILED_PLANES_W = 8;
  localparam int unsigned FLASH_COMPLETION_RETRIES_LSB = 32;
  localparam int unsigned FLASH_COMPLETION_RETRIES_W = 16;
  localparam int unsigned FLASH_COMPLETION_CORRECTED_LSB = 48;
  localparam int unsigned FLASH_COMPLETION_CORRECTED_W = 16;
  localparam int unsigned FLASH_COMPLETION_COOKIE_LSB = 64;
  localparam int unsigned FLASH_COMPLETION_COOKIE_W = 32;
  localparam int unsigned FLASH_COMPLETION_RESERVED_LSB = 96;
  localparam int unsigned FLASH_COMPLETION_RESERVED_W = 32;

endpackage
`default_nettype wire
