# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd: adds to a flat netlist of Yosys (JSON) an assertion for each flip-flop that has to hold its value: those of a
gated clock while the gate is shut, and all of them while a condition of the harness is high. For scripts/prove."""
import json
import pathlib


class NoRegisters(Exception):
    """A condition under which no flip-flop would be looked at: the proof would say nothing."""


def _cell(kind, parameters, ports):
    """A cell with its connections; an output is named Y."""
    return {"hide_name": 1, "type": kind, "parameters": parameters, "attributes": {},
            "port_directions": {name: "output" if name == "Y" else "input" for name in ports},
            "connections": ports}


def _rank(name):
    """A name of the design before one of the harness; the shortest is that of the place where it is a register."""
    return not name.startswith("u_dut."), len(name)


def _word(value):
    return format(value, "032b")


class Netlist:
    """The one module of a netlist whose hierarchy is flat but for the gates."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.design = json.loads(self.path.read_text(encoding="utf-8"))
        self.module = next(m for m in self.design["modules"].values() if "top" in m["attributes"])
        self.cells = self.module["cells"]
        self.next_bit = 1 + max(bit for net in self.module["netnames"].values() for bit in net["bits"]
                                if isinstance(bit, int))
        self.names = {}
        for name, net in self.module["netnames"].items():
            for bit in net["bits"]:
                if isinstance(bit, int):
                    self.names[bit] = min(name, self.names.get(bit, name), key=_rank)

    def flops(self):
        """[(name, cell)] of the flip-flops."""
        kinds = {cell["type"] for cell in self.cells.values() if cell["type"].startswith(("$dff", "$adff", "$sdff",
                                                                                          "$dlatch", "$mem"))}
        if kinds - {"$dff"}:
            raise NoRegisters(f"only $dff is known, not {', '.join(sorted(kinds - {'$dff'}))}")
        return [(self.names[cell["connections"]["Q"][0]], cell) for cell in self.cells.values()
                if cell["type"] == "$dff"]

    def gates(self):
        """{bit of a gated clock: (bit of the clock, bit of the enable)}."""
        return {cell["connections"]["clk_o"][0]: (cell["connections"]["clk_i"][0], cell["connections"]["en_i"][0])
                for cell in self.cells.values() if cell["type"] == "o3_gate"}

    def hold(self, name, flop, free):
        """Asserts that this flip-flop holds unless `free`, a bit, is high."""
        data, state = flop["connections"]["D"], flop["connections"]["Q"]
        equal, good = self.next_bit, self.next_bit + 1
        self.next_bit += 2
        wide = {"A_SIGNED": _word(0), "B_SIGNED": _word(0)}
        label = f"$holds${name}"
        self.cells[label + "$eq"] = _cell("$eq", {**wide, "A_WIDTH": _word(len(data)), "B_WIDTH": _word(len(data)),
                                                  "Y_WIDTH": _word(1)}, {"A": data, "B": state, "Y": [equal]})
        self.cells[label + "$or"] = _cell("$or", {**wide, "A_WIDTH": _word(1), "B_WIDTH": _word(1),
                                                  "Y_WIDTH": _word(1)}, {"A": [equal], "B": [free], "Y": [good]})
        self.cells[label] = _cell("$assert", {}, {"A": [good], "EN": ["1"]})

    def make_wires(self):
        """Gates become wires."""
        gates = self.gates()

        def root(bit):
            while bit in gates:
                bit = gates[bit][0]
            return bit
        for name in [name for name, cell in self.cells.items() if cell["type"] == "o3_gate"]:
            del self.cells[name]
        for cell in self.cells.values():
            for port, bits in cell["connections"].items():
                cell["connections"][port] = [root(bit) for bit in bits]
        for net in self.module["netnames"].values():
            net["bits"] = [root(bit) for bit in net["bits"]]

    def write(self):
        self.path.write_text(json.dumps(self.design), encoding="utf-8")


def add(path, holds, moves=()):
    """To the netlist of this file; `holds`: "gates", or the name of a net of the harness, which is low while no
    flip-flop of u_dut may change, but those of the names `moves`. Returns how many flip-flops have to hold."""
    netlist = Netlist(path)
    gates = netlist.gates()
    count = 0
    for number, (name, flop) in enumerate(netlist.flops()):
        clock = flop["connections"]["CLK"][0]
        if holds == "gates":
            free = gates[clock][1] if clock in gates else None
        else:
            free = netlist.module["netnames"][holds]["bits"][0] if name.startswith("u_dut.") else None
        # Registers of the assertions themselves go on.
        if free is not None and name not in moves and "$formal$" not in name:
            netlist.hold(f"{name}${number}", flop, free)
            count += 1
    if count == 0:
        raise NoRegisters(f"no flip-flop has to hold by {holds!r}")
    netlist.make_wires()
    netlist.write()
    return count
