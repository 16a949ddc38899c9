# SPDX-License-Identifier: BSD-3-Clause
"""scripts/rtl-mutants: its mutants, their names, the models in which all of them are, and what counts as good."""
import dataclasses
import fnmatch
import os
import pathlib
import re
import runpy
import shutil
import subprocess
import sys

import pytest

from cli import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
# pylint: disable=wrong-import-position
import rtl_faults  # noqa: E402
import rtl_mutant_benches  # noqa: E402
import rtl_schema  # noqa: E402

BUILD = pathlib.Path(os.environ.get("TLMSSD_BIN", ROOT / "build/release/bin/tlmssd")).parent.parent
TOOL = runpy.run_path(str(ROOT / "scripts/rtl-mutants"))
MUTANTS = rtl_faults.mutants(ROOT / "rtl")
SMALL = """module small (
  input  wire logic a, b,
  output logic      y
);
  // if (never) &&
  assign y = a && b;  // here
  always_comb begin
    if (a) x[b] = !a;
  end
endmodule
"""


def run(*arguments):
    return subprocess.run([str(ROOT / "scripts/rtl-mutants"), *arguments], cwd=ROOT, capture_output=True, text=True,
                          check=False, timeout=120)


def edit(number, before, after, text=SMALL):
    assert text.count(before) == 1
    return rtl_schema.Edit(number, text.index(before), text.index(before) + len(before), after)


def test_an_expression_is_selected_by_its_number():
    text, left = rtl_schema.schema(SMALL, [edit(7, "a && b", "a || b")])
    assert left == []
    assert "assign y = ((tlmssd_mutant == 7) ? (a || b) : (a && b));" in text
    assert text.count("tlmssd_mutant()") == 1
    assert "never" not in text, "a comment may end where the selection has to go on"


def test_a_condition_an_index_and_a_statement():
    text, _ = rtl_schema.schema(SMALL, [edit(1, "(a)", "(!(a))")])
    assert "begin if (tlmssd_mutant == 1) begin if (!(a)) x[b] = !a; end else begin if (a) x[b] = !a; end end" in text
    at = SMALL.index("(a)") + 1
    text, _ = rtl_schema.schema(SMALL, [rtl_schema.Edit(1, at, at + 1, "!(a)")])
    assert "if (((tlmssd_mutant == 1) ? (!(a)) : (a))) x[b] = !a;" in text
    at = SMALL.index("[b]") + 1
    text, _ = rtl_schema.schema(SMALL, [rtl_schema.Edit(2, at, at + 1, "b ^ 1"), edit(3, "!a;", "a;")])
    assert "x[((tlmssd_mutant == 2) ? (b ^ 1) : (b))]" in text


def test_a_selection_within_another_is_in_what_is_not_changed():
    text, _ = rtl_schema.schema(SMALL, [edit(1, "if (a) x[b] = !a;", ";"), edit(2, "!a", "a")])
    flat = " ".join(text.split())
    assert ("begin if (tlmssd_mutant == 1) begin ; end else begin "
            "if (a) x[b] = ((tlmssd_mutant == 2) ? (a) : (!a)); end end") in flat


def test_text_that_is_no_module_is_refused():
    with pytest.raises(rtl_schema.NotRead):
        rtl_schema.schema("package p; endpackage", [rtl_schema.Edit(1, 0, 1, "")])
    with pytest.raises(rtl_schema.NotRead):
        rtl_schema.schema(SMALL.replace("endmodule", ""), [edit(1, "a && b", "a", SMALL)])


def test_every_mutant_of_the_rtl_has_a_place_but_conditions_of_generate():
    for path in sorted((ROOT / "rtl").glob("*/*.sv")):
        here = {m.number: m for m in MUTANTS if m.file == path.name}
        edits = [rtl_schema.Edit(m.number, m.start, m.end, m.text) for m in here.values()]
        text, left = rtl_schema.schema(path.read_text(encoding="utf-8"), edits)
        assert [str(here[e.number]) for e in left if "begin : g_" not in here[e.number].before] == []
        placed = {int(n) for n in re.findall(r"tlmssd_mutant == (\d+)", text)}
        assert placed == set(here) - {e.number for e in left}, path.name


def test_every_module_has_mutants_and_a_bench():
    modules = {p.stem for p in (ROOT / "rtl").glob("*/*.sv") if not p.stem.endswith("_pkg")}
    assert {m.module for m in MUTANTS} == modules
    for module in modules:
        assert rtl_mutant_benches.stages_of(module), module
    assert [s.name for s in rtl_mutant_benches.stages_of("onfi_sequencer")][0] == "pins"
    assert rtl_mutant_benches.stages_of("o3_clump")[0].name == "UnitClump"


@pytest.mark.parametrize("program", ["rtl_o3_test", "rtl_o3_regs_test", "rtl_onfi_phy_test"])
def test_every_test_of_the_whole_is_in_one_stage(program):
    binary = BUILD / "bin" / program
    if not binary.exists():
        pytest.skip("no RTL tests in this build")
    listed = subprocess.run([binary, "--gtest_list_tests"], stdout=subprocess.PIPE, text=True, check=True).stdout
    suite, names = "", set()
    for line in listed.splitlines():
        if found := re.match(r"(\w[\w/]*\.)$", line):
            suite = found[1]
        elif found := re.match(r"  (\w\S*)", line):
            names.add(suite + found[1])
    names = {name for name in names if not re.match(r"RtlEcc|RtlTicks", name)}  # no RTL is in them
    assert names
    met = []
    for stage in (*rtl_mutant_benches.WHOLE, *rtl_mutant_benches.PHY):
        if stage.program == program:
            met += [name for name in names if any(fnmatch.fnmatchcase(name, one) for one in stage.tests.split(":"))]
    assert sorted(met) == sorted(names)


def test_no_two_mutants_are_the_same():
    texts = {p.name: p.read_text(encoding="utf-8") for p in (ROOT / "rtl").glob("*/*.sv")}
    assert len({m.name for m in MUTANTS}) == len({m.number for m in MUTANTS}) == len(MUTANTS)
    assert len({(m.file, m.change(texts[m.file])) for m in MUTANTS}) == len(MUTANTS)
    assert all(m.change(texts[m.file]) != texts[m.file] for m in MUTANTS)
    assert all(0 < m.number < 2**31 for m in MUTANTS)


def test_a_name_depends_on_its_line_alone(tmp_path):
    rtl = tmp_path / "rtl"
    shutil.copytree(ROOT / "rtl", rtl)
    path = rtl / "o3/o3_bus.sv"
    text = path.read_text(encoding="utf-8")
    line = "  assign grant_o    = free_i && can_o;\n"
    assert text.count(line) == 1
    path.write_text(text.replace(line, "\n  // moved\n  logic more;\n" + line), encoding="utf-8")
    assert {(m.name, m.number) for m in rtl_faults.mutants(rtl)} == {(m.name, m.number) for m in MUTANTS}
    path.write_text(text.replace(line, line.replace("can_o", "can_o && rst_ni")), encoding="utf-8")
    left = {m.name for m in rtl_faults.mutants(rtl)}
    assert {m.before for m in MUTANTS if m.name not in left} == {line.strip()}


def test_a_fault_without_its_place_is_an_error(tmp_path):
    rtl = tmp_path / "rtl"
    shutil.copytree(ROOT / "rtl", rtl)
    path = rtl / "o3/o3_tags.sv"
    path.write_text(path.read_text(encoding="utf-8").replace("op_tag_i[15:TW] == '0 && ", ""), encoding="utf-8")
    with pytest.raises(rtl_faults.NoSuchPlace, match="tags-never-in-use: 0 times"):
        rtl_faults.mutants(rtl)


def test_each_argument_names_a_mutant():
    assert set(TOOL["argued"]()) <= {m.name for m in MUTANTS}


def test_a_sample_is_that_of_its_seed():
    sample = TOOL["sample"]
    for seed in range(20):
        drawn = sample(MUTANTS, seed, 8)
        assert drawn == sample(MUTANTS, seed, 8)
        assert len(drawn) == len(set(drawn)) <= 8
        nearest = {rtl_mutant_benches.stages_of(m.module)[0] for m in drawn}
        assert len(nearest) == 2
        assert {stage.program for stage in nearest} <= {"rtl_unit_test", "rtl_onfi_phy_test"}
    assert len({tuple(m.name for m in sample(MUTANTS, seed, 8)) for seed in range(20)}) > 15


@pytest.mark.parametrize(("kinds", "good"), [
    ([("", "killed by a test")], True),
    ([("why", "")], True),
    ([("", "")], False),
    ([("why", "killed by a test")], False),
    ([("", None)], False),
])
def test_what_is_good(kinds, good, capsys):
    mutant = MUTANTS[0]
    for reason, killer in kinds:
        report = TOOL["Report"]({mutant.name: reason} if reason else {})
        if killer is None:
            report.put(mutant, "not run")
        else:
            report.add(mutant, killer, 1.0)
        report.summary()
    assert report.good is good
    text = capsys.readouterr().out
    if (reason, killer) == ("", ""):
        assert f"again: scripts/rtl-mutants {mutant.name}" in text
    if killer is None:
        assert "0 of 0 killed" in text and "1 not run" in text


@pytest.mark.parametrize(("arguments", "words"), [
    (["o3_nix"], "no mutant or module 'o3_nix'"),
    (["--short", "o3_bus"], "--short draws its mutants"),
    (["--count", "0"], "'0' is no number from 1 on"),
    (["--until", "nix"], "invalid choice: 'nix'"),
    (["--build", "/nonexistent", "o3_bus"], "/nonexistent: no build"),
])
def test_a_wrong_command_line(arguments, words):
    done = run(*arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_list_of_a_module():
    done = run("--list", "o3_tags")
    assert done.returncode == 0
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert names == [m.name for m in MUTANTS if m.module == "o3_tags"]
    assert "tags-never-in-use" in names


def test_a_mutant_is_killed_and_one_without_effect_lives(tmp_path):
    """In one program: o3_fifo with the mutants of its file and one more, which changes nothing."""
    if not (BUILD / "bin/rtl_unit_test").exists():
        pytest.skip("no RTL tests in this build")
    path = ROOT / "rtl/o3/o3_fifo.sv"
    text = path.read_text(encoding="utf-8")
    place = "wp_q != rp_q;"
    same = rtl_faults.Mutant("fifo-same", "o3", path.name, text.index(place), text.index(place) + len(place) - 1,
                             "!(wp_q == rp_q)", place, "!(wp_q == rp_q);")
    killed = next(m for m in MUTANTS if m.name == "fifo-any-of-address")
    benches = rtl_mutant_benches.Benches(BUILD, [*(m for m in MUTANTS if m.file == path.name), same], tmp_path)
    benches.prepare()
    stage = next(s for s in rtl_mutant_benches.units() if s.name == "UnitFifo")
    assert benches.verdict(stage, killed).startswith("UnitFifo")
    assert benches.verdict(stage, same) == ""
    lines = (tmp_path / "verdicts/UnitFifo").read_text(encoding="utf-8").splitlines()
    assert lines[1:] == [f"fifo-any-of-address\t{benches.verdict(stage, killed)}", "fifo-same\t"]


def test_a_source_that_reads_members_of_the_model_is_compiled_with_it(tmp_path):
    """onfi_sequencer's mutants move the members of onfi_phy, whose edges phy_verilated.cpp makes."""
    if not (BUILD / "bin/rtl_onfi_phy_test").exists():
        pytest.skip("no RTL tests in this build")
    here = [m for m in MUTANTS if m.file == "onfi_sequencer.sv"]
    benches = rtl_mutant_benches.Benches(BUILD, here, tmp_path)
    benches.prepare()
    stage = dataclasses.replace(rtl_mutant_benches.PHY[0], tests="OnfiPhyBursts.*")
    killed = next(m for m in here if m.name == "phy-strobe-never-counted")
    assert benches.verdict(stage, killed).startswith("OnfiPhyBursts.")
    assert (tmp_path / "Vonfi_phy/phy_verilated.o").exists()
    mutated, plain = (re.findall(r"(\w+);", (folder / "Vonfi_phy___024root.h").read_text(encoding="utf-8"))
                      for folder in (tmp_path / "Vonfi_phy", BUILD / "rtl/tlmssd_rtl_onfi_phy.dir"))
    assert mutated != plain, "all members stand where they stood: this test would see nothing"
