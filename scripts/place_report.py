# SPDX-License-Identifier: BSD-3-Clause
# tlmssd: reads the JSON report of nextpnr: frequency, area, and the worst path between registers; the table and the
# floors of scripts/place-and-route.
import collections
import re
import statistics

# What Yosys and nextpnr append to the name of a signal to make the name of a cell.
MADE_UP = re.compile(r"(_(TRELLIS_FF|LUT4|CCU2C|PFUMX|L6MUX21|TRELLIS_DPR16X4)(_.*)?|\$(DPRAM|RAMW|CCU2|PFUMUX|L6MUX).*)$")
HEAD = ("top", "shape", "device", "seed", "MHz", "LUT4", "FF", "DP16KD", "levels", "logic ns", "routing ns",
        "worst path")

Path = collections.namedtuple("Path", "begin end levels logic_ns routing_ns")
# mhz: of the slowest clock, `clock`; sites: LUT4, carry chains and LUT RAM together.
Result = collections.namedtuple("Result", "clock mhz ff dp16kd sites path")


class NoPath(Exception):
    """No path leads from a register to a register of the same clock."""


def _edge(text):
    """The clock of "posedge clk_i"; "" of "<async>"."""
    return text.split()[-1] if text.startswith(("posedge ", "negedge ")) else ""


def _name(cell):
    return MADE_UP.sub("", cell)


def path_of(steps):
    """The path of a report's steps. A level is a LUT or a carry chain that the path enters by an input A to D; a
    LUT RAM is a LUT on its read address. Clock-to-output and set-up times are logic."""
    sums = collections.Counter()
    levels = 0
    begin = _name(steps[0]["from"]["cell"])
    for step in steps:
        sums["routing" if step["type"] == "routing" else "logic"] += step["delay"]
        levels += step["type"] == "logic" and step["from"]["port"] in ("A", "B", "C", "D")
    for step in steps:
        if step["type"] == "routing":
            if "$" not in step["net"] and _name(step["net"]) == step["net"]:
                begin = step["net"]  # with its index
            break
    last = steps[-1]["to"]
    return Path(begin, f"{_name(last['cell'])} ({last['port']})", levels, sums["logic"], sums["routing"])


def result_of(report):
    """The slowest clock of a report, and its worst path."""
    if not report["fmax"]:
        raise NoPath("no path leads from a register to a register of the same clock: there is no MHz")
    clock = min(report["fmax"], key=lambda name: report["fmax"][name]["achieved"])
    steps = next(path["path"] for path in report["critical_paths"]
                 if _edge(path["from"]) == _edge(path["to"]) == clock)
    used = {name: cell["used"] for name, cell in report["utilization"].items()}
    return Result(clock, report["fmax"][clock]["achieved"], used["TRELLIS_FF"], used["DP16KD"],
                  used["TRELLIS_COMB"], path_of(steps))


def row_of(top, shape, device, seed, lut4, result):
    """A row of the table."""
    path = result.path
    return (top, shape, device, str(seed), f"{result.mhz:.1f}", f"{lut4:,}", f"{result.ff:,}", str(result.dp16kd),
            str(path.levels), f"{path.logic_ns:.1f}", f"{path.routing_ns:.1f}", f"{path.begin} -> {path.end}")


def lines(rows):
    """The table as lines; the first three columns and the last one begin at the left."""
    rows = [HEAD, *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    left = (0, 1, 2, len(HEAD) - 1)
    return ["  ".join(word.ljust(width) if column in left else word.rjust(width)
                      for column, (word, width) in enumerate(zip(row, widths))).rstrip() for row in rows]


def median(results):
    return statistics.median(result.mhz for result in results)


def verdict(mhz, floor, name):
    """(kept, line) of a floor in MHz."""
    kept = mhz >= floor
    return kept, f"median {mhz:.1f} MHz: {'not below' if kept else 'BELOW'} {floor} MHz ({name})"
