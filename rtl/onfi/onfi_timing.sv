// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: registers of the ONFI PHY: what is on the bus and its times in clocks. Boot software writes them
// from the timing-mode tables before the first segment; all are 0 before.
`default_nettype none
`include "assert.svh"

module onfi_timing (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        write_i,
  input  wire logic [4:0]  addr_i,
  input  wire logic [15:0] wdata_i,
  output logic [15:0]      rdata_o,
  output logic [onfi_pkg::REGS*onfi_pkg::T_W-1:0] regs_o  // register i: regs_o[16 * i +: 16]
);

  localparam int unsigned N = onfi_pkg::REGS;

  always_comb begin
    rdata_o = '0;
    for (int unsigned i = 0; i < N; i++) begin
      if (addr_i == 5'(i)) rdata_o = regs_o[16 * i +: 16];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      regs_o <= '0;
    end else if (write_i) begin
      for (int unsigned i = 0; i < N; i++) begin
        if (addr_i == 5'(i)) regs_o[16 * i +: 16] <= wdata_i;
      end
    end
  end

  `O3_ASSERT(OnlyRegistersAreWritten, !write_i || addr_i < 5'(N), clk_i, rst_ni)

endmodule
`default_nettype wire
