// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the rule inside a LUN (docs/o3.md): of the operations that may go the oldest if its time is
// up, else the highest priority, of equal ones the oldest. One LUN's stations in, one hot out.
`default_nettype none

module o3_choose #(
  parameter  int unsigned STATIONS = 8
) (
  input  wire logic [STATIONS-1:0]                 used_i,
  input  wire logic [STATIONS-1:0]                 closed_i,  // behind a fence
  input  wire logic [STATIONS*STATIONS-1:0]        waits_i,   // row s: what station s depends on
  input  wire logic [STATIONS*STATIONS-1:0]        older_i,   // row s: what came before station s
  input  wire logic [STATIONS*2-1:0]               prio_i,
  input  wire logic [STATIONS*o3_pkg::STAMP_W-1:0] since_i,
  input  wire logic [o3_pkg::STAMP_W-1:0]          now_i,
  input  wire logic [o3_pkg::STAMP_W-1:0]          limit_i,
  output logic                                     any_o,
  output logic [STATIONS-1:0]                      sel_o
);

  localparam int unsigned STAMP_W = o3_pkg::STAMP_W;

  logic [STATIONS-1:0] may, of3, of2, of1, of0, urgent, first, oldest;
  logic [STAMP_W-1:0]  since, age;

  always_comb begin
    may   = '0;
    of3   = '0;
    of2   = '0;
    of1   = '0;
    of0   = '0;
    first = '0;
    oldest = '0;
    since = '0;
    for (int unsigned s = 0; s < STATIONS; s++) begin
      may[s] = used_i[s] && !closed_i[s] && waits_i[s * STATIONS +: STATIONS] == '0;
      of3[s] = may[s] && prio_i[s * 2 +: 2] == 2'd3;
      of2[s] = may[s] && prio_i[s * 2 +: 2] == 2'd2;
      of1[s] = may[s] && prio_i[s * 2 +: 2] == 2'd1;
      of0[s] = may[s] && prio_i[s * 2 +: 2] == 2'd0;
    end
    urgent = (|of3) ? of3 : (|of2) ? of2 : (|of1) ? of1 : of0;
    for (int unsigned s = 0; s < STATIONS; s++) begin
      oldest[s] = may[s] && (older_i[s * STATIONS +: STATIONS] & may) == '0;
      first[s]  = urgent[s] && (older_i[s * STATIONS +: STATIONS] & urgent) == '0;
      if (oldest[s]) since = since | since_i[s * STAMP_W +: STAMP_W];
    end
    age   = now_i - since;
    any_o = |may;
    sel_o = (age >= limit_i) ? oldest : first;
  end

endmodule
`default_nettype wire
