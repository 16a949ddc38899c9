// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: names shared by the modules of the round-robin controller.
`default_nettype none
package rr_pkg;

  // What a segment does; the same numbers as tlmssd::flash::Phase.
  localparam logic [1:0] PHASE_COMMAND  = 2'd0;
  localparam logic [1:0] PHASE_DATA_OUT = 2'd1;
  localparam logic [1:0] PHASE_DATA_IN  = 2'd2;
  localparam logic [1:0] PHASE_STATUS   = 2'd3;

  // FAIL of the ONFI status byte (READ STATUS 70h, READ STATUS ENHANCED 78h).
  localparam int unsigned STATUS_FAIL_BIT = 0;

  // Fences count the operations in flight of a stream, modulo this many streams.
  localparam int unsigned STREAMS = 16;

  // Bytes of one plane's OOB record.
  localparam logic [31:0] OOB_STRIDE = 32'd16;

endpackage
`default_nettype wire
