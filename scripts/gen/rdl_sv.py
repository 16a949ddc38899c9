# SPDX-License-Identifier: BSD-3-Clause
"""A register block in SystemVerilog: AXI4-Lite, flat ports, read by Verilator and by Yosys 0.23."""

PROTOCOL = [("input", 1, "awvalid_i"), ("output", 1, "awready_o"), ("input", 0, "awaddr_i"),
            ("input", 1, "wvalid_i"), ("output", 1, "wready_o"), ("input", 32, "wdata_i"),
            ("input", 4, "wstrb_i"), ("output", 1, "bvalid_o"), ("input", 1, "bready_i"),
            ("output", 2, "bresp_o"), ("input", 1, "arvalid_i"), ("output", 1, "arready_o"),
            ("input", 0, "araddr_i"), ("output", 1, "rvalid_o"), ("input", 1, "rready_i"),
            ("output", 32, "rdata_o"), ("output", 2, "rresp_o")]

BUS = """\
  // A request is kept until its answer can be put out; address and data of a write come in any order.
  logic        aw_full_q, w_full_q, ar_full_q, wr, rd, w_hit, r_hit;
  logic [{aw}:2] aw_q, ar_q;
  logic [31:0] w_data_q, r_data;
  logic [3:0]  w_strb_q;

  assign awready_o = !aw_full_q;
  assign wready_o  = !w_full_q;
  assign arready_o = !ar_full_q;
  assign wr        = aw_full_q && w_full_q && !bvalid_o;
  assign rd        = ar_full_q && !rvalid_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_full_q <= 1'b0;
      w_full_q  <= 1'b0;
      ar_full_q <= 1'b0;
      bvalid_o  <= 1'b0;
      rvalid_o  <= 1'b0;
    end else begin
      aw_full_q <= (awvalid_i && awready_o) || (aw_full_q && !wr);
      w_full_q  <= (wvalid_i && wready_o) || (w_full_q && !wr);
      ar_full_q <= (arvalid_i && arready_o) || (ar_full_q && !rd);
      bvalid_o  <= wr || (bvalid_o && !bready_i);
      rvalid_o  <= rd || (rvalid_o && !rready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (awvalid_i && awready_o) aw_q <= awaddr_i[{aw}:2];
    if (arvalid_i && arready_o) ar_q <= araddr_i[{aw}:2];
    if (wvalid_i && wready_o) begin
      w_data_q <= wdata_i;
      w_strb_q <= wstrb_i;
    end
    if (wr) bresp_o <= w_hit ? 2'b00 : 2'b10;
    if (rd) begin
      rdata_o <= r_data;
      rresp_o <= r_hit ? 2'b00 : 2'b10;
    end
  end
"""

ASSERTS = """\
  // The master holds a request until it is taken, this block an answer.
  `O3_STANDS(AwHeld, awvalid_i, awready_o, $bits(awaddr_i), awaddr_i, clk_i, rst_ni)
  `O3_STANDS(WHeld, wvalid_i, wready_o, 36, {wstrb_i, wdata_i}, clk_i, rst_ni)
  `O3_STANDS(ArHeld, arvalid_i, arready_o, $bits(araddr_i), araddr_i, clk_i, rst_ni)
  `O3_STANDS(BHeld, bvalid_o, bready_i, 2, bresp_o, clk_i, rst_ni)
  `O3_STANDS(RHeld, rvalid_o, rready_i, 34, {rresp_o, rdata_o}, clk_i, rst_ni)
  logic wr_was_q, rd_was_q, bvalid_was_q, rvalid_was_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {wr_was_q, rd_was_q, bvalid_was_q, rvalid_was_q} <= '0;
    else         {wr_was_q, rd_was_q, bvalid_was_q, rvalid_was_q} <= {wr, rd, bvalid_o, rvalid_o};
  end
  `O3_ASSERT(BAnswersAWrite, !bvalid_o || wr_was_q || bvalid_was_q, clk_i, rst_ni)
  `O3_ASSERT(RAnswersARead, !rvalid_o || rd_was_q || rvalid_was_q, clk_i, rst_ni)"""


def port(direction, width, name, low=0):
    """One line; `low`: index of the lowest bit."""
    kind = "input  wire logic" if direction == "input" else "output logic"
    bits = f"[{low + width - 1}:{low}]" if width > 1 else ""
    return f"  {kind:<17} {bits:<8} {name},"


def flat(reg, field):
    """Name and width of the signal of a field, of all elements of an array."""
    return f"{reg.name}_{field.name}", field.width * reg.count


def field_ports(reg):
    for f in reg.fields:
        name, width = flat(reg, f)
        if f.kind == "input":
            yield port("input", width, name + "_i")
        elif f.kind in ("store", "pulse"):
            yield port("output", width, name + "_o")
        elif f.kind == "sticky":
            yield port("input", width, name + "_set_i")
            yield port("output", width, name + "_o")
        elif f.kind == "lasting":
            yield port("input", width, name + "_clr_i")
            yield port("output", width, name + "_o")


def ports(regmap):
    lines = [port("input", 1, "clk_i"), port("input", 1, "rst_ni"), "",
             "  // AXI4-Lite, 32 bits; protection is not looked at and has no ports."]
    lines += [port(direction, width or regmap.bits, name) for direction, width, name in PROTOCOL]
    lines += ["", "  // While it is low, registers that need it are not written."]
    lines += [port("input", 1, f"if_{g}_i") for g in regmap.guards]
    for b in regmap.blocks:
        lines += ["", f"  // {b.name}: kept elsewhere, read in the cycle in which rd is high."]
        lines += [port("output", 1, f"{b.name}_rd_o"),
                  port("output", b.bits - 2, f"{b.name}_addr_o", 2),
                  port("input", 32, f"{b.name}_data_i")]
    for reg in regmap.regs:
        made = list(field_ports(reg))
        if made:
            lines += ["", f"  // 0x{reg.address:03x} {reg.name}"] + made
    lines += ["", "  // No edge changes anything before an input changes.", port("output", 1, "idle_o").rstrip(",")]
    return lines


def word(regmap, byte):
    return f"{regmap.bits - 2}'h{byte >> 2:03x}"


def bytes_of(f):
    """(byte strobe, lowest bit, highest bit) of the parts of a field that lie in one byte each."""
    for strobe in range(4):
        low, high = max(f.lsb, 8 * strobe), min(f.lsb + f.width - 1, 8 * strobe + 7)
        if low <= high:
            yield strobe, low, high


def write_logic(regmap, reg):
    """The write enable and the flip-flops of one register."""
    guard = f" && if_{reg.write_if}_i" if reg.write_if else ""
    enable = f"w_{reg.name}"
    lines = [f"  // {reg.title}"]
    if reg.array:
        lines += [f"  logic [{reg.count - 1}:0] {enable};",
                  "  always_comb begin",
                  f"    {enable} = '0;",
                  f"    if (wr{guard}) begin",
                  f"      for (int unsigned i = 0; i < {reg.count}; i++) begin",
                  f"        {enable}[i] = aw_q == {word(regmap, reg.address)} + {regmap.bits - 2}'(i);",
                  "      end", "    end", "  end"]
    else:
        lines += [f"  logic {enable};", f"  assign {enable} = wr{guard} && aw_q == {word(regmap, reg.address)};"]
    lines += ["  always_ff @(posedge clk_i) begin"]
    resets, body = [], []
    for f in reg.fields:
        name, width = flat(reg, f)
        if not f.writes:
            continue
        reset = f"{{{reg.count}{{{f.width}'h{f.reset:x}}}}}" if reg.array else f"{f.width}'h{f.reset:x}"
        resets.append(f"      {name}_o <= {reset};")
        bits = f"[{f.lsb + f.width - 1}:{f.lsb}]" if f.width > 1 else f"[{f.lsb}]"
        data, strobe = f"w_data_q{bits}", f"w_strb_q[{f.lsb // 8}]"
        if f.kind == "pulse":
            body.append(f"      {name}_o <= {enable} && {strobe} && {data};")
        elif f.kind == "sticky":
            body.append(f"      {name}_o <= {name}_set_i || ({name}_o && !({enable} && {strobe} && {data}));")
        elif f.kind == "lasting":
            body.append(f"      {name}_o <= ({enable} && {strobe} && {data}) || ({name}_o && !{name}_clr_i);")
        elif reg.array:
            body.append(f"      if ({enable} != '0) begin")
            body.append(f"        for (int unsigned i = 0; i < {reg.count}; i++) begin")
            for strobe, low, high in bytes_of(f):
                part = f"{name}_o[i*{f.width}{f' + {low - f.lsb}' if low > f.lsb else ''} +: {high - low + 1}]"
                body.append(f"          if ({enable}[i] && w_strb_q[{strobe}]) {part} <= w_data_q[{high}:{low}];")
            body += ["        end", "      end"]
        else:
            for strobe, low, high in bytes_of(f):
                part = f"{name}_o[{high - f.lsb}:{low - f.lsb}]" if f.width > 1 else f"{name}_o"
                bits = f"[{high}:{low}]" if high > low else f"[{low}]"
                body.append(f"      if ({enable} && w_strb_q[{strobe}]) {part} <= w_data_q{bits};")
    if all(f.kind == "pulse" for f in reg.fields if f.writes):  # no write at the second edge of a reset: no state
        return lines + [line[2:] for line in body] + ["  end", ""]
    return lines + ["    if (!rst_ni) begin"] + resets + ["    end else begin"] + body + ["    end", "  end", ""]


def arrays_of(regmap):
    return [reg for reg in regmap.regs if reg.array and reg.reads]


def index_bits(reg):
    """An array is read by the bits of its index: a power of two of words, aligned, one field of 32 bits."""
    if reg.count & (reg.count - 1) or reg.address % (4 * reg.count) or [f.mask for f in reg.fields] != [0xffffffff]:
        raise ValueError(f"{reg.name}: an array that is read needs 2^n words of one field, aligned to their size")
    return reg.count.bit_length() - 1


def array_value(reg):
    name, _ = flat(reg, reg.fields[0])
    suffix = "_i" if reg.fields[0].kind == "input" else "_o"
    return f"{name}{suffix}[{{ar_q[{index_bits(reg) + 1}:2], 5'd0}} +: 32]"


def read_value(reg):
    """The 32 bits of a register, highest field first, holes 0."""
    parts, at = [], 32
    for f in sorted(reg.fields, key=lambda f: -f.lsb):
        top = f.lsb + f.width
        if top < at:
            parts.append(f"{at - top}'d0")
        if f.kind == "constant":
            parts.append(f"{f.width}'h{f.reset:x}")
        elif not f.reads:
            parts.append(f"{f.width}'d0")
        else:
            parts.append(flat(reg, f)[0] + ("_i" if f.kind == "input" else "_o"))
        at = f.lsb
    if at:
        parts.append(f"{at}'d0")
    return parts[0] if len(parts) == 1 else "{" + ", ".join(parts) + "}"


def decode(regmap):
    enables = [f"(|w_{r.name})" if r.array else f"w_{r.name}" for r in regmap.regs if r.writes]
    rows = [" || ".join(enables[i:i + 6]) for i in range(0, len(enables), 6)]
    lines = ["  // ---- a write that has met no register is an error ----",
             "  assign w_hit = " + "\n              || ".join(rows) + ";", "",
             "  // ---- what a read finds ----"]
    for b in regmap.blocks:
        hi = f"ar_q[{regmap.bits - 1}:{b.bits}] == {regmap.bits - b.bits}'h{b.address >> b.bits:x}"
        stride = (b.stride - 1).bit_length()
        last = max(r.address for r in b.regs)
        if [r.address for r in b.regs] != list(range(0, last + 4, 4)):
            raise ValueError(f"{b.name}: an external block has no gaps")
        full = last + 4 == b.stride
        low = "" if full else f" && ar_q[{stride - 1}:2] <= {stride - 2}'h{last >> 2:x}"
        lines += [f"  logic in_{b.name};", f"  assign in_{b.name} = {hi}{low};",
                  f"  assign {b.name}_rd_o   = rd && in_{b.name};",
                  f"  assign {b.name}_addr_o = ar_q[{b.bits - 1}:2];"]
    lines += ["  always_comb begin", "    r_hit  = 1'b1;", "    r_data = 32'd0;"]
    for k, b in enumerate(regmap.blocks):
        lines.append(f"    {'else ' if k else ''}if (in_{b.name}) r_data = {b.name}_data_i;")
    first = not regmap.blocks
    for reg in arrays_of(regmap):
        low = index_bits(reg) + 2
        lines.append(f"    {'' if first else 'else '}if (ar_q[{regmap.bits - 1}:{low}] == "
                     f"{regmap.bits - low}'h{reg.address >> low:x}) r_data = {array_value(reg)};")
        first = False
    lines += [f"    {'' if first else 'else '}if (rd) begin", "      unique case (ar_q)"]
    for reg in regmap.regs:
        if reg.reads and not reg.array:
            line = f"        {word(regmap, reg.address)}: r_data = {read_value(reg)};  // {reg.name}"
            lines.append(line if len(line) <= 110 else line.replace(", ", ",\n" + 27 * " "))
    return lines + ["        default: r_hit = 1'b0;", "      endcase", "    end", "  end", ""]


def module(regmap, origin):
    """The whole file. `origin`: one line that names what made it from what."""
    lines = ["// SPDX-License-Identifier: BSD-3-Clause", f"// tlmssd: {origin}", "`default_nettype none",
             '`include "assert.svh"', "", f"module {regmap.name} ("]
    lines += ports(regmap) + [");", "", BUS.format(aw=regmap.bits - 1)]
    for reg in regmap.regs:
        if reg.writes:
            lines += write_logic(regmap, reg)
    lines += decode(regmap)
    lines.append("  assign idle_o = !wr && !rd && !bvalid_o && !rvalid_o;  // a pulse is the first cycle of its answer")
    lines += ["", ASSERTS, "", "endmodule", "`default_nettype wire"]
    return "\n".join(line.rstrip() for line in lines) + "\n"
