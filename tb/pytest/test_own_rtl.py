# SPDX-License-Identifier: BSD-3-Clause
"""docs/start/own-rtl-controller.md: its ten steps, run as they stand there; what is said of wrong calls and ports."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import tutorial
from cli import ROOT, long_form

PAGE = ROOT / "docs/start/own-rtl-controller.md"
SIMPLE = ROOT / "examples/own-rtl/simple_v2001"
STEP = re.compile(r"^```sh step=(\d+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def steps():
    return {int(number): text for number, text in STEP.findall(PAGE.read_text(encoding="utf-8"))}


def shell(script, **variables):
    return subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, check=False, env={**os.environ, **variables})


def test_the_page_has_ten_steps_with_one_command_block_each():
    assert list(steps()) == list(range(1, 11))
    text = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"^(\d+)\. ", text, re.MULTILINE) == [str(n) for n in range(1, 11)]


@pytest.fixture(scope="module")
def followed(tmp_path_factory, tlmssd):
    """The page's steps in one shell. The short form leaves out 5 and 6, the build: it takes the tree under
    test, which has the same modules as `simple_v2001`."""
    folder = tmp_path_factory.mktemp("own")
    for name in ("own.fst", "own-race"):
        path = ROOT / "out" / name
        shutil.rmtree(path, ignore_errors=True)
        path.unlink(missing_ok=True)
    (ROOT / "out").mkdir(exist_ok=True)
    script = steps()
    tree = folder / "build"
    name = "mine"
    if not long_form():
        del script[5], script[6]
        tree = pathlib.Path(tlmssd.path).resolve().parent.parent
        name = "simple_v2001"
        script = {n: text.replace("controller.rtl=mine", f"controller.rtl={name}")
                  .replace("/mine_", f"/{name}_")
                  for n, text in script.items()}
    whole = "".join(f"echo '=== step {n}'\n{text}" for n, text in sorted(script.items()))
    done = shell(whole, OWN=str(folder / "mine"), BUILD=str(tree))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    parts = dict(re.findall(r"^=== step (\d+)\n(.*?)(?=^=== step|\Z)", done.stdout, re.DOTALL | re.MULTILINE))
    return name, {int(n): text for n, text in parts.items()}


def test_the_second_controller_is_verilog_2001_and_clean(followed):
    assert "lint-rtl: mine: clean in verilator and yosys" in followed[1][4]
    assert all(path.suffix == ".v" for path in SIMPLE.iterdir() if path.suffix in (".v", ".sv"))
    assert "+1364-2001ext+v" in (SIMPLE / "CMakeLists.txt").read_text()
    for path in SIMPLE.glob("*.v"):
        code = re.sub(r"//[^\n]*", "", path.read_text())
        newer = r"\b(logic|always_ff|always_comb|int|typedef|enum|struct|package|import)\b"
        assert re.findall(newer, code) == []


def test_it_passes_the_conformance_tests(followed):
    name, out = followed
    ran = re.search(r"100% tests passed, 0 tests failed out of (\d+)", out[7])
    assert ran and int(ran.group(1)) == 2 * len(conformance_tests()), out[7]
    assert f"{name}_inorder" in out[7] and f"{name}_serial" in out[7]


def conformance_tests():
    return re.findall(r"^TEST_P\(RtlConformance, (\w+)\)",
                      (ROOT / "tb/rtl/conformance_test.cpp").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_page_names_every_conformance_test():
    section = PAGE.read_text(encoding="utf-8").split("## Conformance")[1]
    assert re.findall(r"^\| `(\w+)` \|", section.split("\n## ")[0], re.MULTILINE) == conformance_tests()


def test_it_runs_a_device_and_its_signals_are_in_the_waves(followed):
    assert ": done" in followed[1][8]
    checks = r"[1-9][\d,]* pages, 0 mismatches; 0 protocol violations"
    assert re.search(checks, followed[1][8]), followed[1][8]
    wave = ROOT / "out/own.fst"
    assert wave.stat().st_size > 1000


def test_the_steps_print_what_the_page_states(followed):
    name, out = followed
    stated = {number: step.output for number, step in enumerate(tutorial.steps(PAGE.read_text(encoding="utf-8")), 1)
              if step.output}
    assert sorted(stated) == [4, 7, 8, 10]
    for number, text in stated.items():
        text = text.replace(f"{'mine':12}", f"{name:12}") if number > 4 else text
        assert tutorial.agrees(text, out[number]), f"step {number} states\n{text}\nand it printed\n{out[number]}"


def test_it_is_in_the_comparison_beside_o3(followed):
    name, out = followed
    race = json.loads((ROOT / "out/own-race/compare.json").read_text(encoding="utf-8"))
    variants = race["workloads"][0]["variants"]
    assert [v["status"] for v in variants] == ["done"] * 3
    iops = {(v["settings"]["controller.rtl"], v["settings"]["scheduler"]):
            v["figures"]["host.all.iops"]["mean"] for v in variants}
    # One operation a channel, one a LUN, and out of order.
    assert 0 < iops[name, "inorder"] < iops["o3", "inorder"] < iops["o3", "host"]
    html = (ROOT / "out/own-race/report.html").read_text(encoding="utf-8")
    assert name in html and "o3" in html
    assert name in out[10]


# ---- wrong calls ----

HEAD = """cmake_minimum_required(VERSION 3.25)
project(t NONE)
add_custom_target(tlmssd_rtl_o3)
include({root}/cmake/TlmssdRtl.cmake)
tlmssd_rtl_folders("{folder}")
"""


def configure(tmp_path, call, files=("a.v",)):
    """What CMake says of a folder with this call, in one line."""
    folder = tmp_path / "mine"
    folder.mkdir()
    if call is not None:
        (folder / "CMakeLists.txt").write_text(call)
    for name in files:
        (folder / name).write_text("module a; endmodule\n")
    (tmp_path / "CMakeLists.txt").write_text(HEAD.format(root=ROOT, folder=folder))
    done = subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / "b"], capture_output=True, text=True,
                          check=False)
    assert done.returncode != 0
    assert done.stderr.count("CMake Error") == 1, done.stderr
    return " ".join(done.stderr.split())


@pytest.mark.parametrize("call, part", [
    (None, "there is no {folder}/CMakeLists.txt"),
    ("# nothing", "adds no controller"),
    ("tlmssd_add_rtl_controller(TOP a SOURCES a.v)", "NAME is missing"),
    ("tlmssd_add_rtl_controller(NAME x SOURCES a.v)", "TOP is missing"),
    ("tlmssd_add_rtl_controller(NAME x TOP a)", "SOURCES is missing"),
    ("tlmssd_add_rtl_controller(NAME x TOP a SOURCES b.v)", "(x): there is no file {folder}/b.v"),
    ("tlmssd_add_rtl_controller(NAME x TOP a SOURCES a.v WAIVERS w.vlt)", "there is no file {folder}/w.vlt"),
    ("tlmssd_add_rtl_controller(NAME X-1 TOP a SOURCES a.v)", "(X-1): NAME is made of a-z"),
    ("tlmssd_add_rtl_controller(NAME a__b TOP a SOURCES a.v)", "single underscores"),
    ("tlmssd_add_rtl_controller(NAME o3 TOP a SOURCES a.v)", "there is a controller of this name already"),
    ("tlmssd_add_rtl_controller(NAME x TOP a.b SOURCES a.v)", 'TOP "a.b" is no name of a module'),
    ("tlmssd_add_rtl_controller(NAME x TOP a SOURCES a.v MODES fast)", 'MODES has "fast"'),
    ("tlmssd_add_rtl_controller(NAME x TOP a SOURCES a.v PARAMETERS LUNS=3)", 'PARAMETERS has "LUNS=3"'),
    ("tlmssd_add_rtl_controller(NAME x TOP a SOURCES a.v REGISTERS)", "REGISTERS needs an ADAPTER"),
    ("tlmssd_add_rtl_controller(x NAME x TOP a SOURCES a.v)", '"x" belongs to no keyword'),
])
def test_a_wrong_call_is_one_clear_error(tmp_path, call, part):
    text = configure(tmp_path, call)
    assert part.format(folder=(tmp_path / "mine").resolve()) in text, text
    assert "docs/start/own-rtl-controller.md" in text


# ---- wrong ports ----

def ports(tmp_path, *edits, modes="serial,inorder", no_grants="OFF"):
    """What is said of simple_v2001 after textual edits of its ports; "" where they fit."""
    text = (SIMPLE / "simple_v2001.v").read_text()
    for before, after in edits:
        assert before in text
        text = text.replace(before, after)
    top = tmp_path / "simple_v2001.v"
    top.write_text(text)
    made = subprocess.run(["verilator", "--cc", "--prefix", "Vx", "--Mdir", tmp_path / "v", "-Wno-fatal",
                           f"-I{ROOT}/rtl/common", "-GCHANNELS=2", "-GLUNS=4", "-GTAGS=16", "--top-module",
                           "simple_v2001", SIMPLE / "simple_channel.v", top], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    values = {"HEADER": tmp_path / "v/Vx.h", "NAME": "x", "TOP": "simple_v2001", "PREFIX": "Vx",
              "CHANNELS": 2, "LUNS": 4, "TAGS": 16, "MODES": modes, "NO_GRANTS": no_grants, "OUT": tmp_path / "x.cpp"}
    done = subprocess.run(["cmake", *[f"-D{k}={v}" for k, v in values.items()],
                           "-P", ROOT / "cmake/rtl_ports.cmake"], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (tmp_path / "x.cpp").exists()
    return done.stderr


def test_ports_that_fit(tmp_path):
    assert ports(tmp_path) == ""
    assert "make_rtl_own<Vx, 2, 4>" in (tmp_path / "x.cpp").read_text()


@pytest.mark.parametrize("edits, more, parts", [
    ([("input  wire                     op_valid_i,", ""), ("op_valid_i &&", "")], {},
     ["port op_valid_i is missing: an input of 1 bit(s)"]),
    ([("output wire [CHANNELS*32-1:0]   seg_row_o", "output wire [31:0]   seg_row_o")], {},
     ["port seg_row_o has 32 bit(s), expected 64"]),
    ([("input  wire [511:0]             op_i", "input  wire [479:0] op_i")], {},
     ["port op_i has 480 bit(s), expected 512"]),
    ([("output wire                     idle_o", "input wire i_o, output wire idle_o")], {},
     ["port i_o is an input that nothing drives"]),
    ([("input  wire [15:0]              land_tag_i", "output wire [15:0] land_tag_i")], {},
     ["port land_tag_i is an output, expected an input of 16 bit(s)"]),
    ([], {"modes": "inorder,ooo"},
     ["port mode_ooo_i is missing: an input of 1 bit(s), since MODES names more than one"]),
    ([], {"no_grants": "ON"}, ["port no_grant_i is missing: an input of 2 bit(s), since NO_GRANTS is given"]),
    ([("output wire                     idle_o", "output wire [63:0] wake_at_o"),
      ("assign idle_o", "wire idle_o")], {}, ["port wake_at_o is of no use without idle_o"]),
], ids=["missing", "narrow", "short", "stray input", "direction", "mode", "no_grants", "wake"])
def test_wrong_ports_are_named_with_what_is_expected(tmp_path, edits, more, parts):
    text = ports(tmp_path, *edits, **more)
    assert text.count("CMake Error") == 1
    for part in parts:
        assert part in text, text
    assert text.count("  port ") == len(parts)
    assert "docs/start/own-rtl-controller.md" in text


def test_ports_may_be_left_out_where_they_are_optional(tmp_path):
    lines = [line for line in (SIMPLE / "simple_v2001.v").read_text().splitlines(True)
             if re.match(r"\s*input  wire \[\d:0\] +(channels|ces|luns|lun_shift)_i,", line)]
    assert len(lines) == 4
    widths = {"channels_i": 7, "ces_i": 7, "luns_i": 7, "lun_shift_i": 2}
    inside = "".join(f"  wire [{msb}:0] {name} = 1;\n" for name, msb in widths.items())
    assert ports(tmp_path, *[(line, "") for line in lines],
                 ("  function integer bits_for;", inside + "  function integer bits_for;")) == ""


# ---- the linter, and the program without examples ----

@pytest.mark.parametrize("call, part", [("# nothing\n", "adds no controller"), (None, "no file list rtl/"),
                                        ("tlmssd_add_rtl_controller(NAME x TOP a SOURCES b.v)",
                                         "there is no file")])
def test_lint_rtl_tells_what_is_wrong_with_a_folder(tmp_path, call, part):
    if call is not None:
        (tmp_path / "CMakeLists.txt").write_text(call)
    done = subprocess.run([ROOT / "scripts/lint-rtl", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode != 0 and part in done.stderr


def test_help_lists_the_controllers_of_the_build(tlmssd):
    for text in (tlmssd("run", "--help").stdout, tlmssd("list", "controllers").stdout):
        assert re.search(r"^ *o3 .*serial, inorder, ooo: ", text, re.MULTILINE), text
        assert re.search(r"^ *simple_v2001 .*serial, inorder: ", text, re.MULTILINE), text


def test_an_unknown_name_gives_the_nearest_and_the_page(tlmssd):
    done = tlmssd("run", "configs/ssd/default.yaml", "--set", "controller.kind=rtl", "--set",
                  "controller.rtl=simple_v2002")
    assert done.returncode == 2
    assert "did you mean 'simple_v2001'?" in done.stderr
    assert "docs/start/own-rtl-controller.md" in done.stderr
