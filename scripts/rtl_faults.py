# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd: faults of the RTL, by pattern and not by line, so that they survive edits: named ones, each of which some
proof has to find (scripts/prove), and ones that operators make from a seed (scripts/rtl-mutants)."""
import dataclasses


class NoSuchPlace(Exception):
    """A fault's text is not in its file, or not once: the RTL has changed, and the fault has to follow."""


@dataclasses.dataclass(frozen=True)
class Fault:
    """In rtl/`file`, the `nth` place of `before` becomes `after`; nth None: the only one."""
    name: str
    file: str
    before: str
    after: str
    nth: int = None

    def place(self, text):
        """Offset of what is replaced."""
        if self.nth is None:
            if text.count(self.before) != 1:
                raise NoSuchPlace(f"{self.name}: {text.count(self.before)} times in rtl/{self.file}: {self.before!r}")
            return text.index(self.before)
        at = -1
        for _ in range(self.nth + 1):
            at = text.find(self.before, at + 1)
            if at < 0:
                raise NoSuchPlace(f"{self.name}: no place {self.nth} in rtl/{self.file} of {self.before!r}")
        return at

    def __str__(self):
        return f"rtl/{self.file}: {' '.join(self.before.split())} -> {' '.join(self.after.split()) or '(nothing)'}"


NAMED = (
    Fault("fifo-pointer-skips", "o3_fifo.sv", "if (pop_i)  rp_q <= rp_q + (AW + 1)'(1);",
          "if (pop_i)  rp_q <= rp_q + (AW + 1)'(2);"),
    Fault("fifo-any-of-address", "o3_fifo.sv", "assign any_o  = wp_q != rp_q;",
          "assign any_o  = wp_q[AW-1:0] != rp_q[AW-1:0];"),
    Fault("bus-passes-unbounded", "o3_bus.sv", "(!c_any || passed_q == PW'(PASSES))", "!c_any"),
    Fault("bus-burst-where-it-may-not", "o3_bus.sv", "take_burst = b_any && burst_may_i &&", "take_burst = b_any &&"),
    Fault("choose-ignores-waits", "o3_choose.sv", "&& waits_i[s * STATIONS +: STATIONS] == '0", ""),
    Fault("store-one-plane-too-few", "o3_store.sv", "2'(i) <= old_last_q", "2'(i) < old_last_q"),
)


def named(name):
    return next(fault for fault in NAMED if fault.name == name)


def apply(fault, rtl):
    """Changes the copy of the RTL in folder `rtl`."""
    path = rtl / fault.file
    text = path.read_text(encoding="utf-8")
    at = fault.place(text)
    path.write_text(text[:at] + fault.after + text[at + len(fault.before):], encoding="utf-8")
