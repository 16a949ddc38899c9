# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd: the proofs that scripts/prove runs: harness, shape, engine, depth, mutants. docs/contributing/rtl-proofs.md."""
import dataclasses

import rtl_faults


@dataclasses.dataclass(frozen=True)
class Proof:
    """One harness in one shape. depth: edges after the reset's for bounded engines, k for induct; cover:
    edges within which its covers have to be reached (0: it has none); covers: how many, where bmc3 finds
    them; zero: what no reset sets begins at 0 instead of anything; before: what yosys-abc does before its
    engine (scorr, which merges equal registers, costs much where there are thousands of them); constants: of
    flash_op_pkg, where the proof's shape has less (streams); lemmas: its assertions need each other, and are
    one property; by_name: memories become registers before the hierarchy goes (FLAT_BY_NAME of
    scripts/prove); sources: list of rtl/ that it reads; holds: assertions that registers hold (scripts/prove_holds.py):
    "gates", or the net of the harness that is low while nothing may change; moves: registers that change all the
    same."""
    name: str
    file: str
    top: str
    what: str
    mutants: tuple
    engine: str = "pdr"
    depth: int = 0
    cover: int = 12
    cover_by: str = ""
    covers: int = 1
    params: dict = dataclasses.field(default_factory=dict)
    replace: tuple = ()
    constants: dict = dataclasses.field(default_factory=dict)
    zero: bool = False
    before: str = "scorr; dc2"
    lemmas: bool = False
    by_name: bool = False
    short: bool = False
    sources: str = "o3/o3_controller.f"
    holds: str = ""
    moves: tuple = ()

    @property
    def bound(self):
        """Edges up to which it is proven."""
        return self.depth if self.engine in ("bmc", "bmc3") else "unbounded"

    @property
    def smt(self):
        by_bits = "bmc3" in (self.engine, self.cover_by)
        return self.engine in ("bmc", "induct") or (self.cover and not by_bits)

    @property
    def aig(self):
        return self.engine in ("pdr", "bmc3") or self.cover_by == "bmc3"

    def faults(self):
        return [rtl_faults.named(name) for name in self.mutants]


PROOFS = (
    Proof("fifo", "prove_fifo.sv", "prove_fifo", "o3_fifo: each word once, in order",
          ("fifo-pointer-skips", "fifo-any-of-address"), cover_by="bmc3", short=True),
    Proof("fifo-z3", "prove_fifo.sv", "prove_fifo", "o3_fifo: the same, with yosys-smtbmc and z3",
          ("fifo-pointer-skips",), engine="bmc", depth=8),
    Proof("bus", "prove_bus.sv", "prove_bus",
          "o3_bus: one grant, to who waits; starvation bounds; 2 LUNs, 4 passes",
          ("bus-passes-unbounded", "bus-burst-where-it-may-not"), cover=20, cover_by="bmc3"),
    Proof("clump", "prove_clump.sv", "prove_clump",
          "o3_clump: highest level, then who asked first; starvation bounds; 4 LUNs, 2 passes",
          ("clump-passes-unbounded", "clump-gap-in-the-list"), cover=12, cover_by="bmc3"),
    Proof("choose", "prove_choose.sv", "prove_choose",
          "o3_choose: never one that waits; the oldest, the most urgent",
          ("choose-ignores-waits",), cover=1, cover_by="bmc3"),
    Proof("ready", "prove_ready.sv", "prove_ready",
          "o3_ready: no ready is taken inside tWB; lines of no clock; tWB 3 clocks, ticks of 2",
          ("ready-without-mask", "ready-mask-by-edges"), cover=24, cover_by="bmc3"),
    Proof("store", "prove_store.sv", "prove_store", "o3_store: the table of dependencies; descriptors; aborts",
          ("store-one-plane-too-few", "store-abort-of-the-tags-last-operation"), engine="bmc3", depth=10, cover=10, before="scleanup",
          zero=True, by_name=True, params={"ROW_W": 2}),
    Proof("stations", "prove_stations.sv", "prove_stations",
          "o3_stations: once, not before what it waits for, not behind a shut fence",
          ("stations-dependency-lost",), cover=24, cover_by="bmc3", covers=2),
    Proof("intake", "prove_intake.sv", "prove_intake",
          "o3_intake: in order, each once, with exactly what it depends on",
          ("intake-answer-lost",), cover=13, cover_by="bmc3", covers=2),
    Proof("retire", "prove_retire.sv", "prove_retire",
          "o3_retire: once, after its end, in the order of its stream; fences; none forgotten",
          ("retire-before-the-end", "retire-link-lost", "retire-count-of-one"),
          cover=20, cover_by="bmc3", covers=3, constants={"FLASH_STREAMS": 2}, lemmas=True, by_name=True),
    Proof("event", "prove_event.sv", "prove_event",
          "o3_event: one event at a time, the first kind that may go; its steps, each once, in order",
          ("event-stale-commits", "event-two-at-a-time", "event-timer-before-line"), cover=12, cover_by="bmc3",
          covers=3, short=True),
    Proof("regs", "prove_regs.sv", "prove_regs",
          "o3_regs: AXI4-Lite: one answer for each request, in order; a read changes nothing",
          ("regs-write-without-data", "regs-answer-changes", "regs-idle-too-early"), cover=12, cover_by="bmc3",
          covers=2, sources="o3/o3_top.f"),
    Proof("gates", "prove_gates.sv", "prove_gates",
          "o3_channel: behind a shut gate no register would change", ("gate-shut-too-early",), engine="bmc3",
          depth=26, cover=12, holds="gates", lemmas=True,
          moves=("u_dut.u_luns.mark_q", "u_dut.u_segment.granted_was_q", "u_dut.u_segment.valid_was_q",
                 "u_dut.u_segment.done_was_q")),
    Proof("controller-life", "prove_controller.sv", "prove_controller",
          "o3_controller 2x2: one operation of any kind, of one plane, from its taking to its telling",
          ("controller-wrong-lun",), engine="bmc3", depth=43, cover=40, covers=3, zero=True,
          before="scleanup", constants={"FLASH_STREAMS": 2}, by_name=True,
          params={"OPS": 1, "AT_ONCE": 1, "TIMELESS": 1}),
    Proof("controller-late", "prove_controller.sv", "prove_controller",
          "the same up to its second segment, where R/B# falls up to tWB after the first, and of no clock",
          ("ready-without-mask",), engine="bmc3", depth=38, cover=0, zero=True, before="scleanup",
          constants={"FLASH_STREAMS": 2}, by_name=True, params={"OPS": 1, "AT_ONCE": 1, "TIMELESS": 1, "LATE": 6}),
    Proof("controller-pair", "prove_controller.sv", "prove_controller",
          "the same with two operations of any kind that come at once, where the ports' other side never waits",
          ("retire-before-the-end",), engine="bmc3", depth=46, cover=46, covers=4, zero=True, before="scleanup",
          constants={"FLASH_STREAMS": 2}, by_name=True,
          params={"OPS": 2, "AT_ONCE": 1, "TIMELESS": 1, "EAGER": 1}),
    Proof("onfi-sequencer", "prove_onfi.sv", "prove_onfi",
          "onfi_phy: SDR pins of any segments: CE#, set-up, hold, pulses, waits, time, direction of DQ",
          ("phy-select-too-short", "phy-ce-rises-early", "phy-trhw-forgotten", "phy-done-twice",
           "phy-strobe-never-counted"), cover=36, cover_by="bmc3", covers=3,
          replace=("onfi_timing.sv", "onfi_bytes.sv"), by_name=True, sources="onfi/onfi_phy.f"),
    Proof("onfi-sequencer-ddr", "prove_onfi.sv", "prove_onfi", "onfi_phy: the same of NV-DDR",
          ("phy-ce-rises-early", "phy-drives-dqs-in-reads", "phy-clock-without-wrck"), engine="bmc3", depth=45,
          cover=44, covers=3, replace=("onfi_timing.sv", "onfi_bytes.sv"), by_name=True, params={"DDR": 1},
          sources="onfi/onfi_phy.f"),
    Proof("onfi-bytes", "prove_onfi_bytes.sv", "prove_onfi_bytes",
          "onfi_bytes: what onfi-sequencer assumes of it", ("phy-trail-after-reads",), cover=1, cover_by="bmc3",
          covers=2, sources="onfi/onfi_phy.f", short=True),
)
