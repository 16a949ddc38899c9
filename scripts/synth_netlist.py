# SPDX-License-Identifier: BSD-3-Clause
# tlmssd: reads netlists that Yosys wrote as JSON after synth_ecp5: longest path, area by module; and the
# least squares of the growth law. For scripts/synth.
"""A bit of a netlist is an integer; constants are strings. Names of cells and nets are those of the flattened
design: instances divided by dots."""
import collections
import re

# Outputs of the combinational cells. Of a LUT RAM only the way from its read address counts.
COMBINATIONAL = {"LUT4": ("Z",), "PFUMX": ("Z",), "L6MUX21": ("Z",), "CCU2C": ("S0", "S1", "COUT"),
                 "TRELLIS_DPR16X4": ("DO",)}
READ_ADDRESS = {"TRELLIS_DPR16X4": "RAD"}
# What Yosys makes of the name of a cell's output: not a signal of the source.
MADE_UP = re.compile(r"\$|_(LUT4|PFUMX|L6MUX21|CCU2C|TRELLIS_FF|DPR16X4)_|_(DO|DI|RAD|WRE|WAD)(_|$|\[)")

Path = collections.namedtuple("Path", "depth begin end through cells")


def module_of(name):
    """o3_fifo of `$paramod$hash\\o3_fifo`, `$paramod\\o3_fifo\\W=32'...` and `o3_fifo`."""
    return next((part for part in name.split("\\") if not part.startswith("$")), name)


def _names(module):
    """{bit: (name with index, file and line of the source)}; of several a flip-flop's own name (`_q`) before
    others, inputs (`_i`) last, then the longest path of instances and the shortest name."""
    best = {}
    for name, net in module["netnames"].items():
        if MADE_UP.search(name):
            continue
        source = net["attributes"].get("src", "").split("|")[-1]
        source = re.sub(r"[.:]?\d+-\d+\.\d+$", "", source).rstrip(".")
        rank = (0 if name.endswith("_q") else 2 if name.endswith("_i") else 1, -name.count("."), len(name))
        for index, bit in enumerate(net["bits"]):
            if isinstance(bit, int) and (bit not in best or rank < best[bit][0]):
                best[bit] = (rank, f"{name}[{index}]" if len(net["bits"]) > 1 else name, source)
    return {bit: (name, source) for bit, (_, name, source) in best.items()}


def longest(netlist, top):
    """The longest combinational path of module `top`."""
    module = netlist["modules"][top]
    names = _names(module)
    cells = collections.Counter(cell["type"] for cell in module["cells"].values())
    drivers = {}  # bit: bits that it depends on
    ends = []     # (bit, what takes it)
    for name, cell in module["cells"].items():
        kind, wires = cell["type"], cell["connections"]
        outputs = COMBINATIONAL.get(kind)
        if outputs is not None:
            inputs = [bit for port, bits in wires.items() if port not in outputs
                      and READ_ADDRESS.get(kind, port) == port for bit in bits if isinstance(bit, int)]
            for port in outputs:
                drivers.update((bit, inputs) for bit in wires.get(port, []) if isinstance(bit, int))
        if outputs is None or kind in READ_ADDRESS:
            own = names.get(next(iter(wires.get("Q", [])), None), (name, ""))
            for port, bits in wires.items():
                if cell["port_directions"].get(port) == "output" or port == READ_ADDRESS.get(kind):
                    continue
                ends += [(bit, f"{own[0]} ({port} of {kind}{', ' + own[1] if own[1] else ''})")
                         for bit in bits if isinstance(bit, int)]
    for name, port in module["ports"].items():
        if port["direction"] == "output":
            ends += [(bit, f"output {name}") for bit in port["bits"] if isinstance(bit, int)]
    depths = {}
    for bit in list(drivers):
        _measure(bit, drivers, depths)
    if not ends:
        return Path(0, "", "", [], cells)
    last, end = max(ends, key=lambda item: depths.get(item[0], (0, None))[0])
    bits = [last]
    while depths.get(bits[-1], (0, None))[1] is not None:
        bits.append(depths[bits[-1]][1])
    bits.reverse()
    through = []
    for bit in bits[1:]:
        name = names.get(bit, ("", ""))[0]
        if name and name not in through:
            through.append(name)
    begin, source = names.get(bits[0], (f"net {bits[0]}", ""))
    begin += f" ({source})" if source else ""
    return Path(depths.get(last, (0, None))[0], begin, end, through, cells)


def _measure(bit, drivers, depths):
    """depths[bit] = (cells up to it, the input that is deepest), without recursion: paths are long."""
    stack = [bit]
    while stack:
        now = stack[-1]
        if now in depths:
            stack.pop()
            continue
        inputs = drivers.get(now)
        if inputs is None:
            depths[now] = (0, None)
            continue
        todo = [one for one in inputs if one not in depths]
        if todo:
            stack += todo
            continue
        deepest = max(inputs, key=lambda one: depths[one][0], default=None)
        depths[now] = ((depths[deepest][0] if deepest is not None else 0) + 1, deepest)


def by_module(netlist, top, kinds):
    """[{module, instances, cells}] of a netlist with its hierarchy kept, the largest first; a module's cells
    are its own, without those of its instances."""
    modules = netlist["modules"]
    instances = collections.Counter()
    cells = collections.defaultdict(collections.Counter)

    def walk(name, times):
        own = collections.Counter(cell["type"] for cell in modules[name]["cells"].values())
        short = module_of(name)
        instances[short] += times
        for kind, count in own.items():
            if kind in kinds:
                cells[short][kind] += times * count
            elif kind in modules and not modules[kind]["attributes"].get("blackbox"):
                walk(kind, times * count)

    walk(top, 1)
    rows = [{"module": name, "instances": count, "cells": {kind: cells[name][kind] for kind in kinds}}
            for name, count in instances.items()]
    return sorted(rows, key=lambda row: (-row["cells"]["LUT4"], row["module"]))


def least_squares(rows, values):
    """Coefficients by the normal equations; ZeroDivisionError if the rows do not determine them."""
    size = len(rows[0])
    matrix = [[float(sum(row[i] * row[j] for row in rows)) for j in range(size)]
              + [float(sum(row[i] * value for row, value in zip(rows, values)))] for i in range(size)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda r: abs(matrix[r][column]))
        if abs(matrix[pivot][column]) < 1e-9:
            raise ZeroDivisionError
        matrix[column], matrix[pivot] = matrix[pivot], matrix[column]
        for r in range(size):
            if r != column:
                factor = matrix[r][column] / matrix[column][column]
                matrix[r] = [x - factor * y for x, y in zip(matrix[r], matrix[column])]
    return [matrix[i][size] / matrix[i][i] for i in range(size)]
