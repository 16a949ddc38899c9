// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: retirement (o3_retire), 4 tags, 2 streams: out of order an operation is told once, after its end
// and after every older one of its stream; one of no stream when it ends; in order at once. A fence is opened
// when it is its stream's oldest, once. Nothing is forgotten: where it says that it has nothing to do,
// nothing is left that could be told or opened. Assumed: an operation comes in the cycle after app_ready_o, with a
// tag that is free; an end comes once, of an
// operation that is inside and behind no shut fence, and stands until it is taken.
//
// The lemmas say what the lists mean (which order their links are in), so that all of it together follows
// from itself one edge ago: without them no engine has closed it. They are asserted like the rest.
`default_nettype none
`include "prove.svh"

module prove_retire #(
  parameter  int unsigned CHANNELS = 2,
  localparam int unsigned TAGS     = 4,
  localparam int unsigned TW       = 2,
  localparam int unsigned STREAMS  = 2,  // as scripts/prove_list.py sets FLASH_STREAMS
  localparam int unsigned CW       = (CHANNELS > 1) ? $clog2(CHANNELS) : 1,
  localparam int unsigned ST       = o3_pkg::STATUS_W
) (
  input  wire logic                   clk_i,
  input  wire logic                   app_valid_i,
  input  wire logic [TW-1:0]          app_tag_i,
  input  wire logic                   app_stream_i,
  input  wire logic                   app_alone_i,
  input  wire logic                   app_fence_i,
  input  wire logic [CHANNELS-1:0]    end_valid_i,
  input  wire logic [CHANNELS*TW-1:0] end_tag_i,
  input  wire logic [CHANNELS*ST-1:0] end_status_i,
  input  wire logic                   land_valid_i,
  input  wire logic [TW-1:0]          land_tag_i,
  input  wire logic                   open_take_i,
  input  wire logic                   done_ready_i
);

  `PROVE_RESET

  (* anyconst *) logic          ooo;  // or in order
  (* anyconst *) logic [TW-1:0] b;    // whose status is followed

  logic                app_ready, land_take, open_valid, done_valid, active;
  logic [CHANNELS-1:0] end_take;
  logic [TW-1:0]       open_tag;
  logic [15:0]         done_tag;
  logic [7:0]          done_status;
  logic                alone;
  assign alone = app_alone_i && ooo;

  o3_retire #(.CHANNELS(CHANNELS), .LUNS(2), .TAGS(TAGS)) u_dut (
    .clk_i, .rst_ni(rst_n), .ooo_i(ooo), .app_ready_o(app_ready), .append_i(app), .app_tag_i,
    .app_stream_i, .app_channel_i('0), .app_lun_i(1'b0), .app_alone_i(alone),
    .app_fence_i(app_fence_i && !alone), .app_cookie_i(33'd0), .streams_o(),
    .end_valid_i, .end_take_o(end_take), .end_tag_i, .end_status_i, .end_planes_i('0),
    .land_valid_i, .land_take_o(land_take), .land_tag_i,
    .bad_valid_i(1'b0), .bad_take_o(), .bad_tag_i(16'd0), .bad_cookie_i(33'd0),
    .open_valid_o(open_valid), .open_take_i, .open_channel_o(), .open_lun_o(), .open_tag_o(open_tag),
    .done_valid_o(done_valid), .done_ready_i, .done_tag_o(done_tag), .done_status_o(done_status),
    .done_planes_o(), .done_cookie_o(), .ended_o(), .ended_tag_o(), .held_o(), .held_tag_o(),
    .held_status_o(), .held_planes_o(),
    .active_o(active)
  );

  // ---- what the ports say of all operations ----
  logic [TAGS-1:0] outstanding_q = '0;              // taken and not told
  logic [TAGS-1:0] ended_q = '0;
  logic [TAGS-1:0] streams_q, alones_q, fences_q;
  logic [TAGS-1:0] behind_q;                   // its stream had others when it came, in its list
  logic [TAGS-1:0] opened_q;
  logic [TAGS*TAGS-1:0] before_q;              // {t, u}: of t's stream u was inside when t came: not told yet
  logic [ST-1:0]   status_q;                   // of b's end
  logic            app, tell;
  logic [TAGS-1:0] completed, listed;               // listed: inside, in a stream, and not on its way out
  logic app_q = 1'b0;
  always_ff @(posedge clk_i) app_q <= rst_n && app_valid_i && app_ready;
  assign app    = app_q;
  assign tell   = done_valid && done_ready_i;
  assign completed   = TAGS'(done_valid) << done_tag[TW-1:0];
  assign listed = outstanding_q & ~alones_q & ~completed;

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      if (tell) begin
        outstanding_q[done_tag[TW-1:0]] <= 1'b0;
        ended_q[done_tag[TW-1:0]]  <= 1'b0;
        for (int unsigned t = 0; t < TAGS; t++) before_q[t * TAGS + 32'(done_tag[TW-1:0])] <= 1'b0;
      end
      for (int unsigned c = 0; c < CHANNELS; c++) begin
        if (end_take[c]) begin
          ended_q[end_tag_i[c * TW +: TW]] <= 1'b1;
          if (end_tag_i[c * TW +: TW] == b) status_q <= end_status_i[c * ST +: ST];
        end
      end
      if (land_take) begin
        ended_q[land_tag_i] <= 1'b1;
        if (land_tag_i == b) status_q <= flash_op_pkg::FLASH_STATUS_OK[ST-1:0];
      end
      if (open_valid && open_take_i) opened_q[open_tag] <= 1'b1;
      for (int unsigned t = 0; t < TAGS; t++) begin
        if (app && app_tag_i == TW'(t)) begin
          outstanding_q[t]  <= 1'b1;
          ended_q[t]   <= 1'b0;
          streams_q[t] <= app_stream_i;
          alones_q[t]  <= alone;
          fences_q[t]  <= app_fence_i && !alone;
          opened_q[t]  <= 1'b0;
          behind_q[t]  <= !alone && (listed & ~(streams_q ^ {TAGS{app_stream_i}})) != '0;
          for (int unsigned u = 0; u < TAGS; u++) begin
            before_q[t * TAGS + u] <= !alone && outstanding_q[u] && !alones_q[u] && streams_q[u] == app_stream_i
                                   && !(tell && completed[u]);
          end
        end
      end
    end
  end

  logic [TAGS-1:0] shut;  // it waits for the stations to be told that it may go
  assign shut = ooo ? outstanding_q & fences_q & behind_q & ~opened_q : '0;

  // Ends that stand.
  logic [CHANNELS-1:0]    end_before_q = '0;
  logic [CHANNELS*TW-1:0] end_tag_before_q;
  logic                   land_before_q = 1'b0;
  logic [TW-1:0]          land_tag_before_q;
  always_ff @(posedge clk_i) begin
    end_before_q      <= rst_n ? (end_valid_i & ~end_take) : '0;
    end_tag_before_q  <= end_tag_i;
    land_before_q     <= rst_n && land_valid_i && !land_take;
    land_tag_before_q <= land_tag_i;
  end

  logic [TAGS-1:0] may_end;
  assign may_end = outstanding_q & ~ended_q & ~shut;
  always_comb begin
    if (!rst_n) assume (!app_valid_i && end_valid_i == '0 && !land_valid_i && !open_take_i && !done_ready_i);
    assume (!app || !outstanding_q[app_tag_i]);
    assume (!open_take_i || open_valid);
    for (int unsigned c = 0; c < CHANNELS; c++) begin
      assume (!end_valid_i[c] || may_end[end_tag_i[c * TW +: TW]]);
      assume (!end_before_q[c]
              || (end_valid_i[c] && end_tag_i[c * TW +: TW] == end_tag_before_q[c * TW +: TW]));
      assume (!(land_valid_i && end_valid_i[c]) || end_tag_i[c * TW +: TW] != land_tag_i);
      for (int unsigned d = 0; d < c; d++) begin
        assume (!(end_valid_i[c] && end_valid_i[d]) || end_tag_i[c * TW +: TW] != end_tag_i[d * TW +: TW]);
      end
    end
    assume (!land_valid_i || may_end[land_tag_i]);
    assume (!land_before_q || (land_valid_i && land_tag_i == land_tag_before_q));
  end

  // ---- proven ----
  logic [TAGS-1:0] first;  // all before it in its stream have been completed
  always_comb begin
    for (int unsigned t = 0; t < TAGS; t++) first[t] = before_q[t * TAGS +: TAGS] == '0;
    if (rst_n) begin
      // Completed once, when it has ended, with its status, in the order of its stream.
      if (done_valid) begin
        `PROVE(done_tag < 16'(TAGS) && outstanding_q[done_tag[TW-1:0]] && ended_q[done_tag[TW-1:0]]);
        `PROVE(!ooo || first[done_tag[TW-1:0]]);
        `PROVE(done_tag != 16'(b) || done_status == 8'(status_q));
      end
      // A fence: when all before it in its stream have ended, once, and no other.
      if (open_valid) begin
        `PROVE(ooo && outstanding_q[open_tag] && fences_q[open_tag] && !opened_q[open_tag]);
        `PROVE((before_q[open_tag * TAGS +: TAGS] & ~ended_q) == '0);
      end
      // Nothing is forgotten. One that finds its stream empty is open from the beginning (push_open_i of
      // o3_channel).
      for (int unsigned t = 0; t < TAGS; t++) begin
        if (!active && outstanding_q[t]) `PROVE(!(ended_q[t] && (!ooo || first[t])) && !(shut[t] && first[t]));
      end
    end
    // One that has waited for another of its stream; a fence that was opened behind another.
    `REACH(ooo && tell && done_tag == 16'(b) && waited_q[b]);
    `REACH(ooo && tell && done_tag == 16'(b) && shut_q[b] && opened_q[b]);
    `REACH(!ooo && tell && done_tag == 16'(b) && before_q[b * TAGS +: TAGS] != '0);
  end
  logic [TAGS-1:0] waited_q = '0, shut_q = '0;
  always_ff @(posedge clk_i) begin
    for (int unsigned t = 0; t < TAGS; t++) begin
      waited_q[t] <= rst_n && outstanding_q[t] && (waited_q[t] || (ended_q[t] && !first[t]))
                   && !(app && app_tag_i == TW'(t));
      shut_q[t]   <= rst_n && outstanding_q[t] && (shut_q[t] || shut[t]);
    end
  end

  // ---- lemmas: what the registers mean ----
  (* hierconn *) logic               \u_dut.go_q , \u_dut.know_q , \u_dut.judge_q ;
  (* hierconn *) logic               \u_dut.streamed_q , \u_dut.act_q ;
  (* hierconn *) logic               \u_dut.e_bad_q , \u_dut.e_alone_q , \u_dut.e_stream_q ;
  (* hierconn *) logic               \u_dut.e_begun_q , \u_dut.e_ended_q ;
  (* hierconn *) logic [TW-1:0]      \u_dut.e_tag_q , \u_dut.e_next_q , \u_dut.head_q , \u_dut.next_q ;
  (* hierconn *) logic [ST-1:0]      \u_dut.e_status_q ;
  (* hierconn *) logic               \u_dut.last_q , \u_dut.head_ended_q , \u_dut.head_fence_q ;
  (* hierconn *) logic [ST+3:0]      \u_dut.head_result_q ;
  (* hierconn *) logic               \u_dut.stream_q ;
  (* hierconn *) logic [STREAMS-1:0] \u_dut.some_q ;
  (* hierconn *) logic [TW-1:0]      \u_dut.head_m[0] , \u_dut.head_m[1] ;
  (* hierconn *) logic [TW-1:0]      \u_dut.tail_m[0] , \u_dut.tail_m[1] ;
  (* hierconn *) logic [TW:0]        \u_dut.count_m[0] , \u_dut.count_m[1] ;
  (* hierconn *) logic [TW-1:0]      \u_dut.next_m[0] , \u_dut.next_m[1] ,
                                     \u_dut.next_m[2] , \u_dut.next_m[3] ;
  (* hierconn *) logic [1:0]         \u_dut.stream_m[0] , \u_dut.stream_m[1] ,
                                     \u_dut.stream_m[2] , \u_dut.stream_m[3] ;
  (* hierconn *) logic [CW+1:0]      \u_dut.place_m[0] , \u_dut.place_m[1] ,
                                     \u_dut.place_m[2] , \u_dut.place_m[3] ;
  (* hierconn *) logic [ST+3:0]      \u_dut.result_m[0] , \u_dut.result_m[1] ,
                                     \u_dut.result_m[2] , \u_dut.result_m[3] ;
  (* hierconn *) logic               \u_dut.ended_m[0] , \u_dut.ended_m[1] ,
                                     \u_dut.ended_m[2] , \u_dut.ended_m[3] ;
  (* hierconn *) logic               \u_dut.begun_m[0] , \u_dut.begun_m[1] ,
                                     \u_dut.begun_m[2] , \u_dut.begun_m[3] ;
  logic [STREAMS*TW-1:0]     heads, tails;
  logic [STREAMS*(TW+1)-1:0] counts;
  logic [TAGS*TW-1:0]        nexts;
  logic [TAGS-1:0]           marked, begun, l_alone, l_stream, l_fence;
  logic [TAGS*ST-1:0]        results;
  logic                      go, flight;  // flight: an end was taken, and has had no effect yet
  logic [TW-1:0]             ft;          // whose
  logic [TAGS-1:0]           flights;
  always_comb begin
    go       = \u_dut.go_q ;
    flight   = \u_dut.streamed_q || \u_dut.act_q ;
    ft       = \u_dut.e_tag_q ;
    flights  = TAGS'(flight) << ft;
    heads    = {\u_dut.head_m[1] , \u_dut.head_m[0] };
    tails    = {\u_dut.tail_m[1] , \u_dut.tail_m[0] };
    counts   = {\u_dut.count_m[1] , \u_dut.count_m[0] };
    nexts    = {\u_dut.next_m[3] ,
                                     \u_dut.next_m[2] , \u_dut.next_m[1] , \u_dut.next_m[0] };
    marked   = {\u_dut.ended_m[3] ,
                                     \u_dut.ended_m[2] , \u_dut.ended_m[1] , \u_dut.ended_m[0] }
             ^ {\u_dut.begun_m[3] ,
                                     \u_dut.begun_m[2] , \u_dut.begun_m[1] , \u_dut.begun_m[0] };
    begun    = {\u_dut.begun_m[3] , \u_dut.begun_m[2] , \u_dut.begun_m[1] , \u_dut.begun_m[0] };
    {l_alone[3], l_stream[3], l_alone[2], l_stream[2], l_alone[1], l_stream[1], l_alone[0], l_stream[0]} =
      {\u_dut.stream_m[3] ,
                                     \u_dut.stream_m[2] , \u_dut.stream_m[1] , \u_dut.stream_m[0] };
    l_fence = {1'(\u_dut.place_m[3] >> (CW + 1)), 1'(\u_dut.place_m[2] >> (CW + 1)),
               1'(\u_dut.place_m[1] >> (CW + 1)), 1'(\u_dut.place_m[0] >> (CW + 1))};
    results = {ST'(\u_dut.result_m[3] >> 4), ST'(\u_dut.result_m[2] >> 4), ST'(\u_dut.result_m[1] >> 4),
               ST'(\u_dut.result_m[0] >> 4)};
  end

  logic [TAGS-1:0] ahead, of_s;  // of a tag: still in its list before it; of a stream: its list
  logic [TW-1:0]   h, e, n;
  logic [TW:0]     many;
  always_comb begin
    ahead = '0;
    of_s  = '0;
    many  = '0;
    {h, e, n} = '0;
    if (!rst_n) `PROVE((outstanding_q | ended_q) == '0 && end_before_q == '0 && !land_before_q);
    if (rst_n) begin
      for (int unsigned t = 0; t < TAGS; t++) begin
        ahead = before_q[t * TAGS +: TAGS] & listed;
        if (outstanding_q[t]) begin
          `PROVE(l_alone[t] == alones_q[t] && l_stream[t] == streams_q[t] && l_fence[t] == fences_q[t]);
          `PROVE(!alones_q[t] || ooo);
          `PROVE(!(alones_q[t] && (before_q[t * TAGS +: TAGS] != '0 || fences_q[t])));
          `PROVE(!alones_q[t] || !ended_q[t] || completed[t] || flights[t]);
          // Who is before it: of its stream, inside.
          for (int unsigned u = 0; u < TAGS; u++) begin
            if (before_q[t * TAGS + u]) begin
              `PROVE(outstanding_q[u] && !alones_q[u] && streams_q[u] == streams_q[t] && u != t);
            end
          end
        end
        `PROVE((outstanding_q[t] && !shut[t]) || !ended_q[t]);
        if (ooo && listed[t]) begin
          `PROVE(marked[t] == (ended_q[t] && !flights[t]));
          if (TW'(t) == b && marked[t]) `PROVE(results[t * ST +: ST] == status_q);
          // A total order in each list.
          for (int unsigned u = 0; u < TAGS; u++) begin
            if (u != t && listed[u] && streams_q[u] == streams_q[t]) begin
              `PROVE(before_q[t * TAGS + u] != before_q[u * TAGS + t]);
              if (before_q[t * TAGS + u]) `PROVE((before_q[u * TAGS +: TAGS] & listed & ~ahead) == '0);
            end
          end
          // The link behind it.
          n = nexts[t * TW +: TW];
          if (tails[streams_q[t] * TW +: TW] != TW'(t)) begin
            `PROVE(listed[n] && streams_q[n] == streams_q[t]);
            `PROVE((before_q[n * TAGS +: TAGS] & listed) == (ahead | (TAGS'(1) << t)));
          end
          // The first of its list, which could be told or opened, is being looked at.
          if (ahead == '0) begin
            `PROVE(!ended_q[t] || flights[t] || (go && \u_dut.stream_q == streams_q[t]));
            `PROVE(!shut[t] || (go && \u_dut.stream_q == streams_q[t]) || (open_valid && open_tag == TW'(t)));
          end else begin
            `PROVE(behind_q[t] && !opened_q[t]);
          end
        end
        if (outstanding_q[t] && !ended_q[t]) `PROVE(!marked[t]);
        if (!ooo) `PROVE(!(outstanding_q[t] && ended_q[t]) || completed[t] || flights[t]);
      end
      for (int unsigned s = 0; s < STREAMS; s++) begin
        h    = heads[s * TW +: TW];
        e    = tails[s * TW +: TW];
        many = '0;
        for (int unsigned t = 0; t < TAGS; t++) begin
          of_s[t] = listed[t] && streams_q[t] == 1'(s);
          many    = many + (TW + 1)'(of_s[t]);
        end
        `PROVE(\u_dut.some_q [s] == (of_s != '0));
        if (!ooo && of_s != '0) `PROVE(counts[s * (TW + 1) +: TW + 1] == many);
        if (ooo && of_s != '0) begin
          `PROVE(of_s[h] && (before_q[h * TAGS +: TAGS] & listed) == '0);
          `PROVE(of_s[e]);
          for (int unsigned t = 0; t < TAGS; t++) `PROVE(!(of_s[t] && before_q[t * TAGS + 32'(e)]));
          // Looked at, and not ended: it has come to the front, and is opened now if it is a fence.
          if (go && \u_dut.stream_q == 1'(s) && !ended_q[h] && fences_q[h]) begin
            `PROVE(shut[h] && !(open_valid && open_tag == h));
          end
        end
      end
      if (open_valid) begin
        `PROVE(listed[open_tag] && shut[open_tag]);
        `PROVE((before_q[open_tag * TAGS +: TAGS] & listed) == '0);
      end
      `PROVE(ooo || !go);
      // The steps, one at a time, and what they have read.
      `PROVE(3'(\u_dut.streamed_q ) + 3'(\u_dut.act_q ) + 3'(go) + 3'(app) <= 3'd1);
      `PROVE(2'(\u_dut.know_q ) + 2'(\u_dut.judge_q ) == 2'(go));
      if (flight) begin
        `PROVE(!\u_dut.e_bad_q && outstanding_q[ft] && ended_q[ft] && !completed[ft] && !shut[ft]);
        `PROVE(ft != b || \u_dut.e_status_q == status_q);
        `PROVE(!marked[ft]);
      end
      if (\u_dut.act_q ) begin
        `PROVE(\u_dut.e_alone_q == alones_q[ft] && \u_dut.e_stream_q == streams_q[ft]);
        `PROVE(\u_dut.e_next_q == nexts[ft * TW +: TW]);
        `PROVE(\u_dut.e_ended_q == begun[ft]);
        `PROVE(\u_dut.e_begun_q == begun[ft]);
      end
      if (go) begin
        h = heads[\u_dut.stream_q * TW +: TW];
        `PROVE(\u_dut.some_q [\u_dut.stream_q ] && \u_dut.head_q == h);
        if (\u_dut.judge_q ) begin
          `PROVE(\u_dut.last_q == (tails[\u_dut.stream_q * TW +: TW] == h) && \u_dut.next_q == nexts[h * TW +: TW]);
          `PROVE(\u_dut.head_ended_q == marked[h] && \u_dut.head_fence_q == fences_q[h]);
          `PROVE(h != b || !marked[h] || ST'(\u_dut.head_result_q >> 4) == status_q);
        end
      end
    end
  end

endmodule
`default_nettype wire
