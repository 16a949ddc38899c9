// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the reservation stations of a channel's LUNs, one row a LUN: shows one row a cycle, chooses who
// leaves, takes in and lets go. Matrices: row s of `waits` names what station s depends on, row s of
// `older` what came before it. docs/explanation/o3.md.
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

  // The row that this cycle is about; without en_i it means nothing.
  input  wire logic                       en_i,
  input  wire logic [LW-1:0]              lun_i,
  input  wire logic                       any_i,     // there is something in it; the memory is never reset
  input  wire logic                       pending_i,    // the LUN's operation keeps its station
  output logic [S-1:0]                    used_o,
  output logic [S*TW-1:0]                 tags_o,
  output logic [S*OW-1:0]                 opcs_o,

  // A look at it: who may go now?
  input  wire logic                       request_i,
  input  wire logic                       busy_i,    // an operation has the LUN
  input  wire logic                       work_i,    // which may be suspended now
  input  wire logic                       susp_i,    // one is suspended
  input  wire logic                       lost_i,    // the LUN did not answer
  output logic                            go_o,      // one is issued
  output logic                            stop_o,    // the one at work is suspended for one
  output logic                            on_o,      // the suspended one is resumed
  output logic                            keep_o,    // what is issued keeps its station
  output logic [TW-1:0]                   tag_o,     // of the one that starts, stops or goes on
  output logic [OW-1:0]                   opc_o,
  output logic [1:0]                      last_o,

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

  // The row after this cycle, where it changes.
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
  logic [S*OP_W-1:0] ops;
  logic [S-1:0]     used, r_used, closed, susps, pending, reads;
  logic [NW-1:0]    suspends;
  logic [S*S-1:0]   waits, older;
  logic [S*TW-1:0]  tags;
  logic [S*2-1:0]   prios, lasts;
  logic [S*OW-1:0]  opcs;

  always_comb begin
    ops = 'x;  // without en_i nobody looks at it
    {r_used, closed, susps, prios, opcs, lasts} = 'x;
    {pending, suspends, reads, used} = 'x;
    {waits, older, tags} = 'x;
    if (en_i) begin
      ops = op_m[lun_i];
      {pending, suspends} = '0;
      {r_used, closed} = row_m[lun_i];
      if (pending_i) {pending, suspends} = keep_m[lun_i];
      for (int unsigned s = 0; s < S; s++) begin
        {susps[s], prios[s * 2 +: 2], opcs[s * OW +: OW], lasts[s * 2 +: 2]} = ops[s * OP_W +: OP_W];
        reads[s] = opcs[s * OW +: OW] == READ;
      end
      used  = any_i ? r_used : '0;
      waits = waits_m[lun_i];
      older = older_m[lun_i];
      tags  = tag_m[lun_i];
    end
  end
  assign used_o = used;
  assign tags_o = tags;
  assign opcs_o = opcs;

  // ---- who may go ----
  logic [S-1:0]  oldest, first, sel, gather, out, slot;
  logic [S*SW-1:0] sinces;
  logic [SW-1:0] since;
  logic          any, aged, go_out;
  // Of the one chosen: is pending, may be suspended; others are there that are not pending; no other is there.
  logic          sel_pending, sel_susp, sel_more, sel_one;

  o3_choose #(.STATIONS(S)) u_choose (
    .en_i(request_i && (!busy_i || work_i)), .used_i(used), .closed_i(closed), .waits_i(waits), .older_i(older),
    .prio_i(prios), .reads_only_i(busy_i || susp_i), .pending_i(pending), .reads_i(reads),
    .least_i(suspend_priority_i), .any_o(any), .oldest_o(oldest), .first_o(first)
  );
  // By age comes late: what depends on the choice is made for both, then chosen.
  always_comb begin
    {sinces, since, sel} = 'x;
    {aged, sel_pending, sel_susp, sel_more, sel_one} = 'x;
    if (request_i) begin
      sinces = since_m[lun_i];
      since  = '0;
      for (int unsigned s = 0; s < S; s++) begin
        if (oldest[s]) since = since | sinces[s * SW +: SW];
      end
      aged     = now_i - since >= age_limit_i;
      sel      = aged ? oldest : first;
      sel_pending = aged ? (oldest & pending) != '0 : (first & pending) != '0;
      sel_susp = aged ? (oldest & susps) != '0 : (first & susps) != '0;
      sel_more = aged ? (used & ~pending & ~oldest) != '0 : (used & ~pending & ~first) != '0;
      sel_one  = aged ? (used & ~oldest) == '0 : (used & ~first) == '0;
    end
  end

  assign go_o   = request_i && any && !busy_i && !sel_pending;
  assign stop_o = request_i && any && busy_i && !sel_pending && suspends != suspends_i;
  assign on_o   = request_i && any && !busy_i && sel_pending;
  assign keep_o = go_o && sel_susp && !lost_i;
  assign gather = stop_o ? pending : sel;
  assign go_out = go_o && !keep_o;
  assign out    = go_out ? sel : leave_i ? pending : '0;

  always_comb begin
    tag_o  = 'x;
    opc_o  = 'x;
    last_o = 'x;
    if (request_i) begin
      tag_o  = '0;
      opc_o  = '0;
      last_o = '0;
      for (int unsigned s = 0; s < S; s++) begin
        if (gather[s]) begin
          tag_o  = tag_o | tags[s * TW +: TW];
          opc_o  = opc_o | opcs[s * OW +: OW];
          last_o = last_o | lasts[s * 2 +: 2];
        end
      end
    end
  end

  // ---- the row after this cycle ----
  always_comb begin
    slot = 'x;
    if (en_i) slot = ~used & (used + S'(1));  // the lowest free one
  end
  // Who leaves was in one of the stations in use.
  assign left_o  = go_out || leave_i;
  assign write_o = left_o || in_i || open_i;
  assign empty_o = go_out ? sel_one : leave_i ? (used & ~pending) == '0 : (used == '0 && !in_i);
  assign full_o  = !left_o && ((in_i ? (used | slot) : used) & stations_i) == stations_i;
  assign more_o  = in_i || (go_o ? sel_more : (used & ~pending) != '0);

  always_ff @(posedge clk_i) begin : p_row
    logic [S-1:0]   used_d, closed_d;
    logic [S*S-1:0] waits_d, older_d;
    if (write_o) begin
      used_d   = used & ~out;
      closed_d = closed;
      waits_d  = waits;
      older_d  = older;
      if (out != '0) begin
        for (int unsigned s = 0; s < S; s++) begin
          waits_d[s * S +: S] = waits[s * S +: S] & ~out;
          older_d[s * S +: S] = older[s * S +: S] & ~out;
        end
      end
      if (in_i) begin
        used_d   = used | slot;
        closed_d = in_open_i ? (closed & ~slot) : (closed | slot);
        for (int unsigned s = 0; s < S; s++) begin
          if (slot[s]) begin
            waits_d[s * S +: S] = in_waits_i;
            older_d[s * S +: S] = used;
          end
        end
      end
      if (open_i) begin
        for (int unsigned s = 0; s < S; s++) begin
          if (used[s] && tags[s * TW +: TW] == open_tag_i) closed_d[s] = 1'b0;
        end
      end
      row_m[lun_i]   <= {used_d, closed_d};
      waits_m[lun_i] <= waits_d;
      older_m[lun_i] <= older_d;
    end
    if (in_i) begin
      for (int unsigned s = 0; s < S; s++) begin
        if (slot[s]) begin
          tag_m[lun_i][s * TW +: TW]     <= in_tag_i;
          op_m[lun_i][s * OP_W +: OP_W]  <= {in_susp_i, in_prio_i, in_opc_i, in_last_i};
          since_m[lun_i][s * SW +: SW]   <= in_since_i;
        end
      end
    end
    if (keep_o || stop_o) keep_m[lun_i] <= keep_o ? {sel, NW'(0)} : {pending, suspends + NW'(1)};
  end

  `O3_ASSERTS_WHEN(en_i)
  `O3_HOLDS(OldestIsOneHot, (oldest & (oldest - S'(1))) == '0)
  `O3_HOLDS(FirstIsOneHot, (first & (first - S'(1))) == '0)
  `O3_HOLDS(ChosenIsUsed, !go_o || (sel & ~used) == '0)
  `O3_HOLDS(TakenHasAStation, !in_i || (slot & stations_i) != '0)
  `O3_ASSERTS_END
  `O3_ASSERT(RowIsShown, en_i || !write_o, clk_i, rst_ni)

endmodule
`default_nettype wire
