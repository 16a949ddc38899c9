#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make all that is generated from rtl/o3/o3_regs.rdl, the registers of the out-of-order controller.

rtl/o3/o3_regs.sv, firmware/hal/o3_regs.h (PeakRDL-cheader), models/flash/o3/o3_regs.h and the table in
docs/reference/o3-registers.md. With --check nothing is written; exit status 1 tells that a file is stale.
Needs what scripts/setup --for test puts into .venv.
"""
import argparse
import pathlib
import sys
import tempfile

from peakrdl_cheader.c_standards import CStandard
from peakrdl_cheader.exporter import CHeaderExporter
from systemrdl import RDLCompiler

import rdl_model
import rdl_sv
import rdl_text

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "rtl/o3/o3_regs.rdl"
ORIGIN = "made by scripts/gen/gen_o3_regs.py from rtl/o3/o3_regs.rdl; do not edit."
BEGIN = "<!-- made by scripts/gen/gen_o3_regs.py from rtl/o3/o3_regs.rdl; do not edit up to the end mark -->\n"
END = "<!-- end mark -->\n"


def c_header(top):
    """PeakRDL's header under the project's first two lines."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "o3_regs.h"
        CHeaderExporter().export(top, str(path), std=CStandard.gnu11, instantiate=False, testcase=False,
                                 reuse_typedefs=False)
        text = path.read_text()
    # Firmware is freestanding: what <assert.h> does for static_assert, without it.
    text = text.replace("#include <assert.h>\n",
                        "#ifndef __cplusplus\n#define static_assert _Static_assert\n#endif\n")
    head = f"// SPDX-License-Identifier: BSD-3-Clause\n// tlmssd: {ORIGIN}\n"
    return head + "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def page(regmap):
    """docs/reference/o3-registers.md with its table made anew; the rest is written by hand."""
    text = (ROOT / "docs/reference/o3-registers.md").read_text()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit("docs/reference/o3-registers.md: the marks of the generated part are missing")
    return before + begin + rdl_text.markdown(regmap) + end + after


def generated():
    """Path (from the project's root) to contents."""
    compiler = RDLCompiler()
    compiler.compile_file(str(SOURCE))
    top = compiler.elaborate().top
    regmap = rdl_model.map_of(top)
    return {
        "rtl/o3/o3_regs.sv": rdl_sv.module(regmap, ORIGIN),
        "firmware/hal/o3_regs.h": c_header(top),
        "models/flash/o3/o3_regs.h": rdl_text.cpp(regmap, ORIGIN),
        "docs/reference/o3-registers.md": page(regmap),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; 1: something is stale")
    check = parser.parse_args().check
    stale = False
    for name, text in generated().items():
        path = ROOT / name
        if path.is_file() and path.read_text() == text:
            continue
        if check:
            print(f"{name} is stale: run scripts/gen/gen_o3_regs.py", file=sys.stderr)
            stale = True
        else:
            path.write_text(text)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
