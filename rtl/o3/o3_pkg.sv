// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: names and sizes shared by the modules of the out-of-order controller.
`default_nettype none
package o3_pkg;

  // What a segment does; the same numbers as tlmssd::flash::Phase.
  localparam int unsigned PHASE_W = 3;
  localparam logic [2:0] PHASE_COMMAND  = 3'd0;
  localparam logic [2:0] PHASE_DATA_OUT = 3'd1;
  localparam logic [2:0] PHASE_DATA_IN  = 3'd2;
  localparam logic [2:0] PHASE_STATUS   = 3'd3;
  localparam logic [2:0] PHASE_FEATURE  = 3'd4;
  localparam logic [2:0] PHASE_SUSPEND  = 3'd5;
  localparam logic [2:0] PHASE_RESUME   = 3'd6;

  // Register MODE.
  localparam logic [1:0] MODE_SERIAL  = 2'd0;  // one operation in the whole controller
  localparam logic [1:0] MODE_INORDER = 2'd1;  // the head of the queue holds up all behind it
  localparam logic [1:0] MODE_OOO     = 2'd2;  // data dependencies are the only order

  // Parameter ISSUE_POLICY: which page burst gets a channel's bus.
  localparam int unsigned POLICY_FIRST_COME = 0;  // who asked first
  localparam int unsigned POLICY_CLUMP      = 1;  // who holds up most: o3_clump

  // ONFI status byte (70h, 78h): FAIL; suspended (vendors differ); RDY; and what lines read that
  // nobody drives.
  localparam int unsigned STATUS_FAIL_BIT      = 0;
  localparam int unsigned STATUS_SUSPENDED_BIT = 2;
  localparam int unsigned STATUS_READY_BIT     = 6;
  localparam logic [7:0]  STATUS_UNDRIVEN = 8'hff;

  // A stamp is ps >> 20: 1.05 us, and comes round after 17.6 s. Ages are differences modulo that.
  localparam int unsigned STAMP_LSB = 20;
  localparam int unsigned STAMP_W   = 24;

  // A tick is ps >> 16: 65.5 ns. Times to come are differences modulo 2^24, below 2^23 (0.55 s).
  localparam int unsigned TICK_LSB = 16;
  localparam int unsigned TICK_W   = 24;

  // Ticks for which the line of a LUN that has become busy is not looked at.
  localparam int unsigned MASK_W = 6;

  // Times until a poll, in ticks, at these places of one vector.
  localparam int unsigned POLL_READ            = 0;
  localparam int unsigned POLL_PROGRAM         = 1;
  localparam int unsigned POLL_ERASE           = 2;
  localparam int unsigned POLL_QUEUE           = 3;  // between the planes of an operation
  localparam int unsigned POLL_RESET           = 4;
  localparam int unsigned POLL_SUSPEND_PROGRAM = 5;
  localparam int unsigned POLL_SUSPEND_ERASE   = 6;
  localparam int unsigned POLL_AGAIN           = 7;
  localparam int unsigned POLL_FEATURE         = 8;
  localparam int unsigned POLLS                = 9;

  // Read-retry levels: 0 is the read as such.
  localparam int unsigned LEVEL_W = 6;

  // Suspensions of one operation: a count of so many bits.
  localparam int unsigned SUSPENDS_W = 4;

  // Width of an opcode and of a status inside the controller.
  localparam int unsigned OPC_W    = 3;
  localparam int unsigned STATUS_W = 3;

  // Events of a channel that are counted; the first four are opcodes less one, modulo four.
  localparam logic [2:0] PERF_READ      = 3'd0;
  localparam logic [2:0] PERF_PROGRAM   = 3'd1;
  localparam logic [2:0] PERF_ERASE     = 3'd2;
  localparam logic [2:0] PERF_RESET     = 3'd3;
  localparam logic [2:0] PERF_DEPENDENT = 3'd4;
  localparam logic [2:0] PERF_FENCED    = 3'd5;
  // Times of a channel, numbered on.
  localparam logic [3:0] PERF_BUS_BUSY    = 4'd6;
  localparam logic [3:0] PERF_BUS_STARVED = 4'd7;
  localparam logic [3:0] PERF_BLOCKED     = 4'd8;
  localparam logic [3:0] PERF_LUN_BUSY    = 4'd9;

  // Bytes of one plane's OOB record.
  localparam logic [31:0] OOB_STRIDE = 32'd16;

  // What a segment takes from its operation's descriptor: o3_select.
  typedef struct packed {
    logic [15:0] tag;
    logic [7:0]  opcode;
    logic [7:0]  ce;
    logic [7:0]  lun;
    logic [7:0]  flags;
    logic [7:0]  col;
    logic [7:0]  len;
    logic [31:0] row;
    logic [31:0] buf_at;
    logic [31:0] oob;
  } seg_t;

endpackage
`default_nettype wire
