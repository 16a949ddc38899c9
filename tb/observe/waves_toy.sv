// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a counter with an enum state, to check that RTL and model signals share one wave file.
`default_nettype none
module waves_toy (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  output      logic [3:0] count_o
);
  typedef enum logic [1:0] {Idle, Run, Full} state_e;
  state_e state_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_o <= '0;
      state_q <= Idle;
    end else begin
      count_o <= count_o + 4'd1;
      state_q <= (count_o == 4'd14) ? Full : Run;
    end
  end
endmodule
`default_nettype wire
