// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the events of a channel (o3_event), 2 LUNs: one at a time, of the first kind that waits and may go; each has
// its steps in their order, one in a cycle, and ends with its commit, or right after its read where its LUN waits no
// more; what has been taken has an event, and nothing waits while no event is outstanding. How many cycles a step
// takes is not asked. Assumed: nothing.
`default_nettype none
`include "prove.svh"

module prove_event #(
  localparam int unsigned LUNS = 2
) (
  input  wire logic            clk_i,
  input  wire logic            end_free_i,
  input  wire logic            done_i,
  input  wire logic            done_lun_i,
  input  wire logic [LUNS-1:0] rb_i,
  input  wire logic [LUNS-1:0] timeout_i,
  input  wire logic [LUNS-1:0] retry_i,
  input  wire logic            tick_i,
  input  wire logic            tick_lun_i,
  input  wire logic            open_i,
  input  wire logic            open_lun_i,
  input  wire logic            request_i,
  input  wire logic            request_lun_i,
  input  wire logic            in_i,
  input  wire logic            in_lun_i,
  input  wire logic [LUNS-1:0] wait_i,
  input  wire logic            single_i
);

  `PROVE_RESET

  logic take_done, take_open, take_request, rb_any, picked, ev, stale, lun;
  logic read, choose, age, compare, decide, commit;
  logic done, rb, timeout, retry, tick, open, request, enter;

  o3_event #(.LUNS(LUNS)) u_dut (
    .clk_i, .rst_ni(rst_n), .end_free_i, .done_i, .done_lun_i, .rb_i, .timeout_i, .retry_i, .tick_i, .tick_lun_i,
    .open_i, .open_lun_i, .request_i, .request_lun_i, .in_i, .in_lun_i, .wait_i,
    .take_done_o(take_done), .take_open_o(take_open), .take_request_o(take_request), .rb_any_o(rb_any),
    .picked_o(picked), .ev_o(ev), .done_o(done), .rb_o(rb), .timeout_o(timeout), .retry_o(retry), .tick_o(tick),
    .open_o(open), .request_o(request), .in_o(enter), .lun_o(lun), .read_o(read), .stale_o(stale), .choose_o(choose), .single_i,
    .age_o(age), .compare_o(compare), .decide_o(decide), .commit_o(commit)
  );

  // ---- the kind that is first, one hot: segment ended, R/B#, given up, verdict, timer, fence, request,
  // intake ----
  logic [7:0] waits, may, first, kind;
  logic       first_lun;
  assign waits = {in_i, request_i, open_i, tick_i, retry_i != '0, timeout_i != '0, rb_i != '0, done_i};
  assign may   = waits & (end_free_i ? 8'hff : 8'b10111000);  // without a place for an end: verdict, timer, fence, intake
  assign first = may & ~(may - 8'd1);
  assign kind  = {enter, request, open, tick, retry, timeout, rb, done};
  always_comb begin
    first_lun = in_lun_i;
    if (first[0]) first_lun = done_lun_i;
    if (first[1]) first_lun = !rb_i[0];
    if (first[2]) first_lun = !timeout_i[0];
    if (first[3]) first_lun = !retry_i[0];
    if (first[4]) first_lun = tick_lun_i;
    if (first[5]) first_lun = open_lun_i;
    if (first[6]) first_lun = request_lun_i;
  end

  // ---- the event that was picked, and the steps that it has had ----
  logic       ev_q = 1'b0, lun_q, single_q;
  logic [7:0] kind_q;
  logic [5:0] had_q = '0, now;
  logic [2:0] idle_q = '0;  // cycles without an event while something may go
  assign now = {commit, decide, compare, age, choose, read};
  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      ev_q  <= picked || (ev_q && !commit && !stale);
      had_q <= picked ? '0 : had_q | now;
      idle_q <= (ev || picked || may == '0) ? '0 : idle_q + 3'd1;
    end
    if (picked) {kind_q, lun_q} <= {first, first_lun};
    if (choose) single_q <= single_i;
  end

  always_comb begin
    if (rst_n) begin
      `PROVE(ev == ev_q);
      `PROVE((now & (now - 6'd1)) == '0);                  // never two steps
      `PROVE((now != '0) == ev);                           // and none of no event
      // One at a time; the first that may go; what is taken has its event.
      `PROVE(!picked || !ev || commit);
      `PROVE(!picked || may != '0);
      `PROVE({take_request, take_open, take_done} == (picked ? {first[6], first[5], first[0]} : 3'd0));
      `PROVE(rb_any == (rb_i != '0));
      `PROVE(idle_q == '0);                                // nothing waits for nothing
      if (ev) begin
        `PROVE(kind == kind_q && lun == lun_q);
        `PROVE((had_q & now) == '0);                       // each step once
        `PROVE(!read || had_q == '0);
        `PROVE(read || had_q[0]);
        `PROVE(!choose || request);
        `PROVE(!(age || compare) || (had_q[1] && !single_q));
        `PROVE(!compare || had_q[2]);
        `PROVE(!decide || !request || (single_q ? had_q == 6'b000011 : had_q == 6'b001111));
        `PROVE(!decide || request || had_q == 6'b000001);
        `PROVE(!commit || had_q[4]);
      end
      `PROVE(stale == (read && (rb || timeout) && !wait_i[lun]));
    end
    `REACH(rst_n && commit && request && had_q == 6'b011111);
    `REACH(rst_n && stale && timeout && picked == 1'b0);
    `REACH(rst_n && commit && enter && lun);
  end

endmodule
`default_nettype wire
