# SPDX-License-Identifier: BSD-3-Clause
"""Each assumption of a proof has a named counterpart in simulation, or a reason: tb/formal/assumptions.txt."""
import re

from cli import ROOT

FORMAL = ROOT / "tb/formal"
KINDS = {"assertion", "bench", "proof", "choice", "shape", "reset"}


def statements(text):
    """What stands between the parentheses of each `assume`, without comments and line breaks."""
    text = re.sub(r"//[^\n]*", "", text)
    for match in re.finditer(r"\bassume\s*\(", text):
        depth = 1
        end = match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield " ".join(text[match.end():end - 1].split())


def listed():
    """[(harness, assumption, kind, counterpart)]"""
    rows = []
    for line in (FORMAL / "assumptions.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            harness, rest = line.split(" | ", 1)
            assumption, counterpart = rest.rsplit(" | ", 1)
            kind, _, what = counterpart.partition(": ")
            rows.append((harness, assumption, kind, what))
    return rows


def assumed():
    return {(path.stem.removeprefix("prove_"), statement) for path in FORMAL.glob("*.sv")
            for statement in statements(path.read_text(encoding="utf-8"))}


def missing(rows, root):
    """Counterparts that do not exist."""
    proofs = {path.stem.removeprefix("prove_") for path in FORMAL.glob("prove_*.sv")}
    wrong = []
    for harness, assumption, kind, what in rows:
        if kind == "assertion":
            for name in what.split():
                module, _, label = name.partition(".")
                found = [path for path in (root / "rtl").glob(f"*/{module}.sv")
                         if re.search(rf"`O3_(ASSERT|HOLDS|STANDS)\({label},", path.read_text(encoding="utf-8"))]
                wrong += [] if len(found) == 1 and label else [(harness, assumption, name)]
        elif kind == "bench":
            file, _, text = what.partition(": ")
            path = root / file
            if not path.is_file() or not text or text not in path.read_text(encoding="utf-8"):
                wrong.append((harness, assumption, what))
        elif kind == "proof":
            wrong += [] if what.partition(": ")[0] in proofs else [(harness, assumption, what)]
        elif kind not in KINDS or (kind == "shape" and not what):
            wrong.append((harness, assumption, kind))
    return wrong


def test_the_list_has_each_assumption_once():
    rows = listed()
    pairs = [(harness, assumption) for harness, assumption, _, _ in rows]
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == assumed()
    assert len(pairs) > 50


def test_each_counterpart_exists():
    assert missing(listed(), ROOT) == []


def test_a_counterpart_that_does_not_exist_is_found():
    planted = [("bus", "x", "assertion", "o3_bus.AsksTwice"), ("bus", "x", "assertion", "o3_nothing.AsksOnce"),
               ("bus", "x", "bench", "tb/rtl/fake_flash.cpp: a text that it has not"), ("bus", "x", "proof", "nothing"),
               ("bus", "x", "hope", ""), ("bus", "x", "shape", ""), ("bus", "x", "bench", "tb/nothing.cpp: x")]
    assert len(missing(planted, ROOT)) == len(planted)


def test_an_assumption_may_have_parentheses_and_lines():
    text = "assume (a && (b\n   || c)); // assume (no)\nif (x) assume(!d);"
    assert list(statements(text)) == ["a && (b || c)", "!d"]
