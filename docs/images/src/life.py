#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The life of a 4 KiB read and of a write across the layers, in the colours of the stages. life.json
holds the instants of two real runs.

Usage: life.py --run TLMSSD    runs both requests again: life.json
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from draw import Drawing

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "life.json"
LANES = ("host link", "hil", "buffer", "ftl", "sched", "channel's bus", "cell array", "DRAM and ECC")
# Way of the request: lane, stage, words; "fw" takes its time from a firmware step.
READ = [
    ("host link", "link", "COMMAND"), ("hil", "hil", ""), ("buffer", "buffer", ""), ("ftl", "ftl", ""),
    ("sched", "sched", ""), ("channel's bus", "transfer", "READ"), ("cell array", "cell", "array"),
    ("channel's bus", "transfer", "DATA OUT"), ("DRAM and ECC", "dram", "DRAM1"), ("sched", "sched", ""),
    ("ftl", "ftl", ""), ("buffer", "buffer", ""), ("hil", "hil", ""), ("DRAM and ECC", "dram", "DRAM2"),
    ("host link", "link", "DATA"), ("host link", "link", "SET DEVICE BITS")]
WRITE = [
    ("host link", "link", "COMMAND"), ("hil", "hil", ""), ("buffer", "buffer", ""), ("hil", "hil", ""),
    ("host link", "link", "DATA"), ("DRAM and ECC", "dram", "DRAM1"), ("hil", "hil", ""),
    ("buffer", "buffer", ""), ("ftl", "ftl", ""), ("sched", "sched", ""), ("ftl", "ftl", ""),
    ("sched", "sched", ""), ("channel's bus", "transfer", "PROGRAM"), ("cell array", "cell", "array"),
    ("channel's bus", "transfer", "STATUS"), ("sched", "sched", ""), ("ftl", "ftl", ""),
    ("buffer", "buffer", ""), ("hil", "hil", ""), ("host link", "link", "SET DEVICE BITS")]
WORDS = {"COMMAND": "command FIS", "READ": "00h..30h", "DATA OUT": "data out", "DATA": "data FIS",
         "SET DEVICE BITS": "done", "PROGRAM": "80h, data, 10h", "STATUS": "status",
         "DRAM1": "", "DRAM2": ""}


def measure(tlmssd, kind, folder):
    """Begin and end of each part of the only request, microseconds, and its stages."""
    folder = pathlib.Path(folder)
    trace, line = folder / "trace.csv", folder / f"{kind}.json"
    trace.write_text(f"0,0,1,{kind}\n")
    subprocess.run([tlmssd, "run", HERE / "strips.yaml", "--set", "scheduler=inorder", "--set", "host.kind=sata",
                    "--trace", trace, "--trace-columns", "time:us,lba:pages4k,size:pages4k,op",
                    "--timeline", line, "--out", folder / kind, "--quiet"], check=True)
    events = json.loads(line.read_text())["traceEvents"]
    groups = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    spans = {}
    for e in events:
        if e["ph"] != "X":
            continue
        group, span = groups[e["pid"]], [round(e["ts"], 3), round(e["ts"] + e["dur"], 3)]
        if group == "firmware":
            spans.setdefault("steps", []).append(span)
        elif group == "planes":
            spans["array"] = span
        elif group in ("link", "channels"):
            spans[e["name"]] = span
    stages = json.loads((folder / kind / "results.json").read_text())["stages"]
    return {"spans": spans, "stages": {name.removesuffix("_us"): round(value["mean"], 3)
                                       for name, value in stages.items() if name.endswith("_us") and isinstance(value, dict)}}


def run(tlmssd):
    with tempfile.TemporaryDirectory() as folder:
        return {kind: measure(tlmssd, kind, folder) for kind in ("read", "write")}


def picture(kind, way, data):
    left, top, row, step = 116, 44, 34, 46
    low = top + row * len(LANES)
    drawing = Drawing(left + step * len(way) + 16, low + 96, f"The life of a 4 KiB {kind} across the layers")
    total = sum(data["stages"].values())
    words = "written through" if kind == "write" else "of a mapped page"
    drawing.text(12, 22, f"One 4 KiB {kind}, {words}: {total:.1f} \u00b5s. Each column is the next step; "
                         "widths are not to scale.", "l b")
    for number, lane in enumerate(LANES):
        y = top + row * number
        drawing.text(left - 10, y + 21, lane, "r s")
        drawing.path(f"M{left} {y + 31}h{step * len(way)}", "thin")
    for number, (lane, stage, part) in enumerate(way):
        x, y = left + step * number, top + row * LANES.index(lane) + 4
        drawing.stage(x, y, step, 24, stage)
        span = data["spans"].get(part)
        if span:
            time = span[1] - span[0]
            drawing.text(x + step / 2, y + 16, f"{time:.{2 if time >= 1 else 3}f}".rstrip("0").rstrip("."), "k")
        if WORDS.get(part):
            place = (x + step / 2, y - 7, "s p")
            if part in ("READ", "PROGRAM"):
                place = (x - 6, y + 16, "r s p")
            elif number < 3:
                place = (x + step + 4, y + 16, "l s p")
            drawing.text(place[0], place[1], WORDS[part], place[2])
        if number:
            before = top + row * LANES.index(way[number - 1][0]) + 16
            drawing.path(f"M{x} {before}V{y + 12}", "line")
    drawing.text(left - 10, low + 27, "to scale", "r s")
    x, scale = left, step * len(way) / total
    for stage, value in data["stages"].items():
        if value:
            drawing.stage(round(x, 1), low + 14, max(round(value * scale, 1), 0.5), 20, stage)
        x += value * scale
    x, y = left, low + 58
    for stage, value in data["stages"].items():
        if not value:
            continue
        drawing.stage(x, y - 10, 12, 12, stage)
        drawing.text(x + 17, y, f"{stage} {value:.2f} \u00b5s", "l s")
        x += 128
        if x > left + step * len(way) - 110:
            x, y = left, y + 20
    return drawing.svg()


def drawings():
    data = json.loads(DATA.read_text())
    return {"life-read": picture("read", READ, data["read"]), "life-write": picture("write", WRITE, data["write"])}


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "--run":
        raise SystemExit(__doc__)
    DATA.write_text(json.dumps(run(sys.argv[2])) + "\n")
