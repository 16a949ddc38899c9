# SPDX-License-Identifier: BSD-3-Clause
"""A READ, PROGRAM and ERASE in the wave of the RTL PHY's pins, and each time under its data-sheet name."""
import re

import pytest

from cli import ROOT
from fst import Waves
from test_waves import names_of

VIEW = ROOT / "waves/rtl_pins.gtkw"
# One die of small blocks, written at random when it is full: blocks are collected and erased.
DEVICE = """
nand: {page_bytes: 2048, spare_bytes: 64, t_read_us: 50, t_program_us: 300, t_erase_us: 1000}
geometry: {channels: 1, ways: 1, dies: 1, planes: 1, blocks: 24, pages: 8}
onfi: {interface: %s, mode: 5}
controller: {kind: rtl_pins, clock_mhz: 200}
host: {kind: direct, queue_depth: 1}
ftl: {over_provisioning: 1.2}
buffer: {policy: none, size_mib: 1}
precondition: {fill: 1.0, overwrite: 1.0}
workload: {rw: randrw, rwmixread: 30, bs: 2048, requests: 60}
"""
PINS = "ssd.channel0.pins."
# Minima in ns, SDR mode 5: nand_timings.c of Linux (docs/explanation/onfi.md). tADL, tCCS: the mode's.
SDR5 = {"tCS": 15, "tCLS": 10, "tCLH": 5, "tALS": 10, "tALH": 5, "tWP": 10, "tWH": 7, "tWC": 20, "tDS": 7,
        "tDH": 5, "tCH": 5, "tRP": 10, "tREH": 7, "tRC": 20, "tRR": 20, "tADL": 400, "tWHR": 80, "tCEH": 20,
        "tRHW": 100}
# What 5 ns clocks make of them at the pins. CLE, ALE and DQ stand from a cycle's start, WE# falls 1 clock
# behind it, rises 3 behind it and 1 before its end; tCS runs from CE#, which falls 1 clock after the segment
# begins, to the rise of WE#: 15 - 5 + 15.
EXACT = {"tCS": 25, "tCLS": 15, "tCLH": 5, "tALS": 15, "tALH": 5, "tWP": 10, "tWH": 10, "tWC": 20, "tDS": 15,
         "tDH": 5, "tRP": 10, "tREH": 10, "tRC": 20}


@pytest.fixture(scope="module")
def record(tlmssd, tmp_path_factory):
    def run(interface):
        folder = tmp_path_factory.mktemp(interface)
        config = folder / "device.yaml"
        config.write_text(DEVICE % interface, encoding="utf-8")
        tlmssd.run(folder, "--waves", folder / "run.fst", "--waves-view", "both", config=config)
        return Waves(folder / "run.fst")
    return run


@pytest.fixture(scope="module")
def sdr(record):
    return record("sdr")


class Pins:
    """The pins of the file as a logic analyser has them."""

    def __init__(self, waves):
        self.waves = waves
        edges = []
        for line in ("ce_n", "cle", "ale", "we_n", "re_n", "dq", "dq_driven", "rb_n"):
            last = None
            for time, value in waves.changes[PINS + line]:
                if value != last:
                    edges.append((time, line, value))
                last = value
        self.edges = sorted(edges, key=lambda edge: edge[0])

    def cycles(self):
        """(time of the rise of WE#, "c", "a" or "d", byte) of every write cycle in SDR."""
        found, level = [], {"ce_n": 1, "cle": 0, "ale": 0, "we_n": 1, "re_n": 1, "dq": 0}
        at = 0
        while at < len(self.edges):
            now = self.edges[at][0]
            group = []
            while at < len(self.edges) and self.edges[at][0] == now:
                group.append(self.edges[at][1:])
                at += 1
            rises = ("we_n", 1) in group and level["ce_n"] == 0 and level["we_n"] == 0
            level.update(group)
            if rises:
                kind = "c" if level["cle"] else "a" if level["ale"] else "d"
                found.append((now, kind, level["dq"]))
        return found

    def times(self, line, value):
        return [time for time, name, level in self.edges if name == line and level == value]


def sequences(cycles, first, last):
    """Runs of cycles from command `first` to command `last`, without another command between."""
    found, start = [], None
    for i, (_, kind, byte) in enumerate(cycles):
        if kind == "c" and byte == first:
            start = i
        elif kind == "c":
            if byte == last and start is not None:
                found.append(cycles[start:i + 1])
            start = None
    return found


def test_a_whole_read_program_and_erase_are_found(sdr):
    pins = Pins(sdr)
    cycles = pins.cycles()
    falls = pins.times("rb_n", 0)
    page = 4 * (512 + (64 - 16) // 4) + 16  # four codewords and the OOB bytes

    def kinds(sequence):
        return "".join(kind for _, kind, _ in sequence)

    for first, last, shape, busy_us in ((0x00, 0x30, "caaaaac", 50),
                                        (0x80, 0x10, "caaaaa" + page * "d" + "c", 300),
                                        (0x60, 0xd0, "caaac", 1000)):
        found = sequences(cycles, first, last)
        assert found, f"no {first:02x}h-{last:02x}h in the file"
        assert {kinds(sequence) for sequence in found} == {shape}
        confirm = found[0][-1][0]
        fall = next(time for time in falls if time >= confirm)
        rise = next(time for time in pins.times("rb_n", 1) if time > fall)
        assert fall - confirm <= 100_000  # tWB
        assert rise - fall >= busy_us * 1_000_000  # tR, tPROG, tBERS of the part, with tWB
    # The bytes of a read come out behind its ready edge.
    read = sequences(cycles, 0x00, 0x30)[0]
    ready = next(time for time in pins.times("rb_n", 1) if time > read[-1][0])
    strobes = [time for time in pins.times("re_n", 0) if time > ready][:page]
    assert {b - a for a, b in zip(strobes, strobes[1:])} == {20_000}  # tRC
    assert strobes[0] - ready >= SDR5["tRR"] * 1000


def test_pulses_and_windows_have_the_data_sheets_minima(sdr):
    """Over the whole file: the least of each time, and where it is a matter of one cycle, its very value."""
    pins = Pins(sdr)
    last, least = {}, {}

    def since(name, what, now):
        if what in last:
            least[name] = min(least.get(name, 1 << 62), now - last[what])

    selected, address, data_in = False, False, False
    level = dict.fromkeys(("ce_n", "cle", "ale", "we_n", "re_n", "dq", "dq_driven", "rb_n"), 1)
    level.update(cle=0, ale=0, dq_driven=0)
    for now, line, value in pins.edges:
        level[line] = value
        if line == "ce_n":
            since("tCEH" if value == 0 else "tCH", "ce_rise" if value == 0 else "we_rise", now)
            for key in ("we_fall", "we_rise", "re_fall", "re_rise", "latch"):
                last.pop(key, None)
            last["ce_rise" if value else "ce_fall"] = now
            selected = value == 0
        elif line in ("cle", "ale"):
            since("tCLH" if line == "cle" else "tALH", "latch" if value == 0 else "never", now)
            last[line] = now
        elif line in ("dq", "dq_driven") and selected:
            since("tDH", "we_rise", now)
            last["dq"] = now
        elif line == "we_n" and value == 0:
            since("tWH", "we_rise", now)
            since("tRHW", "re_rise_ever", now)
            last["we_fall"] = now
        elif line == "we_n" and selected:
            since("tWP", "we_fall", now)
            since("tWC", "we_rise", now)
            if "we_rise" not in last:
                since("tCS", "ce_fall", now)
            since("tDS", "dq", now)
            if level["cle"]:
                since("tCLS", "cle", now)
            if level["ale"]:
                since("tALS", "ale", now)
            if not level["cle"] and not level["ale"] and address:
                since("tADL", "we_rise", now)
            address = bool(level["ale"])
            data_in = not level["cle"] and not level["ale"]
            last["we_rise"] = now
            if not data_in:
                last["latch"] = now
        elif line == "re_n" and value == 0:
            since("tREH", "re_rise", now)
            since("tRC", "re_fall", now)
            since("tWHR", "latch", now)
            last["re_fall"] = now
        elif line == "re_n" and selected:
            since("tRP", "re_fall", now)
            last["re_rise"] = last["re_rise_ever"] = now
    measured = {name: value / 1000 for name, value in least.items()}
    wanted = set(SDR5) - {"tRR"}  # of the test before
    assert wanted <= set(measured), wanted - set(measured)
    for name in wanted:
        assert measured[name] >= SDR5[name], (name, measured[name])
    assert {name: measured[name] for name in EXACT} == EXACT


def test_the_time_that_runs_is_named(sdr):
    named = {name for _, name in sdr.named(PINS + "time")}
    assert {"None", "tCS", "tWC_tCAD", "tRR", "tWHR", "tADL", "tRC_tCK", "tWC_tCK"} <= named


def test_nv_ddr_has_its_strobes(record):
    waves = record("nvddr")
    named = {name for _, name in waves.named(PINS + "time")}
    assert {"Preamble", "Postamble", "tADL", "tWHR"} <= named
    edges = [time for time, _ in waves.changes[PINS + "dqs"]]
    steps = [b - a for a, b in zip(edges, edges[1:])]
    assert steps.count(5000) > 1000  # tCK / 2 of mode 5


def test_the_view_names_signals_of_the_file_and_their_values(sdr):
    there = set(sdr.changes)
    text = VIEW.read_text(encoding="utf-8")
    assert {re.sub(r"\[.*", "", name) for name in names_of(text)} <= there
    lines = text.splitlines()
    for path, signal in zip(lines, lines[1:]):
        match = re.fullmatch(r"\^\d+ /tlmssd/(waves/filters/\w+\.txt)", path)
        if match:
            [name] = {re.sub(r"\[.*", "", word) for word in names_of(signal)}
            rows = [re.fullmatch(r"([0-9a-f]+) (?:\?[\w ]+\?)?(\S+)", row).groups()
                    for row in (ROOT / match[1]).read_text(encoding="utf-8").splitlines() if row[0] != "#"]
            assert {int(value, 16): word for value, word in rows} == sdr.enums[name]


def test_the_filter_names_the_constants_of_the_rtl(sdr):
    package = (ROOT / "rtl/onfi/onfi_pkg.sv").read_text(encoding="utf-8")
    values = {int(value) for value in re.findall(r"RUN_\w+ = 4'd(\d+)", package)}
    assert values == set(sdr.enums[PINS + "time"])
