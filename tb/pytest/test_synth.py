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
    (["--top", "o3_chanel"], "--top o3_chanel: must be one of o3_controller, o3_top"),
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


def test_fit_finds_a_law_that_holds_exactly(tmp_path):
    paths = [report(tmp_path, f"{c}x{n}", channels=c, luns=n, cells={"LUT4": 1000 + 200 * c + 30 * c * n})
             for c, n in ((1, 1), (2, 8), (4, 4), (8, 8))]
    done = run("--fit", *paths)
    assert done.returncode == 0, done.stderr
    assert "LUT4 = 1,000 + 200 channels + 30 channels x LUNs" in done.stdout
    assert len(re.findall(r"residual +[+-]0 \([+-]0\.0 %\)", done.stdout)) == 4


def test_fit_refuses_what_cannot_be_fitted(tmp_path):
    line = [report(tmp_path, f"{c}x4", channels=c, luns=4, cells={"LUT4": c}) for c in (1, 2, 4)]
    done = run("--fit", *line)
    assert done.returncode == 2 and "at least three shapes that are not in a line" in done.stderr
    other = report(tmp_path, "8x8", channels=8, luns=8, tags=256, cells={"LUT4": 9})
    done = run("--fit", line[0], other)
    assert done.returncode == 2 and "reports differ in top, tags, stations or command" in done.stderr


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


@pytest.mark.parametrize("top, shape", SHAPES if LONG else [("o3_controller", "4x4")])
def test_limits_are_kept_and_nothing_is_left_behind(top, shape, tmp_path):
    (tmp_path / "tmp").mkdir()
    out = tmp_path / "report.json"
    done = run("--top", top, "--shape", shape, "--check", "--json", str(out), TMPDIR=str(tmp_path / "tmp"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert list((tmp_path / "tmp").iterdir()) == []
    found = json.loads(out.read_text(encoding="utf-8"))
    assert done.stdout.count(": within ") == 2
    assert found["cells"]["DP16KD"] > 0 and found["cells"]["TRELLIS_DPR16X4"] > 0
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
