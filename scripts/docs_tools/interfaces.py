# SPDX-License-Identifier: BSD-3-Clause
"""The reference of C, C++ and SystemVerilog interfaces, from the sources."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
C_HEADERS = (
    ("firmware/hal/hal.h", "Interfaces 1 and 2: what the firmware sees of its surroundings"),
    ("firmware/hal/flash_op.h", "Interface 2: the descriptor of a flash operation"),
    ("firmware/core/fw.h", "The firmware's event loop"),
    ("firmware/sched/sched.h", "A scheduler and its services"),
    ("firmware/buffer/policy.h", "A policy of the buffer"),
)
CPP_HEADERS = (
    ("models/ssd/include/tlmssd", "The device as a component"),
    ("models/interfaces/flash_port.h", "Above a flash controller"),
    ("models/interfaces/controller_if.h", "Interface 3: the segment port below a flash controller"),
    ("models/cpu/cpu.h", "The CPU that runs the firmware"),
    ("models/dram/dram.h", "The DRAM"),
)
SV_MODULES = ("rtl/o3/o3_top.sv", "rtl/o3/o3_controller.sv", "rtl/onfi/onfi_phy.sv")
PAGES = ("c.md", "cpp.md", "sv.md")


def write(folder: pathlib.Path) -> None:
    texts = (headers("C interfaces", C_HEADERS), headers("C++ interfaces", CPP_HEADERS), modules())
    for name, text in zip(PAGES, texts):
        (folder / name).write_text(text, encoding="utf-8")


def headers(title: str, listed: tuple) -> str:
    parts = [f"# {title}", "Made from the sources: their public declarations with their comments."]
    for name, what in listed:
        place = ROOT / name
        files = sorted(place.glob("*.h")) if place.is_dir() else [place]
        for file in files:
            if not file.is_file():
                raise SystemExit(f"scripts/docs: {name}: no such file")
            parts.append(f"## {what}: `{file.relative_to(ROOT)}`")
            parts += declarations(file.read_text(encoding="utf-8"))
    return "\n\n".join(parts) + "\n"


def declarations(text: str) -> list[str]:
    """The first comment of a file as words, the rest as code without includes and private parts."""
    lines = text.split("\n")
    head = []
    while lines and (lines[0].startswith("//") or not lines[0].strip()):
        line = lines.pop(0).removeprefix("//").strip().removeprefix("tlmssd: ")
        if not line.startswith("SPDX"):
            head.append(line)
    shown, hidden, depth = [], None, 0
    for line in lines:
        if re.match(r"\s*#\s*(include|pragma)", line):
            continue
        if hidden is None and re.match(r"\s*private:", line):
            hidden = depth - 1
        opened = line.count("{") - line.count("}")
        depth += opened
        if hidden is not None:
            if depth > hidden:
                continue
            hidden = None
        shown.append(line)
    code = re.sub(r"\n{3,}", "\n\n", "\n".join(shown)).strip("\n")
    return [" ".join(head).strip(), f"```cpp\n{code}\n```"]


def modules() -> str:
    parts = ["# SystemVerilog interfaces", "Made from the sources: parameters and ports."]
    for name in SV_MODULES:
        text = (ROOT / name).read_text(encoding="utf-8")
        head = " ".join(
            line.removeprefix("//").strip().removeprefix("tlmssd: ") for line in text.split("\n")[1:]
            if line.startswith("//")
        ).split("docs/")[0]
        module = re.search(r"^module\b.*?^\);", text, re.M | re.S)
        if module is None:
            raise SystemExit(f"scripts/docs: {name}: no module with ports")
        parts += [f"## `{name}`", head, f"```systemverilog\n{module[0]}\n```"]
    return "\n\n".join(parts) + "\n"
