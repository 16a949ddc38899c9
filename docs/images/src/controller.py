# SPDX-License-Identifier: BSD-3-Clause
"""The datapath of the out-of-order controller o3, with the places of its counters."""

from draw import Drawing


def o3():
    drawing = Drawing(900, 452, "Datapath of the out-of-order controller o3, with the places of its counters")
    drawing.box(12, 60, 96, 60, "operation\nflash_op", "fw", small=True)
    drawing.box(12, 190, 96, 60, "registers\nAXI4-Lite", "fw", small=True)
    drawing.box(136, 100, 96, 70, "front FIFO\nlegality", "ctl", small=True)
    drawing.arrow((108, 90), (122, 90), (122, 125), (134, 125))
    drawing.arrow((108, 220), (122, 220), (122, 145), (134, 145))
    drawing.box(256, 24, 458, 300, "", "plain")
    drawing.text(268, 44, "one channel", "l b")
    drawing.box(268, 100, 92, 70, "intake\nin order", "ctl", small=True)
    drawing.arrow((232, 135), (266, 135))
    drawing.box(384, 60, 150, 150, "stations of each LUN", "ctl", small=True, top=True)
    drawing.arrow((360, 135), (382, 135))
    for number, words in enumerate(("waits_for: rows", "older: age", "fence, priority")):
        drawing.box(394, 88 + 38 * number, 130, 30, words, "plain", small=True)
    drawing.box(558, 60, 146, 60, "choice: oldest if aged,\nelse highest priority,\nelse oldest", "ctl", small=True)
    drawing.arrow((534, 90), (556, 90))
    drawing.box(558, 150, 146, 60, "LUN state\nfree, busy, suspended\n\u2261 lun_busy", "ctl", small=True)
    drawing.arrow((631, 120), (631, 148))
    drawing.box(384, 246, 150, 60, "bus: commands and\nstatus before\nbursts", "ctl", small=True)
    drawing.arrow((600, 210), (600, 276), (536, 276))
    drawing.box(268, 246, 92, 60, "segment\nport", "ctl", small=True)
    drawing.arrow((384, 276), (362, 276))
    drawing.box(268, 356, 436, 40, "ONFI channel and dies", "bus")
    drawing.arrow((300, 306), (300, 354))
    drawing.arrow((670, 354), (670, 212))
    drawing.text(676, 342, "R/B#", "l s p")
    drawing.box(738, 150, 150, 80, "retire\neach stream in order,\nNO_STREAM at once", "ctl", small=True, top=True)
    drawing.arrow((704, 180), (736, 180))
    drawing.text(726, 173, "end", "s p")
    drawing.box(738, 286, 150, 50, "completion\n16 bytes", "fw", small=True)
    drawing.arrow((813, 230), (813, 284))
    drawing.text(819, 260, "landing", "l s p")
    counters = [  # place and names in perf and perf_channel
        (314, 196, "blocked"), (459, 228, "dependent, fenced"), (459, 340, "bus_busy, bus_starved"), (813, 142, "held"), (813, 352, "ended"), (190, 190, "outstanding_max"),
        (190, 206, "cycles")]
    for x, y, words in counters:
        if words:
            drawing.text(x, y, "\u2261 " + words, "s m")
    drawing.text(706, 52, "\u2261 reads, programs, erases, resets", "r m")
    drawing.text(12, 424, "\u2261 counters: controller.counters in results.json, perf and perf_channel in the registers. "
                 "The channel is there once per channel;", "l s p")
    drawing.text(12, 440, "front FIFO and retirement are there once. All order is decided in the stations.", "l s p")
    return drawing.svg()


def drawings():
    return {"o3": o3()}
