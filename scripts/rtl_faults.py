# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd: faults of the RTL, by pattern and not by line, so that they survive edits: named ones, each of
which some proof has to find (scripts/prove), and ones that operators make from a seed
(scripts/rtl-mutants)."""
import dataclasses
import hashlib
import re


class NoSuchPlace(Exception):
    """A fault's text is not in its file, or not once: the RTL has changed, and the fault has to follow."""


@dataclasses.dataclass(frozen=True)
class Fault:
    """In rtl/`folder`/`file`, the `nth` place of `before` becomes `after`; nth None: the only one."""
    name: str
    file: str
    before: str
    after: str
    nth: int = None
    folder: str = "o3"

    def place(self, text):
        """Offset of what is replaced."""
        if self.nth is None:
            if text.count(self.before) != 1:
                raise NoSuchPlace(f"{self.name}: {text.count(self.before)} times in rtl/{self.folder}/{self.file}: "
                                  f"{self.before!r}")
            return text.index(self.before)
        at = -1
        for _ in range(self.nth + 1):
            at = text.find(self.before, at + 1)
            if at < 0:
                raise NoSuchPlace(f"{self.name}: no place {self.nth} in rtl/{self.folder}/{self.file} of "
                                  f"{self.before!r}")
        return at

    def check(self, rtl):
        """Raises NoSuchPlace where the RTL of this folder (rtl/ or a copy) has no place for it."""
        self.place((rtl / self.folder / self.file).read_text())

    def __str__(self):
        after = " ".join(self.after.split()) or "(nothing)"
        return f"rtl/{self.folder}/{self.file}: {' '.join(self.before.split())} -> {after}"


NAMED = (
    Fault("fifo-pointer-skips", "o3_fifo.sv", "if (pop_i)  rp_q <= rp_q + (AW + 1)'(1);",
          "if (pop_i)  rp_q <= rp_q + (AW + 1)'(2);"),
    Fault("fifo-any-of-address", "o3_fifo.sv", "assign any_o  = wp_q != rp_q;",
          "assign any_o  = wp_q[AW-1:0] != rp_q[AW-1:0];"),
    Fault("bus-passes-unbounded", "o3_bus.sv", "(!c_any || passed_q == PW'(PASSES))", "!c_any"),
    Fault("bus-burst-where-it-may-not", "o3_bus.sv",
          "take_burst = b_any && burst_may_i &&", "take_burst = b_any &&"),
    Fault("clump-passes-unbounded", "o3_clump.sv", "passed_q == PW'(PASSES)", "1'b0"),
    Fault("clump-gap-in-the-list", "o3_clump.sv", "LW'(i) >= place", "LW'(i) > place"),
    Fault("choose-ignores-waits", "o3_choose.sv", "&& waits_i[s * STATIONS +: STATIONS] == '0", ""),
    Fault("ready-without-mask", "o3_ready.sv", "may_o = ready_o & ~masked_q;", "may_o = ready_o;"),
    Fault("ready-mask-by-edges", "o3_ready.sv", "left_q[i * MW +: MW] - passed_q", "left_q[i * MW +: MW] - MW'(1)"),
    Fault("ready-long-stand-forgotten", "o3_ready.sv", "sum[MW] ? '1 : sum[MW-1:0]", "sum[MW-1:0]"),
    Fault("store-one-plane-too-few", "o3_store.sv", "2'(i) <= old_last_q", "2'(i) < old_last_q"),
    Fault("stations-dependency-lost", "o3_stations.sv",
          "waits_d[s * S +: S] = in_waits_i;", "waits_d[s * S +: S] = '0;"),
    Fault("intake-answer-lost", "o3_intake.sv", "dep_hit_i ? (waits_q | old_q) : waits_q", "waits_q"),
    Fault("retire-before-the-end", "o3_retire.sv",
          "head_ended_q  <= ended_m[head_q] != begun_m[head_q];", "head_ended_q  <= 1'b1;"),
    Fault("retire-link-lost", "o3_retire.sv",
          "if (append_i && !app_alone_i && app_some) next_m[app_tail]",
          "if (append_i && !app_alone_i) next_m[app_tag_i]"),
    Fault("retire-count-of-one", "o3_retire.sv",
          "app_some ? count_m[app_stream_i] + (TW + 1)'(1) : (TW + 1)'(1)", "(TW + 1)'(1)"),
    Fault("tags-never-in-use", "o3_tags.sv", "&& !used_q[op_tag_i[TW-1:0]]", ""),
    Fault("tags-low-bits-only", "o3_tags.sv", "op_tag_i[15:TW] == '0 && ", ""),
    Fault("event-stale-commits", "o3_event.sv", "(read_o && !request_o && !stale_o)", "(read_o && !request_o)"),
    Fault("event-two-at-a-time", "o3_event.sv", "if (!ev_o) begin", "if (!ev_o || decide_o) begin"),
    Fault("event-timer-before-line", "o3_event.sv", "else if (rb_any_o && !done_i && end_free_i) rb",
          "else if (rb_any_o && !tick_i && end_free_i) rb"),
    Fault("regs-write-without-data", "o3_regs.sv", "wr        = aw_full_q && w_full_q && !bvalid_o;",
          "wr        = aw_full_q && !bvalid_o;"),
    Fault("regs-answer-changes", "o3_regs.sv", "rd        = ar_full_q && !rvalid_o;", "rd        = ar_full_q;"),
    Fault("regs-idle-too-early", "o3_regs.sv", "idle_o = !wr && !rd && !bvalid_o", "idle_o = !rd && !bvalid_o"),
    Fault("gate-shut-too-early", "o3_channel.sv", "tick_active || sweep_q || sweep_i", "tick_active || sweep_i"),
    Fault("controller-wrong-lun", "o3_front.sv", "lun_o    <= index[LW-1:0];", "lun_o    <= ~index[LW-1:0];"),
    Fault("phy-select-too-short", "onfi_sequencer.sv", "[16 * onfi_pkg::T_CS +: 16] - 16'd2;",
          "[16 * onfi_pkg::T_CS +: 16] - 16'd3;", folder="onfi"),
    Fault("phy-ce-rises-early", "onfi_sequencer.sv", "step_d != onfi_pkg::IDLE &&",
          "step_d != onfi_pkg::IDLE && step_d != onfi_pkg::DONE &&", folder="onfi"),
    Fault("phy-trhw-forgotten", "onfi_sequencer.sv", "out_i ? regs_i[16 * onfi_pkg::T_RHW +: 16] : 16'd0", "16'd0",
          folder="onfi"),
    Fault("phy-done-twice", "onfi_sequencer.sv", "seg_done_o <= step_q == onfi_pkg::DONE;",
          "seg_done_o <= step_q == onfi_pkg::DONE || (seg_done_o && seg_valid_i);", folder="onfi"),
    Fault("phy-strobe-never-counted", "onfi_sequencer.sv", "if (unit_last) left_q <= left_q - 18'd1;",
          "if (unit_last && !in_i) left_q <= left_q - 18'd1;", folder="onfi"),
    Fault("phy-trail-after-reads", "onfi_bytes.sv", "        narrow_o  = 1'b1;",
          "        narrow_o  = 1'b1; has_trail_o = 1'b1;", folder="onfi"),
    Fault("phy-drives-dqs-in-reads", "onfi_phy_ddr.sv", "dqs_oe_o <= burst && in_i;", "dqs_oe_o <= burst;",
          folder="onfi"),
    Fault("phy-clock-without-wrck", "onfi_phy_ddr.sv", "(in_i ? half + dqs_at : regs_i[16 * onfi_pkg::T_WRCK +: 16])",
          "(in_i ? half + dqs_at : 16'd0)", folder="onfi"),
)


def named(name):
    return next(fault for fault in NAMED if fault.name == name)


def apply(fault, rtl):
    """Changes the copy of the RTL in folder `rtl`."""
    path = rtl / fault.folder / fault.file
    text = path.read_text(encoding="utf-8")
    at = fault.place(text)
    path.write_text(text[:at] + fault.after + text[at + len(fault.before):], encoding="utf-8")


# ---- faults from a seed ----
# Operator: (name, pattern, what its match becomes). Each works within one line of code.
OPERATORS = (
    ("wrong compare", r"(?<![<>=!])(?:==|!=)(?!=)", lambda m: {"==": "!=", "!=": "=="}[m[0]]),
    ("limit off by one", r"(?<= )(?:<|>=)(?= (?!=))", lambda m: {"<": "<=", ">=": ">"}[m[0]]),
    ("dropped condition", r" && !?[a-z_]+(?:\[[a-z_]+\])?(?= |\)|;)", lambda m: ""),
    ("inverted condition", r"\bif \((?=[a-z])((?:[^()]|\([^()]*\))*)\)", lambda m: f"if (!({m[1]}))"),
    ("count off by one", r"([A-Z+ 1()]+)'\(1\)(?=;)", lambda m: f"{m[1]}'(2)"),
    ("lost clear", r" & ~[a-z_]+(?:\([^()]*\))?(?=;)", lambda m: ""),
    ("lost set", r" \| (?!\()[a-z_]+(?=;)", lambda m: ""),
    ("swapped choice", r"\? ([a-z_]+) : ([a-z_]+);", lambda m: f"? {m[2]} : {m[1]};"),
    ("stuck low", r"(assign [a-z_]*(?:grant|ready|take|may|ack|any)_o += )[^;]+;", lambda m: f"{m[1]}1'b0;"),
    ("stuck high", r"(assign [a-z_]*(?:grant|ready|free|go|fetch|active)_o += )[^;]+;",
     lambda m: f"{m[1]}1'b1;"),
    ("or for and", r" && (?=!?[a-z_]+(?:;| &&| \|\|))", lambda m: " || "),
    ("wrong index", r"\b(head|tail|next|count|due|run|waits|older)_m\[([a-z_]+)\]",
     lambda m: f"{m[1]}_m[{m[2]} ^ 1]"),
)
# Not changed: what the generator of registers writes, packages, and what the default parameters leave out.
LEFT_OUT = ("o3_regs.sv", "o3_pkg.sv", "o3_top.sv", "o3_clump.sv")
SEED = 7
COUNT = 32


def code_lines(text):
    """[(offset, line)] of the module's logic: no comment, port, assertion, nor what stands beside those."""
    lines, at, body = [], 0, False
    for line in text.splitlines(keepends=True):
        code = line.split("//")[0].rstrip()
        if "For assertions" in line or "`O3_ASSERT" in line:
            break
        if body and code and not code.lstrip().startswith(("localparam", "`", ".", "logic ", "for (")):
            lines.append((at, code))
        body = body or code == ");"
        at += len(line)
    return lines


def candidates(rtl):
    """Every fault that an operator can make, in an order that depends on the sources alone."""
    found = []
    for path in sorted(rtl.glob("o3_*.sv")):
        if path.name in LEFT_OUT:
            continue
        text = path.read_text(encoding="utf-8")
        for at, code in code_lines(text):
            for what, pattern, to in OPERATORS:
                for m in re.finditer(pattern, code):
                    after = code[:m.start()] + to(m) + code[m.end():]
                    nth = sum(1 for other, line in code_lines(text) if line == code and other < at)
                    found.append(Fault(what, path.name, code.strip(), after.strip(),
                                       None if nth == 0 else nth))
    return found


def seeded(rtl, seed=SEED, count=COUNT):
    """`count` faults: operators in turn, and of each the one whose hash with the seed is the least, so that
    an edit
    elsewhere leaves the others as they are; no two in one line."""
    def rank(fault):
        return hashlib.sha256(f"{seed}|{fault.file}|{fault.before}|{fault.after}".encode()).hexdigest()
    by = {name: sorted((f for f in candidates(rtl) if f.name == name), key=rank) for name, _, _ in OPERATORS}
    chosen, lines = [], set()
    while len(chosen) < count and any(by.values()):
        for name, _, _ in OPERATORS:
            while by[name]:
                fault = by[name].pop(0)
                text = (rtl / fault.file).read_text(encoding="utf-8")
                key = (fault.file, fault.before)
                if key in lines or text.count(fault.before) != 1:
                    continue
                lines.add(key)
                digest = rank(fault)[:6]
                label = f"{fault.file[:-3]}-{fault.name.replace(' ', '-')}-{digest}"
                chosen.append(dataclasses.replace(fault, name=label, nth=None))
                break
            if len(chosen) == count:
                break
    return chosen
