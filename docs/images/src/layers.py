#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draw docs/images/layers.svg: the modules of tlmssd, from below upwards.

Usage: layers.py > docs/images/layers.svg
"""
import sys

WIDTH, LEFT, ROW, GAP = 940, 150, 46, 12
LAYERS = [  # from above downwards: name of the row, boxes
    ("programs", ["cli"]),
    ("kinds of run", ["replay", "powercut", "serve"]),
    ("one run", ["run"]),
    ("one device", ["ssd"]),
    ("its state", ["snapshot", "aging"]),
    ("observers", ["probes: waves, timeline, stages, ops"]),
    ("parts", ["nand", "host", "flash", "ahci"]),
    ("links, tools", ["workload", "onfi", "dram", "sata", "nvme", "cpu"]),
    ("ground", ["interfaces", "time", "config", "observe"]),
    ("", ["common"]),
]
FIRMWARE = ["port", "boot", "hil | buffer | ftl | sched", "core", "hal"]
STYLE = """
    text { font: 13px sans-serif; fill: #222; text-anchor: middle }
    .row { font-size: 12px; text-anchor: end; fill: #666 }
    .box { fill: #dce9f5; stroke: #3b6ea5 }
    .firmware { fill: #e6f2dc; stroke: #5b8a35 }
    .rtl { fill: #f8e7d3; stroke: #b0702a }
    .arrow { stroke: #666; fill: none; marker-end: url(#head) }
    @media (prefers-color-scheme: dark) {
      text { fill: #eee } .row { fill: #aaa }
      .box { fill: #23405c } .firmware { fill: #32491f } .rtl { fill: #5a3c18 }
    }"""


def box(x, y, width, height, text, kind="box"):
    return (f'  <rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="4"/>\n'
            f'  <text x="{x + width / 2:g}" y="{y + height / 2 + 5:g}">{text}</text>\n')


def drawing():
    models = 520
    height = len(LAYERS) * (ROW + GAP) + 50
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">\n'
             "  <title>Modules of tlmssd: a box may include only boxes below it</title>\n"
             f"  <style>{STYLE}\n  </style>\n"
             '  <defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
             '<path d="M0,0 L8,4 L0,8 z" fill="#666"/></marker></defs>\n'
             f'  <text x="{LEFT + models / 2:g}" y="22">models/ (C++17, SystemC)</text>\n'
             f'  <text x="{LEFT + models + 120}" y="22">firmware/ (C11)</text>\n']
    for number, (name, boxes) in enumerate(LAYERS):
        y = 36 + number * (ROW + GAP)
        parts.append(f'  <text class="row" x="{LEFT - 12}" y="{y + ROW / 2 + 4:g}">{name}</text>\n')
        width = (models - GAP * (len(boxes) - 1)) / len(boxes)
        for at, text in enumerate(boxes):
            parts.append(box(round(LEFT + at * (width + GAP), 1), y, round(width, 1), ROW, text))
    right, wide = LEFT + models + 40, 200
    first = 36 + 3 * (ROW + GAP)
    for number, text in enumerate(FIRMWARE):
        parts.append(box(right, first + number * (ROW + GAP), wide, ROW, text, "firmware"))
    parts.append(box(right, first + 5 * (ROW + GAP), wide, ROW, "rtl: o3 | onfi | common", "rtl"))
    # ssd wires the firmware's boot; cpu runs its core; flash wraps the RTL
    end = LEFT + models
    ssd = 36 + 3 * (ROW + GAP) + ROW / 2
    for y, to in ((ssd, first + (ROW + GAP) + ROW / 2), (36 + 7 * (ROW + GAP) + ROW / 2, first + 3 * (ROW + GAP) + ROW / 2),
                  (36 + 6 * (ROW + GAP) + ROW / 2, first + 5 * (ROW + GAP) + ROW / 2)):
        parts.append(f'  <path class="arrow" d="M{end + 2},{y:g} L{right - 3},{to:g}"/>\n')
    parts.append("</svg>\n")
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(drawing())
