// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ends of operations and their completions: out of order each stream completes in its own order,
// else at once. One action a cycle: retire, take an end, append.
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

  // An operation that goes to its channel joins its stream.
  input  wire logic                   app_valid_i,
  output logic                        app_ready_o,
  input  wire logic [TW-1:0]          app_tag_i,
  input  wire logic [NW-1:0]          app_stream_i,
  input  wire logic [CW-1:0]          app_channel_i,
  input  wire logic [LW-1:0]          app_lun_i,
  input  wire logic                   app_alone_i,   // of no stream: told when it ends
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
  // Pulse: the end that is taken at the next edge has to wait for an older one of its stream.
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
  (* no_rw_check *)  // one action a cycle: it is not written and told in the same
  logic [COOKIE_W-1:0] cookie_m [0:TAGS-1];

  assign streams_o = some_q;

  // ---- the stream that may go on ----
  logic          go_q;
  logic [NW-1:0] stream_q;
  logic [TW-1:0] head, head_next, tail;
  logic          head_ended, head_fence, tell, retire, open, go_end;
  logic [CW-1:0] head_channel;
  logic [LW-1:0] head_lun;

  assign head       = head_m[stream_q];
  assign head_next  = next_m[head];
  assign tail       = tail_m[stream_q];
  assign head_ended = some_q[stream_q] && ended_m[head] != begun_m[head];
  assign {head_fence, head_channel, head_lun} = place_m[head];
  assign retire     = go_q && head_ended && !done_valid_o;
  assign open       = go_q && some_q[stream_q] && !head_ended && head_fence && !open_valid_o;
  assign go_end     = go_q && !head_ended && (!some_q[stream_q] || !head_fence || !open_valid_o);

  // ---- an end ----
  logic [SOURCES-1:0] req, after_q, after;
  logic               any, take, plain, e_alone, e_last;
  logic [OW-1:0]      src;
  logic [TW-1:0]      e_tag;
  logic [ST-1:0]      e_status;
  logic [3:0]         e_planes;
  logic [NW-1:0]      e_stream;
  logic [TW:0]        e_left, e_count;

  assign req = {bad_valid_i, land_valid_i, end_valid_i};
  rr_pick #(.N(SOURCES)) u_end (
    .req_i(req), .after_i(after_q), .any_o(any), .idx_o(src), .after_o(after)
  );
  assign plain = src == OW'(BAD) || !ooo_i || e_alone;  // told without its stream
  assign take  = any && !go_q && (!plain || !done_valid_o);

  always_comb begin
    end_take_o  = (src < OW'(CHANNELS)) ? CHANNELS'(take) << src : '0;
    land_take_o = take && src == OW'(LAND);
    bad_take_o  = take && src == OW'(BAD);
    e_tag       = land_tag_i;
    e_status    = flash_op_pkg::FLASH_STATUS_OK[ST-1:0];
    e_planes    = 4'd0;
    if (src < OW'(CHANNELS)) begin
      e_tag    = end_tag_i[src[CW-1:0] * TW +: TW];
      e_status = end_status_i[src[CW-1:0] * ST +: ST];
      e_planes = end_planes_i[src[CW-1:0] * 4 +: 4];
    end else if (src == OW'(BAD)) begin
      e_tag    = bad_tag_i[TW-1:0];
      e_status = flash_op_pkg::FLASH_STATUS_ILLEGAL[ST-1:0];
    end
    {e_alone, e_stream} = stream_m[e_tag];
    e_left   = count_m[e_stream];
    e_count  = e_left - (TW + 1)'(1);
    e_last   = e_left == (TW + 1)'(1);
  end

  // ---- an append ----
  logic          append;
  logic [TW:0]   a_count;
  logic [TW-1:0] app_tail;
  logic          app_ended, e_begun;
  assign app_ended   = ended_m[app_tag_i];
  assign e_begun     = begun_m[e_tag];
  assign app_tail    = tail_m[app_stream_i];
  assign app_ready_o = !go_q && !any;
  assign append      = app_valid_i && app_ready_o;
  assign a_count     = some_q[app_stream_i] ? count_m[app_stream_i] + (TW + 1)'(1) : (TW + 1)'(1);

  // ---- state ----
  logic ends;   // of an operation that is in a stream
  logic again;  // which has ended before
  assign ends    = take && src != OW'(BAD) && !(ooo_i && e_alone);
  assign tell    = retire || (take && plain);
  assign ended_o = retire || (take && plain && src != OW'(BAD));
  assign again   = ends && ended_m[e_tag] != begun_m[e_tag];
  assign held_o  = ends && ooo_i && head_m[e_stream] != e_tag;
  assign held_tag_o    = e_tag;
  assign held_status_o = e_status;
  assign held_planes_o = e_planes;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      some_q       <= '0;
      go_q         <= 1'b0;
      after_q      <= '0;
      open_valid_o <= 1'b0;
      done_valid_o <= 1'b0;
    end else begin
      if (retire || take || append) begin
        some_q <= (some_q | (STREAMS'(append && !app_alone_i) << app_stream_i))
                & ~(STREAMS'(retire && head == tail) << stream_q)
                & ~(STREAMS'(ends && !ooo_i && e_last) << e_stream);
      end
      if (ends && ooo_i && head_m[e_stream] == e_tag) go_q <= 1'b1;
      else if (go_end) go_q <= 1'b0;
      if (take) after_q <= after;
      open_valid_o <= open || (open_valid_o && !open_take_i);
      done_valid_o <= tell || (done_valid_o && !done_ready_i);
    end
  end

  logic [TW-1:0] t_tag;
  logic [ST-1:0] t_status;
  logic [3:0]    t_planes;
  always_comb begin
    t_tag = retire ? head : e_tag;
    {t_status, t_planes} = retire ? result_m[head] : {e_status, e_planes};
  end

  assign ended_tag_o = t_tag;

  always_ff @(posedge clk_i) begin
    if (append) begin
      if (!app_alone_i && !some_q[app_stream_i]) head_m[app_stream_i] <= app_tag_i;
      if (!app_alone_i) tail_m[app_stream_i] <= app_tag_i;
      begun_m[app_tag_i]    <= app_ended;
      stream_m[app_tag_i]   <= {app_alone_i, app_stream_i};
      place_m[app_tag_i]    <= {app_fence_i, app_channel_i, app_lun_i};
      cookie_m[app_tag_i]   <= app_cookie_i;
    end else if (retire) begin
      head_m[stream_q] <= head_next;
    end
    if (append && !app_alone_i && some_q[app_stream_i]) next_m[app_tail] <= app_tag_i;
    if (append && !app_alone_i) count_m[app_stream_i] <= a_count;
    else if (ends) count_m[e_stream] <= e_count;
    if (ends) begin
      ended_m[e_tag]  <= !e_begun;
      result_m[e_tag] <= {e_status, e_planes};
      stream_q        <= e_stream;
    end
    if (open) begin
      open_channel_o <= head_channel;
      open_lun_o     <= head_lun;
      open_tag_o     <= head;
    end
    if (tell) begin
      done_tag_o    <= (take && src == OW'(BAD)) ? bad_tag_i : 16'(t_tag);
      done_status_o <= 8'(t_status);
      done_planes_o <= {4'd0, t_planes};
    end
  end

  // A block RAM: read at the edge at which the completion is told.
  logic [COOKIE_W-1:0] cookie_q, bad_cookie_q;
  logic        bad_q;
  always_ff @(posedge clk_i) begin
    if (tell) begin
      cookie_q     <= cookie_m[t_tag];
      bad_cookie_q <= bad_cookie_i;
      bad_q        <= take && src == OW'(BAD);
    end
  end
  assign done_cookie_o = bad_q ? bad_cookie_q : cookie_q;

  assign active_o = go_q || any || open_valid_o || done_valid_o;

  `O3_ASSERT(TakenHasEnded, ({bad_take_o, land_take_o, end_take_o} & ~req) == '0, clk_i, rst_ni)
  `O3_ASSERT(CompletesIntoAFreePlace, !tell || !done_valid_o, clk_i, rst_ni)
  `O3_ASSERT(OpenedIsTaken, !open_take_i || open_valid_o, clk_i, rst_ni)
  `O3_ASSERT(EndedIsInAStream, !ends || some_q[e_stream], clk_i, rst_ni)
  `O3_ASSERT(EndedOnce, !again, clk_i, rst_ni)
  `O3_ASSERT(OneAction, 2'(retire) + 2'(take) + 2'(append) <= 2'd1, clk_i, rst_ni)

endmodule
`default_nettype wire
