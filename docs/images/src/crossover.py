# SPDX-License-Identifier: BSD-3-Clause
"""One map of the crossover: from which CPU clock on the best scheduler in firmware has the throughput
of the out-of-order controller. The numbers are those of docs/notebook/crossover.md."""

import pathlib
import re

from draw import Drawing

PAGE = pathlib.Path(__file__).resolve().parents[2] / "notebook/crossover.md"
# Fill of a cell by clock; the last is hardware alone. Blue to orange, in steps that print as grey steps.
COLOURS = {"100": "#2c6fae", "200": "#5b9bd5", "400": "#9dc3e6", "800": "#d5e5f3", "1600": "#f6e3cc",
           "3200": "#f0bf86", "-": "#d9822b"}
LOADS = (("randread-4k", "random reads, 4 KiB"), ("mixed-70-30-4k", "70 % reads, 30 % writes, 4 KiB"))


def thresholds(load):
    """NAND and channels with the clock of each depth; the head of the table."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(rf"^\*\*{load}\*\*: the slowest CPU clock[^|]*?the\s+throughput\s+of[^|]*?\n\n((?:\|.*\n)+)",
                      text, re.M)
    if found is None:
        raise SystemExit(f"{PAGE}: has no table of the slowest CPU clock for the throughput of {load}")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines()]
    return rows[0][2:], rows[2:]


def stamp():
    """What the page says of the runs behind its tables."""
    found = re.search(r"[Rr]evision `(\w+)`; seeds ([\d, ]+); ([\d-]+)\.", PAGE.read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit(f"{PAGE}: has no line 'Revision ...; seeds ...; date'")
    return f"Revision {found[1]}, seeds {found[2]}, {found[3]}."


def look(clock):
    """Colour, word, and whether the word is white."""
    return COLOURS[clock], "hardware" if clock == "-" else clock, clock in ("100", "-")


def summary():
    cell, row, top = 64, 22, 92
    tables = [(words, *thresholds(load)) for load, words in LOADS]
    low = top + row * len(tables[0][2])
    drawing = Drawing(900, low + 106, "Where hardware wins and where firmware does: throughput by NAND, channels, "
                      "queue depth and CPU clock")
    drawing.text(20, 26, "The slowest CPU clock, MHz, with which firmware reaches the throughput of the out-of-order "
                 "hardware", "l b")
    for number, (words, heads, rows) in enumerate(tables):
        left = 130 + 440 * number
        drawing.text(left + cell * len(heads) / 2, 56, words, "t b")
        for column, head in enumerate(heads):
            drawing.text(left + cell * (column + 0.5), 80, head, "s p")
        for line, (nand, channels, *clocks) in enumerate(rows):
            y = top + row * line
            drawing.text(left - 10, y + 15, f"{nand}, {channels} channels", "r s")
            drawing.fills((left + cell * column, y, cell - 2, row - 2, *look(clock))
                          for column, clock in enumerate(clocks))
    drawing.fills((130 + 78 * number, low + 20, 76, 20, *look(clock)) for number, clock in enumerate(COLOURS))
    drawing.text(130, low + 60, "Blue: a slow CPU is enough. Orange: only a fast one keeps up; \u201chardware\u201d: none up to "
                 "3,200 MHz does.", "l s p")
    drawing.text(130, low + 94, f"Data: docs/notebook/crossover.md. {stamp()}", "l s p")
    drawing.text(130, low + 77, "Firmware: the best of vaq, paq2, sost and hybrid. Hardware: host on the RTL of o3. Within 2 % "
                 "counts as equal.", "l s p")
    return drawing.svg()


def drawings():
    return {"crossover": summary()}
