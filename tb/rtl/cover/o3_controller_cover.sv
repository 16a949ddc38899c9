// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: crosses of what operations are and what becomes of them, at the ports of o3_controller.
`default_nettype none

module o3_controller_cover #(
  parameter int unsigned CHANNELS = 8
) (
  input  wire logic                    clk_i,
  input  wire logic                    rst_ni,
  input  wire logic                    poll_i,
  input  wire logic                    taken_i,
  input  wire logic [511:0]            op_i,
  input  wire logic                    done_i,
  input  wire logic [15:0]             done_tag_i,
  input  wire logic [7:0]              done_status_i,
  input  wire logic [CHANNELS-1:0]     seg_end_i,  // a segment ends
  input  wire logic [CHANNELS*3-1:0]   seg_phase_i,
  input  wire logic [CHANNELS*8-1:0]   seg_opcode_i,
  input  wire logic [CHANNELS*8-1:0]   seg_level_i,
  input  wire logic [CHANNELS*16-1:0]  seg_tag_i
);

  localparam logic [7:0] READ = 8'd1, PROGRAM = 8'd2, ERASE = 8'd3, RESET = 8'd4;
  localparam logic [7:0] OK = 8'd0, FAIL = 8'd1, ILLEGAL = 8'd2, TIMEOUT = 8'd4, ABORTED = 8'd5;
  localparam logic [2:0] COMMAND = 3'd0, DATA_OUT = 3'd1, DATA_IN = 3'd2, STATUS = 3'd3;
  localparam logic [2:0] FEATURE = 3'd4, SUSPEND = 3'd5, RESUME = 3'd6;

  // ---- what is known of an operation, by the low bits of its tag ----
  logic [7:0] opcode_m [0:255];
  logic [7:0] flags_m [0:255];
  logic       suspended_m [0:255];  // at least once

  always_ff @(posedge clk_i) begin
    if (taken_i) begin
      opcode_m[op_i[7:0]]    <= op_i[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8];
      flags_m[op_i[7:0]]     <= op_i[flash_op_pkg::FLASH_OP_FLAGS_LSB +: 8];
      suspended_m[op_i[7:0]] <= 1'b0;
    end
    for (int unsigned c = 0; c < CHANNELS; c++) begin
      if (seg_end_i[c] && seg_phase_i[c * 3 +: 3] == o3_pkg::PHASE_SUSPEND) begin
        suspended_m[seg_tag_i[c * 16 +: 8]] <= 1'b1;
      end
    end
  end

  // ---- at an end ----
  logic [7:0] opcode, flags;
  logic       suspended;
  assign opcode    = opcode_m[done_tag_i[7:0]];
  assign flags     = flags_m[done_tag_i[7:0]];
  assign suspended = suspended_m[done_tag_i[7:0]];

  // Points of a cross differ in their names alone: Verilator sums up what differs in its place in the hierarchy only.
  // Opcode, fence, priority of what comes.
`define IN(O, F, P) \
  in_``O``_fence``F``_priority``P : cover property (@(posedge clk_i) rst_ni && taken_i \
    && op_i[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8] == O \
    && op_i[flash_op_pkg::FLASH_OP_FLAGS_LSB +: 3] == 3'(F * 4 + P));
`define IN_PRIORITIES(O, F) `IN(O, F, 0) `IN(O, F, 1) `IN(O, F, 2) `IN(O, F, 3)
`define IN_FENCES(O) `IN_PRIORITIES(O, 0) `IN_PRIORITIES(O, 1)
  `IN_FENCES(READ)
  `IN_FENCES(PROGRAM)
  `IN_FENCES(ERASE)
  `IN_FENCES(RESET)

  // Opcode, status, fence and opcode, status, polls at the end. "Uncorrectable" is not the RTL's to say.
`define END(O, S, B) \
  end_``O``_``S``_fence``B : cover property (@(posedge clk_i) rst_ni && done_i && opcode == O && done_status_i == S \
    && flags[2] == 1'(B)); \
  end_``O``_``S``_poll``B : cover property (@(posedge clk_i) rst_ni && done_i && opcode == O && done_status_i == S \
    && poll_i == 1'(B));
`define END_BOTH(O, S) `END(O, S, 0) `END(O, S, 1)
`define END_STATUSES(O) `END_BOTH(O, OK) `END_BOTH(O, FAIL) `END_BOTH(O, ILLEGAL) `END_BOTH(O, TIMEOUT)
  `END_STATUSES(READ)
  `END_STATUSES(PROGRAM)
  `END_STATUSES(ERASE)
  `END_STATUSES(RESET)
  `END_BOTH(READ, ABORTED)
  `END_BOTH(PROGRAM, ABORTED)
  `END_BOTH(ERASE, ABORTED)

  // What was suspended: its end with ready lines and with polls; its fence and its priority.
`define SUSPENDED(O, S, B) \
  suspended_``O``_``S``_poll``B : cover property (@(posedge clk_i) rst_ni && done_i && suspended && opcode == O \
    && done_status_i == S && poll_i == 1'(B));
`define SUSPENDED_BOTH(O, S) `SUSPENDED(O, S, 0) `SUSPENDED(O, S, 1)
`define SUSPENDED_STATUSES(O) `SUSPENDED_BOTH(O, OK) `SUSPENDED_BOTH(O, FAIL) `SUSPENDED_BOTH(O, TIMEOUT)
`define SUSPENDED_AS(O, F, P) \
  suspended_``O``_fence``F``_priority``P : cover property (@(posedge clk_i) rst_ni && done_i && suspended \
    && opcode == O && flags[2:0] == 3'(F * 4 + P));
`define SUSPENDED_PRIORITIES(O, F) \
  `SUSPENDED_AS(O, F, 0) `SUSPENDED_AS(O, F, 1) `SUSPENDED_AS(O, F, 2) `SUSPENDED_AS(O, F, 3)
  `SUSPENDED_STATUSES(PROGRAM)
  `SUSPENDED_STATUSES(ERASE)
  `SUSPENDED_PRIORITIES(PROGRAM, 0)
  `SUSPENDED_PRIORITIES(PROGRAM, 1)
  `SUSPENDED_PRIORITIES(ERASE, 0)
  `SUSPENDED_PRIORITIES(ERASE, 1)

  // Phases by opcode, with ready lines and with polls: those that an opcode has. A read and a reset have a status only
  // where they are polled.
  function automatic logic ends(logic [7:0] of, logic [2:0] phase);
    ends = 1'b0;
    for (int unsigned c = 0; c < CHANNELS; c++) begin
      if (seg_end_i[c] && seg_opcode_i[c * 8 +: 8] == of && seg_phase_i[c * 3 +: 3] == phase) ends = 1'b1;
    end
  endfunction
`define PHASE(O, P, B) \
  phase_``O``_``P``_poll``B : cover property (@(posedge clk_i) rst_ni && ends(O, P) && poll_i == 1'(B));
`define PHASE_BOTH(O, P) `PHASE(O, P, 0) `PHASE(O, P, 1)
`define PHASE_LONG(O) `PHASE_BOTH(O, STATUS) `PHASE_BOTH(O, SUSPEND) `PHASE_BOTH(O, RESUME)
  `PHASE_BOTH(READ, COMMAND)
  `PHASE_BOTH(READ, DATA_OUT)
  `PHASE(READ, STATUS, 1)
  `PHASE_BOTH(PROGRAM, DATA_IN)
  `PHASE_LONG(PROGRAM)
  `PHASE_BOTH(ERASE, COMMAND)
  `PHASE_LONG(ERASE)
  `PHASE_BOTH(RESET, COMMAND)
  `PHASE(RESET, STATUS, 1)

  // A read-retry level is set: back to 0, to 1, to a higher one; by opcode, with ready lines and with polls.
  function automatic logic sets(logic [7:0] of, int unsigned rank);
    sets = 1'b0;
    for (int unsigned c = 0; c < CHANNELS; c++) begin
      if (seg_end_i[c] && seg_opcode_i[c * 8 +: 8] == of && seg_phase_i[c * 3 +: 3] == FEATURE
          && ((seg_level_i[c * 8 +: 8] > 8'd1) ? 2 : 32'(seg_level_i[c * 8 +: 8])) == rank) sets = 1'b1;
    end
  endfunction
`define LEVEL(O, R, B) \
  level_``O``_rank``R``_poll``B : cover property (@(posedge clk_i) rst_ni && sets(O, R) && poll_i == 1'(B));
`define LEVEL_BOTH(O, R) `LEVEL(O, R, 0) `LEVEL(O, R, 1)
  `LEVEL_BOTH(READ, 0)
  `LEVEL_BOTH(READ, 1)
  `LEVEL_BOTH(READ, 2)
  `LEVEL_BOTH(PROGRAM, 0)
  `LEVEL_BOTH(ERASE, 0)

endmodule

bind o3_controller o3_controller_cover #(.CHANNELS(CHANNELS)) u_cover (
  .clk_i, .rst_ni, .poll_i(poll_q), .taken_i(op_valid_i && op_ready_o), .op_i,
  .done_i(done_valid_o && done_ready_i), .done_tag_i(done_tag_o), .done_status_i(done_status_o),
  .seg_end_i(seg_valid_o & seg_done_i), .seg_phase_i(seg_phase_o), .seg_opcode_i(seg_opcode_o),
  .seg_level_i(seg_level_o), .seg_tag_i(seg_tag_o)
);
`default_nettype wire
