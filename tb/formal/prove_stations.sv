// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the stations of a channel (o3_stations), 2 LUNs of 2: an operation that was put in goes once, from
// its own LUN, with its own tag and opcode; not before what it waits for has left; not while its fence is
// shut; one that keeps its station stays until it leaves it. Assumed: what o3_channel does at these ports:
// an event after the other, by its steps; a free station for what comes in, tags that are in no station, flags (`any`, `kept`)
// that say what has happened to the LUN.
//
// Two operations, `x` and `y`, are followed; which two is free.
`default_nettype none
`include "prove.svh"

module prove_stations #(
  localparam int unsigned LUNS  = 2,
  localparam int unsigned S     = 2,
  localparam int unsigned TAGS  = 4,
  localparam int unsigned LW    = 1,
  localparam int unsigned TW    = 2,
  localparam int unsigned OW    = o3_pkg::OPC_W
) (
  input  wire logic          clk_i,
  input  wire logic [o3_pkg::STAMP_W-1:0] now_i,
  input  wire logic          pick_i,     // an event begins: what follows is kept
  input  wire logic [1:0]    what_i,     // a look, the head, a fence, an end
  input  wire logic [o3_pkg::STAMP_W-1:0] since_i,
  input  wire logic [LW-1:0] lun_pick_i,
  input  wire logic          busy_pick_i,
  input  wire logic          work_pick_i,
  input  wire logic [TW-1:0] tag_i,
  input  wire logic [OW-1:0] opc_i,
  input  wire logic [1:0]    prio_i,
  input  wire logic          susp_i,
  input  wire logic          shut_i,
  input  wire logic [S-1:0]  waits_i
);

  `PROVE_RESET

  (* anyconst *) logic [TW-1:0] x;
  (* anyconst *) logic [TW-1:0] y;
  (* anyconst *) logic [o3_pkg::STAMP_W-1:0] age_limit;

  // ---- the event, and its steps ----
  localparam logic [2:0] IDLE = 3'd0, READ = 3'd1, CHOOSE = 3'd2, AGE = 3'd3, COMPARE = 3'd4, DECIDE = 3'd5, COMMIT = 3'd6;
  logic [2:0]      step_q = IDLE;
  logic            request_i, in_i, open_i, leave_i, busy_i, work_i, in_susp_i, in_open_i, single;
  logic [1:0]      what_q, in_prio_i;
  logic [LW-1:0]   lun_i;
  logic [TW-1:0]   in_tag_i, open_tag_i;
  logic [OW-1:0]   in_opc_i;
  logic [S-1:0]    in_waits_i;
  logic [o3_pkg::STAMP_W-1:0] in_since_i;
  always_ff @(posedge clk_i) begin
    unique case (step_q)
      IDLE:    if (rst_n && pick_i) step_q <= READ;
      READ:    step_q <= (what_q == 2'd0) ? CHOOSE : DECIDE;
      CHOOSE:  step_q <= single ? DECIDE : AGE;
      AGE:     step_q <= COMPARE;
      COMPARE: step_q <= DECIDE;
      DECIDE:  step_q <= COMMIT;
      default: step_q <= IDLE;
    endcase
    if (step_q == IDLE) begin
      {what_q, lun_i, busy_i, work_i} <= {what_i, lun_pick_i, busy_pick_i, work_pick_i};
      {in_tag_i, in_opc_i, in_prio_i, in_susp_i, in_open_i, in_waits_i, in_since_i}
        <= {tag_i, opc_i, prio_i, susp_i, !shut_i, waits_i, since_i};
    end
  end
  assign request_i  = what_q == 2'd0;
  assign in_i       = what_q == 2'd1;
  assign open_i     = what_q == 2'd2;
  assign leave_i    = what_q == 2'd3;
  assign open_tag_i = in_tag_i;

  logic            act, go, stop, on, keep, write, left, empty;
  logic            go_q, keep_q;   // at commit
  logic [TW-1:0]   tag_q;
  logic [S-1:0]    used;
  logic [S*TW-1:0] tags;
  logic [S*OW-1:0] opcs;
  logic [TW-1:0]   tag;
  logic [OW-1:0]   opc;
  logic [LUNS-1:0] any_q = '0, pending_q = '0;
  logic            susp;

  assign act  = step_q == COMMIT;
  always_ff @(posedge clk_i) begin
    if (step_q == DECIDE) {go_q, keep_q, tag_q} <= {go, keep, tag};
  end
  assign susp = pending_q[lun_i] && !busy_i;

  o3_stations #(.LUNS(LUNS), .STATIONS(S), .TAGS(TAGS)) u_dut (
    .clk_i, .rst_ni(rst_n), .stations_i(2'b11), .age_limit_i(age_limit),
    .suspends_i(4'd2), .suspend_priority_i(2'd0),
    .now_i, .in_since_i, .read_i(step_q == READ), .lun_i, .any_i(any_q[lun_i]), .pending_i(pending_q[lun_i]),
    .used_o(used), .tags_o(tags), .opcs_o(opcs), .request_i,
    .choose_i(step_q == CHOOSE), .age_i(step_q == AGE), .compare_i(step_q == COMPARE), .decide_i(step_q == DECIDE),
    .single_o(single), .busy_i, .work_i, .susp_i(susp), .lost_i(1'b0),
    .go_o(go), .stop_o(stop), .on_o(on), .keep_o(keep), .tag_o(tag), .opc_o(opc), .last_o(),
    .commit_i(act), .leave_i, .in_i, .in_tag_i, .in_opc_i, .in_prio_i, .in_last_i(2'd0), .in_susp_i, .in_open_i, .in_waits_i,
    .open_i, .open_tag_i, .write_o(write), .left_o(left), .empty_o(empty), .full_o(), .more_o()
  );

  // ---- the two, and how many there are in each LUN's stations ----
  logic [LUNS*2-1:0] count_q = '0;
  logic          x_in_q = 1'b0, y_in_q = 1'b0, y_waits_q = 1'b0;
  logic          x_pending_q = 1'b0, x_shut_q = 1'b0, y_pending_q = 1'b0;
  logic          x_lun_q, y_lun_q;
  logic [OW-1:0] x_opc_q;
  logic [S-1:0]  x_at, y_at, pending_at;
  logic          x_out, y_out;

  always_comb begin
    x_at = '0;
    y_at = '0;
    for (int unsigned s = 0; s < S; s++) begin
      x_at[s] = used[s] && tags[s * TW +: TW] == x;
      y_at[s] = used[s] && tags[s * TW +: TW] == y;
    end
    x_out = (go_q && !keep_q && tag_q == x) || (leave_i && x_pending_q && lun_i == x_lun_q);
    y_out = (go_q && !keep_q && tag_q == y) || (leave_i && y_pending_q && lun_i == y_lun_q);
  end

  always_ff @(posedge clk_i) begin
    if (rst_n && act) begin
      if (left && empty) any_q[lun_i] <= 1'b0;
      if (in_i) any_q[lun_i] <= 1'b1;
      if (keep_q) pending_q[lun_i] <= 1'b1;
      if (leave_i) pending_q[lun_i] <= 1'b0;
      count_q[lun_i * 2 +: 2] <= count_q[lun_i * 2 +: 2] + 2'(in_i) - 2'((go_q && !keep_q) || leave_i);
      if (x_out) {x_in_q, x_pending_q} <= 2'b00;
      else if (keep_q && tag_q == x) x_pending_q <= 1'b1;
      if (y_out) {y_in_q, y_pending_q} <= 2'b00;
      else if (keep_q && tag_q == y) y_pending_q <= 1'b1;
      if (in_i && in_tag_i == x) begin
        {x_in_q, x_pending_q} <= 2'b10;
        x_lun_q  <= lun_i;
        x_opc_q  <= in_opc_i;
        x_shut_q <= !in_open_i;
      end
      if (open_i && open_tag_i == x && lun_i == x_lun_q) x_shut_q <= 1'b0;
      if (in_i && in_tag_i == y) begin
        {y_in_q, y_pending_q} <= 2'b10;
        y_lun_q   <= lun_i;
        y_waits_q <= (in_waits_i & x_at) != '0;  // y depends on x
      end else if (x_out) y_waits_q <= 1'b0;
    end
  end

  always_comb begin
    assume (x != y);
    if (step_q != IDLE) begin
      assume (!in_i || count_q[lun_i * 2 +: 2] != 2'd2);
      assume (!in_i || ((in_tag_i != x || !x_in_q) && (in_tag_i != y || !y_in_q)));
      assume (!in_susp_i || in_opc_i != flash_op_pkg::FLASH_OP_READ[OW-1:0]);
      assume (!leave_i || pending_q[lun_i]);
      assume (!work_i || (busy_i && pending_q[lun_i]));
    end
    if (act) begin
      assume (!in_i || ((in_tag_i != tags[0 +: TW] || !used[0]) && (in_tag_i != tags[TW +: TW] || !used[1])));
      assume (!in_i || (in_waits_i & ~used) == '0);
    end
    if (rst_n && act) begin
      // In its LUN's stations once, with its opcode; and in no other's.
      if (lun_i == x_lun_q && x_in_q) begin
        `PROVE(x_at == 2'b01 || x_at == 2'b10);
        `PROVE(((x_at[0] ? opcs[0 +: OW] : opcs[OW +: OW]) == x_opc_q));
      end else begin
        `PROVE(x_at == '0);
      end
      `PROVE(2'(used[0]) + 2'(used[1]) == count_q[lun_i * 2 +: 2]);
    end
    if (rst_n && step_q == DECIDE) begin
      `PROVE(2'(go) + 2'(stop) + 2'(on) <= 2'd1);
      // Who goes is there, has not gone, waits for nothing, and may.
      if (go && tag == x) `PROVE(x_in_q && lun_i == x_lun_q && opc == x_opc_q && !x_pending_q && !x_shut_q);
      if (go && tag == y) `PROVE(!(x_in_q && y_waits_q));
      `PROVE(!go || !busy_i);
      if (on && tag == x) `PROVE(x_pending_q && lun_i == x_lun_q && !busy_i);
      if (stop && tag == x) `PROVE(x_pending_q && lun_i == x_lun_q && work_i);
      `PROVE(!keep || go);
      // Nothing is kept back without a reason.
      if (request_i && !busy_i && x_in_q && lun_i == x_lun_q && count_q[lun_i * 2 +: 2] == 2'd1
          && !x_shut_q) begin
        `PROVE(go || on);
      end
    end else begin
      `PROVE(!(go || stop || on || keep));
    end
    `REACH(go && tag == y && x_in_q && x_lun_q == lun_i && y_in_q);           // y passes x
    `REACH(on && tag == x && request_i && y_in_q && y_waits_q && lun_i == x_lun_q); // x goes on, y waits for it
  end

endmodule
`default_nettype wire
