# SPDX-License-Identifier: BSD-3-Clause
"""Gathers the pages of the documentation's site: those of docs/ as they are, links out of docs/ led
to where they belong, and the reference of C, C++ and SystemVerilog interfaces from the sources."""

import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPOSITORY = "source"  # files that are no pages stand below this folder of the site
RENAMED = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "configs/README.md": "reference/configuration.md",
}
C_HEADERS = (
    ("firmware/hal/hal.h", "Seam 1 and 2: what the firmware sees of the world"),
    ("firmware/hal/flash_op.h", "Seam 2: the descriptor of a flash operation"),
    ("firmware/core/fw.h", "The firmware's event loop"),
    ("firmware/sched/sched.h", "A scheduler and its services"),
    ("firmware/buffer/policy.h", "A policy of the buffer"),
)
CPP_HEADERS = (
    ("models/ssd/include/tlmssd", "The device as a component"),
    ("models/interfaces/flash_port.h", "Above a flash controller"),
    ("models/interfaces/controller_if.h", "Below a flash controller: the segment port"),
    ("models/cpu/cpu.h", "The CPU that runs the firmware"),
    ("models/dram/dram.h", "The DRAM"),
)
SV_MODULES = ("rtl/o3/o3_top.sv", "rtl/o3/o3_controller.sv", "rtl/onfi/onfi_phy.sv")
LINK = re.compile(r"(\]\()([^)#\s]+)(#[^)\s]*)?(\))")


def main(words: list[str]) -> int:
    if len(words) != 1:
        print("usage: docs_pages.py FOLDER", file=sys.stderr)
        return 2
    out = pathlib.Path(words[0])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    gather(out)
    (out / "reference/c.md").write_text(headers("C interfaces", C_HEADERS), encoding="utf-8")
    (out / "reference/cpp.md").write_text(headers("C++ interfaces", CPP_HEADERS), encoding="utf-8")
    (out / "reference/sv.md").write_text(modules(), encoding="utf-8")
    return 0


def gather(out: pathlib.Path) -> None:
    pages = sorted((ROOT / "docs").rglob("*.md")) + [ROOT / name for name in RENAMED]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        text = LINK.sub(lambda found: _link(found, page, out), text)
        copy = out / page_name(page)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(_fences(text), encoding="utf-8")
    for folder in ("images",):
        if (ROOT / "docs" / folder).is_dir():
            shutil.copytree(ROOT / "docs" / folder, out / folder)
    for schema in (ROOT / "docs/reference").glob("*.schema.json"):
        shutil.copy(schema, out / "reference" / schema.name)


def page_name(page: pathlib.Path) -> str:
    """Where a page lies in the site."""
    docs = ROOT / "docs"
    inside = page.relative_to(docs) if page.is_relative_to(docs) else page.relative_to(ROOT)
    return RENAMED.get(str(page.relative_to(ROOT)), str(inside))


def _link(found: re.Match, page: pathlib.Path, out: pathlib.Path) -> str:
    """A link of `page` as the site needs it; a file that is no page is copied beside the pages."""
    opening, target, anchor, closing = found.groups()
    if re.match(r"[a-z]+:", target):
        return found[0]
    path = pathlib.Path(os.path.normpath(page.parent / target))
    try:
        inside = str(path.relative_to(ROOT))
    except ValueError:
        return found[0]
    if inside in RENAMED:
        target = RENAMED[inside]
    elif path.is_relative_to(ROOT / "docs"):
        target = str(path.relative_to(ROOT / "docs"))
    elif path.is_file():
        copy = out / REPOSITORY / (inside + ".txt")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        target = f"{REPOSITORY}/{inside}.txt"
    elif path.is_dir():
        listing = out / REPOSITORY / inside / "index.txt"
        listing.parent.mkdir(parents=True, exist_ok=True)
        names = sorted(entry.name for entry in path.iterdir())
        listing.write_text("\n".join(names) + "\n", encoding="utf-8")
        target = f"{REPOSITORY}/{inside}/index.txt"
    else:
        return found[0]
    target = os.path.relpath(target, os.path.dirname(page_name(page)) or ".")
    return f"{opening}{target}{anchor or ''}{closing}"


def _fences(text: str) -> str:
    """Python-Markdown wants an empty line before a list or a table that follows a paragraph; the
    pages are written for readers that do not."""
    lines, result, fenced = text.split("\n"), [], False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            fenced = not fenced
        before = lines[number - 1] if number else ""
        starts = re.match(r"(- |\d+\. |\| ?)", line)
        follows = before.strip() and not re.match(r"\s*(- |\d+\. |\|)|\s{2,}", before)
        if starts and follows and not fenced:
            result.append("")
        result.append(line)
    return "\n".join(result)


def headers(title: str, listed: tuple) -> str:
    parts = [f"# {title}", "Made from the sources: their public declarations with their comments."]
    for name, what in listed:
        place = ROOT / name
        files = sorted(place.glob("*.h")) if place.is_dir() else [place]
        for file in files:
            if not file.is_file():
                raise SystemExit(f"docs_pages.py: {name}: no such file")
            parts.append(f"## {what}: `{file.relative_to(ROOT)}`")
            parts += declarations(file.read_text(encoding="utf-8"))
    return "\n\n".join(parts) + "\n"


def declarations(text: str) -> list[str]:
    """The first comment of a file as words, the rest as code without includes and private parts."""
    lines = text.split("\n")
    head = []
    while lines and (lines[0].startswith("//") or not lines[0].strip()):
        line = lines.pop(0).removeprefix("//").strip()
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
            line.removeprefix("//").strip() for line in text.split("\n")[1:]
            if line.startswith("//")
        ).split("docs/")[0]
        module = re.search(r"^module\b.*?^\);", text, re.M | re.S)
        if module is None:
            raise SystemExit(f"docs_pages.py: {name}: no module with ports")
        parts += [f"## `{name}`", head, f"```systemverilog\n{module[0]}\n```"]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:  # a full disk
        # copytree() has a list of (from, to, why).
        why = error.strerror
        if isinstance(error, shutil.Error):
            why = re.sub(r"^\[Errno \d+\] ", "", error.args[0][0][2]).split(": ")[0]
        print(f"scripts/docs: {error.filename or sys.argv[1]}: {why}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)  # scripts/docs says so
