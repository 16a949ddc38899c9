// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the reservation stations of a channel's LUNs, one row a LUN. An event reads its LUN's row, chooses who
// goes, and writes what has become of it: a step a cycle. Matrices: row s of `waits` names what station s depends on,
// row s of `older` what came before it. docs/explanation/o3.md.
`default_nettype none
`include "assert.svh"

module o3_stations #(
  parameter  int unsigned LUNS     = 16,
  parameter  int unsigned STATIONS = 8,
  parameter  int unsigned TAGS     = 256,
  localparam int unsigned S        = STATIONS,
  localparam int unsigned LW       = (LUNS > 1) ? $clog2(LUNS) : 1,
  localparam int unsigned TW       = $clog2(TAGS),
  localparam int unsigned OW       = o3_pkg::OPC_W,
  localparam int unsigned NW       = o3_pkg::SUSPENDS_W
) (
  input  wire logic                       clk_i,
  input  wire logic                       rst_ni,
  input  wire logic [S-1:0]               stations_i,          // ones at the stations in use
  input  wire logic [o3_pkg::STAMP_W-1:0] age_limit_i,
  input  wire logic [NW-1:0]              suspends_i,          // of one operation at most
  input  wire logic [1:0]                 suspend_priority_i,  // least of a read that suspends
  input  wire logic [o3_pkg::STAMP_W-1:0] now_i,

  // An event of a LUN goes by steps, a cycle each or more; what is said of it stands until commit_i.
  input  wire logic                       read_i,    // its row is read
  input  wire logic [LW-1:0]              lun_i,
  input  wire logic                       any_i,     // there is something in it; the memory is never reset
  input  wire logic                       pending_i, // the LUN's operation keeps its station
  output logic [S-1:0]                    used_o,    // after read_i
  output logic [S*TW-1:0]                 tags_o,
  output logic [S*OW-1:0]                 opcs_o,

  // A look at it: who may go now? After read_i come choose_i, age_i and compare_i, then decide_i. With single_o the
  // oldest and the most urgent are the same one, and decide_i follows choose_i.
  input  wire logic                       request_i,
  input  wire logic                       choose_i,
  input  wire logic                       age_i,
  input  wire logic                       compare_i,
  input  wire logic                       decide_i,
  input  wire logic                       busy_i,    // an operation has the LUN
  input  wire logic                       work_i,    // which may be suspended now
  input  wire logic                       susp_i,    // one is suspended
  input  wire logic                       lost_i,    // the LUN did not answer
  output logic                            single_o,
  output logic                            go_o,      // with decide_i: one is issued
  output logic                            stop_o,    // the one at work is suspended for one
  output logic                            on_o,      // the suspended one is resumed
  output logic                            keep_o,    // what is issued keeps its station
  output logic [TW-1:0]                   tag_o,     // of the one that starts, stops or goes on
  output logic [OW-1:0]                   opc_o,
  output logic [1:0]                      last_o,

  // What becomes of the row.
  input  wire logic                       commit_i,
  input  wire logic                       leave_i,   // the one that kept its station leaves it

  // The intake's head goes into the lowest free station.
  input  wire logic                       in_i,
  input  wire logic [TW-1:0]              in_tag_i,
  input  wire logic [OW-1:0]              in_opc_i,
  input  wire logic [1:0]                 in_prio_i,
  input  wire logic [1:0]                 in_last_i,
  input  wire logic                       in_susp_i,
  input  wire logic [o3_pkg::STAMP_W-1:0] in_since_i, // when it came to the channel: ages begin there
  input  wire logic                       in_open_i,  // its fence, if it has one, is open
  input  wire logic [S-1:0]               in_waits_i,

  // The fence of this operation has opened.
  input  wire logic                       open_i,
  input  wire logic [TW-1:0]              open_tag_i,

  // With commit_i: the row afterwards, where it changes.
  output logic                            write_o,
  output logic                            left_o,    // someone has left
  output logic                            empty_o,
  output logic                            full_o,
  output logic                            more_o     // one in it is not under way
);

  localparam int unsigned SW    = o3_pkg::STAMP_W;
  localparam int unsigned OP_W  = 1 + 2 + OW + 2;
  localparam logic [OW-1:0] READ = flash_op_pkg::FLASH_OP_READ[OW-1:0];

  logic [2*S-1:0]   row_m   [0:LUNS-1];         // used, closed
  logic [S*S-1:0]   waits_m [0:LUNS-1];
  logic [S*S-1:0]   older_m [0:LUNS-1];
  logic [S+NW-1:0]  keep_m  [0:LUNS-1];         // station that is kept (one hot), suspensions
  // What a station is filled with and never changed: only its own part is written.
  logic [S*TW-1:0]  tag_m   [0:LUNS-1];
  logic [S*OP_W-1:0] op_m   [0:LUNS-1];         // suspendable, priority, opcode, last plane
  logic [S*SW-1:0]  since_m [0:LUNS-1];         // when it came

  // ---- the row ----
  logic [S-1:0]      r_used, r_closed, used_q, closed_q, susps_q, pending_q;
  logic [S*2-1:0]    prios_q, lasts_q;
  logic [NW-1:0]     suspends_q;
  logic [S*S-1:0]    waits_q, older_q;
  logic [S*TW-1:0]   tags_q;
  logic [S*OW-1:0]   opcs_q;
  logic [S*OP_W-1:0] ops;
  assign {r_used, r_closed} = row_m[lun_i];
  assign ops = op_m[lun_i];
  always_ff @(posedge clk_i) begin
    if (read_i) begin
      used_q   <= any_i ? r_used : '0;
      closed_q <= r_closed;
      waits_q  <= waits_m[lun_i];
      older_q  <= older_m[lun_i];
      tags_q   <= tag_m[lun_i];
      {pending_q, suspends_q} <= pending_i ? keep_m[lun_i] : '0;
      for (int unsigned s = 0; s < S; s++) begin
        {susps_q[s], prios_q[s * 2 +: 2], opcs_q[s * OW +: OW], lasts_q[s * 2 +: 2]} <= ops[s * OP_W +: OP_W];
      end
    end
  end
  assign used_o   = used_q;
  assign single_o = (used_q & (used_q - S'(1))) == '0;
  assign tags_o   = tags_q;
  assign opcs_o   = opcs_q;

  // ---- who may go: the oldest, and the most urgent; by age one of them ----
  logic [S-1:0]    reads, oldest, first, oldest_q, first_q, sel, gather;
  logic            any, any_q, aged_q;
  logic [SW-1:0]   since_q;
  always_comb begin
    for (int unsigned s = 0; s < S; s++) reads[s] = opcs_q[s * OW +: OW] == READ;
  end
  o3_choose #(.STATIONS(S)) u_choose (
    .en_i(choose_i && (!busy_i || work_i)), .used_i(used_q), .closed_i(closed_q), .waits_i(waits_q), .older_i(older_q),
    .prio_i(prios_q), .reads_only_i(busy_i || susp_i), .pending_i(pending_q), .reads_i(reads),
    .least_i(suspend_priority_i), .any_o(any), .oldest_o(oldest), .first_o(first)
  );
  always_ff @(posedge clk_i) begin : p_age
    logic [S*SW-1:0] sinces;
    logic [SW-1:0]   since;
    if (choose_i) begin
      any_q    <= any;
      oldest_q <= oldest;
      first_q  <= first;
    end
    if (age_i) begin
      sinces = since_m[lun_i];
      since  = '0;
      for (int unsigned s = 0; s < S; s++) begin
        if (oldest_q[s]) since = since | sinces[s * SW +: SW];
      end
      since_q <= since;
    end
    if (compare_i) aged_q <= now_i - since_q >= age_limit_i;
  end

  logic sel_pending;
  always_comb begin
    {sel, gather, tag_o, opc_o, last_o} = 'x;
    sel_pending = 1'b0;
    if (decide_i && request_i) begin
      sel         = aged_q ? oldest_q : first_q;
      sel_pending = (sel & pending_q) != '0;
      gather      = busy_i ? pending_q : sel;  // a suspend is of the one at work
      tag_o       = '0;
      opc_o       = '0;
      last_o      = '0;
      for (int unsigned s = 0; s < S; s++) begin
        if (gather[s]) begin
          tag_o  = tag_o | tags_q[s * TW +: TW];
          opc_o  = opc_o | opcs_q[s * OW +: OW];
          last_o = last_o | lasts_q[s * 2 +: 2];
        end
      end
    end
  end
  assign go_o   = decide_i && request_i && any_q && !busy_i && !sel_pending;
  assign stop_o = decide_i && request_i && any_q && busy_i && !sel_pending && suspends_q != suspends_i;
  assign on_o   = !busy_i && sel_pending;
  assign keep_o = go_o && (sel & susps_q) != '0 && !lost_i;

  // ---- the row after the event ----
  logic [S-1:0] sel_q, slot_q, out, used_d;
  logic         go_q, keep_q, stop_q;
  always_ff @(posedge clk_i) begin
    if (decide_i) begin
      go_q   <= go_o;
      keep_q <= keep_o;
      stop_q <= stop_o;
      sel_q  <= go_o ? sel : '0;
      slot_q <= ~used_q & (used_q + S'(1));  // the lowest free one
    end
  end
  always_comb begin
    {out, used_d} = 'x;
    if (commit_i) begin
      out    = leave_i ? pending_q : sel_q;
      used_d = in_i ? (used_q | slot_q) : (used_q & ~out);
    end
  end
  // Who leaves was in one of the stations in use.
  assign left_o  = commit_i && (leave_i || (go_q && !keep_q));
  assign write_o = left_o || (commit_i && (in_i || open_i));
  assign empty_o = used_d == '0;
  assign full_o  = (used_d & stations_i) == stations_i;
  assign more_o  = (used_d & ~pending_q & ~sel_q) != '0;

  always_ff @(posedge clk_i) begin : p_row
    logic [S-1:0]   closed_d;
    logic [S*S-1:0] waits_d, older_d;
    if (write_o) begin
      closed_d = closed_q;
      waits_d  = waits_q;
      older_d  = older_q;
      if (left_o) begin
        for (int unsigned s = 0; s < S; s++) begin
          waits_d[s * S +: S] = waits_q[s * S +: S] & ~out;
          older_d[s * S +: S] = older_q[s * S +: S] & ~out;
        end
      end
      if (in_i) begin
        closed_d = in_open_i ? (closed_q & ~slot_q) : (closed_q | slot_q);
        for (int unsigned s = 0; s < S; s++) begin
          if (slot_q[s]) begin
            waits_d[s * S +: S] = in_waits_i;
            older_d[s * S +: S] = used_q;
          end
        end
      end
      if (open_i) begin
        for (int unsigned s = 0; s < S; s++) begin
          if (used_q[s] && tags_q[s * TW +: TW] == open_tag_i) closed_d[s] = 1'b0;
        end
      end
      row_m[lun_i]   <= {used_d, closed_d};
      waits_m[lun_i] <= waits_d;
      older_m[lun_i] <= older_d;
    end
    if (commit_i && in_i) begin
      for (int unsigned s = 0; s < S; s++) begin
        if (slot_q[s]) begin
          tag_m[lun_i][s * TW +: TW]     <= in_tag_i;
          op_m[lun_i][s * OP_W +: OP_W]  <= {in_susp_i, in_prio_i, in_opc_i, in_last_i};
          since_m[lun_i][s * SW +: SW]   <= in_since_i;
        end
      end
    end
    if (commit_i && (keep_q || stop_q)) begin
      keep_m[lun_i] <= keep_q ? {sel_q, NW'(0)} : {pending_q, suspends_q + NW'(1)};
    end
  end

  // For assertions: of two in use one is the older.
  logic ordered;
  always_comb begin
    ordered = 1'b1;
    if (decide_i && request_i) begin
      for (int unsigned s = 0; s < S; s++) begin
        for (int unsigned t = 0; t < s; t++) begin
          if (used_q[s] && used_q[t] && older_q[s * S + t] == older_q[t * S + s]) ordered = 1'b0;
        end
      end
    end
  end

  `O3_ASSERTS_WHEN(decide_i || commit_i)
  `O3_HOLDS(OneOfTwoIsOlder, ordered)
  `O3_HOLDS(OneInUseIsPending, !decide_i || ((pending_q & (pending_q - S'(1))) == '0 && (pending_q & ~used_q) == '0))
  `O3_HOLDS(LeavesWhatIsPending, !(commit_i && leave_i) || pending_q != '0)
  `O3_HOLDS(SuspendableIsNoRead, !(commit_i && in_i) || !in_susp_i || in_opc_i != READ)
  `O3_HOLDS(WaitsForOnesInUse, !(commit_i && in_i) || (in_waits_i & ~used_q) == '0)
  `O3_HOLDS(OldestIsOneHot, !(decide_i && request_i) || (oldest_q & (oldest_q - S'(1))) == '0)
  `O3_HOLDS(FirstIsOneHot, !(decide_i && request_i) || (first_q & (first_q - S'(1))) == '0)
  `O3_HOLDS(ChosenIsUsed, !go_o || (sel & ~used_q) == '0)
  `O3_HOLDS(TakenHasAStation, !(commit_i && in_i) || (slot_q & stations_i) != '0)
  `O3_ASSERTS_END

endmodule
`default_nettype wire
