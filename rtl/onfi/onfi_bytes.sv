// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a segment of the segment port is in ONFI bytes: its cycles before and after the burst, and
// the burst. No state.
`default_nettype none

module onfi_bytes (
  input  wire logic [onfi_pkg::REGS*onfi_pkg::T_W-1:0] regs_i,
  // The segment, stable from its request to its end (docs/explanation/rtl.md).
  input  wire logic [7:0]  seg_lun_i,
  input  wire logic [2:0]  seg_phase_i,
  input  wire logic [7:0]  seg_opcode_i,
  input  wire logic [1:0]  seg_plane_i,
  input  wire logic [2:0]  seg_nplanes_i,
  input  wire logic [7:0]  seg_col_i,
  input  wire logic [7:0]  seg_len_i,
  input  wire logic [23:0] seg_row_i,
  input  wire logic        seg_oob_i,      // its OOB bytes have a place in DRAM

  input  wire logic [3:0]  index_i,        // which cycle before the burst
  output logic             command_o,      // it is a command cycle, else an address
  output logic [7:0]       byte_o,
  output logic [3:0]       lead_o,         // cycles before the burst
  output logic [7:0]       trail_o,        // the command after the burst
  output logic             has_trail_o,
  output logic             in_o,           // burst in
  output logic             out_o,          // burst out
  output logic             narrow_o,       // of register bytes: one a strobe
  output logic [17:0]      strobes_o,
  output logic [15:0]      gap_o,          // clocks from the last cycle, or CE#, to the burst
  output logic [3:0]       gap_name_o
);

  logic [15:0] ctrl, codeword;
  logic        open, close, last, oob, erase, ddr;
  logic [2:0]  addresses;
  logic [7:0]  open_byte, close_byte;
  logic [23:0] column_w, bytes_w;
  logic [39:0] address;
  logic [17:0] bytes;
  logic [1:0]  shift;

  assign ctrl     = regs_i[16 * onfi_pkg::CTRL +: 16];
  assign codeword = regs_i[16 * onfi_pkg::CODEWORD +: 16];
  assign ddr      = ctrl[onfi_pkg::CTRL_DDR];
  assign last     = {1'b0, seg_plane_i} + 3'd1 == seg_nplanes_i;
  assign erase    = seg_opcode_i == flash_op_pkg::FLASH_OP_ERASE;
  // OOB bytes lie behind the last sector.
  assign oob      = seg_oob_i
                  && {8'd0, seg_col_i} + {8'd0, seg_len_i} == regs_i[16 * onfi_pkg::SECTORS +: 16];
  assign column_w = {16'd0, seg_col_i} * {8'd0, codeword};
  assign bytes_w  = {16'd0, seg_len_i} * {8'd0, codeword} + (oob ? 24'd16 : 24'd0);

  always_comb begin
    open        = 1'b1;
    open_byte   = 8'h00;
    addresses   = 3'd0;
    close       = 1'b0;
    close_byte  = 8'h00;
    in_o        = 1'b0;
    out_o       = 1'b0;
    narrow_o    = 1'b0;
    has_trail_o = 1'b0;
    trail_o     = last ? 8'h10 : 8'h11;
    bytes       = bytes_w[17:0];
    unique case (seg_phase_i)
      onfi_pkg::COMMAND: begin
        unique case (seg_opcode_i)
          flash_op_pkg::FLASH_OP_READ: begin
            addresses  = 3'd5;
            close      = 1'b1;
            close_byte = last ? 8'h30 : 8'h32;
          end
          flash_op_pkg::FLASH_OP_ERASE: begin
            open_byte  = 8'h60;
            addresses  = 3'd3;
            close      = 1'b1;
            close_byte = last ? 8'hd0 : 8'hd1;
          end
          default: open_byte = ddr ? 8'hfc : 8'hff;  // RESET; FFh would fall back to SDR
        endcase
      end
      onfi_pkg::DATA_OUT: begin
        out_o = 1'b1;
        if (ctrl[onfi_pkg::CTRL_ENHANCED] || seg_nplanes_i > 3'd1) begin
          open_byte  = 8'h06;
          addresses  = 3'd5;
          close      = 1'b1;
          close_byte = 8'he0;
        end else begin
          open = ctrl[onfi_pkg::CTRL_POLLED];  // 00h: from status back to data
        end
      end
      onfi_pkg::DATA_IN: begin
        in_o        = 1'b1;
        open_byte   = 8'h80;
        addresses   = 3'd5;
        has_trail_o = 1'b1;
      end
      onfi_pkg::STATUS: begin
        out_o     = 1'b1;
        narrow_o  = 1'b1;
        bytes     = 18'd1;
        open_byte = 8'h70;
        if (ctrl[onfi_pkg::CTRL_ENHANCED]) begin
          open_byte  = 8'h78;
          addresses  = 3'd3;
          close      = ctrl[onfi_pkg::CTRL_FAILS] && seg_nplanes_i > 3'd1;
          close_byte = 8'h70;
        end
      end
      onfi_pkg::FEATURE: begin  // read-retry level: LUN, feature 89h, four register bytes
        {in_o, narrow_o} = 2'b11;
        bytes     = 18'd4;
        open_byte = 8'hd5;
        addresses = 3'd2;
      end
      onfi_pkg::SUSPEND: begin
        open_byte = erase ? 8'h61 : 8'h84;
        addresses = 3'd3;
      end
      onfi_pkg::RESUME: begin
        open_byte = erase ? 8'hd2 : 8'h13;
        addresses = 3'd3;
      end
      default: open = 1'b0;
    endcase
  end

  // Column first where there are five cycles; lowest byte first.
  always_comb begin
    unique case (addresses)
      3'd5:    address = {seg_row_i, column_w[15:0]};
      3'd2:    address = {24'd0, 8'h89, seg_lun_i};
      default: address = {16'd0, seg_row_i};
    endcase
  end
  assign lead_o  = {3'd0, open} + {1'b0, addresses} + {3'd0, close};

  always_comb begin
    command_o = 1'b1;
    byte_o    = open_byte;
    if (index_i != 4'd0) begin
      byte_o = close_byte;
      for (int unsigned i = 0; i < 5; i++) begin
        if (index_i == 4'(i + 1) && 3'(i) < addresses) begin
          command_o = 1'b0;
          byte_o    = address[8 * i +: 8];
        end
      end
    end
  end

  // Bytes that a strobe moves: a last one that is not full takes its whole time.
  assign shift     = narrow_o ? 2'd0 : {1'b0, ddr} + {1'b0, ctrl[onfi_pkg::CTRL_X16]};
  assign strobes_o = (bytes + ((18'd1 << shift) - 18'd1)) >> shift;

  always_comb begin
    if (in_o) begin
      gap_o      = regs_i[16 * onfi_pkg::T_ADL +: 16];
      gap_name_o = onfi_pkg::RUN_ADL;
    end else if (!open) begin  // the ready edge was the cue
      gap_o      = regs_i[16 * onfi_pkg::T_RR +: 16];
      gap_name_o = onfi_pkg::RUN_RR;
    end else if (close && close_byte == 8'he0) begin
      gap_o      = regs_i[16 * onfi_pkg::T_CCS +: 16];
      gap_name_o = onfi_pkg::RUN_CCS;
    end else begin
      gap_o      = regs_i[16 * onfi_pkg::T_WHR +: 16];
      gap_name_o = onfi_pkg::RUN_WHR;
    end
  end

endmodule
`default_nettype wire
