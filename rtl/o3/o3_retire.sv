// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ends of operations and their completions: out of order each stream completes in its own order,
// else at once. One after the other: an end is taken, in three cycles, and completed if it is that of its stream's head;
// then the next heads are looked at, in two each, and completed, until one has not ended; between them operations are
// appended, in a cycle.
`default_nettype none
`include "assert.svh"

module o3_retire #(
  parameter  int unsigned CHANNELS = 8,
  parameter  int unsigned LUNS     = 16,
  parameter  int unsigned TAGS     = 256,
  localparam int unsigned CW       = (CHANNELS > 1) ? $clog2(CHANNELS) : 1,
  localparam int unsigned LW       = (LUNS > 1) ? $clog2(LUNS) : 1,
  localparam int unsigned TW       = $clog2(TAGS),
  localparam int unsigned STREAMS  = flash_op_pkg::FLASH_STREAMS,
  localparam int unsigned NW       = $clog2(STREAMS),
  localparam int unsigned ST       = o3_pkg::STATUS_W,
  localparam int unsigned COOKIE_W = 33  // the operation's, and whether it came through the window
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,
  input  wire logic                   ooo_i,

  // An operation that goes to its channel joins its stream, in the cycle after one in which app_ready_o is high.
  output logic                        app_ready_o,
  input  wire logic                   append_i,
  input  wire logic [TW-1:0]          app_tag_i,
  input  wire logic [NW-1:0]          app_stream_i,
  input  wire logic [CW-1:0]          app_channel_i,
  input  wire logic [LW-1:0]          app_lun_i,
  input  wire logic                   app_alone_i,   // of no stream: completed when it ends
  input  wire logic                   app_fence_i,
  input  wire logic [COOKIE_W-1:0]    app_cookie_i,
  output logic [STREAMS-1:0]          streams_o,     // streams that have operations

  // Ends: of the channels, landings, illegal operations (which are in no stream).
  input  wire logic [CHANNELS-1:0]    end_valid_i,
  output logic [CHANNELS-1:0]         end_take_o,
  input  wire logic [CHANNELS*TW-1:0] end_tag_i,
  input  wire logic [CHANNELS*ST-1:0] end_status_i,
  input  wire logic [CHANNELS*4-1:0]  end_planes_i,
  input  wire logic                   land_valid_i,
  output logic                        land_take_o,
  input  wire logic [TW-1:0]          land_tag_i,
  input  wire logic                   bad_valid_i,
  output logic                        bad_take_o,
  input  wire logic [15:0]            bad_tag_i,
  input  wire logic [COOKIE_W-1:0]    bad_cookie_i,

  // A fence has become the oldest of its stream.
  output logic                        open_valid_o,
  input  wire logic                   open_take_i,
  output logic [CW-1:0]               open_channel_o,
  output logic [LW-1:0]               open_lun_o,
  output logic [TW-1:0]               open_tag_o,

  // Completions.
  output logic                        done_valid_o,
  input  wire logic                   done_ready_i,
  output logic [15:0]                 done_tag_o,
  output logic [7:0]                  done_status_o,
  output logic [7:0]                  done_planes_o,
  output logic [COOKIE_W-1:0]         done_cookie_o,
  output logic                        ended_o,       // pulse: an operation has left its stream
  output logic [TW-1:0]               ended_tag_o,   // valid with it
  // Pulse: an end has to wait for an older one of its stream.
  output logic                        held_o,
  output logic [TW-1:0]               held_tag_o,
  output logic [ST-1:0]               held_status_o,
  output logic [3:0]                  held_planes_o,
  output logic                        active_o
);

  localparam int unsigned SOURCES = CHANNELS + 2;
  localparam int unsigned OW      = $clog2(SOURCES);
  localparam int unsigned LAND    = CHANNELS;
  localparam int unsigned BAD     = CHANNELS + 1;

  // Streams: a list of tags, linked in order of submission; in order only its length counts.
  logic [STREAMS-1:0] some_q;
  logic [TW-1:0] head_m  [0:STREAMS-1];
  logic [TW-1:0] tail_m  [0:STREAMS-1];
  logic [TW:0]   count_m [0:STREAMS-1];
  logic [TW-1:0] next_m  [0:TAGS-1];
  // Tags. Ended: the two bits differ; one side writes each, so that no memory needs a reset.
  logic          ended_m [0:TAGS-1];
  logic          begun_m [0:TAGS-1];
  logic [NW:0]   stream_m [0:TAGS-1];  // alone, stream
  logic [CW+LW:0] place_m [0:TAGS-1];  // fence, channel, LUN
  logic [ST+3:0] result_m [0:TAGS-1];  // status, failed planes
  (* no_rw_check *)  // one action a cycle: it is not written and read in the same
  logic [COOKIE_W-1:0] cookie_m [0:TAGS-1];

  assign streams_o = some_q;

  // ---- an end, by steps: picked, its stream, then act ----
  logic [SOURCES-1:0] req, after_q, after;
  logic               any, pick, streamed_q, act_q;  // what comes next of an end that was picked
  logic [OW-1:0]      src;
  logic [TW-1:0]      tag, e_tag_q;
  logic [ST-1:0]      status, e_status_q;
  logic [3:0]         planes, e_planes_q;
  logic [15:0]        bad_tag_q;
  logic [COOKIE_W-1:0] bad_cookie_q;
  logic               e_bad_q, e_alone_q, e_begun_q, e_ended_q;
  logic [TW-1:0]      e_next_q, e_head, e_tail, tail;
  logic [NW-1:0]      e_stream_q;
  logic [TW:0]        e_left;
  logic               plain, e_first, act, ends, first, wait_for;

  // ---- the stream that may go on, by steps: what is known of its head, then go on ----
  logic               go_q, know_q, judge_q, goes;
  logic [NW-1:0]      stream_q;
  logic [TW-1:0]      head_q, next_q;
  logic               last_q, head_ended_q, head_fence_q, retire, open, stay, complete;
  logic [CW-1:0]      head_channel_q;
  logic [LW-1:0]      head_lun_q;
  logic [ST+3:0]      head_result_q;

  assign req = {bad_valid_i, land_valid_i, end_valid_i};
  rr_pick #(.N(SOURCES)) u_end (
    .req_i(req), .after_i(after_q), .any_o(any), .idx_o(src), .after_o(after)
  );
  logic idle;
  assign idle        = !go_q && !streamed_q && !act_q;
  assign pick        = any && idle && !append_i;
  assign app_ready_o = idle && !any && !append_i;

  always_comb begin
    end_take_o  = (src < OW'(CHANNELS)) ? CHANNELS'(pick) << src : '0;
    land_take_o = pick && src == OW'(LAND);
    bad_take_o  = pick && src == OW'(BAD);
    {tag, status, planes} = 'x;
    if (any) begin
      tag    = land_tag_i;
      status = flash_op_pkg::FLASH_STATUS_OK[ST-1:0];
      planes = 4'd0;
      if (src < OW'(CHANNELS)) begin  // no index times a width: that is a multiplier
        {tag, status, planes} = '0;
        for (int unsigned c = 0; c < CHANNELS; c++) begin
          if (src == OW'(c)) begin
            tag    = tag | end_tag_i[c * TW +: TW];
            status = status | end_status_i[c * ST +: ST];
            planes = planes | end_planes_i[c * 4 +: 4];
          end
        end
      end else if (src == OW'(BAD)) begin
        tag    = bad_tag_i[TW-1:0];
        status = flash_op_pkg::FLASH_STATUS_ILLEGAL[ST-1:0];
      end
    end
  end

  assign e_head  = head_m[e_stream_q];
  assign e_tail  = tail_m[e_stream_q];
  assign e_left  = count_m[e_stream_q];
  assign plain   = e_bad_q || !ooo_i || e_alone_q;  // completed without its stream
  assign e_first = !plain && e_head == e_tag_q;     // completed, as it is its stream's head
  assign act     = act_q && !((plain || e_first) && done_valid_o);
  assign ends    = act && !e_bad_q && !(ooo_i && e_alone_q);  // of an operation that is in a stream
  assign first   = act && e_first;
  assign goes    = first && e_tail != e_tag_q;      // and its stream may go on
  assign wait_for = ends && ooo_i && !e_first;      // it has to wait
  assign held_o        = wait_for;
  assign held_tag_o    = e_tag_q;
  assign held_status_o = e_status_q;
  assign held_planes_o = e_planes_q;

  assign retire = judge_q && head_ended_q && !done_valid_o;
  assign open   = judge_q && !head_ended_q && head_fence_q && !open_valid_o;
  assign stay   = judge_q && (head_ended_q ? done_valid_o : (head_fence_q && open_valid_o));
  assign complete = retire || (act && (plain || e_first));
  assign ended_o     = retire || (act && ((plain && !e_bad_q) || e_first));
  assign ended_tag_o = retire ? head_q : e_tag_q;

  // ---- an append ----
  logic          app_some;
  logic [TW:0]   app_count;
  logic [TW-1:0] app_tail;
  assign app_some  = some_q[app_stream_i];
  assign app_tail  = tail_m[app_stream_i];
  assign app_count = app_some ? count_m[app_stream_i] + (TW + 1)'(1) : (TW + 1)'(1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      some_q       <= '0;
      {streamed_q, act_q, go_q, know_q, judge_q} <= '0;
      after_q      <= '0;
      open_valid_o <= 1'b0;
      done_valid_o <= 1'b0;
    end else begin
      streamed_q <= pick;
      act_q      <= streamed_q || (act_q && !act);
      go_q   <= goes || (go_q && !(judge_q && !stay && !(retire && !last_q)));
      know_q <= goes || (retire && !last_q);
      judge_q <= know_q || stay;
      if (retire && last_q)                         some_q[stream_q] <= 1'b0;
      if (first && !goes)                           some_q[e_stream_q] <= 1'b0;
      if (ends && !ooo_i && e_left == (TW + 1)'(1)) some_q[e_stream_q] <= 1'b0;
      if (append_i && !app_alone_i)                 some_q[app_stream_i] <= 1'b1;
      if (pick) after_q <= after;
      open_valid_o <= open || (open_valid_o && !open_take_i);
      done_valid_o <= complete || (done_valid_o && !done_ready_i);
    end
  end

  // What is read at each step.
  assign tail = tail_m[stream_q];
  always_ff @(posedge clk_i) begin
    if (pick) begin
      {e_tag_q, e_status_q, e_planes_q} <= {tag, status, planes};
      e_bad_q      <= src == OW'(BAD);
      bad_tag_q    <= bad_tag_i;
      bad_cookie_q <= bad_cookie_i;
    end
    if (streamed_q) begin
      {e_alone_q, e_stream_q} <= stream_m[e_tag_q];
      e_begun_q <= begun_m[e_tag_q];
      e_ended_q <= ended_m[e_tag_q];
      e_next_q  <= next_m[e_tag_q];
    end
    if (know_q) begin
      head_ended_q  <= ended_m[head_q] != begun_m[head_q];
      head_result_q <= result_m[head_q];
      next_q        <= next_m[head_q];
      last_q        <= head_q == tail;
      {head_fence_q, head_channel_q, head_lun_q} <= place_m[head_q];
    end
    if (goes) begin
      head_q   <= e_next_q;
      stream_q <= e_stream_q;
    end else if (retire) begin
      head_q   <= next_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (append_i) begin
      if (!app_alone_i && !app_some) head_m[app_stream_i] <= app_tag_i;
      if (!app_alone_i) tail_m[app_stream_i] <= app_tag_i;
      begun_m[app_tag_i]    <= ended_m[app_tag_i];
      stream_m[app_tag_i]   <= {app_alone_i, app_stream_i};
      place_m[app_tag_i]    <= {app_fence_i, app_channel_i, app_lun_i};
      cookie_m[app_tag_i]   <= app_cookie_i;
    end else if (retire || first) begin
      head_m[retire ? stream_q : e_stream_q] <= retire ? next_q : e_next_q;
    end
    if (append_i && !app_alone_i && app_some) next_m[app_tail] <= app_tag_i;
    if (append_i && !app_alone_i) count_m[app_stream_i] <= app_count;
    else if (ends && !ooo_i) count_m[e_stream_q] <= e_left - (TW + 1)'(1);
    if (wait_for) begin
      ended_m[e_tag_q]  <= !e_begun_q;
      result_m[e_tag_q] <= {e_status_q, e_planes_q};
    end
    if (open) begin
      open_channel_o <= head_channel_q;
      open_lun_o     <= head_lun_q;
      open_tag_o     <= head_q;
    end
    if (complete) begin
      done_tag_o    <= (!retire && e_bad_q) ? bad_tag_q : 16'(ended_tag_o);
      {done_status_o, done_planes_o} <= retire ? {8'(head_result_q[ST+3:4]), 4'd0, head_result_q[3:0]}
                                               : {8'(e_status_q), 4'd0, e_planes_q};
    end
  end

  // A block RAM: read at the edge at which the completion begins to show.
  logic [COOKIE_W-1:0] cookie_q, done_bad_cookie_q;
  logic        bad_q;
  always_ff @(posedge clk_i) begin
    if (complete) begin
      cookie_q          <= cookie_m[ended_tag_o];
      done_bad_cookie_q <= bad_cookie_q;
      bad_q             <= !retire && e_bad_q;
    end
  end
  assign done_cookie_o = bad_q ? done_bad_cookie_q : cookie_q;

  assign active_o = !idle || any || append_i || open_valid_o || done_valid_o;

  `O3_ASSERT(TakenHasEnded, ({bad_take_o, land_take_o, end_take_o} & ~req) == '0, clk_i, rst_ni)
  `O3_ASSERT(CompletesIntoAFreePlace, !complete || !done_valid_o, clk_i, rst_ni)
  `O3_ASSERT(OpenedIsTaken, !open_take_i || open_valid_o, clk_i, rst_ni)
  `O3_ASSERT(EndedIsInAStream, !ends || some_q[e_stream_q], clk_i, rst_ni)
  `O3_ASSERT(EndedOnce, !ends || e_ended_q == e_begun_q, clk_i, rst_ni)
  `O3_ASSERT(JudgedHasAHead, !know_q || some_q[stream_q], clk_i, rst_ni)
  `O3_ASSERT(OneStep, 3'(streamed_q) + 3'(act_q) + 3'(append_i) + 3'(go_q) <= 3'd1, clk_i, rst_ni)
  `O3_ASSERT(OneStepOfAHead, 2'(know_q) + 2'(judge_q) == 2'(go_q), clk_i, rst_ni)

endmodule
`default_nettype wire
