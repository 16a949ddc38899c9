# SPDX-License-Identifier: BSD-3-Clause
# tlmssd: a netlist of ECP5 cells, as Yosys writes it in JSON, in plain Verilog: an expression a LUT, a process a
# flip-flop. Verilator needs minutes for it, hours for the cells' own models. For scripts/netlist-test.
"""The cells' behaviour is that of Yosys' share/yosys/ecp5/cells_sim.v. A cell or parameter that is not known is an error."""
import collections


class Unknown(Exception):
    """A cell, or a value of a parameter, that has no model here."""


def _bit(bit):
    """The name of a bit; x and z read as 0."""
    return f"n{bit}" if isinstance(bit, int) else "1'b1" if bit == "1" else "1'b0"


def _number(cell, name):
    """A parameter of bits as an integer."""
    return int(cell["parameters"].get(name, "0"), 2)


def _choice(cell, name, default, *allowed):
    value = cell["parameters"].get(name, default).strip()
    if value not in allowed:
        raise Unknown(f"{cell['type']}: {name} {value}")
    return value


def _word(bits):
    """Verilog of bits, the lowest first."""
    return "{" + ", ".join(_bit(bit) for bit in reversed(bits)) + "}"


def _table(init, bits):
    """The bit of a truth table that inputs choose, the lowest first."""
    return f"1'({len(init)}'b{init} >> {_word(bits)})"


def _lut(cell, wires):
    init = f"{_number(cell, 'INIT'):016b}"
    return [f"assign {_bit(wires['Z'][0])} = {_table(init, [wires[name][0] for name in 'ABCD'])};"]


def _carry(cell, wires):
    """Two bits of a carry chain."""
    lines = []
    carry = _bit(wires.get("CIN", "0")[0])
    for half, out in ((0, None), (1, "COUT")):
        init = f"{_number(cell, f'INIT{half}'):016b}"
        inputs = [wires[f"{name}{half}"][0] for name in "ABCD"]
        cut = _choice(cell, f"INJECT1_{half}", "YES", "YES", "NO") == "YES"
        four = _table(init, inputs)
        two = "1'b0" if cut else _table(init[-4:], inputs[:2])
        if wires.get(f"S{half}"):
            lines.append(f"assign {_bit(wires[f'S{half}'][0])} = {four} ^ {'1' + chr(39) + 'b0' if cut else carry};")
        carry = f"({four} ? {carry} : {two})"
        if out and wires.get(out):
            lines.append(f"assign {_bit(wires[out][0])} = {carry};")
    return lines


def _flop(cell, wires):
    clock, reset = _bit(wires["CLK"][0]), _bit(wires.get("LSR", "0")[0])
    if _choice(cell, "CLKMUX", "CLK", "CLK", "INV") == "INV":
        clock = "!" + clock
    if _choice(cell, "LSRMUX", "LSR", "LSR", "INV") == "INV":
        reset = "!" + reset
    enable = {"1": "1'b1", "0": "1'b0", "CE": _bit(wires.get("CE", "1")[0]), "INV": "!" + _bit(wires.get("CE", "1")[0])}[
        _choice(cell, "CEMUX", "1", "1", "0", "CE", "INV")]
    _choice(cell, "LSRMODE", "LSR", "LSR")
    value = "1'b1" if _choice(cell, "REGSET", "RESET", "RESET", "SET") == "SET" else "1'b0"
    out, data = _bit(wires["Q"][0]), _bit(wires["DI"][0])
    at_once = _choice(cell, "SRMODE", "LSR_OVER_CE", "LSR_OVER_CE", "ASYNC") == "ASYNC" and reset not in ("1'b0", "!1'b1")
    if at_once and reset.startswith("!"):
        return [f"always @(posedge {clock} or negedge {reset[1:]}) if ({reset}) {out} <= {value}; "
                f"else if ({enable}) {out} <= {data};"]
    edges = f"posedge {clock} or posedge {reset}" if at_once else f"posedge {clock}"
    return [f"always @({edges}) if ({reset}) {out} <= {value}; else if ({enable}) {out} <= {data};"]


def _ram(cell, wires, number):
    _choice(cell, "WCKMUX", "WCK", "WCK")
    enable = {"1": "1'b1", "0": "1'b0", "WRE": _bit(wires.get("WRE", "1")[0]), "INV": "!" + _bit(wires.get("WRE", "1")[0])}[
        _choice(cell, "WREMUX", "WRE", "1", "0", "WRE", "INV")]
    memory = f"m{number}"
    # Two read ports of one memory are two of these cells, which have to begin alike, as the bitstream makes them.
    bits = cell["parameters"].get("INITVAL", "0").replace("x", "0")
    words = [int(bits, 2) >> 4 * row & 15 for row in range(16)]
    return [f"reg [3:0] {memory} [0:15];",
            f"initial begin {' '.join(f'{memory}[{row}] = {word};' for row, word in enumerate(words))} end",
            f"always @(posedge {_bit(wires['WCK'][0])}) if ({enable}) {memory}[{_word(wires['WAD'])}] <= {_word(wires['DI'])};",
            *(f"assign {_bit(bit)} = {memory}[{_word(wires['RAD'])}][{index}];"
              for index, bit in enumerate(wires["DO"]) if isinstance(bit, int))]


def verilog(netlist, top):
    """The text of module `top`, and how many of each cell it has. Unknown: a cell without a model."""
    module = netlist["modules"][top]
    count = collections.Counter(cell["type"] for cell in module["cells"].values())
    ports, joins = [], []
    for name, port in module["ports"].items():
        width = len(port["bits"])
        ports.append(f"{port['direction']} wire [{width - 1}:0] {name}" if width > 1
                     else f"{port['direction']} wire {name}")
        for index, bit in enumerate(port["bits"]):
            place = f"{name}[{index}]" if width > 1 else name
            if port["direction"] == "input":
                if isinstance(bit, int):
                    joins.append(f"assign {_bit(bit)} = {place};")
            else:
                joins.append(f"assign {place} = {_bit(bit)};")
    body, flops = [], set()
    for number, cell in enumerate(module["cells"].values()):
        kind, wires = cell["type"], cell["connections"]
        if kind == "LUT4":
            body += _lut(cell, wires)
        elif kind == "CCU2C":
            body += _carry(cell, wires)
        elif kind == "TRELLIS_FF":
            body += _flop(cell, wires)
            flops.add(wires["Q"][0])
        elif kind == "TRELLIS_DPR16X4":
            body += _ram(cell, wires, number)
        else:
            raise Unknown(f"cell {kind}")
    bits = {bit for net in module["netnames"].values() for bit in net["bits"] if isinstance(bit, int)}
    for cell in module["cells"].values():
        bits |= {bit for wires in cell["connections"].values() for bit in wires if isinstance(bit, int)}
    declared = [f"{'reg' if bit in flops else 'wire'} n{bit};" for bit in sorted(bits)]
    return "\n".join([f"module {top} (", "  " + ",\n  ".join(ports), ");", "/* verilator tracing_off */", *declared, *joins, *body, "endmodule", ""]), count
