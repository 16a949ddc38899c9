// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what "depends" means: o3_store answers as the table of docs/explanation/o3.md, "Dependencies", for every pair
// of descriptors of up to four planes; and a channel that has been given its bus gets its own operation's, and whether
// that was to be aborted when it was read.
// Assumed: a question stands until its answer, and no descriptor is written that is asked for. Two reads are
// never asked about.
`default_nettype none
`include "prove.svh"

module prove_store #(
  parameter  int unsigned CHANNELS = 2,
  parameter  int unsigned ROW_W    = 3,  // bits of a row that are not 0
  parameter  int unsigned TAGS     = 4,
  localparam int unsigned TW       = $clog2(TAGS),
  localparam int unsigned DESC_W   = flash_op_pkg::FLASH_OP_COOKIE_LSB
) (
  input  wire logic                   clk_i,
  input  wire logic                   wr_i,
  input  wire logic [DESC_W-1:0]      wr_free_i,
  input  wire logic                   abort_i,
  input  wire logic [TW-1:0]          abort_tag_i,
  input  wire logic [CHANNELS-1:0]    seg_req_i,
  input  wire logic [CHANNELS*TW-1:0] seg_tag_i,
  input  wire logic [CHANNELS-1:0]    dep_req_i,
  input  wire logic [CHANNELS*TW-1:0] dep_young_i,
  input  wire logic [CHANNELS*TW-1:0] dep_old_i
);

  localparam logic [7:0] READ  = flash_op_pkg::FLASH_OP_READ;
  localparam logic [7:0] ERASE = flash_op_pkg::FLASH_OP_ERASE;

  `PROVE_RESET

  (* anyconst *) logic [TW-1:0] young;     // the pair of interest
  (* anyconst *) logic [TW-1:0] old;
  (* anyconst *) logic [1:0]    page_bits;
  logic [31:0]         page_mask;
  logic [CHANNELS-1:0] seg_ack, seg_valid, dep_done;
  logic [DESC_W-1:0]   seg_desc;
  logic                dep_hit, abort, seg_abort;
  logic [DESC_W-1:0]   wr_op_i;
  always_comb begin
    wr_op_i = wr_free_i;
    for (int unsigned i = 0; i < 4; i++) begin
      wr_op_i[flash_op_pkg::FLASH_OP_ROW_LSB + 32 * i + ROW_W +: 32 - ROW_W] = '0;
    end
  end
  assign abort     = abort_i && !wr_i && rst_n;
  assign page_mask = ~(32'hffffffff << page_bits);

  o3_store #(.CHANNELS(CHANNELS), .TAGS(TAGS)) u_dut (
    .clk_i, .rst_ni(rst_n), .page_mask_i(page_mask), .wr_i, .wr_op_i, .abort_i(abort), .abort_tag_i,
    .seg_req_i, .seg_tag_i, .seg_ack_o(seg_ack), .seg_valid_o(seg_valid), .seg_desc_o(seg_desc),
    .seg_abort_o(seg_abort), .dep_req_i, .dep_young_i, .dep_old_i,
    .dep_done_o(dep_done), .dep_hit_o(dep_hit), .active_o()
  );

  // What was written last of the two, and whether it was.
  logic [127:0] y_rows_q, o_rows_q;
  logic [7:0]   y_opc_q, o_opc_q, y_planes_q, o_planes_q;
  logic         y_have_q = 1'b0, o_have_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (rst_n && wr_i && wr_op_i[TW-1:0] == young) begin
      y_have_q   <= 1'b1;
      y_rows_q   <= wr_op_i[flash_op_pkg::FLASH_OP_ROW_LSB +: 128];
      y_opc_q    <= wr_op_i[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8];
      y_planes_q <= wr_op_i[flash_op_pkg::FLASH_OP_NPLANES_LSB +: 8];
    end
    if (rst_n && wr_i && wr_op_i[TW-1:0] == old) begin
      o_have_q   <= 1'b1;
      o_rows_q   <= wr_op_i[flash_op_pkg::FLASH_OP_ROW_LSB +: 128];
      o_opc_q    <= wr_op_i[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8];
      o_planes_q <= wr_op_i[flash_op_pkg::FLASH_OP_NPLANES_LSB +: 8];
    end
  end

  // To be aborted since it was written, now and an edge ago.
  logic y_abort_q, y_abort_was_q;
  always_ff @(posedge clk_i) begin
    if (rst_n && wr_i && wr_op_i[TW-1:0] == young) y_abort_q <= 1'b0;
    else if (abort && abort_tag_i == young)        y_abort_q <= 1'b1;
    y_abort_was_q <= y_abort_q;
  end

  // The table: a read and a program meet in a page, all others in a block.
  logic depends, same, by_page;
  always_comb begin
    by_page = (y_opc_q == READ) != (o_opc_q == READ) && y_opc_q != ERASE && o_opc_q != ERASE;
    depends = 1'b0;
    for (int unsigned i = 0; i < 4; i++) begin
      for (int unsigned j = 0; j < 4; j++) begin
        same = by_page ? y_rows_q[i * 32 +: 32] == o_rows_q[j * 32 +: 32]
                       : (y_rows_q[i * 32 +: 32] >> page_bits) == (o_rows_q[j * 32 +: 32] >> page_bits);
        if (8'(i) < y_planes_q && 8'(j) < o_planes_q && same) depends = 1'b1;
      end
    end
  end

  // Questions that stand since the last edge, and who got a descriptor's acknowledge then.
  logic [CHANNELS-1:0]    dep_before_q = '0;
  logic [CHANNELS*TW-1:0] young_before_q, old_before_q;
  logic [CHANNELS-1:0]    ack_young_q = '0;
  logic                   read_asked;
  always_ff @(posedge clk_i) begin
    if (rst_n) dep_before_q <= dep_req_i & ~dep_done;
    young_before_q <= dep_young_i;
    old_before_q   <= dep_old_i;
    for (int unsigned c = 0; c < CHANNELS; c++) begin
      ack_young_q[c] <= rst_n && seg_ack[c] && seg_tag_i[c * TW +: TW] == young && y_have_q;
    end
  end

  always_comb begin
    assume (young != old);
    if (!rst_n) assume (!wr_i && seg_req_i == '0 && dep_req_i == '0);
    assume (wr_op_i[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8] >= READ
            && wr_op_i[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8] <= ERASE);
    assume (wr_op_i[flash_op_pkg::FLASH_OP_NPLANES_LSB +: 8] >= 8'd1
            && wr_op_i[flash_op_pkg::FLASH_OP_NPLANES_LSB +: 8] <= 8'd4);
    read_asked = 1'b0;
    for (int unsigned c = 0; c < CHANNELS; c++) begin
      // A question stands until its answer, of what has been written, and is not about two reads.
      assume (!dep_before_q[c] || (dep_req_i[c] && dep_young_i[c * TW +: TW] == young_before_q[c * TW +: TW]
                                   && dep_old_i[c * TW +: TW] == old_before_q[c * TW +: TW]));
      if (dep_req_i[c]) begin
        assume (!(wr_i && (wr_op_i[TW-1:0] == dep_young_i[c * TW +: TW]
                           || wr_op_i[TW-1:0] == dep_old_i[c * TW +: TW])));
        if (dep_young_i[c * TW +: TW] == young && dep_old_i[c * TW +: TW] == old) begin
          assume (y_have_q && o_have_q && !(y_opc_q == READ && o_opc_q == READ));
        end
      end
      if (rst_n) begin
        `PROVE(!dep_done[c] || dep_req_i[c]);
        if (dep_done[c] && dep_young_i[c * TW +: TW] == young && dep_old_i[c * TW +: TW] == old) begin
          `PROVE(dep_hit == depends);
        end
        if (ack_young_q[c] && !wr_before_q) begin
          `PROVE(seg_valid[c]);
          `PROVE(seg_desc[flash_op_pkg::FLASH_OP_ROW_LSB +: 128] == y_rows_q);
          `PROVE(seg_desc[flash_op_pkg::FLASH_OP_OPCODE_LSB +: 8] == y_opc_q);
          `PROVE(seg_abort == y_abort_was_q);
        end
      end
    end
    if (rst_n) begin
      `PROVE((seg_ack & ~seg_req_i) == '0);
      `PROVE((seg_ack & (seg_ack - CHANNELS'(1))) == '0);
      `PROVE(seg_req_i == '0 || seg_ack != '0);
    end
    `REACH(dep_done[1] && dep_hit && dep_young_i[TW +: TW] == young && dep_old_i[TW +: TW] == old
           && y_planes_q == 8'd4 && o_planes_q == 8'd2 && y_opc_q == READ && seg_req_i[0]);
  end

  // The descriptor of interest was written anew at the edge at which it was read.
  logic wr_before_q = 1'b0;
  always_ff @(posedge clk_i) wr_before_q <= wr_i && wr_op_i[TW-1:0] == young;

endmodule
`default_nettype wire
