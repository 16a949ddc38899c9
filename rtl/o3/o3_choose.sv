// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: of the operations in a LUN's stations that may go: the oldest, and of the highest priority
// the oldest; one hot. Which of the two goes is a matter of age (docs/explanation/o3.md).
`default_nettype none

module o3_choose #(
  parameter  int unsigned STATIONS = 8
) (
  input  wire logic                         en_i,
  input  wire logic [STATIONS-1:0]          used_i,
  input  wire logic [STATIONS-1:0]          closed_i,  // behind a fence
  input  wire logic [STATIONS*STATIONS-1:0] waits_i,   // row s: what station s depends on
  input  wire logic [STATIONS*STATIONS-1:0] older_i,   // row s: what came before station s
  input  wire logic [STATIONS*2-1:0]        prio_i,
  // The LUN's array works at the operation of station pending_i, or that is suspended: that one or a read
  // of least_i or more. The pending one comes behind all priorities.
  input  wire logic                         reads_only_i,
  input  wire logic [STATIONS-1:0]          pending_i,
  input  wire logic [STATIONS-1:0]          reads_i,
  input  wire logic [1:0]                   least_i,
  output logic                              any_o,
  output logic [STATIONS-1:0]               oldest_o,
  output logic [STATIONS-1:0]               first_o
);

  logic [STATIONS-1:0] may, of3, of2, of1, of0, urgent;

  always_comb begin
    may      = '0;
    of3      = '0;
    of2      = '0;
    of1      = '0;
    of0      = '0;
    urgent   = '0;
    oldest_o = '0;
    first_o  = '0;
    if (en_i) begin
      for (int unsigned s = 0; s < STATIONS; s++) begin
        may[s] = used_i[s] && !closed_i[s] && waits_i[s * STATIONS +: STATIONS] == '0
              && (!reads_only_i || pending_i[s] || (reads_i[s] && prio_i[s * 2 +: 2] >= least_i));
        of3[s] = may[s] && !pending_i[s] && prio_i[s * 2 +: 2] == 2'd3;
        of2[s] = may[s] && !pending_i[s] && prio_i[s * 2 +: 2] == 2'd2;
        of1[s] = may[s] && !pending_i[s] && prio_i[s * 2 +: 2] == 2'd1;
        of0[s] = may[s] && !pending_i[s] && prio_i[s * 2 +: 2] == 2'd0;
      end
      urgent = (|of3) ? of3 : (|of2) ? of2 : (|of1) ? of1 : (|of0) ? of0 : (may & pending_i);
      for (int unsigned s = 0; s < STATIONS; s++) begin
        oldest_o[s] = may[s] && (older_i[s * STATIONS +: STATIONS] & may) == '0;
        first_o[s]  = urgent[s] && (older_i[s * STATIONS +: STATIONS] & urgent) == '0;
      end
    end
    any_o = |may;
  end

endmodule
`default_nettype wire
