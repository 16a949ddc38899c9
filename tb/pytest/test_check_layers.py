# SPDX-License-Identifier: BSD-3-Clause
"""The layer check finds what it is there to find, and nothing in this repository."""
import subprocess
import sys

import pytest

from cli import ROOT

SCRIPT = ROOT / "scripts/check_layers.py"


def check(root):
    done = subprocess.run([sys.executable, SCRIPT, "--root", root], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout.splitlines()


@pytest.fixture
def tree(tmp_path):
    """A small tree without a fault."""
    files = {
        "firmware/hal/hal.h": "#include <stdint.h>\n",
        "firmware/core/core.h": '#include "firmware/hal/hal.h"\n',
        "firmware/hil/hil.h": '#include "firmware/core/core.h"\n',
        "firmware/buffer/buffer.c": '#include "firmware/buffer/ahead/prefetch.h"\n',
        "firmware/buffer/lines.h": '#include "firmware/core/core.h"\n',
        "firmware/buffer/ahead/prefetch.h": '#include "firmware/buffer/lines.h"\n',
        "firmware/buffer/policies/lru.c": '#include "firmware/buffer/lines.h"\n',
        "firmware/ftl/core/state.h": '#include "firmware/core/core.h"\n',
        "firmware/ftl/ftl.h": '#include "firmware/ftl/gc/gc.h"\n',
        "firmware/ftl/gc/gc.h": '#include "firmware/ftl/map/map.h"\n',
        "firmware/ftl/gc/gc.c": '#include "firmware/ftl/map/map.h"\n#include "firmware/ftl/core/state.h"\n',
        "firmware/ftl/map/map.h": '#include "firmware/ftl/core/state.h"\n',
        "firmware/sched/sched.c": '#include "firmware/sched/sched.h"\n#include <stddef.h>\n',
        "firmware/sched/sched.h": '#include "firmware/core/core.h"\n',
        "firmware/sched/vaq/vaq.h": '#include "firmware/sched/sched.h"\n',
        "firmware/sched/paq/paq.c": '#include "firmware/sched/sched.h"\n',
        "firmware/boot/firmware.h": '#include "firmware/hil/hil.h"\n#include "firmware/ftl/core/state.h"\n',
        "firmware/port/riscv/main.c": '#include "firmware/boot/firmware.h"\n',
        "models/common/types.h": "#include <cstdint>\n",
        "models/interfaces/flash_port.h": '#include "firmware/hal/hal.h"\n',
        "models/config/config.h": '#include "models/common/types.h"\n',
        "models/config/text/raw.h": '#include "models/config/config.h"\n',
        "models/config/keys/key.h": '#include "models/config/text/raw.h"\n',
        "models/config/rules/resolve.cpp": '#include "models/config/keys/key.h"\n',
        "models/observe/results.h": '#include "models/observe/output/write.h"\n',
        "models/observe/output/write.h": '#include "models/common/types.h"\n',
        "models/probes/timeline/bus.h": '#include "models/onfi/bus/segment.h"\n',
        "models/probes/stages/tracker.h": '#include "models/cpu/core.h"\n',
        "models/ssd/include/tlmssd/ssd.h": '#include "models/ssd/image.h"\n',
        "models/ssd/image.h": '#include "firmware/boot/firmware.h"\n',
        "models/ssd/ssd.cpp": '#include "models/ssd/include/tlmssd/ssd.h"\n',
        "models/run/run.h": '#include "models/ssd/include/tlmssd/ssd.h"\n',
        "models/replay/replay.h": '#include "models/run/run.h"\n',
        "models/serve/serve.h": '#include "models/run/run.h"\n',
        "models/onfi/bus/segment.h": "#include <tlm>\n// nothing here knows flash_op\n",
        "models/nand/die.cpp": '#include "models/onfi/bus/segment.h"\n',
        "models/flash/data.cpp": '#include "firmware/hal/hal.h"\n#include "Vrr_controller.h"\n',
        "models/cpu/native.cpp": '#include "firmware/core/core.h"\n#include "firmware/boot/firmware.h"\n',
        "models/cpu/core.h": '#include "models/common/types.h"\n',
        "models/cpu/iss/iss.h": '#include "models/cpu/core.h"\n',
        "models/cli/main.cpp": '#include "models/nand/die.h"\n#include "models/serve/serve.h"\n',
        "models/nand/die.h": "#pragma once\n",
        "rtl/common/assert.svh": "\n",
        "rtl/common/pick.sv": "module pick;\nendmodule\n",
        "rtl/o3/o3_pkg.sv": "package o3_pkg;\nendpackage\n",
        "rtl/o3/o3.svh": "\n",
        "rtl/o3/o3_top.sv": '`include "assert.svh"\n`include "o3.svh"\nmodule o3_top;\n'
                            "  pick u_pick (.a_i(o3_pkg::A));\nendmodule\n",
        "rtl/onfi/onfi_pkg.sv": "package onfi_pkg; // not o3_pkg::A\nendpackage\n",
        "examples/own-rtl/mine/mine.v": '`include "assert.svh"\n`include "own.vh"\n',
        "examples/own-rtl/mine/own.vh": "\n",
        "examples/mine/main.cpp": '#include "driver.h"\n#include "../own-rtl/mine/shared.h"\n',
        "examples/mine/driver.h": "\n",
        "examples/own-scheduler/mine.c": including("firmware/sched/sched.h") + including("firmware/core/panic.h"),
        "examples/own-rtl/mine/shared.h": "\n",
        "examples/own-rtl/mine/adapter.cpp": '#include "models/flash/data.cpp"\n#include <Vmine__rtl.h>\n',
        "tb/nand/die_test.cpp": '#include "models/nand/die.h"\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_this_repository_has_no_violation():
    status, lines = check(ROOT)
    assert status == 0, "\n".join(lines)


def test_a_sound_tree_passes(tree):
    status, lines = check(tree)
    assert status == 0, "\n".join(lines)


def including(*names):
    return "".join(f'#include "{name}"\n' for name in names)


@pytest.mark.parametrize("path, text, part", [
    # modules of models/, upward and sideways
    ("models/common/bad.h", including("models/config/config.h"), "models/common may not include"),
    ("models/interfaces/bad.h", including("models/config/config.h"), "models/interfaces may not include"),
    ("models/observe/bad.h", including("models/config/config.h"), "models/observe may not include"),
    ("models/onfi/bus/bad.cpp", "\n" + including("models/nand/die.h"), "models/onfi may not include"),
    ("models/nand/bad.cpp", including("models/flash/data.cpp"), "models/nand may not include"),
    ("models/flash/bad.cpp", including("models/nand/die.h"), "models/flash may not include"),
    ("models/probes/stages/bad.cpp", including("models/ssd/image.h"), "models/probes may not include"),
    ("models/snapshot/bad.cpp", including("models/ssd/image.h"), "models/snapshot may not include"),
    ("models/ssd/bad.cpp", including("models/run/run.h"), "models/ssd may not include"),
    ("models/run/bad.cpp", including("models/serve/serve.h"), "models/run may not include"),
    ("models/serve/bad.cpp", including("models/replay/replay.h"), "models/serve may not include"),
    ("models/powercut/bad.cpp", including("models/cli/main.cpp"), "models/powercut may not include"),
    ("models/novel/bad.cpp", "int x;\n", "does not name"),
    ("models/bad.cpp", "int x;\n", "does not name"),
    # folders of a module
    ("models/config/bad.h", including("models/config/text/raw.h"), "models/config may not include"),
    ("models/config/text/bad.h", including("models/config/keys/key.h"), "models/config/text may not include"),
    ("models/observe/output/bad.h", including("models/observe/results.h"), "models/observe/output may not include"),
    ("models/cpu/bad.cpp", including("models/cpu/iss/iss.h"), "models/cpu may not include"),
    ("models/probes/stages/bad.h", including("models/probes/timeline/bus.h"), "models/probes/stages may not include"),
    ("models/config/novel/bad.h", "int x;\n", "does not name"),
    ("models/run/novel/bad.h", "int x;\n", "does not name"),
    # the firmware as models/ may see it
    ("models/flash/bad.cpp", including("firmware/core/core.h"), "models/flash may not include"),
    ("models/cpu/bad.cpp", including("firmware/sched/sched.h"), "models/cpu may not include"),
    ("models/ssd/bad.cpp", including("firmware/ftl/core/state.h"), "models/ssd may not include"),
    # modules of the firmware
    ("firmware/hal/bad.h", including("firmware/core/core.h"), "firmware/hal may not include"),
    ("firmware/core/bad.c", including("firmware/boot/firmware.h"), "firmware/core may not include"),
    ("firmware/core/bad.c", including("firmware/hil/hil.h"), "firmware/core may not include"),
    ("firmware/buffer/bad.c", including("firmware/sched/sched.h"), "firmware/buffer may not include"),
    ("firmware/ftl/bad.c", including("firmware/buffer/lines.h"), "firmware/ftl may not include"),
    ("firmware/sched/bad.c", including("firmware/hil/hil.h"), "firmware/sched may not include"),
    ("firmware/port/riscv/bad.c", including("firmware/ftl/core/state.h"), "firmware/port may not include"),
    ("firmware/novel/bad.c", "int x;\n", "does not name"),
    # folders of a module of the firmware
    ("firmware/sched/paq/bad.c", including("firmware/sched/vaq/vaq.h"), "firmware/sched/paq may not include"),
    ("firmware/sched/bad.c", including("firmware/sched/vaq/vaq.h"), "firmware/sched may not include"),
    ("firmware/ftl/map/bad.c", including("firmware/ftl/gc/gc.h"), "firmware/ftl/map may not include"),
    ("firmware/ftl/core/bad.c", including("firmware/ftl/ftl.h"), "firmware/ftl/core may not include"),
    ("firmware/ftl/novel/bad.c", "int x;\n", "does not name"),
    ("firmware/core/bad.c", "#include <string.h>\n", "freestanding"),
    ("firmware/core/bad.c", including("models/common/types.h"), "only firmware/"),
    # what a module may not know, and how includes are written
    ("models/config/bad.cpp", "#include <systemc>\n", "knows no SystemC"),
    ("models/interfaces/bad.h", "#include <tlm>\n", "knows no SystemC"),
    ("models/cpu/iss/bad.cpp", "#include <systemc.h>\n", "knows no SystemC"),
    ("models/config/bad.cpp", including("types.h"), "not a file counted from"),
    ("models/config/bad.cpp", including("../common/types.h"), "not a file counted from"),
    ("models/nand/bad.cpp", "struct flash_op;\n", "must not know flash_op"),
    ("models/nand/bad.cpp", "#include HEADER\n", "macro"),
    # folders of rtl/
    ("rtl/o3/bad.sv", '`include "../models/common/types.h"\n', "rtl/o3 may not include"),
    ("rtl/common/bad.sv", '`include "o3.svh"\n', "rtl/common may not include"),
    ("rtl/onfi/bad.sv", '`include "o3.svh"\n', "rtl/onfi may not include"),
    ("rtl/common/bad.sv", "assign a = onfi_pkg::A;\n", "rtl/common may not use onfi_pkg"),
    ("rtl/onfi/bad.sv", "assign a = o3_pkg::A;\n", "rtl/onfi may not use o3_pkg"),
    ("rtl/o3/bad.sv", "logic [onfi_pkg::W-1:0] a;\n", "rtl/o3 may not use onfi_pkg"),
    ("rtl/onfi/bad.sv", "  o3_top u_top ();\n", "rtl/onfi may not use o3_top"),
    ("rtl/bad.sv", "module bad;\nendmodule\n", "no files beside them"),
    ("rtl/novel/bad.sv", "module bad;\nendmodule\n", "no files beside them"),
    ("examples/own-rtl/mine/bad.v", '`include "../../models/common/types.h"\n', "its own folder"),
    ("examples/own-rtl/mine/bad.cpp", including("models/nand/die.h"), "may not include"),
    ("examples/own-scheduler/bad.c", including("firmware/ftl/ftl.h"), "may not include"),
    ("examples/mine/bad.cpp", including("../../models/common/types.h"), "may not include"),
    ("models/cli/bad.cpp", including("examples/own-rtl/mine/adapter.cpp"), "nothing may include an example"),
    ("tb/nand/bad_test.cpp", including("examples/own-rtl/mine/adapter.cpp"), "nothing may include an example"),
    ("tb/nand/bad_test.cpp", including("die.h"), "not a file counted from"),
])
def test_a_planted_violation_is_found(tree, path, text, part):
    (tree / path).parent.mkdir(parents=True, exist_ok=True)
    (tree / path).write_text(text, encoding="utf-8")
    status, lines = check(tree)
    assert status == 1
    # An unknown module or folder is named once for all of its files.
    places = (path, path.rsplit("/", 1)[0] + ":")
    assert [line for line in lines if line.startswith(places) and part in line] == lines[:1], lines
    assert len(lines) == 2, lines


@pytest.mark.parametrize("files, circle", [
    ({"models/nand/a.h": ["models/nand/b.h"], "models/nand/b.h": ["models/nand/a.h"]},
     "models/nand/a -> models/nand/b -> models/nand/a"),
    ({"models/nand/a.h": [], "models/nand/a.cpp": ["models/nand/a.h", "models/nand/b.h"],
      "models/nand/b.h": [], "models/nand/b.cpp": ["models/nand/b.h", "models/nand/a.h"]},
     "models/nand/a -> models/nand/b -> models/nand/a"),
    ({"firmware/buffer/a.h": ["firmware/buffer/ahead/b.h"], "firmware/buffer/ahead/b.h": ["firmware/buffer/c.h"],
      "firmware/buffer/c.h": ["firmware/buffer/a.h"]},
     "firmware/buffer/a -> firmware/buffer/ahead/b -> firmware/buffer/c -> firmware/buffer/a"),
    ({"firmware/buffer/a.c": ["firmware/buffer/ahead/b.h"], "firmware/buffer/a.h": [],
      "firmware/buffer/ahead/b.h": ["firmware/buffer/a.h"]},
     "firmware/buffer/a -> firmware/buffer/ahead/b -> firmware/buffer/a"),
], ids=["headers", "pairs", "three of the firmware", "folders that may include each other"])
def test_a_circle_of_includes_is_found(tree, files, circle):
    for name, includes in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(including(*includes), encoding="utf-8")
    status, lines = check(tree)
    assert status == 1 and len(lines) == 2, lines
    assert lines[0].endswith(": a circle of includes: " + circle)


def test_a_file_and_its_header_are_no_circle(tree):
    (tree / "models/nand/a.h").write_text("", encoding="utf-8")
    (tree / "models/nand/a.cpp").write_text(including("models/nand/a.h"), encoding="utf-8")
    assert check(tree)[0] == 0


def test_two_circles_are_two_violations(tree):
    for name, other in (("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")):
        (tree / f"models/nand/{name}.h").write_text(including(f"models/nand/{other}.h"), encoding="utf-8")
    assert check(tree)[1][-1] == "check_layers: 2 violations"


def test_a_violation_names_its_line(tree):
    (tree / "models/time").mkdir()
    (tree / "models/time/bad.h").write_text('// one\n/* two\n*/\n#include "models/nand/die.h"\n',
                                            encoding="utf-8")
    assert check(tree)[1][0].startswith("models/time/bad.h:4: ")


def test_a_commented_include_is_none(tree):
    (tree / "models/time").mkdir()
    (tree / "models/time/good.h").write_text('/*\n#include "models/nand/die.h"\n*/\n// #include <x>\n',
                                             encoding="utf-8")
    assert check(tree)[0] == 0


def test_a_folder_without_models_is_refused(tmp_path):
    assert check(tmp_path)[0] == 2
