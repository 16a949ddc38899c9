# SPDX-License-Identifier: BSD-3-Clause
"""The modules of tlmssd from above downwards, and the layers with their interfaces."""

from draw import Drawing

ROW, GAP = 46, 12
MODULES = [  # from above downwards: name of the row, boxes, layer
    ("programs", ["cli"], "host"),
    ("kinds of run", ["replay", "sample", "powercut", "serve", "guest"], "host"),
    ("one run", ["run"], "host"),
    ("one device", ["ssd"], "bus"),
    ("its state", ["snapshot", "aging"], "bus"),
    ("observers", ["probes: waves, timeline, stages, ops"], "bus"),
    ("parts", ["nand", "host", "flash", "ahci", "nvme_device"], "bus"),
    ("links, tools", ["workload", "onfi", "dram", "sata", "nvme", "pci", "cpu"], "bus"),
    ("ground", ["interfaces", "time", "config", "observe"], "host"),
    ("", ["common"], "host"),
]
FIRMWARE = ["port", "boot", "hil | buffer | ftl | sched", "core", "hal"]


def modules():
    left, models = 120, 520
    drawing = Drawing(910, len(MODULES) * (ROW + GAP) + 50,
                      "Modules of tlmssd: a box may include only boxes below it")
    drawing.text(left + models / 2, 22, "models/ (C++17, SystemC)", "t b")
    drawing.text(left + models + 140, 22, "firmware/ (C11)", "t b")
    for number, (name, boxes, layer) in enumerate(MODULES):
        y = 36 + number * (ROW + GAP)
        drawing.text(left - 12, y + ROW / 2 + 4, name, "r s p")
        width = (models - GAP * (len(boxes) - 1)) / len(boxes)
        for at, text in enumerate(boxes):
            drawing.box(round(left + at * (width + GAP), 1), y, round(width, 1), ROW, text, layer)
    right, wide, first = left + models + 40, 210, 36 + 3 * (ROW + GAP)
    for number, text in enumerate(FIRMWARE):
        drawing.box(right, first + number * (ROW + GAP), wide, ROW, text, "fw")
    drawing.box(right, first + 5 * (ROW + GAP), wide, ROW, "rtl: o3 | onfi | common", "ctl")
    end = left + models

    def middle(row):
        return 36 + row * (ROW + GAP) + ROW / 2

    # ssd wires the firmware's boot; cpu runs its core; flash wraps the RTL
    for row, to in ((3, 4), (7, 6), (6, 8)):
        drawing.arrow((end + 2, middle(row)), (right - 3, middle(to)))
    return drawing.svg()


def interfaces():
    drawing = Drawing(900, 556, "The layers of the device and the interfaces between them")
    left, wide = 150, 560

    def layer(y, height, name, folder, kind):
        drawing.text(left - 14, y + height / 2 + 4, name, "r b")
        drawing.text(left + wide + 14, y + height / 2 + 4, folder, "l s m")
        drawing.box(left, y, wide, height, "", kind)

    def border(y, words):
        drawing.path(f"M20 {y}H{left + wide + 170}", "dash")
        drawing.text(26, y - 6, words, "l s p")

    layer(16, 52, "workload", "models/workload", "host")
    drawing.text(left + wide / 2, 46, "trace file  |  fio job file  |  generator  |  NBD client")
    layer(82, 52, "host and link", "models/host, sata, nvme", "host")
    drawing.text(left + wide / 2, 112, "SATA with NCQ  |  NVMe over PCI Express  |  direct")
    border(158, "HAL, host side: commands, transfers, completions")
    layer(172, 92, "firmware, C11", "firmware/ on models/cpu", "fw")
    for number, (name, what) in enumerate((("hil", "splits\ncommands"), ("buffer", "write-back\ncache"),
                                           ("ftl", "map,\nGC"), ("sched", "ten\nschedulers"))):
        x = left + 12 + number * 106
        drawing.box(x, 186, 92, 64, f"{name}\n{what}", "plain", small=True, top=True)
        if number < 3:
            drawing.arrow((x + 92, 222), (x + 105, 222))
    drawing.box(left + 452, 186, 96, 64, "DRAM\nbuffer, map", "dram", small=True, top=True)
    border(288, "HAL, flash side: flash_op descriptors of 64 bytes in, completions out")
    layer(302, 52, "flash controller", "models/flash, rtl/", "ctl")
    drawing.text(left + 210, 332, "tlm (C++)  |  rtl (Verilated)  |  rtl_pins")
    drawing.box(left + 452, 310, 96, 36, "DMA and ECC", "dram", small=True)
    drawing.arrow((left + 500, 308), (left + 500, 253))
    border(378, "ONFI bus: segments with real command bytes, or pins")
    layer(392, 52, "channels", "models/onfi, checker", "bus")
    for number in range(4):
        drawing.box(left + 12 + number * 136, 402, 126, 32, f"channel {number}", "plain", small=True)
    layer(458, 78, "NAND dies", "models/nand", "nand")
    for number in range(4):
        x = left + 12 + number * 136
        drawing.arrow((x + 63, 434), (x + 63, 467))
        for die in range(2):
            drawing.box(x + 64 * die, 470, 60, 54, "die\nplanes", "plain", small=True)
    for y, to in ((68, 82), (134, 172), (264, 302), (354, 392)):
        drawing.arrow((left + 260, y), (left + 260, to - 2))
    return drawing.svg()


def drawings():
    return {"layers": modules(), "interfaces": interfaces()}
