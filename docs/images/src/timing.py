# SPDX-License-Identifier: BSD-3-Clause
"""A step of the HAL, the segments of a READ and a PROGRAM, the handshakes of an RTL controller."""

from draw import Drawing


def hal_step():
    drawing = Drawing(900, 330, "A step of the HAL: when it starts, and when its outputs become visible")
    left, t0, unit = 130, 300, 1.0
    lanes = [("events", 70), ("core", 130), ("outputs", 210)]
    for name, y in lanes:
        drawing.text(left - 12, y + 4, name, "r b")
        drawing.path(f"M{left} {y + 26}H880", "thin")
    for x, name in ((200, "A visible"), (262, "B visible"), (470, "C visible")):
        drawing.arrow((x, 52), (x, 94))
        drawing.text(x, 46, name, "s")
    drawing.box(left, 112, t0 - left, 40, "the step before", "host", 0, small=True)
    drawing.box(t0, 112, 440, 40, "", "fw", 0)
    for start, width, words in ((0, 120, "cycles a"), (120, 150, "cycles b"), (270, 110, "cycles c"), (380, 60, "cycles d")):
        drawing.text(t0 + start + width / 2, 137, words, "s")
        if start:
            drawing.path(f"M{t0 + start} 112v40", "thin")
    drawing.box(740, 112, 130, 40, "next step: C", "host", 0, small=True)
    for at, words in ((120, "doorbell"), (270, "message"), (380, "completion")):
        drawing.arrow((t0 + at, 152), (t0 + at, 234))
        drawing.text(t0 + at + 6, 204, words, "l s")
        drawing.text(t0 + at + 6, 220, "visible", "l s p")
    drawing.path(f"M{t0} 90V262", "dash")
    drawing.text(t0, 276, "t0", "b")
    drawing.text(t0 + 120, 262, "t0 + a", "s m")
    drawing.text(t0 + 270, 262, "t0 + a + b", "s m")
    drawing.text(t0 + 380, 262, "t0 + a + b + c", "s m")
    drawing.text(20, 300, "t0 = max(first visible event, core free). The code of the step runs at t0 in no kernel time and "
                 "sees the queues as of t0:", "l s")
    drawing.text(20, 317, "A and B, not C. Each output becomes visible at t0 + the cycles that were charged before its call. "
                 "The core is busy for all of them.", "l s")
    return drawing.svg()


class Wave:
    """Lanes of levels and values over numbered places."""

    def __init__(self, drawing, left, step, lanes, top, row):
        self.drawing, self.left, self.step, self.row = drawing, left, step, row
        self.y = {name: top + row * number for number, name in enumerate(lanes)}
        for name, y in self.y.items():
            drawing.text(left - 10, y + 17, name, "r m")

    def at(self, place):
        return round(self.left + self.step * place, 1)

    def level(self, lane, changes, end):
        """`changes`: (place, level) in order; the first at 0."""
        y, high, low = self.y[lane], self.y[lane] + 4, self.y[lane] + 22
        path = ""
        for number, (place, level) in enumerate(changes):
            path += ("M" if number == 0 else "H") + f"{self.at(place)}" + (f" {high if level else low}" if number == 0
                                                                         else f"V{high if level else low}")
        self.drawing.path(path + f"H{self.at(end)}")
        return y

    def value(self, lane, start, end, words, layer="bus"):
        self.drawing.box(self.at(start), self.y[lane] + 3, round(self.step * (end - start), 1), 20, words, layer, 3, small=True)


def span(drawing, x, right, y, words):
    drawing.path(f"M{x} {y - 4}v8M{x} {y}H{right}M{right} {y - 4}v8", "line")
    drawing.text((x + right) / 2, y - 6, words, "s")


def segment():
    drawing = Drawing(900, 560, "Segments of a READ and of a PROGRAM (NV-DDR), with the names of their times")
    for top, title, commands in (
            (40, "READ: a command segment, tR, a burst out", [("00h", "ctl"), ("5 address cycles", "host"), ("30h", "ctl")]),
            (310, "PROGRAM: one segment with a burst in, tPROG, a status segment",
             [("80h", "ctl"), ("5 address cycles", "host")])):
        drawing.text(20, top - 16, title, "l b")
        wave = Wave(drawing, 90, 40, ("CE#", "DQ", "R/B#"), top + 30, 34)
        program = "PROGRAM" in title
        x = 1
        for words, layer in commands:
            long = 2.8 if "cycles" in words else 1
            wave.value("DQ", x, x + long, words, layer)
            x += long
        if not program:
            wave.level("CE#", [(0, 1), (0.4, 0), (x, 1), (12, 0), (19, 1)], 20)
            wave.level("R/B#", [(0, 1), (x, 0), (11.5, 1)], 20)
            wave.value("DQ", 14, 18, "data out, n strobes", "bus")
            span(drawing, wave.at(0.4), wave.at(1), top + 20, "tCS")
            span(drawing, wave.at(1), wave.at(x), top + 20, "7 tCAD")
            span(drawing, wave.at(x), wave.at(x + 0.8), top + 150, "tWB")
            span(drawing, wave.at(x + 0.8), wave.at(11.5), top + 150, "tR")
            span(drawing, wave.at(12), wave.at(12.6), top + 20, "tCS")
            span(drawing, wave.at(12.6), wave.at(13.2), top + 20, "tRR")
            span(drawing, wave.at(13.2), wave.at(14), top + 150, "tWRCK + tDQSCK")
            span(drawing, wave.at(14), wave.at(18), top + 20, "n tCK")
            span(drawing, wave.at(18), wave.at(19), top + 20, "tDQSHZ")
            drawing.text(wave.at(8.7), top + 196, "the bus is free: other dies use it", "s p")
        else:
            wave.value("DQ", 6.4, 9.6, "data in, n strobes", "bus")
            wave.value("DQ", 10.3, 11.3, "10h", "ctl")
            wave.level("CE#", [(0, 1), (0.4, 0), (11.3, 1), (16, 0), (19.4, 1)], 20)
            wave.level("R/B#", [(0, 1), (11.3, 0), (15.5, 1)], 20)
            wave.value("DQ", 16.6, 17.4, "70h", "ctl")
            wave.value("DQ", 18.3, 19, "SR", "bus")
            span(drawing, wave.at(0.4), wave.at(1), top + 20, "tCS")
            span(drawing, wave.at(1), wave.at(4.8), top + 20, "6 tCAD")
            span(drawing, wave.at(4.8), wave.at(5.8), top + 20, "tADL")
            span(drawing, wave.at(5.8), wave.at(6.4), top + 150, "tWPRE")
            span(drawing, wave.at(6.4), wave.at(9.6), top + 20, "n tCK")
            span(drawing, wave.at(9.6), wave.at(10.3), top + 150, "tWPST")
            span(drawing, wave.at(10.3), wave.at(11.3), top + 20, "tCAD")
            span(drawing, wave.at(11.3), wave.at(12.4), top + 150, "tWB")
            span(drawing, wave.at(12.4), wave.at(15.5), top + 150, "tPROG")
            span(drawing, wave.at(16), wave.at(16.6), top + 20, "tCS")
            span(drawing, wave.at(16.6), wave.at(17.4), top + 20, "tCAD")
            span(drawing, wave.at(17.4), wave.at(18.3), top + 20, "tWHR")
    drawing.text(20, 528, "A segment lasts from CE# low to CE# high: one uninterrupted use of the bus. Widths are not to "
                 "scale. With several dies on a", "l s p")
    drawing.text(20, 544, "CE# the data follow 06h, five address cycles, E0h and tCCS; the status byte follows 78h with "
                 "three row cycles.", "l s p")
    return drawing.svg()


def handshakes():
    drawing = Drawing(900, 470, "Handshakes of an RTL controller: one READ from the operation to its completion")
    lanes = ("clk_i", "op_valid_i", "op_ready_o", "op_i", "seg_valid_o[c]", "seg_phase_o", "seg_done_i[c]", "ready_i[LUN]",
             "land_valid_i", "done_valid_o", "done_tag_o")
    wave = Wave(drawing, 140, 34, lanes, 34, 32)
    clock = []
    for edge in range(22):
        clock += [(edge, 1), (edge + 0.5, 0)]
    wave.level("clk_i", clock, 22)
    wave.level("op_valid_i", [(0, 0), (1.1, 1), (3.1, 0)], 22)
    wave.level("op_ready_o", [(0, 0), (2.1, 1)], 22)
    wave.value("op_i", 1.1, 3.1, "READ, 7", "ctl")
    wave.level("seg_valid_o[c]", [(0, 0), (4.1, 1), (7.1, 0), (11.1, 1), (15.1, 0)], 22)
    wave.value("seg_phase_o", 4.1, 7.1, "COMMAND", "ctl")
    wave.value("seg_phase_o", 11.1, 15.1, "DATA_OUT", "bus")
    wave.level("seg_done_i[c]", [(0, 0), (6.1, 1), (7.1, 0), (14.1, 1), (15.1, 0)], 22)
    wave.level("ready_i[LUN]", [(0, 1), (6.1, 0), (9.6, 1)], 22)
    wave.level("land_valid_i", [(0, 0), (17.1, 1), (18.1, 0)], 22)
    wave.level("done_valid_o", [(0, 0), (19.1, 1), (20.1, 0)], 22)
    wave.value("done_tag_o", 19.1, 20.1, "7", "ctl")
    for place, number in ((3, 1), (7, 2), (11, 3), (15, 4), (18, 5), (20, 6)):
        drawing.path(f"M{wave.at(place)} 28V386", "dash")
        drawing.text(wave.at(place), 20, str(number), "b")
    notes = ["1 an operation is taken where valid and ready are high; 2 the command has ended: R/B# is low already, "
             "valid falls for an edge at least",
             "3 after R/B# high the LUN may ask for the next segment; 4 the burst has ended: LUN and bus are free; "
             "5 the data are in DRAM (landing)", "6 the completion of a READ follows its landing, not its burst"]
    for number, note in enumerate(notes):
        drawing.text(20, 412 + 18 * number, note, "l s")
    return drawing.svg()


def drawings():
    return {"hal-step": hal_step(), "segment": segment(), "rtl-handshakes": handshakes()}
