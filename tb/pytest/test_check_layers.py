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
    """A small house without a fault."""
    files = {
        "firmware/hal/hal.h": "#include <stdint.h>\n",
        "firmware/core/core.h": '#include "firmware/hal/hal.h"\n',
        "firmware/sched/sched.c": '#include "firmware/core/core.h"\n#include <stddef.h>\n',
        "models/common/types.h": "#include <cstdint>\n",
        "models/config/config.h": '#include "models/common/types.h"\n',
        "models/onfi/bus/segment.h": "#include <tlm>\n// nothing here knows flash_op\n",
        "models/nand/die.cpp": '#include "models/onfi/bus/segment.h"\n',
        "models/flash/data.cpp": '#include "firmware/hal/hal.h"\n#include "Vrr_controller.h"\n',
        "models/cpu/native.cpp": '#include "firmware/core/core.h"\n',
        "models/cli/main.cpp": '#include "models/nand/die.h"\n',
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


@pytest.mark.parametrize("path, text, part", [
    ("models/common/bad.h", '#include "models/config/config.h"\n', "models/common may not include"),
    ("models/onfi/bad.cpp", '\n#include "models/nand/die.h"\n', "models/onfi may not include"),
    ("models/nand/bad.cpp", '#include "models/flash/data.cpp"\n', "models/nand may not include"),
    ("models/flash/bad.cpp", '#include "models/nand/die.h"\n', "models/flash may not include"),
    ("models/flash/bad.cpp", '#include "firmware/core/core.h"\n', "models/flash may not include"),
    ("models/cpu/bad.cpp", '#include "firmware/sched/sched.c"\n', "models/cpu may not include"),
    ("models/config/bad.cpp", "#include <systemc>\n", "knows no SystemC"),
    ("models/config/bad.cpp", '#include "types.h"\n', "not a file counted from"),
    ("models/config/bad.cpp", '#include "../common/types.h"\n', "not a file counted from"),
    ("models/nand/bad.cpp", "struct flash_op;\n", "must not know flash_op"),
    ("models/novel/bad.cpp", "int x;\n", "does not name"),
    ("firmware/core/bad.c", "#include <string.h>\n", "freestanding"),
    ("firmware/core/bad.c", '#include "models/common/types.h"\n', "only firmware/"),
    ("firmware/hal/bad.h", '#include "firmware/core/core.h"\n', "only firmware/hal/"),
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
    ("examples/own-rtl/mine/bad.cpp", '#include "models/nand/die.h"\n', "may not include"),
    ("examples/mine/bad.cpp", '#include "../../models/common/types.h"\n', "may not include"),
    ("models/platform/bad.cpp", '#include "examples/own-rtl/mine/adapter.cpp"\n', "nothing may include an example"),
    ("tb/nand/bad_test.cpp", '#include "examples/own-rtl/mine/adapter.cpp"\n', "nothing may include an example"),
    ("tb/nand/bad_test.cpp", '#include "die.h"\n', "not a file counted from"),
    ("models/nand/bad.cpp", "#include HEADER\n", "macro"),
])
def test_a_planted_violation_is_found(tree, path, text, part):
    (tree / path).parent.mkdir(parents=True, exist_ok=True)
    (tree / path).write_text(text, encoding="utf-8")
    status, lines = check(tree)
    assert status == 1
    found = [line for line in lines if line.startswith(path) or line.startswith("models/novel:")]
    assert len(found) == 1 and part in found[0], lines


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
