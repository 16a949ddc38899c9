#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make firmware/hal/flash_op.h, rtl/common/flash_op_pkg.sv and rtl/common/flash_op.vh from
firmware/hal/flash_op.yaml.

With --check nothing is written; exit status 1 tells that a generated file is stale.
"""
import argparse
import pathlib
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "firmware/hal/flash_op.yaml"
SIZES = {"u8": 1, "u16": 2, "u32": 4}
C_TYPES = {"u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t"}


def layout(struct):
    """Yield (field, byte offset); fail where a field is unaligned or the size is off."""
    offset = 0
    for field in struct["fields"]:
        size = SIZES[field["type"]]
        if offset % size:
            sys.exit(f"{SOURCE}: {struct['name']}.{field['name']} is not aligned")
        yield field, offset
        offset += size * field.get("count", 1)
    if offset != struct["bytes"]:
        sys.exit(f"{SOURCE}: {struct['name']} has {offset} bytes, not {struct['bytes']}")


def c_header(spec):
    out = [
        "// SPDX-License-Identifier: BSD-3-Clause",
        "// tlmssd: made by scripts/gen/gen_flash_op.py from flash_op.yaml; do not edit.",
        "#pragma once",
        "",
        "#include <stdint.h>",
        "",
    ]
    for group in spec["constants"].values():
        for name, value in group["values"].items():
            text = f"0x{value:x}u" if value > 9 else f"{value}u"
            out.append(f"#define {group['prefix']}{name} {text}")
        out.append("")
    for key in ("descriptor", "completion"):
        struct = spec[key]
        out.append(f"struct {struct['name']} {{")
        for field, offset in layout(struct):
            array = f"[{field['count']}]" if "count" in field else ""
            declaration = f"{C_TYPES[field['type']]} {field['name']}{array};"
            out.append(f"    {declaration:<28} /* {offset:2}: {field['doc']} */")
        out.append("};")
        out.append("")
    out.append("#ifdef __cplusplus")
    for key in ("descriptor", "completion"):
        out.append(f'static_assert(sizeof(flash_op) == 64, "flash_op.yaml");' if key == "descriptor"
                   else f'static_assert(sizeof(flash_completion) == 16, "flash_op.yaml");')
    out.append("#else")
    out.append('_Static_assert(sizeof(struct flash_op) == 64, "flash_op.yaml");')
    out.append('_Static_assert(sizeof(struct flash_completion) == 16, "flash_op.yaml");')
    out.append("#endif")
    return "\n".join(out) + "\n"


def sv_package(spec):
    out = [
        "// SPDX-License-Identifier: BSD-3-Clause",
        "// tlmssd: made by scripts/gen/gen_flash_op.py from firmware/hal/flash_op.yaml; do not edit.",
        "`default_nettype none",
        "package flash_op_pkg;",
        "",
    ]
    for group in spec["constants"].values():
        wide = any(v > 255 for v in group["values"].values())
        width = 32 if wide else 8
        for name, value in group["values"].items():
            out.append(f"  localparam logic [{width - 1}:0] {group['prefix']}{name} = {width}'h{value:x};")
        out.append("")
    for key in ("descriptor", "completion"):
        struct = spec[key]
        upper = struct["name"].upper()
        out.append(f"  // {struct['name']}: bit offset and width of each field (of its first entry, for arrays).")
        out.append(f"  localparam int unsigned {upper}_BITS = {struct['bytes'] * 8};")
        for field, offset in layout(struct):
            name = f"{upper}_{field['name'].upper()}"
            out.append(f"  localparam int unsigned {name}_LSB = {offset * 8};")
            out.append(f"  localparam int unsigned {name}_W = {SIZES[field['type']] * 8};")
        out.append("")
    out.append("endpackage")
    out.append("`default_nettype wire")
    return "\n".join(out) + "\n"


def v_header(spec):
    """The same for Verilog-2001, which has no packages."""
    out = [
        "// SPDX-License-Identifier: BSD-3-Clause",
        "// tlmssd: made by scripts/gen/gen_flash_op.py from firmware/hal/flash_op.yaml; do not edit.",
        "`ifndef TLMSSD_FLASH_OP_VH",
        "`define TLMSSD_FLASH_OP_VH",
        "",
    ]
    for group in spec["constants"].values():
        width = 32 if any(v > 255 for v in group["values"].values()) else 8
        for name, value in group["values"].items():
            out.append(f"`define {group['prefix']}{name} {width}'h{value:x}")
        out.append("")
    for key in ("descriptor", "completion"):
        struct = spec[key]
        upper = struct["name"].upper()
        out.append(f"// {struct['name']}: bit offset and width of each field (of its first entry, for arrays).")
        out.append(f"`define {upper}_BITS {struct['bytes'] * 8}")
        for field, offset in layout(struct):
            name = f"{upper}_{field['name'].upper()}"
            out.append(f"`define {name}_LSB {offset * 8}")
            out.append(f"`define {name}_W {SIZES[field['type']] * 8}")
        out.append("")
    out.append("`endif")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only tell whether the files are current")
    args = parser.parse_args()
    spec = yaml.safe_load(SOURCE.read_text(encoding="utf-8"))
    targets = {ROOT / "firmware/hal/flash_op.h": c_header(spec),
               ROOT / "rtl/common/flash_op_pkg.sv": sv_package(spec),
               ROOT / "rtl/common/flash_op.vh": v_header(spec)}
    stale = [p for p, text in targets.items() if not p.exists() or p.read_text(encoding="utf-8") != text]
    if args.check:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is stale: run scripts/gen/gen_flash_op.py", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(targets[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
