// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: retirement (o3_retire), 2 channels, 4 tags, 2 streams: out of order an operation is told once,
// after its end and after every older one of its stream; one of no stream when it ends; in order at once. A
// fence is opened when it is its stream's oldest, once. Nothing is forgotten: where it says that it has
// nothing to do, nothing is left that could be told or opened. Assumed: tags are free when they come; an end
// comes once, of an operation that is inside, and stands until it is taken.
//
// One operation, `b`, is followed; which one is free.
`default_nettype none
`include "prove.svh"

module prove_retire #(
  localparam int unsigned CHANNELS = 2,
  localparam int unsigned TAGS     = 4,
  localparam int unsigned TW       = 2,
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

  (* anyconst *) logic [TW-1:0] b;
  (* anyconst *) logic          ooo;

  logic                app_ready, land_take, open_valid, done_valid, active;
  logic [CHANNELS-1:0] end_take;
  logic [TW-1:0]       open_tag;
  logic [15:0]         done_tag;
  logic [7:0]          done_status;
  logic                alone;
  assign alone = app_alone_i && ooo;

  o3_retire #(.CHANNELS(CHANNELS), .LUNS(2), .TAGS(TAGS)) u_dut (
    .clk_i, .rst_ni(rst_n), .ooo_i(ooo), .app_valid_i, .app_ready_o(app_ready), .app_tag_i,
    .app_stream_i({5'd0, app_stream_i}), .app_channel_i(1'b0), .app_lun_i(1'b0), .app_alone_i(alone),
    .app_fence_i(app_fence_i && !alone), .app_cookie_i(32'd0), .streams_o(),
    .end_valid_i, .end_take_o(end_take), .end_tag_i, .end_status_i, .end_planes_i(8'd0),
    .land_valid_i, .land_take_o(land_take), .land_tag_i,
    .bad_valid_i(1'b0), .bad_take_o(), .bad_tag_i(16'd0), .bad_cookie_i(32'd0),
    .open_valid_o(open_valid), .open_take_i, .open_channel_o(), .open_lun_o(), .open_tag_o(open_tag),
    .done_valid_o(done_valid), .done_ready_i, .done_tag_o(done_tag), .done_status_o(done_status),
    .done_planes_o(), .done_cookie_o(), .ended_o(), .held_o(), .held_tag_o(),
    .held_status_o(), .held_planes_o(),
    .active_o(active)
  );

  // ---- all operations: inside, and ended ----
  logic [TAGS-1:0] inside_q = '0, ended_q = '0;
  logic            app, tell;
  assign app  = app_valid_i && app_ready;
  assign tell = done_valid && done_ready_i;

  // ---- the two ----
  logic          b_fence_q, b_opened_q = 1'b0;
  logic [TAGS-1:0] older_q;           // of those that b's stream had when b came: not told yet
  logic [TAGS-1:0] streams_q, alones_q;
  logic [ST-1:0] b_status_q;
  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      if (tell) begin
        inside_q[done_tag[TW-1:0]] <= 1'b0;
        ended_q[done_tag[TW-1:0]]  <= 1'b0;
        older_q[done_tag[TW-1:0]]  <= 1'b0;
      end
      for (int unsigned c = 0; c < CHANNELS; c++) begin
        if (end_take[c]) begin
          ended_q[end_tag_i[c * TW +: TW]] <= 1'b1;
          if (end_tag_i[c * TW +: TW] == b) b_status_q <= end_status_i[c * ST +: ST];
        end
      end
      if (land_take) begin
        ended_q[land_tag_i] <= 1'b1;
        if (land_tag_i == b) b_status_q <= flash_op_pkg::FLASH_STATUS_OK[ST-1:0];
      end
      if (app) begin
        inside_q[app_tag_i]  <= 1'b1;
        ended_q[app_tag_i]   <= 1'b0;
        streams_q[app_tag_i] <= app_stream_i;
        alones_q[app_tag_i]  <= alone;
        if (app_tag_i == b) begin
          b_fence_q  <= app_fence_i && !alone;
          b_opened_q <= 1'b0;
          for (int unsigned t = 0; t < TAGS; t++) begin
            older_q[t] <= inside_q[t] && 2'(t) != b && !alone && !alones_q[t] && streams_q[t] == app_stream_i
                       && !(tell && done_tag == 16'(t));
          end
        end
      end
      if (open_valid && open_take_i && open_tag == b) b_opened_q <= 1'b1;
    end
  end

  logic b_first;  // the oldest of its stream
  assign b_first = older_q == '0;

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

  always_comb begin
    if (!rst_n) assume (!app_valid_i && end_valid_i == '0 && !land_valid_i && !open_take_i && !done_ready_i);
    assume (!app_valid_i || !inside_q[app_tag_i]);
    assume (!open_take_i || open_valid);
    for (int unsigned c = 0; c < CHANNELS; c++) begin
      assume (!end_valid_i[c] || (inside_q[end_tag_i[c * TW +: TW]] && !ended_q[end_tag_i[c * TW +: TW]]));
      assume (!end_before_q[c]
              || (end_valid_i[c] && end_tag_i[c * TW +: TW] == end_tag_before_q[c * TW +: TW]));
      assume (!(land_valid_i && end_valid_i[c]) || end_tag_i[c * TW +: TW] != land_tag_i);
    end
    assume (!(end_valid_i == 2'b11) || end_tag_i[0 +: TW] != end_tag_i[TW +: TW]);
    assume (!land_valid_i || (inside_q[land_tag_i] && !ended_q[land_tag_i]));
    assume (!land_before_q || (land_valid_i && land_tag_i == land_tag_before_q));
    if (rst_n) begin
      // Told once, when it has ended, with its status, in the order of its stream.
      if (done_valid) `PROVE(done_tag < 16'(TAGS) && inside_q[done_tag[TW-1:0]] && ended_q[done_tag[TW-1:0]]);
      if (done_valid && done_tag == 16'(b)) begin
        `PROVE(done_status == 8'(b_status_q));
        `PROVE(!ooo || b_first);
      end
      // A fence: when all before it in its stream have ended, once, and no other.
      if (open_valid && open_tag == b && ooo) begin
        `PROVE(inside_q[b] && b_fence_q && (older_q & ~ended_q) == '0 && !b_opened_q);
      end
      // Nothing is forgotten.
      if (!active && inside_q[b]) begin
        `PROVE(!(ended_q[b] && (!ooo || b_first)));
        // One that finds its stream empty is open from the beginning (push_open_i of o3_channel).
        `PROVE(!(ooo && b_fence_q && b_first && had_older_q && !ended_q[b]) || b_opened_q);
      end
    end
    `REACH(tell && done_tag == 16'(b) && held_q && ooo);
    `REACH(tell && done_tag == 16'(b) && b_fence_q && b_opened_q && had_older_q);
  end

  // b came behind another of its stream; it ended before that one was told.
  logic had_older_q = 1'b0, held_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (rst_n && app && app_tag_i == b) begin
      held_q      <= 1'b0;
      had_older_q <= 1'b0;
      for (int unsigned t = 0; t < TAGS; t++) begin
        if (inside_q[t] && 2'(t) != b && !alone && !alones_q[t] && streams_q[t] == app_stream_i
            && !(done_valid && done_tag == 16'(t))) had_older_q <= 1'b1;
      end
    end else if (inside_q[b] && ended_q[b] && !b_first) held_q <= 1'b1;
  end

endmodule
`default_nettype wire
