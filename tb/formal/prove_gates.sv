// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a gated clock of a channel changes nothing (o3_channel): each register behind the gate holds while the gate
// is shut, so with the gate and with a wire in its place all registers and outputs are equal at every edge. The
// assertions are added to the netlist, one for each register (scripts/prove_holds.py). Assumed: what o3_channel's
// neighbours do at these ports.
`default_nettype none
`include "prove.svh"

module prove_gates #(
  localparam int unsigned LUNS = 2,
  localparam int unsigned S    = 2,
  localparam int unsigned TAGS = 4,
  localparam int unsigned TW   = 2,
  localparam int unsigned HEAD_W = 1 + TW + 1 + o3_pkg::OPC_W + 2 + 2 + 1
) (
  input  wire logic              clk_i,
  input  wire logic              no_grant_i,
  input  wire logic [o3_pkg::STAMP_W-1:0] now_i,
  input  wire logic [o3_pkg::TICK_W-1:0]  tick_i,
  input  wire logic              sweep_i,
  input  wire logic              push_i,
  input  wire logic [HEAD_W-1:0] push_head_i,
  input  wire logic              push_open_i,
  input  wire logic [LUNS-1:0]   push_mask_i,
  input  wire logic              head_goes_i,
  input  wire logic              open_valid_i,
  input  wire logic [TW-1:0]     open_tag_i,
  input  wire logic              open_lun_i,
  input  wire logic              end_take_i,
  input  wire logic              desc_ack_i,
  input  wire logic              dep_done_i,
  input  wire logic              dep_hit_i,
  input  wire o3_pkg::seg_t      desc_i,
  input  wire logic              desc_abort_i,
  input  wire logic              seg_done_i,
  input  wire logic [7:0]        seg_status_i,
  input  wire logic [LUNS-1:0]   retry_i,
  input  wire logic [LUNS-1:0]   ready_i,
  input  wire logic [o3_pkg::MASK_W-1:0] step_i
);

  `PROVE_RESET

  (* anyconst *) logic in_order;
  (* anyconst *) logic poll;
  (* anyconst *) logic synchronous;
  (* anyconst *) logic [o3_pkg::POLLS*o3_pkg::TICK_W-1:0] poll_times;
  (* anyconst *) logic [o3_pkg::LEVEL_W-1:0]  retries;
  (* anyconst *) logic [o3_pkg::TICK_W-1:0]   progress;
  (* anyconst *) logic [o3_pkg::MASK_W-1:0]   mask;
  (* anyconst *) logic [o3_pkg::STAMP_W-1:0]  age_limit;
  logic desc_req, dep_req, end_valid, seg_valid, open_take;
  logic ack_q = 1'b0;  // a descriptor comes in the cycle after its acknowledge

  o3_channel #(.LUNS(LUNS), .STATIONS(S), .TAGS(TAGS)) u_dut (
    .clk_i, .clk_lines_i(clk_i), .clk_desc_i(clk_i), .rst_ni(rst_n), .test_en_i(1'b0), .stations_i(2'b11), .age_limit_i(age_limit),
    .lun_shift_i(3'd0), .luns_i(8'd1), .no_grant_i, .suspends_i(4'd2), .suspend_priority_i(2'd0), .progress_i(progress), .poll_i(poll),
    .poll_times_i(poll_times), .retries_i(retries), .now_i, .tick_i, .sweep_i, .push_i, .push_head_i, .push_open_i, .push_mask_i, .taken_o(),
    .in_order_i(in_order), .head_goes_i, .open_valid_i, .open_tag_i, .open_lun_i, .open_take_o(open_take),
    .end_valid_o(end_valid), .end_take_i, .end_tag_o(), .end_status_o(), .end_planes_o(),
    .desc_req_o(desc_req), .desc_tag_o(), .desc_plane_o(), .desc_poll_o(), .desc_ack_i, .desc_valid_i(ack_q), .desc_i,
    .desc_abort_i,
    .dep_req_o(dep_req), .dep_young_o(), .dep_old_o(), .dep_done_i, .dep_hit_i,
    .seg_valid_o(seg_valid), .seg_ce_o(), .seg_lun_o(), .seg_phase_o(), .seg_opcode_o(), .seg_plane_o(),
    .seg_nplanes_o(), .seg_col_o(), .seg_len_o(), .seg_flags_o(), .seg_tag_o(), .seg_row_o(), .seg_buf_o(),
    .seg_oob_o(), .seg_level_o(),
    .seg_done_i, .seg_status_i, .retry_i, .ready_i, .mask_i(mask), .step_i, .synchronous_i(synchronous),
    .event_o(), .event_no_o(), .work_o(), .blocked_o(), .timer_any_o(), .timer_at_o(), .waiting_o(), .active_o()
  );

  always_ff @(posedge clk_i) ack_q <= rst_n && desc_ack_i;
  always_comb begin
    assume (!end_take_i || end_valid);
    assume (!desc_ack_i || desc_req);
    assume (!dep_done_i || dep_req);
    assume (!seg_done_i || seg_valid);
    `REACH(rst_n && seg_valid);
  end

endmodule
`default_nettype wire
