// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: names of the ONFI PHY: its registers, its steps, command bytes. docs/explanation/rtl-pins.md.
`default_nettype none
package onfi_pkg;

  // Registers of onfi_timing, 16 bits each. Times are in clocks. The same: models/flash/pins/phy_registers.h.
  localparam int unsigned REGS = 24;
  localparam int unsigned T_W = 16;
  localparam int unsigned CTRL = 0;      // bits below
  localparam int unsigned CODEWORD = 1;  // bytes of a sector and its parity
  localparam int unsigned SECTORS = 2;   // of a page
  localparam int unsigned T_CS = 3;      // CE# low to the first cycle, 3 or more
  localparam int unsigned T_CYCLE = 4;   // a command or address cycle: tWC, tCAD
  localparam int unsigned WE_FALL = 5;   // in it: WE# falls; NV-DDR: CLK rises
  localparam int unsigned WE_RISE = 6;   // in it: WE# rises; NV-DDR: CLK falls
  localparam int unsigned T_IN = 7;      // a strobe in: tWC, tCK
  localparam int unsigned T_OUT = 8;     // a strobe out: tRC, tCK
  localparam int unsigned T_HALF = 9;    // NV-DDR: half a tCK
  localparam int unsigned RE_RISE = 10;  // SDR, in a strobe out: RE# rises (tRP)
  localparam int unsigned SAMPLE = 11;   // SDR: RE# low to DQ taken (tREA), at most T_OUT
  localparam int unsigned DQS_AT = 12;   // NV-DDR: DQ changes to the edge of DQS
  localparam int unsigned T_RR = 13;
  localparam int unsigned T_WHR = 14;
  localparam int unsigned T_CCS = 15;
  localparam int unsigned T_ADL = 16;
  localparam int unsigned T_RHW = 17;
  localparam int unsigned T_CEH = 18;
  localparam int unsigned T_PRE_IN = 19;   // NV-DDR: tWPRE
  localparam int unsigned T_POST_IN = 20;  // NV-DDR: tWPST
  localparam int unsigned T_WRCK = 21;     // NV-DDR: W/R# low to the first CLK of a burst out
  localparam int unsigned T_PRE_OUT = 22;  // NV-DDR: tWRCK + tDQSCK
  localparam int unsigned T_POST_OUT = 23; // NV-DDR: tDQSHZ

  localparam int unsigned CTRL_DDR = 0;       // NV-DDR, else SDR
  localparam int unsigned CTRL_X16 = 1;       // 16 DQ lines
  localparam int unsigned CTRL_ENHANCED = 2;  // several LUNs a CE#: 06h-E0h and 78h choose
  localparam int unsigned CTRL_FAILS = 3;     // 70h after 78h: status of all planes
  localparam int unsigned CTRL_POLLED = 4;    // data out comes after status reads: 00h first

  // Steps of a segment.
  localparam logic [3:0] IDLE = 4'd0, SELECT = 4'd1, LEAD = 4'd2, GAP = 4'd3, PRE = 4'd4, DATA = 4'd5,
                         POST = 4'd6, TRAIL = 4'd7, DONE = 4'd8;

  // Which time of the data sheet runs, for viewers.
  localparam logic [3:0] RUN_NONE = 4'd0, RUN_CS = 4'd1, RUN_CYCLE = 4'd2, RUN_RR = 4'd3, RUN_WHR = 4'd4,
                         RUN_CCS = 4'd5, RUN_ADL = 4'd6, RUN_PRE = 4'd7, RUN_OUT = 4'd8, RUN_IN = 4'd9,
                         RUN_POST = 4'd10, RUN_RHW = 4'd11, RUN_CEH = 4'd12;

  // Phases of the segment port (o3_pkg has the same; the PHY stands without it).
  localparam logic [2:0] COMMAND = 3'd0, DATA_OUT = 3'd1, DATA_IN = 3'd2, STATUS = 3'd3, FEATURE = 3'd4,
                         SUSPEND = 3'd5, RESUME = 3'd6;

endpackage
`default_nettype wire
