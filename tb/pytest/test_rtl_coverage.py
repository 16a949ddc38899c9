# SPDX-License-Identifier: BSD-3-Clause
"""scripts/rtl-coverage: what it reads out of coverage files, what an excuse excuses, and its statuses."""
import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest
from cli import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import rtl_points  # noqa: E402

COVER = ROOT / "tb/rtl/cover"


def script():
    """scripts/rtl-coverage as a module."""
    loader = importlib.machinery.SourceFileLoader("rtl_coverage", str(ROOT / "scripts/rtl-coverage"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("rtl_coverage", loader))
    loader.exec_module(module)
    return module


def entry(page, file, line, what, count, column=1, hier="top.u"):
    """A line of a coverage file."""
    keys = {"f": file, "l": line, "n": column, "page": page, "o": what, "h": hier}
    return "C '" + "".join(f"\x01{key}\x02{value}" for key, value in keys.items()) + f"' {count}\n"


def points(folder, *texts):
    """The points of some coverage files."""
    for number, text in enumerate(texts):
        (folder / f"{number}.dat").write_text("# SystemC::Coverage-3\n" + text, encoding="utf-8")
    return rtl_points.read(folder)


def test_counts_are_summed_over_files_instances_and_shapes(tmp_path):
    found = points(tmp_path,
                   entry("v_line/a", "rtl/o3/a.sv", 3, "block", 2, hier="top.x") +
                   entry("v_line/a", "rtl/o3/a.sv", 3, "block", 0, hier="top.y"),
                   entry("v_line/a__P1", "/other/rtl/o3/a.sv", 3, "block", 5) +
                   entry("v_expr/a", "rtl/o3/a.sv", 4, "(x[3:0]+:4 == 4'h0)==1) => 1", 0) +
                   entry("v_expr/a", "rtl/o3/a.sv", 4, "(x[5:0]+:8 == 8'h0)==1) => 1", 7))
    assert found == {rtl_points.Point("line", "a.sv", 3, 1, "line block"): 7,
                     rtl_points.Point("expr", "a.sv", 4, 1, "(x == 0)==1) => 1"): 7}


def test_bits_of_index_and_constants_stay_apart():
    assert rtl_points.plain("q[3] == 3'h5") != rtl_points.plain("q[2] == 3'h5")
    assert rtl_points.plain("q == 3'h5") != rtl_points.plain("q == 3'h4")


def test_bound_modules_count_by_their_cover_points_alone(tmp_path):
    found = points(tmp_path, entry("v_user/m", "m_cover.sv", 9, "state_IDLE", 1) +
                   entry("v_user/m", "m_cover.sv", 9, "in_READ_fence0_priority1", 0) +
                   entry("v_toggle/m", "m_cover.sv", 9, "was_q[0]:0->1", 1) +
                   entry("v_other/m", "m.sv", 9, "x", 1))
    assert sorted((point.kind, point.what, count) for point, count in found.items()) == [
        ("cross", "in_READ_fence0_priority1", 0), ("fsm", "state_IDLE", 1)]


@pytest.mark.parametrize("text", [
    entry("v_line/a", "rtl/o3/a.sv", 3, "block", 2)[:-1],   # cut off in its count, maybe
    entry("v_line/a", "rtl/o3/a.sv", 3, "block", 2)[:20] + "\n",
    entry("v_line/a", "rtl/o3/a.sv", "x", "block", 2),
    entry("v_line/a", "rtl/o3/a.sv", 3, "block", "").replace("block", "\xff"),
    "C '\x01page\x02v_line/a' 1\n", ""])
def test_a_file_that_is_cut_off_is_one_error_with_its_name(tmp_path, text):
    """And exit status 2, without a traceback."""
    data = tmp_path / "rtl-coverage"
    data.mkdir()
    (data / "1-0.dat").write_text("# SystemC::Coverage-3\n" + entry("v_line/a", "rtl/o3/a.sv", 3, "block", 1),
                                  encoding="utf-8")
    (data / "1-1.dat").write_text(text, encoding="latin-1")
    with pytest.raises(rtl_points.Problem, match=r"1-1\.dat:\d"):
        rtl_points.read(data)
    done = subprocess.run([ROOT / "scripts/rtl-coverage", "--report", "--build", tmp_path], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 2
    assert re.fullmatch(r"rtl-coverage: .*1-1\.dat:\d: not a whole coverage file; .*\n", done.stderr)
    assert done.stdout == ""


def excuse(tmp_path, text):
    """The entries of a text."""
    path = tmp_path / "unreachable.txt"
    path.write_text(text, encoding="utf-8")
    return rtl_points.excuses(path)


def test_an_excuse_holds_for_its_file_kind_and_bits_only(tmp_path):
    entries = excuse(tmp_path, "# comment\n= because\na.sv | toggle | now_i[{45-63}]*\n")
    what = [("a.sv", 44, 0), ("a.sv", 45, 0), ("a.sv", 63, 0), ("a.sv", 64, 0), ("b.sv", 50, 0)]
    found = {rtl_points.Point("toggle", file, 1, 1, f"now_i[{bit}]:0->1"): count for file, bit, count in what}
    reasons = rtl_points.excused(found, entries, lambda point: point.what)
    assert {(point.file, point.what): reason for point, reason in reasons.items()} == {
        ("a.sv", "now_i[45]:0->1"): "because", ("a.sv", "now_i[63]:0->1"): "because"}
    assert (entries[0].used, entries[0].reached) == (2, [])


def test_a_reason_may_have_several_lines(tmp_path):
    entries = excuse(tmp_path, "= one\n= and two\na.sv | toggle | ab\nb.sv | toggle | cd\n\n"
                               "= three\na.sv | toggle | ef\n")
    assert [entry.reason for entry in entries] == ["one and two", "one and two", "three"]


def test_an_excuse_may_hold_for_the_upper_bits_of_each_element(tmp_path):
    pattern = excuse(tmp_path, "= because\na.sv | toggle | tag_o[{8-15%16}]*\n")[0].pattern
    assert [bit for bit in range(40) if pattern.fullmatch(f"tag_o[{bit}]:1->0")] == [*range(8, 16), *range(24, 32)]


def test_an_excuse_for_what_was_reached_is_noticed(tmp_path):
    entries = excuse(tmp_path, "= because\na.sv | fsm | arc_A_B\n")
    point = rtl_points.Point("fsm", "a.sv", 1, 1, "arc_A_B")
    assert not rtl_points.excused({point: 1}, entries, lambda p: p.what)
    assert (entries[0].used, entries[0].reached) == (0, [point])


@pytest.mark.parametrize("text", ["a.sv | toggle | x\n", "= why\na.sv | toggle\n", "= why\na.sv | colour | xy\n",
                                  "= why\na.sv | toggle | *\n", "= why\na.sv | toggle | [{0-63}]*\n"])
def test_a_bad_entry_is_one_error(tmp_path, text):
    with pytest.raises(rtl_points.Problem, match="unreachable.txt:"):
        excuse(tmp_path, text)


def test_the_report_fails_below_the_least_and_with_a_wrong_excuse(monkeypatch, capsys):
    module = script()
    monkeypatch.setattr(module, "LEAST", dict.fromkeys(rtl_points.KINDS, 50.0))
    lists = {"unreachable.txt": [], "unreached.txt": [
        rtl_points.Excuse("o3_fifo.sv", kind, "*xy*", "why", 1, "unreached.txt") for kind in rtl_points.KINDS]}
    monkeypatch.setattr(rtl_points, "excuses", lambda path: lists[path.name])
    found = {rtl_points.Point(kind, "o3_fifo.sv", 1, column, "xy"): column % 2
             for kind in rtl_points.KINDS for column in (1, 2)}
    assert module.report(found, None)  # half of each
    found[rtl_points.Point("toggle", "o3_fifo.sv", 1, 4, "xy")] = 0
    assert not module.report(found, ["toggle"])
    out = capsys.readouterr().out
    assert "toggle: below 50 percent" in out and out.count("o3_fifo.sv:1:") == 2
    found[rtl_points.Point("toggle", "o3_fifo.sv", 1, 3, "xy")] = 1
    assert module.report(found, None)
    lists["unreachable.txt"] = [rtl_points.Excuse("o3_fifo.sv", "toggle", "none", "why", 7)]
    assert not module.report(found, None)
    assert "unreachable.txt:7: matches nothing" in capsys.readouterr().out


def test_each_hole_has_a_reason_and_each_reason_a_hole(monkeypatch, capsys):
    module = script()
    lists = {"unreachable.txt": [], "unreached.txt": [("toggle", "count_q[{4-7}]*", "large counts", 3),
                                                      ("cross", "end_RESET", "resets", 5)]}
    monkeypatch.setattr(rtl_points, "excuses", lambda path: [
        rtl_points.Excuse("o3_fifo.sv", *fields, path.name) for fields in lists[path.name]])
    monkeypatch.setattr(module, "LEAST", dict.fromkeys(rtl_points.KINDS, 0.0))
    found = {rtl_points.Point(kind, "o3_fifo.sv", 1, 1, "any"): 1 for kind in rtl_points.KINDS}
    found |= {rtl_points.Point("toggle", "o3_fifo.sv", 1, 1, f"count_q[{bit}]:0->1"): bit < 6 for bit in range(8)}
    found[rtl_points.Point("cross", "o3_fifo.sv", 1, 1, "end_RESET")] = 0
    assert module.report(found, None)
    out = capsys.readouterr().out
    assert "3 holes, all explained" in out and "      2  large counts" in out and "      1  resets" in out
    found[rtl_points.Point("toggle", "o3_fifo.sv", 1, 1, "count_q[3]:1->0")] = 0
    assert not module.report(found, None)
    out = capsys.readouterr().out
    assert "4 holes, 1 without a reason in tb/rtl/unreached.txt:\n  o3_fifo.sv:1:1: toggle: count_q[3]:1->0\n" in out
    del found[rtl_points.Point("toggle", "o3_fifo.sv", 1, 1, "count_q[3]:1->0")]
    found[rtl_points.Point("cross", "o3_fifo.sv", 1, 1, "end_RESET")] = 1
    assert not module.report(found, None)
    assert "unreached.txt:5: matches no hole: o3_fifo.sv | cross | end_RESET" in capsys.readouterr().out


def fake_programs(module, folder, monkeypatch, text=""):
    """Programs `plain` and `alone` that write their arguments and shard into the data folder."""
    monkeypatch.setattr(module, "TESTS", ("plain", "alone"))
    monkeypatch.setattr(module, "ALONE", {"alone": "*/Tie.*"})
    (folder / "bin").mkdir()
    for name in module.TESTS:
        path = folder / "bin" / name
        path.write_text("#!/bin/sh\n" + text + 'if [ "$1" = --gtest_list_tests ]; then echo "All/Tie."; echo "  One"\n'
                        'else echo "$2 $GTEST_SHARD_INDEX/$GTEST_TOTAL_SHARDS $TLMSSD_RTL_POWER_ON" > $TLMSSD_RTL_COVERAGE_DIR/$$.%s; fi\n'
                        % name, encoding="utf-8")
        path.chmod(0o755)


def test_each_shard_of_each_program_runs_once_and_tests_that_go_alone_by_themselves(tmp_path, monkeypatch):
    module = script()
    fake_programs(module, tmp_path, monkeypatch)
    data = tmp_path / "data"
    data.mkdir()
    (data / "of-the-last-run.dat").touch()
    module.run(tmp_path, data, 2)
    ran = sorted((path.suffix, path.read_text(encoding="utf-8").strip()) for path in data.iterdir())
    assert ran == [(".alone", "--gtest_filter=-*/Tie.* 0/2 1"), (".alone", "--gtest_filter=-*/Tie.* 1/2 1"),
                   (".alone", "--gtest_filter=All/Tie.One / 1"),
                   (".plain", "--gtest_filter=* 0/2 1"), (".plain", "--gtest_filter=* 1/2 1")]


def test_a_test_that_fails_in_one_shard_fails_the_run(tmp_path, monkeypatch):
    module = script()
    fake_programs(module, tmp_path, monkeypatch, 'if [ "$GTEST_SHARD_INDEX" = 1 ]; then exit 1; fi\n')
    with pytest.raises(SystemExit, match="failed: .*/plain"):
        module.run(tmp_path, tmp_path / "data", 2)


def test_without_the_newer_verilator_it_says_how_to_get_it(tmp_path):
    done = subprocess.run([ROOT / "scripts/rtl-coverage"], capture_output=True, text=True, check=False,
                          env={"PATH": "/usr/bin:/bin", "TLMSSD_VERILATOR": str(tmp_path / "none")})
    assert (done.returncode, done.stderr) == (2, f"rtl-coverage: no {tmp_path}/none\n")


@pytest.mark.parametrize("name", ["unreachable.txt", "unreached.txt"])
def test_the_lists_of_points_can_be_read(name):
    folders = [ROOT / folder for folder in script().FOLDERS]
    for item in rtl_points.excuses(ROOT / "tb/rtl" / name):
        assert any((folder / item.file).is_file() for folder in folders), item


def test_each_bound_module_lists_the_states_of_its_register():
    """States and arcs that are listed are counted, and those that are counted are listed."""
    for path in sorted(COVER.glob("*_cover.sv")):
        text = path.read_text(encoding="utf-8")
        listed = re.findall(r"`COVER_FSM_LIST\((\w+), (\w+)\)", text)
        assert re.findall(r"`COVER_ARC\((\w+), (\w+)\)", text) == listed
        states = re.findall(r"`COVER_STATE\((\w+)\)", text)
        assert {state for arc in listed for state in arc} == set(states)
        assert f"bind {path.stem.removesuffix('_cover')} {path.stem} " in text
        assert pathlib.Path(path.with_name("cover.svh")).is_file()


def test_a_verilator_that_is_not_there_is_named_when_a_build_is_configured(tmp_path):
    done = subprocess.run(["cmake", "-S", ROOT, "-B", tmp_path / "b", "-DTLMSSD_TESTS=OFF",
                           f"-DTLMSSD_VERILATOR={tmp_path}/none"],
                          capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert f"TLMSSD_VERILATOR: there is no {tmp_path}/none" in " ".join(done.stderr.split())
