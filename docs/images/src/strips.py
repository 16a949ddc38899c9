#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A strip chart per scheduler: eight requests on four dies. strips.json holds what real runs gave.

Usage: strips.py --run TLMSSD    runs all schedulers of firmware/hal/sched.def again: strips.json
"""
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from draw import Drawing

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
DATA = HERE / "strips.json"
COLUMNS = "time:us,lba:pages4k,size:pages4k,op"
LEFT, TOP, ROW, WIDE = 118, 34, 30, 770


def schedulers():
    """Name and sentence of each, in the order of the table."""
    text = (ROOT / "firmware/hal/sched.def").read_text()
    return re.findall(r'^SCHED\(\w+,\s*(\w+),.*?"([^"]*)"\)', text, re.M | re.S)


def requests():
    """Letter, page, pages and kind of each request of the trace."""
    with (HERE / "strips.csv").open() as file:
        return [(chr(65 + i), int(page), int(pages), kind)
                for i, (_, page, pages, kind) in enumerate(csv.reader(file))]


def measure(tlmssd, name, folder):
    """Die operations, times of the arrays and segments of the buses of a run, microseconds."""
    file = pathlib.Path(folder) / f"{name}.json"
    subprocess.run([tlmssd, "run", HERE / "strips.yaml", "--set", f"scheduler={name}", "--trace",
                    HERE / "strips.csv", "--trace-columns", COLUMNS, "--timeline", file, "--quiet"],
                   check=True)
    events = json.loads(file.read_text())["traceEvents"]
    groups = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    tracks = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    slices = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            track = tracks[e["pid"], e["tid"]].split()[-1]
            span = [round(e["ts"], 1), round(e["ts"] + e["dur"], 1)]
            slices[groups[e["pid"]]].append((track, span, e["name"], e["args"]))
    letters = {page * 8: letter for letter, page, _, _ in requests()}
    numbers = {args["request"]: letters[args["lba"]] for _, _, _, args in slices["host requests"]}
    return {
        "end": max(span[1] for _, span, _, _ in slices["host requests"]),
        "dies": [[die, *span, kind, "+".join(sorted({numbers[n] for n in args["request"]}))]
                 for die, span, kind, args in slices["dies"]],
        "arrays": sorted([plane.rpartition("/")[0], *span]
                         for plane, span, kind, _ in slices["planes"] if kind != "QUEUE"),
        "segments": [[f"{channel}/{args['ce']}/{args['lun']}", *span]
                     for channel, span, _, args in slices["channels"]],
    }


def run(tlmssd):
    with tempfile.TemporaryDirectory() as folder:
        return {name: measure(tlmssd, name, folder) for name, _ in schedulers()}


def text_of(data):
    """One line per scheduler."""
    lines = [f"{json.dumps(name)}: {json.dumps(run, separators=(',', ':'))}" for name, run in data.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def axis(data):
    """One axis for all but those that take far longer than the others."""
    ends = sorted(run["end"] for run in data.values())
    usual = [end for end in ends if end < 1.5 * ends[len(ends) // 2]]
    return -(-max(usual) // 50) * 50


def strip(name, sentence, data):
    run, long = data[name], axis(data)
    dies = sorted({die for each in data.values() for die, *_ in each["dies"]})
    low = TOP + ROW * len(dies)
    drawing = Drawing(LEFT + WIDE + 22, low + 46, f"Scheduler {name}: eight requests on four dies")
    drawing.text(12, 21, f"{name}: {sentence}", "l")

    def at(time):
        return round(LEFT + WIDE * min(time, long) / long, 1)

    for number, die in enumerate(dies):
        channel, package, _ = die.split("/")
        drawing.text(LEFT - 10, TOP + ROW * number + 19, f"channel {channel}, die {package}", "r s")
        drawing.path(f"M{LEFT} {TOP + ROW * number + 27}h{WIDE}", "thin")
    for die, start, end, kind, who in run["dies"]:
        y = TOP + ROW * dies.index(die) + 3
        if start >= long:
            continue
        drawing.box(at(start), y, at(end) - at(start), 24, layer="host", round_=0)
        for stage, spans in (("cell", run["arrays"]), ("transfer", run["segments"])):
            for x, right in sorted({(at(max(a, start)), at(b)) for d, a, b in spans
                                    if d == die and start <= a < min(end, long) and at(b) > at(a)}):
                drawing.stage(x, y, round(right - x, 1), 24, stage)
        words = f"write {who}" if kind == "PROGRAM" else who
        busy = min((a, b) for d, a, b in run["arrays"] if d == die and start <= a < end)
        drawing.text((at(busy[0]) + at(busy[1])) / 2, y + 16, words, "k b")
    for time in range(0, int(long) + 1, 100):
        drawing.text(at(time), low + 14, f"{time} \u00b5s" if time == 0 else f"{time}", "s p")
    x = LEFT
    for stage, words in (("cell", "array busy"), ("transfer", "on the bus")):
        drawing.stage(x, low + 26, 12, 12, stage)
        drawing.text(x + 17, low + 36, words, "l s")
        x += 100
    drawing.box(x, low + 26, 12, 12, round_=0)
    drawing.text(x + 17, low + 36, "die taken, waits", "l s")
    late = f"last request ends at {run['end']:,.0f} \u00b5s" + (" (off the chart)" if run["end"] > long else "")
    drawing.text(LEFT + WIDE, low + 36, late, "r s")
    return drawing.svg()


def drawings():
    data = json.loads(DATA.read_text())
    if list(data) != [name for name, _ in schedulers()]:
        raise SystemExit("strips.json: other schedulers than firmware/hal/sched.def: strips.py --run TLMSSD")
    return {f"scheduler-{name}": strip(name, sentence, data) for name, sentence in schedulers()}


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "--run":
        raise SystemExit(__doc__)
    DATA.write_text(text_of(run(sys.argv[2])))
