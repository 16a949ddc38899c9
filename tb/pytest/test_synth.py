# SPDX-License-Identifier: BSD-3-Clause
"""scripts/synth: its errors, how it reads netlists, and the committed limits of area and depth."""
import importlib.util
import json
import os
import re
import subprocess
import sys
import time

import pytest

from cli import ROOT, long_form

LONG = long_form()
SYNTH = ROOT / "scripts/synth"


def netlist():
    spec = importlib.util.spec_from_file_location("synth_netlist", ROOT / "scripts/synth_netlist.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(*arguments, **environment):
    return subprocess.run([sys.executable, SYNTH, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


@pytest.mark.parametrize("arguments, says", [
    (["--shape", "8"], "--shape 8: must be CHANNELSxLUNS, like 4x4, 8x8, 16x16"),
    (["--shape", "8x12"], "the nearest is 8x16"),
    (["--shape", "20x8"], "the nearest is 16x8"),
    (["--shape", "0x0"], "the nearest is 1x1"),
    (["--shape", "4x100"], "the nearest is 4x64"),
    (["--top", "o3_chanel"], "--top o3_chanel: must be one of o3_controller, o3_inorder, o3_top, or a folder"),
    (["--top", str(ROOT / "docs")], "or a folder with the CMakeLists.txt of a controller"),
    (["--top", "o3_inorder", "--stations", "2"], "--stations: o3_inorder has no choice of them"),
    (["--top", "o3_inorder", "--clump"], "--clump: o3_inorder gives its buses to who asked first"),
    (["--top", "o3_inorder", "--estimate"], "o3_inorder: --by-module and --estimate keep the modules"),
    (["--top", str(ROOT / "examples/own-rtl/round_robin"), "--clump"], "gives its buses to who asked first"),
    (["--top", str(ROOT / "examples/own-rtl/round_robin"), "--stations", "2"], "has no choice of them"),
    (["--tags", "100"], "--tags 100: a power of two, 16 to 256; the nearest is 128"),
    (["--tags", "4"], "the nearest is 16"),
    (["--stations", "17"], "the nearest is 16"),
    (["--check", "--shape", "3x4"], "rtl/synth_limits.txt has no limits for this; it has --top o3_"),
    (["--check", "--wide"], "each without --wide, --estimate, --tags and --stations"),
    (["--check", "--estimate"], "each without --wide, --estimate, --tags and --stations"),
    (["--clump", "--check", "--shape", "8x8"], "--check has no limits for it"),
    (["--json", "/nowhere/at/all.json"], "no folder /nowhere/at that can be written to"),
    (["--fit", "/nowhere.json"], "--fit /nowhere.json: no report of --json (FileNotFoundError"),
])
def test_bad_arguments_end_with_status_2_and_what_would_do(arguments, says):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("synth: ") and says in done.stderr
    assert done.stdout == ""


def test_without_yosys_it_says_where_to_get_it(tmp_path):
    done = run("--shape", "1x1", PATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (2, "synth: no yosys (package yosys): run scripts/setup --for test\n")


def report(tmp_path, name, **fields):
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps({"top": "t", "tags": 16, "stations": 8, "command": "c", "shape": name, **fields}),
                    encoding="utf-8")
    return str(path)


def cells(lut4, rams=0, carries=0):
    return {"LUT4": lut4, "TRELLIS_DPR16X4": rams, "CCU2C": carries}


def test_fit_finds_laws_that_hold_exactly(tmp_path):
    # A DPR16X4 takes 4 sites and a CCU2C 2: 7 and 10 a channel of the first, 1 a LUN of the second make
    # 1000 + 4 x 7, 200 + 4 x 10 and 30 + 2 x 1.
    paths = [report(tmp_path, f"{c}x{n}", channels=c, luns=n,
                    cells=cells(1000 + 200 * c + 30 * c * n, 7 + 10 * c, c * n))
             for c, n in ((1, 1), (2, 8), (4, 4), (8, 8))]
    done = run("--fit", *paths)
    assert done.returncode == 0, done.stderr
    assert "LUT4 = 1,000 + 200 channels + 30 channels x LUNs    (t, 16, 8, c)" in done.stdout
    assert "LUT sites = 1,028 + 240 channels + 32 channels x LUNs" in done.stdout
    assert len(re.findall(r"residual +[+-]0 \([+-]0\.0 %\)", done.stdout)) == 8


def test_fit_refuses_what_cannot_be_fitted(tmp_path):
    line = [report(tmp_path, f"{c}x4", channels=c, luns=4, cells=cells(c)) for c in (1, 2, 4)]
    done = run("--fit", *line)
    assert done.returncode == 2 and "at least three shapes that are not in a line" in done.stderr
    other = report(tmp_path, "8x8", channels=8, luns=8, tags=256, stations=None, cells=cells(9))
    done = run("--fit", line[0], other)
    assert done.returncode == 2 and "reports differ in top, tags, stations or command" in done.stderr
    lacking = report(tmp_path, "2x2", channels=2, luns=2, cells={"LUT4": 9})
    assert "no report of --json (KeyError" in run("--fit", lacking).stderr


def cell(kind, **connections):
    outputs = ("Z", "Q", "DO", "S0", "S1", "COUT")
    return {"type": kind, "connections": connections,
            "port_directions": {port: "output" if port in outputs else "input" for port in connections}}


def net(*bits, src=""):
    return {"bits": list(bits), "attributes": {"src": src}}


def test_longest_path_ends_at_registers_and_goes_through_a_ram_by_its_read_address():
    # a_q -> LUT4 -> RAM read -> LUT4 -> b_q: three cells. The RAM's write side, from a longer way, is an end
    # of its own: b_q -> LUT4 -> RAM DI is one cell.
    module = {"ports": {"y": {"direction": "output", "bits": [2]}},
              "cells": {"f1": cell("TRELLIS_FF", DI=[6], CLK=[1], Q=[2]),
                        "f2": cell("TRELLIS_FF", DI=[5], CLK=[1], Q=[6]),
                        "l1": cell("LUT4", A=[2], B=["0"], Z=[3]),
                        "ram": cell("TRELLIS_DPR16X4", RAD=[3, "0"], DI=[7], WCK=[1], DO=[4]),
                        "l2": cell("LUT4", A=[4], B=[2], Z=[5]),
                        "l3": cell("LUT4", A=[6], Z=[7])},
              "netnames": {"a_q": net(2, src="m.sv:3.1-3.9"), "u_x.a_i": net(2, src="x.sv:4.2-4.8"),
                           "u_x.b_q": net(6, src="x.sv:5.1-5.2"), "picked": net(3), "$abc$1": net(5),
                           "picked_LUT4_Z_B": net(4)}}
    path = netlist().longest({"modules": {"m": module}}, "m")
    assert path.depth == 3
    assert path.begin == "a_q (m.sv:3)"
    assert path.end == "u_x.b_q (DI of TRELLIS_FF, x.sv:5)"
    assert path.through == ["picked"]
    assert path.cells == {"LUT4": 3, "TRELLIS_FF": 2, "TRELLIS_DPR16X4": 1}


def test_a_path_to_an_output_is_one_of_them():
    module = {"ports": {"y": {"direction": "output", "bits": [3]}}, "cells": {"l": cell("LUT4", A=[2], Z=[3])},
              "netnames": {"x_i": net(2), "y": net(3)}}
    path = netlist().longest({"modules": {"m": module}}, "m")
    assert (path.depth, path.begin, path.end) == (1, "x_i", "output y")


def test_area_by_module_counts_instances_of_instances_and_joins_parameters():
    fifo = r"$paramod$0123\o3_fifo"
    wide = r"$paramod\o3_fifo\W=32'00000000000000000000000000001000"
    lut = {"type": "LUT4"}
    modules = {"top": {"attributes": {}, "cells": {"a": {"type": "mid"}, "b": {"type": "mid"}, "c": {"type": wide}}},
               "mid": {"attributes": {}, "cells": {"l": lut, "f": {"type": fifo}}},
               fifo: {"attributes": {}, "cells": {"l1": lut, "l2": lut}},
               wide: {"attributes": {}, "cells": {"l1": lut}},
               "LUT4": {"attributes": {"blackbox": "1"}, "cells": {}}}
    rows = {row["module"]: row for row in netlist().by_module({"modules": modules}, "top", ("LUT4",))}
    assert {name: (row["instances"], row["cells"]["LUT4"]) for name, row in rows.items()} == {
        "top": (1, 0), "mid": (2, 2), "o3_fifo": (3, 5)}


TINY = """module tiny #(parameter CHANNELS = 8, parameter LUNS = 16, parameter TAGS = 256, parameter MORE = 0) (
  input clk_i, input [CHANNELS*LUNS+MORE-1:0] a_i, b_i, output reg [CHANNELS*LUNS+MORE-1:0] q_o
);
  always @(posedge clk_i) q_o <= a_i & b_i;
endmodule
"""
CALL = "tlmssd_add_rtl_controller(NAME {0} TOP tiny SOURCES tiny.v PARAMETERS MORE=3 WORDS \"a test's\")\n"


def test_a_folder_is_synthesised_with_its_own_parameters(tmp_path):
    # An AND and a flip-flop a bit, 2 x 4 + 3 bits: 11 of each.
    (tmp_path / "tiny.v").write_text(TINY, encoding="utf-8")
    (tmp_path / "CMakeLists.txt").write_text(CALL.format("tiny"), encoding="utf-8")
    out = tmp_path / "report.json"
    done = run("--top", str(tmp_path), "--shape", "2x4", "--json", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "LUT4 11, TRELLIS_FF 11; LUT sites 11\n" in done.stdout and "stations" not in done.stdout
    found = json.loads(out.read_text(encoding="utf-8"))
    assert (found["top"], found["stations"], found["tags"], found["depth"]) == (str(tmp_path), None, 64, 1)
    assert re.match(r"[ab]_i\[", found["begin"]) and found["end"].startswith("q_o[")
    done = run("--top", str(tmp_path), "--check")
    assert done.returncode == 2 and "--top examples/own-rtl/round_robin --shape 4x4" in done.stderr


@pytest.mark.parametrize("text, says", [
    ("", "adds 0 controllers, not one"),
    (CALL.format("tiny") + CALL.format("twin"), "adds 2 controllers, not one"),
    (CALL.format("tiny").replace("tiny.v", "tony.v"), "tlmssd_add_rtl_controller(tiny): there is no file"),
])
def test_a_folder_adds_one_controller(text, says, tmp_path):
    (tmp_path / "tiny.v").write_text(TINY, encoding="utf-8")
    (tmp_path / "CMakeLists.txt").write_text(text, encoding="utf-8")
    done = run("--top", str(tmp_path))
    assert done.returncode == 2 and says in done.stderr


def test_ended_from_outside_it_leaves_nothing_behind(tmp_path):
    with subprocess.Popen([sys.executable, SYNTH], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env={**os.environ, "TMPDIR": str(tmp_path)}) as process:
        end = time.monotonic() + 60
        while not list(tmp_path.glob("*/log")) and time.monotonic() < end:  # Yosys has begun
            time.sleep(0.05)
        assert list(tmp_path.glob("*/log"))
        process.terminate()
        assert process.wait(timeout=60) == 143
    assert list(tmp_path.iterdir()) == []


SHAPES = [(top, shape) for top, shape, *_ in
          (line.split() for line in (ROOT / "rtl/synth_limits.txt").read_text(encoding="utf-8").splitlines()
           if line and not line.startswith("#"))]


def test_what_was_asked_for_is_in_the_table():
    text = (ROOT / "rtl/synth_limits.txt").read_text(encoding="utf-8")
    lut4, depth = re.search(r"^o3_controller +8x8 +(\d+) +(\d+)$", text, re.MULTILINE).groups()
    assert int(lut4) <= 35000 and int(depth) <= 50
    assert ("o3_controller", "4x4") in SHAPES


@pytest.mark.parametrize("top, shape", SHAPES if LONG else [("o3_controller", "4x4"), ("o3_inorder", "1x1")])
def test_limits_are_kept_and_nothing_is_left_behind(top, shape, tmp_path):
    (tmp_path / "tmp").mkdir()
    out = tmp_path / "report.json"
    folder = str(ROOT / top) if "/" in top else top
    done = run("--top", folder, "--shape", shape, "--check", "--json", str(out), TMPDIR=str(tmp_path / "tmp"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert list((tmp_path / "tmp").iterdir()) == []
    found = json.loads(out.read_text(encoding="utf-8"))
    assert done.stdout.count(": within ") == 3  # LUT4, depth, multipliers
    # Tables of 16 tags, and those of round_robin, are LUT RAM.
    assert (found["cells"]["DP16KD"] > 0) == (top.startswith("o3") and shape != "1x1")
    assert found["cells"]["TRELLIS_DPR16X4"] > 0
    # Each end is named by a signal of the source, not by one that Yosys made up.
    assert "$" not in found["begin"] + found["end"]


if LONG:  # half a minute of Yosys
    def test_an_estimate_is_the_sum_of_the_modules_and_has_no_depth(tmp_path):
        out = tmp_path / "report.json"
        done = run("--shape", "1x1", "--estimate", "--json", str(out))
        assert done.returncode == 0, done.stdout + done.stderr
        found = json.loads(out.read_text(encoding="utf-8"))
        assert "depth" not in found and "no depth" in done.stdout
        assert found["command"] == "synth_ecp5 -nowidelut -noflatten"
        rows = {row["module"]: row for row in found["modules"]}
        assert rows["o3_controller"]["instances"] == rows["o3_channel"]["instances"] == 1
        assert found["cells"]["LUT4"] == sum(row["cells"]["LUT4"] for row in rows.values()) > 0
