// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a channel's intake (o3_intake), 2 LUNs of 2 stations, 4 tags: operations leave it in the order in
// which they came, each once, as what they came; and the head goes with exactly what it depends on of what is
// then in its LUN's stations. Assumed: at most as many inside as tags; a question is answered at some time by
// what `hits` says of the pair, which is free (prove_store says what it is); operations leave stations at any
// time but not from the cycle in which the row is shown to the one in which the head goes in.
`default_nettype none
`include "prove.svh"

module prove_intake #(
  localparam int unsigned LUNS  = 2,
  localparam int unsigned S     = 2,
  localparam int unsigned TAGS  = 4,
  localparam int unsigned LW    = 1,
  localparam int unsigned TW    = 2,
  localparam int unsigned OW    = o3_pkg::OPC_W,
  localparam int unsigned HEAD_W = 1 + TW + LW + OW + 2 + 2 + 1
) (
  input  wire logic              clk_i,
  input  wire logic              push_i,
  input  wire logic [HEAD_W-1:0] head_i,
  input  wire logic              row_i,
  input  wire logic              pop_i,
  input  wire logic              answer_i,
  input  wire logic              leave_i,
  input  wire logic              leave_lun_i,
  input  wire logic              leave_at_i,
  input  wire logic              watch_i
);

  localparam logic [OW-1:0] READ  = flash_op_pkg::FLASH_OP_READ[OW-1:0];
  localparam logic [OW-1:0] RESET = flash_op_pkg::FLASH_OP_RESET[OW-1:0];

  `PROVE_RESET

  (* anyconst *) logic [TAGS*TAGS-1:0] hits;  // does the first depend on the second?

  logic            any, look, may, dep_req, fence, susp, active;
  logic [TW-1:0]   tag, dep_old;
  logic [LW-1:0]   lun;
  logic [OW-1:0]   opc;
  logic [1:0]      prio, last;
  logic [S-1:0]    waits, used;
  logic [S*TW-1:0] tags;
  logic [S*OW-1:0] opcs;

  o3_intake #(.LUNS(LUNS), .STATIONS(S), .TAGS(TAGS)) u_dut (
    .clk_i, .rst_ni(rst_n), .now_i('0), .push_i, .push_head_i(head_i), .since_o(),
    .any_o(any), .tag_o(tag), .lun_o(lun),
    .opc_o(opc), .prio_o(prio), .last_o(last), .fence_o(fence), .susp_o(susp), .asks_o(look), .row_i,
    .used_i(used), .tags_i(tags), .opcs_i(opcs), .may_o(may), .waits_o(waits), .pop_i,
    .dep_req_o(dep_req), .dep_old_o(dep_old),
    .dep_done_i(answer_i), .dep_hit_i(hits[{tag, dep_old}]), .active_o(active)
  );

  // ---- stations of both LUNs ----
  logic [LUNS*S-1:0]    used_q = '0;
  logic [LUNS*S*TW-1:0] tags_q;
  logic [LUNS*S*OW-1:0] opcs_q;
  assign used = used_q[lun * S +: S];
  assign tags = tags_q[lun * S * TW +: S * TW];
  assign opcs = opcs_q[lun * S * OW +: S * OW];

  logic [2:0] outstanding_q = '0;             // operations in the intake and the stations
  logic [2:0] count_q = '0, ahead_q;     // in the intake; before the one that is followed
  logic       watch_q = 1'b0, asked_q = 1'b0, gone_q = 1'b0;
  logic       goes_q = 1'b0, asks_q = 1'b0;  // the head has been shown its row, and goes in or asks
  logic [HEAD_W-1:0] word_q;
  logic       at, leaves;
  assign at     = used[0];               // the lowest free station
  assign leaves = leave_i && used_q[{leave_lun_i, leave_at_i}];

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      goes_q <= row_i && may;
      asks_q <= row_i && !may;
      outstanding_q <= outstanding_q + 3'(push_i) - 3'(leaves) - 3'(pop_i && opc == RESET);
      count_q  <= count_q + 3'(push_i) - 3'(pop_i);
      if (leaves) used_q[{leave_lun_i, leave_at_i}] <= 1'b0;
      if (pop_i && opc != RESET) begin
        used_q[{lun, at}] <= 1'b1;
        tags_q[{lun, at} * TW +: TW] <= tag;
        opcs_q[{lun, at} * OW +: OW] <= opc;
      end
      if (!watch_q && push_i && watch_i) begin
        watch_q <= 1'b1;
        word_q  <= head_i;
        ahead_q <= count_q - 3'(pop_i);
      end else if (watch_q && pop_i) begin
        if (ahead_q == '0) watch_q <= 1'b0;
        ahead_q <= ahead_q - 3'd1;
      end
      asked_q <= !pop_i && (asked_q || dep_req);
      gone_q  <= !pop_i && (gone_q || (asked_q && leaves && leave_lun_i == lun));
    end
  end

  always_comb begin
    if (!rst_n) assume (!push_i && !pop_i && !answer_i);
    assume (!push_i || outstanding_q != 3'd4);
    assume (!answer_i || dep_req);
    // A head that asks gets a row with a free station; a RESET needs no row.
    assume (!row_i || (look && !goes_q && opc != RESET && used != '1));
    assume (!goes_q || pop_i);
    assume (!pop_i || goes_q || (look && opc == RESET));
    assume (!(leave_i && (row_i || goes_q)));
    // The stations' tags are not pushed again, so that the pairs of `hits` mean operations.
    for (int unsigned i = 0; i < LUNS * S; i++) begin
      assume (!(push_i && used_q[i] && tags_q[i * TW +: TW] == head_i[HEAD_W-2 -: TW]));
    end
    if (rst_n) begin
      `PROVE(any == (count_q != '0));
      `PROVE(!watch_q || ahead_q < count_q);
      `PROVE(!watch_q || ahead_q != '0 || {susp, tag, lun, opc, prio, last, fence} == word_q);
      `PROVE(!may || any);
      if (pop_i && opc != RESET) begin
        `PROVE(used != '1);
        for (int unsigned s = 0; s < S; s++) begin
          `PROVE(waits[s] == (used[s] && !(opc == READ && opcs[s * OW +: OW] == READ)
                              && hits[{tag, tags[s * TW +: TW]}]));
        end
      end
      // It does not stand still: it looks, and who is shown a row goes or asks next.
      `PROVE(!asks_q || dep_req);
      `PROVE(look == (any && !dep_req));
      `PROVE(active == dep_req);
    end
    // What it asked about has left. (The other station has to be free, so no third can be there.)
    `REACH(pop_i && waits == '0 && gone_q);
    `REACH(pop_i && waits == 2'b10 && used == 2'b10 && asked_q && count_q == 3'd2);
  end

endmodule
`default_nettype wire
