# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd: faults of the RTL, by pattern and not by line number, so that they survive edits: named ones, which
proofs have to find (scripts/prove), and all those that operators make (scripts/rtl-mutants)."""
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
    Fault("ready-without-mask", "o3_ready.sv", "assign may_o = ready_o & ~masked_q;", "assign may_o = ready_o;"),
    Fault("ready-mask-by-edges", "o3_ready.sv", "left_q[i * MW +: MW] - passed_q", "left_q[i * MW +: MW] - MW'(1)"),
    Fault("ready-long-stand-forgotten", "o3_ready.sv", "sum[MW] ? '1 : sum[MW-1:0]", "sum[MW-1:0]"),
    Fault("store-one-plane-too-few", "o3_store.sv", "2'(i) <= old_last_q", "2'(i) < old_last_q"),
    Fault("store-abort-of-the-tags-last-operation", "o3_store.sv", "if (wr_i || abort_i) abort_m[",
          "if (abort_i) abort_m["),
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
    Fault("event-timer-before-line", "o3_event.sv", "else if (rb_any_o && end_free_i)", "else if (rb_any_o && !tick_i && end_free_i)"),
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
    Fault("reset-ends-after-one-edge", "o3_reset.sv",
          "{rst_no, meta_q} <= {meta_q, 1'b1};", "{rst_no, meta_q} <= 2'b11;"),
)


def named(name):
    return next(fault for fault in NAMED if fault.name == name)


def apply(fault, rtl):
    """Changes the copy of the RTL in folder `rtl`."""
    path = rtl / fault.folder / fault.file
    text = path.read_text(encoding="utf-8")
    at = fault.place(text)
    path.write_text(text[:at] + fault.after + text[at + len(fault.before):], encoding="utf-8")


# ---- mutants: faults at their places in the present text ----
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
    ("ignored reset", r"\bif \(!rst_ni?\)", lambda m: "if (1'b0)"),
)


@dataclasses.dataclass(frozen=True)
class Mutant:
    """In rtl/`folder`/`file`, text [start, end) becomes `text`. `before`, `after`: the line, or the fault's text."""
    name: str
    folder: str
    file: str
    start: int
    end: int
    text: str
    before: str
    after: str

    @property
    def module(self):
        return self.file[:-3]

    @property
    def number(self):
        """What selects it in a schema (scripts/rtl_schema.py); that of the others does not hang on it."""
        return int(hashlib.sha256(self.name.encode()).hexdigest()[:8], 16) // 2 + 1

    def change(self, text):
        return text[:self.start] + self.text + text[self.end:]

    def __str__(self):
        before, after = (" ".join(x.split()) for x in (self.before, self.after))
        return f"rtl/{self.folder}/{self.file}: {before} -> {after or '(nothing)'}"


def code_lines(text):
    """[(offset, line)] of the module's logic: no comment, port, assertion, nor what stands beside those."""
    lines, at, body, skip = [], 0, False, False
    for line in text.splitlines(keepends=True):
        code = line.split("//")[0].rstrip()
        skip = "For assertions" in line or (skip and bool(line.strip()))  # up to the next empty line
        if "`O3_ASSERT" in line or "`O3_STANDS" in line:
            break
        if body and not skip and code and not code.lstrip().startswith(
                ("localparam", "`", ".", "logic ", "for (", "typedef", "import")):
            lines.append((at, code))
        body = body or code == ");"
        at += len(line)
    return lines


def least(before, after):
    """(offset, end, new text) of what differs."""
    begin = 0
    while begin < min(len(before), len(after)) and before[begin] == after[begin]:
        begin += 1
    end = 0
    while end < min(len(before), len(after)) - begin and before[-1 - end] == after[-1 - end]:
        end += 1
    return begin, len(before) - end, after[begin:len(after) - end]


def named_mutants(rtl):
    """The named faults at their places; raises NoSuchPlace."""
    found = []
    for fault in NAMED:
        at = fault.place((rtl / fault.folder / fault.file).read_text(encoding="utf-8"))
        begin, end, new = least(fault.before, fault.after)
        found.append(Mutant(fault.name, fault.folder, fault.file, at + begin, at + end, new, fault.before, fault.after))
    return found


def operator_mutants(folder, path):
    """What the operators make of one module."""
    text = path.read_text(encoding="utf-8")
    lines, seen = code_lines(text), {}
    for at, code in lines:
        nth = seen[code.strip()] = seen.get(code.strip(), -1) + 1
        for what, pattern, to in OPERATORS:
            for m in re.finditer(pattern, code):
                after = code[:m.start()] + to(m) + code[m.end():]
                column = m.start() - (len(code) - len(code.lstrip()))
                key = f"{path.name}|{what}|{column}|{code.strip()}|{after.strip()}|{nth}"
                digest = hashlib.sha256(key.encode()).hexdigest()[:6]
                begin, end, new = least(code, after)
                yield Mutant(f"{path.stem}-{what.replace(' ', '-')}-{digest}", folder, path.name,
                             at + begin, at + end, new, code.strip(), after.strip())


def mutants(rtl):
    """All mutants of the RTL in folder `rtl`, by module; none twice. A name depends on its line's text alone, and on
    how many equal lines stand before it. Packages have nothing to run."""
    found, texts = named_mutants(rtl), {}
    for path in sorted(rtl.glob("*/*.sv")):
        texts[path.name] = path.read_text(encoding="utf-8")
        if not path.stem.endswith("_pkg"):
            found += operator_mutants(path.parent.name, path)
    kept, same, names = [], set(), set()
    for mutant in found:
        key = (mutant.file, mutant.change(texts[mutant.file]))
        if key not in same:
            assert mutant.name not in names and mutant.number not in names, mutant.name
            same.add(key)
            names |= {mutant.name, mutant.number}
            kept.append(mutant)
    return sorted(kept, key=lambda m: (m.folder, m.file, m.start))
