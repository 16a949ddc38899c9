# SPDX-License-Identifier: BSD-3-Clause
# tlmssd: what scripts/map-cells reads: a cell library (Liberty), a mapped netlist of Yosys, and the report of OpenSTA.
import collections
import re

HEAD = ("top", "shape", "kGE", "FF", "memories", "bits", "kGE with memories", "MHz", "ns", "cells", "worst path")

# area: in the unit of the library; register: flip-flop or latch.
Cell = collections.namedtuple("Cell", "area register")
# begin, end: names of the registers; cells: between them; period_ns: set-up time included.
Path = collections.namedtuple("Path", "begin end cells period_ns")
Memory = collections.namedtuple("Memory", "words width")


class Unreadable(Exception):
    """The library or a report is not of the known form."""


# The ways in which libraries write the function of a NAND of two inputs: !(A B), (A*B)', !A+!B
_NAND = [re.compile(form) for form in (r"!\((\w+)[ *&]+(\w+)\)", r"\((\w+)[ *&]+(\w+)\)'",
                                       r"!(\w+) ?[+|] ?!(\w+)", r"(\w+)' ?[+|] ?(\w+)'")]


def _whole(function):
    """A function without the parentheses around all of it."""
    text = " ".join(function.split()).replace("( ", "(").replace(" )", ")")
    while text.startswith("(") and text.endswith(")"):
        depth = 0
        for place, letter in enumerate(text):
            depth += (letter == "(") - (letter == ")")
            if depth == 0:
                break
        if place != len(text) - 1:
            break
        text = text[1:-1].strip()
    return re.sub(r"\((!\w+)\)", r"\1", text)


def is_nand(function):
    return any(form.fullmatch(_whole(function)) for form in _NAND)


def is_inverter(function):
    return re.fullmatch(r"!\w+|\w+'", _whole(function)) is not None


def library_of(text):
    """({name: Cell}, its smallest NAND of two inputs, its largest inverter) of a Liberty file; None: it has none."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    begins = list(re.finditer(r'\bcell\s*\(\s*"?([\w.]+)"?\s*\)\s*\{', text))
    cells, nands, inverters = {}, [], []
    for begin, after in zip(begins, [*begins[1:], None]):
        body = text[begin.end():after.start() if after else len(text)]
        area = re.search(r"\barea\s*:\s*([\d.]+(?:[eE][-+]?\d+)?)", body)
        if area is None:
            raise Unreadable(f"cell {begin[1]} has no area")
        cells[begin[1]] = Cell(float(area[1]), re.search(r"\b(ff|latch)\s*\(", body) is not None)
        functions = re.findall(r'\bfunction\s*:\s*"([^"]*)"', body)
        if len(functions) == 1 and not cells[begin[1]].register and "three_state" not in body:
            nands += [begin[1]] * is_nand(functions[0])
            inverters += [begin[1]] * is_inverter(functions[0])
    if not cells:
        raise Unreadable("it has no cells: not a Liberty file?")
    def area(name):
        return cells[name].area
    return cells, min(nands, key=area, default=None), max(inverters, key=area, default=None)


def number(bits):
    """A parameter of Yosys' JSON: bits as text, or a number."""
    return int(bits, 2) if isinstance(bits, str) else bits


def memories_of(module):
    """The memories of a netlist that has them as cells."""
    return [Memory(number(cell["parameters"]["SIZE"]), number(cell["parameters"]["WIDTH"]))
            for cell in module["cells"].values() if cell["type"].startswith("$mem")]


def area_of(module, library):
    """(area, registers) of a mapped module; memories that are cells have no area."""
    area, registers = 0.0, 0
    for cell in module["cells"].values():
        if cell["type"].startswith("$mem"):
            continue
        if cell["type"] not in library:
            raise Unreadable(f"the netlist has a cell {cell['type']}, which the library lacks")
        area += library[cell["type"]].area
        registers += library[cell["type"]].register
    return area, registers


def register_name(module, instance):
    """The signal that a register drives, or the memory that it is a bit of; its instance where neither has a name."""
    cell = module["cells"].get(instance)
    bits = {bit for port, wires in (cell or {"connections": {}})["connections"].items()
            if cell["port_directions"].get(port) == "output" for bit in wires}
    named, words = [], []
    for name, net in module["netnames"].items():
        for at, bit in enumerate(net["bits"]):
            if bit not in bits:
                continue
            if not net.get("hide_name"):
                named.append(name + (f"[{at + net.get('offset', 0)}]" if len(net["bits"]) > 1 else ""))
            elif "\\" in name:  # $memory\\u_store.rows_m[3]$12
                words.append(name.rsplit("\\", 1)[1].split("$", 1)[0])
    return min(named or words, key=lambda name: (name.count("."), len(name), name), default=instance)


def path_of(text, module, period_ns):
    """The worst path of a report of OpenSTA between registers, for a clock of that period."""
    begin, end = (re.search(rf"^{word}point: (\S+)", text, re.MULTILINE) for word in ("Start", "End"))
    slack = re.search(r"^\s*(-?[\d.]+)\s+slack", text, re.MULTILINE)
    if begin is None or end is None or slack is None:
        raise Unreadable("no path leads from a register to a register: there is no MHz")
    steps = re.findall(r"^.*[v^] (\S+)/(\S+) \((\w+)\)$", text, re.MULTILINE)
    between = {instance for instance, _, _ in steps} - {begin[1], end[1]}
    return Path(register_name(module, begin[1]), register_name(module, end[1]), len(between),
                period_ns - float(slack[1]))


def row_of(top, shape, gates, memories, whole_gates, path):
    """A row of the table; gates: (kGE, flip-flops) without the memories; whole_gates: kGE with them as flip-flops."""
    kge, registers = gates
    bits = sum(memory.words * memory.width for memory in memories)
    return (top, shape, f"{kge:.1f}", f"{registers:,}", str(len(memories)), f"{bits:,}", f"{whole_gates:.1f}",
            f"{1000 / path.period_ns:.0f}", f"{path.period_ns:.2f}", str(path.cells), f"{path.begin} -> {path.end}")


def lines(row):
    """The table as lines; the first two columns and the last one begin at the left."""
    rows = [HEAD, row]
    widths = [max(len(one[column]) for one in rows) for column in range(len(HEAD))]
    left = (0, 1, len(HEAD) - 1)
    return ["  ".join(word.ljust(width) if column in left else word.rjust(width)
                      for column, (word, width) in enumerate(zip(one, widths))).rstrip() for one in rows]
