# SPDX-License-Identifier: BSD-3-Clause
"""A register map as C++ constants and as a Markdown table."""


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def cpp(regmap, origin):
    """Addresses (kMode), and of each field its lowest bit and its mask in place (kModeModeLsb)."""
    out = ["// SPDX-License-Identifier: BSD-3-Clause", f"// tlmssd: {origin}", "#pragma once", "",
           '#include "models/common/types.h"', "", f"namespace tlmssd::flash::{regmap.name} {{", ""]

    def one(reg, prefix=""):
        name = "k" + camel(prefix) + camel(reg.name)
        out.append(f"inline constexpr u32 {name} = 0x{reg.address:03x};"
                   + (f" ///< of {reg.count} words" if reg.array else ""))
        if prefix:
            return
        for f in reg.fields:
            base = f"{name}{camel(f.name)}"
            out.append(f"inline constexpr u32 {base}Lsb = {f.lsb};")
            out.append(f"inline constexpr u32 {base}Mask = 0x{f.mask:08x};")
            if f.kind in ("store", "constant", "sticky", "lasting"):
                out.append(f"inline constexpr u32 {base}Reset = 0x{f.reset:x};")

    for reg in regmap.regs:
        one(reg)
        out.append("")
    for b in regmap.blocks:
        name = "k" + camel(b.name)
        out.append(f"inline constexpr u32 {name} = 0x{b.address:03x};")
        if b.count > 1:
            out.append(f"inline constexpr u32 {name}Count = {b.count};")
            out.append(f"inline constexpr u32 {name}Stride = 0x{b.stride:x};")
        out.append("// Offsets in it:")
        for reg in b.regs:
            one(reg, b.name)
        out.append("")
    out.append(f"}} // namespace tlmssd::flash::{regmap.name}")
    return "\n".join(out) + "\n"


def cell(text):
    return text.replace("|", "\\|")


def access(f):
    return {"constant": "r", "input": "r", "store": "rw", "sticky": "r, w1c", "lasting": "r, w1s", "pulse": "w1"}[f.kind]


def bits(f):
    return f"{f.lsb + f.width - 1}:{f.lsb}" if f.width > 1 else str(f.lsb)


def where(reg):
    if reg.array:
        return f"0x{reg.address:03x} + 4 i, i < {reg.count}"
    return f"0x{reg.address:03x}"


def markdown(regmap):
    out = ["| address | register | bits | field | access | after reset | |", "|---|---|---|---|---|---|---|"]
    for reg in regmap.regs:
        title = f"**{reg.title}.** {reg.desc}".strip()
        if reg.write_if:
            title += f" Written only if *{reg.write_if}*."
        out.append(f"| {where(reg)} | `{reg.name}` | | | | | {cell(title)} |")
        for f in reg.fields:
            reset = "" if f.kind in ("input", "pulse") else f"0x{f.reset:x}" if f.reset > 9 else str(f.reset)
            out.append(f"| | | {bits(f)} | `{f.name}` | {access(f)} | {reset} | {cell(f.desc)} |")
    for b in regmap.blocks:
        place = f"0x{b.address:03x}" + (f" + 0x{b.stride:x} i, i < {b.count}" if b.count > 1 else "")
        out += ["", f"`{b.name}` at {place}: {b.title}. {b.desc}".rstrip(), "",
                "| offset | register | |", "|---|---|---|"]
        for lo in b.regs:
            if lo.name.endswith("_lo"):
                pair = [r for r in b.regs if r.name == lo.name[:-3] + "_hi"]
                out.append(f"| 0x{lo.address:02x}, 0x{pair[0].address:02x} | `{lo.name}`, `{pair[0].name}` | {cell(lo.title)} |")
    return "\n".join(out) + "\n"
