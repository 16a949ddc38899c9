# SPDX-License-Identifier: BSD-3-Clause
"""Swap points, geometry, garbage collection, power loss, and the data flow of sweep and fit."""

import pathlib
import re

from draw import Drawing

ROOT = pathlib.Path(__file__).resolve().parents[3]


def choices(file, macro):
    """The names of a table of firmware/hal, in its order."""
    text = (ROOT / "firmware/hal" / file).read_text()
    return re.findall(rf"^{macro}\(\w+,\s*(\w+)", text, re.M)


def swap_points():
    schedulers, buffers = choices("sched.def", "SCHED"), choices("buffer_policies.def", "BUFFER_POLICY")
    victims = choices("gc_policies.def", "GC_POLICY")
    rows = [
        ("host.kind", ["sata", "nvme", "direct"], "host"),
        ("cpu.model", ["native", "iss"], "fw"),
        ("buffer.policy", buffers[:5] + [f"{len(buffers) - 5} more"], "fw"),
        ("ftl.mapping", ["page", "dftl"], "fw"),
        ("ftl.mapping_unit", ["page", "4KiB"], "fw"),
        ("ftl.gc.policy", victims, "fw"),
        ("ftl.recovery", ["none", "scan", "journal"], "fw"),
        ("scheduler", schedulers, "fw"),
        ("controller.kind", ["tlm", "rtl", "rtl_pins"], "ctl"),
        ("controller.rtl", ["o3", "your own"], "ctl"),
        ("dram.model", ["bus", "banks"], "dram"),
        ("onfi.interface", ["sdr", "nvddr", "nvddr2", "nvddr3"], "bus"),
        ("nand", [f"{len(list((ROOT / 'configs/nand').glob('*.yaml')))} parts, or a file of yours"], "nand"),
        ("data", ["tags", "full"], "nand"),
    ]
    drawing = Drawing(900, 20 + 34 * len(rows), "Swap points: each key chooses one implementation behind an interface")
    for number, (key, names, layer) in enumerate(rows):
        y, x = 12 + 34 * number, 160
        drawing.text(148, y + 18, key, "r m")
        for name in names:
            width = 18 + 7.2 * len(name)
            drawing.box(x, y, round(width, 1), 26, name, layer, small=True)
            x += round(width, 1) + 8
    return drawing.svg()


def geometry():
    drawing = Drawing(900, 420, "Geometry: channel, package, target, die, plane, block and page")
    drawing.box(12, 12, 120, 396, "controller", "ctl", top=True)
    for channel in range(2):
        y = 60 + 190 * channel
        drawing.path(f"M132 {y}H880", "line")
        words = "channel 0: one bus, one segment at a time" if channel == 0 else "channel 1"
        drawing.text(150 if channel == 0 else 612, y - 8 if channel == 0 else y + 13, words, "l s")
    drawing.box(152, 78, 440, 160, "package (a way of geometry.ways)", "bus", top=True)
    drawing.path("M372 60V78", "line")
    for number, name in enumerate(("target: one CE#", "target: one CE#")):
        x = 162 + 214 * number
        drawing.box(x, 104, 206, 126, name, "plain", small=True, top=True)
        for die in range(2):
            drawing.box(x + 8 + 98 * die, 128, 92, 94, "die = LUN", "nand", small=True, top=True)
            for plane in range(2):
                drawing.box(x + 13 + 98 * die + 42 * plane, 150, 40, 66, f"plane\n{plane}", "plain", small=True)
    drawing.box(612, 78, 120, 160, "package", "bus", top=True)
    drawing.box(752, 78, 120, 160, "package", "bus", top=True)
    drawing.path("M672 60V78M812 60V78M672 250V268M812 250V268", "line")
    drawing.box(612, 268, 120, 140, "package", "bus", top=True)
    drawing.box(752, 268, 120, 140, "package", "bus", top=True)
    drawing.box(152, 282, 440, 126, "one plane", "nand", top=True)
    drawing.path("M558 216L592 282M514 216L152 282", "thin")
    drawing.box(164, 310, 90, 88, "page register", "bus", small=True)
    for block in range(3):
        x = 270 + 104 * block
        drawing.box(x, 310, 96, 88, f"block {block}" if block < 2 else "block ...", "plain", small=True, top=True)
        for page in range(4):
            drawing.box(x + 8, 332 + 16 * page, 80, 13, f"page {page}" if page < 3 else "...", "host", 2, small=True)
    return drawing.svg()


def gc_round():
    drawing = Drawing(900, 396, "A round of garbage collection in one plane, and its two write points")
    states = [("IDLE", 20), ("READING", 170), ("WRITING", 340), ("WAITING", 560), ("ERASING", 730)]
    for name, x in states:
        drawing.box(x, 60, 110, 44, name, "fw")
    drawing.box(255, 168, 110, 44, "HELD", "bad")
    drawing.arrow((130, 82), (168, 82))
    drawing.arrow((280, 74), (338, 74))
    drawing.arrow((340, 92), (282, 92))
    drawing.text(310, 66, "page read", "s p")
    drawing.text(310, 118, "next valid page", "s p")
    drawing.arrow((450, 82), (558, 82))
    drawing.text(504, 74, "no page left", "s p")
    drawing.arrow((670, 82), (728, 82))
    drawing.text(699, 74, "quiet", "s p")
    drawing.arrow((785, 60), (785, 30), (75, 30), (75, 58))
    drawing.text(430, 24, "one more free block", "s p")
    drawing.text(75, 122, "free blocks at the", "s p")
    drawing.text(75, 137, "soft threshold", "s p")
    drawing.text(615, 122, "operations still run", "s p")
    drawing.text(615, 137, "on the victim (else skipped)", "s p")
    drawing.path("M250 104L290 166M370 104L330 166", "dash")
    drawing.text(375, 186, "waits for its share of the die,", "l s p")
    drawing.text(375, 201, "between two pages or before the erase", "l s p")
    drawing.text(20, 252, "The blocks of the plane", "l b")
    blocks = [("victim", "vixvii", "bad"), ("open block of collection", "vvv...", "fw"), ("open block of the host", "vvvv..", "host"),
              ("full block", "vvixvv", "host"), ("free block", "......", "plain")]
    for number, (name, pages, layer) in enumerate(blocks):
        x = 20 + 175 * number
        drawing.text(x + 75, 280, name, "s")
        for page, state in enumerate(pages):
            fill = layer if state == "v" else "plain"
            drawing.box(x + 25 * page, 290, 23, 34, {"v": "\u25cf", "i": "\u00d7", "x": "\u00d7", ".": ""}[state], fill, 2)
    drawing.path("M20 324h860", "thin")
    drawing.arrow((32, 326), (32, 350), (282, 350), (282, 327))
    drawing.text(160, 366, "valid pages move: write point of collection", "s p")
    drawing.arrow((482, 352), (482, 327))
    drawing.text(482, 366, "write point of the host", "s p")
    drawing.text(20, 388, "\u25cf valid, \u00d7 invalid. With ftl.gc.separate: false both share one open block.", "l s p")
    return drawing.svg()


def power_loss():
    drawing = Drawing(900, 340, "Power loss: when a write and a TRIM are safe")
    drawing.text(20, 26, "Path of a write", "l b")
    steps = [("host sends", "host"), ("in the buffer\n(DRAM)", "dram"), ("program runs", "nand"), ("program ended", "nand")]
    for number, (name, layer) in enumerate(steps):
        x = 150 + 190 * number
        drawing.box(x, 40, 150, 46, name, layer, small=True)
        if number:
            drawing.arrow((x - 40, 63), (x - 2, 63))
    cases = [
        ("write-back cache", 1, 3, "acknowledged here", "safe: at the next FLUSH"),
        ("FUA, or buffer: none", 3, 3, "", "acknowledged and safe"),
        ("with capacitors", 1, 1, "acknowledged and safe: the buffer is saved when the supply goes", ""),
    ]
    for number, (name, acknowledged, safe, first, second) in enumerate(cases):
        y = 112 + 46 * number
        drawing.text(138, y + 18, name, "r s")
        start, end = 150, 870
        said, kept = 190 * acknowledged + 150, 190 * safe + 150
        drawing.box(start, y, said - start, 26, "not promised", "plain", 0, small=True)
        if kept > said:
            drawing.box(said, y, kept - said, 26, first + ": may be lost", "bad", 0, small=True)
        drawing.box(kept, y, end - kept, 26, second or first, "fw", 0, small=True)
    y = 262
    drawing.text(138, y + 18, "TRIM", "r s")
    drawing.box(150, y, 570, 26, "acknowledged: the page may come back with what it held, never with older data", "bad", 0, small=True)
    drawing.box(720, y, 150, 26, "FLUSH: safe", "fw", 0, small=True)
    drawing.text(150, 312, "Needs ftl.recovery: scan or journal. A write that is not promised may survive; if not, the page "
                 "is as it was.", "l s p")
    drawing.text(150, 327, "With buffer.power: capacitors a TRIM is safe at its acknowledgement.", "l s p")
    return drawing.svg()


def tools():
    drawing = Drawing(900, 330, "Data flow of a sweep and of a fit")

    def flow(y, name, boxes):
        drawing.text(20, y - 12, name, "l b")
        for number, (text, layer) in enumerate(boxes):
            x = 20 + 176 * number
            drawing.box(x, y, 150, 78, text, layer, small=True, top=True)
            if number:
                drawing.arrow((x - 26, y + 39), (x - 2, y + 39))

    flow(36, "tlmssd-lab sweep FILE", [
        ("file\nkeys, ranges, method,\nobjectives", "host"), ("points\ngrid, list, lhs\nor search (Optuna)", "fw"),
        ("workers\nDask: processors,\ncluster, batch system", "ctl"),
        ("points/ID\nconfig.yaml,\nresults.json, log.txt", "nand"), ("points.parquet\nreport.html,\nquery SQL", "bus")])
    drawing.arrow((623, 116), (623, 138), (271, 138), (271, 116))
    drawing.text(447, 133, "search: objectives choose the next point", "s p")
    flow(192, "tlmssd-lab fit FILE", [
        ("file\nparameters, bounds,\nmeasured rows, fio", "host"), ("spread points\nthen least squares,\nthen pattern search", "fw"),
        ("runs\none per row\nand set of values", "ctl"), ("cost\nsum of weight x\nln(model/measured)\u00b2", "nand"),
        ("fit.txt, fit.json\npreset.yaml with\nerrors, elasticities", "bus")])
    drawing.arrow((623, 272), (623, 294), (271, 294), (271, 272))
    drawing.text(447, 312, "next values, until nothing is gained", "s p")
    return drawing.svg()


def drawings():
    return {"swap-points": swap_points(), "geometry": geometry(), "gc-round": gc_round(),
            "power-loss": power_loss(), "sweep-and-fit": tools()}
