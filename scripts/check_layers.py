#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check that every #include points downward, as the table of docs/architecture.md says.

Usage: check_layers.py [--root DIR]
Prints one line "file:line: message" for each violation; exit status 1 if there is one.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]

# The one table: what a room of models/ may include besides itself and the leaf headers of
# firmware/hal. "firmware/core" and "include" are folders of their own.
_BASE = {"common", "time", "config", "observe"}
MAY_INCLUDE = {
    "common": set(),
    "time": {"common"},
    "config": {"common"},
    "workload": {"common", "config"},
    "observe": {"common", "config"},
    "onfi": _BASE,
    "nand": _BASE | {"onfi"},
    "flash": _BASE | {"onfi"},
    "dram": _BASE,
    "sata": _BASE,
    "nvme": _BASE,
    "host": _BASE | {"workload", "sata", "nvme"},
    "cpu": _BASE | {"firmware/core"},
    "platform": {"*"},  # the only place that wires
}
NO_SYSTEMC = {"common", "config", "workload"}  # pure C++: a unit test needs no kernel
NO_FLASH_OP = {"onfi", "nand"}  # a die gets bytes, not intentions
FIRMWARE_SYSTEM = {"stdint.h", "stdbool.h", "stddef.h"}  # freestanding C11
SYSTEMC = re.compile(r"^(systemc|tlm)(\.h)?$|^(sysc|tlm_core|tlm_utils|systemc)/")
GENERATED = re.compile(r"^(tlmssd_git\.h|rtl_controllers\.def|V\w+\.h)$")  # by CMake and by Verilator
# What a stranger's RTL controller may use (docs/own-rtl-controller.md), beside its own folder: in RTL the
# headers of rtl/common/, in an adapter these. Nothing may use a controller of examples/.
FOR_EXAMPLES = ("models/common/", "models/config/", "models/flash/", "firmware/hal/")
SOURCES = {".c", ".h", ".cpp", ".hpp", ".inc", ".def", ".S"}
RTL_SOURCES = {".sv", ".svh", ".v", ".vh"}
# What a folder of rtl/ may include, and use modules and packages of.
RTL_MAY_USE = {"common": ("common",), "o3": ("common", "o3"), "onfi": ("common", "onfi")}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>|(\S+))')
RTL_INCLUDE = re.compile(r'^\s*`include\s+(\S+)')
RTL_NAME = re.compile(r"^\s*(?:module|package)\s+(\w+)", re.MULTILINE)
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def without_comments(text):
    """The text with comments blanked; lines keep their numbers, strings stay."""
    def blank(match):
        token = match.group(0)
        return token if token.startswith('"') else re.sub(r"[^\n]", " ", token)
    return COMMENT.sub(blank, text)


class Checker:
    def __init__(self, root):
        self.root = root
        self.problems = []
        self.seen = set()

    def complain(self, path, line, message):
        self.problems.append(f"{path.relative_to(self.root)}:{line}: {message}")

    def files(self, folder, suffixes):
        base = self.root / folder
        found = sorted(p for p in base.rglob("*") if p.is_file() and p.suffix in suffixes)
        self.seen.update(found)
        return found

    def includes(self, path):
        """Yield (line, name, quoted) of each #include."""
        text = without_comments(path.read_text(encoding="utf-8"))
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            if match:
                if match.group(3):
                    self.complain(path, number, "#include of a macro cannot be checked")
                else:
                    yield number, match.group(1) or match.group(2), match.group(1) is not None

    def from_root(self, path, line, name):
        """Whether the quoted name is a file counted from the repository's root."""
        if ".." in name.split("/") or not (self.root / name).is_file():
            self.complain(path, line, f'"{name}" is not a file counted from the repository\'s root')
            return False
        return True

    def check_firmware(self):
        for path in self.files("firmware", SOURCES):
            in_hal = path.is_relative_to(self.root / "firmware/hal")
            allowed = "firmware/hal/" if in_hal else "firmware/"
            for line, name, quoted in self.includes(path):
                if not quoted:
                    if name not in FIRMWARE_SYSTEM:
                        self.complain(path, line, f"firmware is freestanding: <{name}> is not allowed")
                elif not name.startswith(allowed):
                    self.complain(path, line, f'only {allowed} may be included here, not "{name}"')
                else:
                    self.from_root(path, line, name)

    def check_room(self, room):
        allowed = MAY_INCLUDE[room]
        for path in self.files(f"models/{room}", SOURCES):
            for line, name, quoted in self.includes(path):
                if not quoted:
                    if room in NO_SYSTEMC and SYSTEMC.match(name):
                        self.complain(path, line, f"models/{room} knows no SystemC: <{name}>")
                elif not GENERATED.match(name) and self.from_root(path, line, name):
                    self.check_edge(path, line, room, allowed, name)

    def check_edge(self, path, line, room, allowed, name):
        parts = name.split("/")
        if parts[0] == "examples":
            self.complain(path, line, f'nothing may include an example: "{name}"')
            return
        folder = "/".join(parts[:2]) if parts[0] in ("firmware", "models") else parts[0]
        if folder == "firmware/hal" or folder == f"models/{room}":
            return
        key = parts[1] if parts[0] == "models" and len(parts) > 2 else folder
        if "*" not in allowed and key not in allowed:
            self.complain(path, line, f'models/{room} may not include "{name}"')

    def check_models(self):
        base = self.root / "models"
        for path in sorted(p for p in base.glob("*") if p.is_dir()):
            if path.name in MAY_INCLUDE:
                self.check_room(path.name)
            elif self.files(f"models/{path.name}", SOURCES):
                self.complain(path, 0, "a room that the table in check_layers.py does not name")

    def check_words(self):
        for room in sorted(NO_FLASH_OP):
            for path in self.files(f"models/{room}", SOURCES):
                text = without_comments(path.read_text(encoding="utf-8"))
                for number, line in enumerate(text.splitlines(), 1):
                    if "flash_op" in line:
                        self.complain(path, number, f"models/{room} must not know flash_op")

    def check_rtl(self):
        texts = {path: without_comments(path.read_text(encoding="utf-8"))
                 for path in self.files("rtl", RTL_SOURCES)}
        homes = {name: path.parent for path, text in texts.items() for name in RTL_NAME.findall(text)}
        for path, text in texts.items():
            allowed = [self.root / "rtl" / name for name in RTL_MAY_USE.get(path.parent.name, ())]
            if path.parent not in allowed:
                self.complain(path, 0, f"rtl has the folders {', '.join(RTL_MAY_USE)}, and no files beside them")
                continue
            for number, line in enumerate(text.splitlines(), 1):
                match = RTL_INCLUDE.match(line)
                if match:
                    name = match.group(1).strip('"')
                    if "/" in name or not any((folder / name).is_file() for folder in allowed):
                        self.complain(path, number, f'rtl/{path.parent.name} may not include "{name}"')
                    continue
                for name in sorted(set(re.findall(r"\w+", line))):
                    if homes.get(name, path.parent) not in allowed:
                        self.complain(path, number, f"rtl/{path.parent.name} may not use {name}")

    def check_examples(self):
        for path in self.files("examples", RTL_SOURCES):
            text = without_comments(path.read_text(encoding="utf-8"))
            for number, line in enumerate(text.splitlines(), 1):
                match = RTL_INCLUDE.match(line)
                if match:
                    name = match.group(1).strip('"')
                    if "/" in name or not any((f / name).is_file() for f in (self.root / "rtl/common", path.parent)):
                        self.complain(path, number,
                                      f'an example includes rtl/common/ and its own folder, not "{name}"')
        for path in self.files("examples", SOURCES):
            for line, name, quoted in self.includes(path):
                beside = (path.parent / name).resolve()
                own = beside.is_file() and beside.is_relative_to((self.root / "examples").resolve())
                if quoted and not own and not GENERATED.match(name) and not name.startswith(FOR_EXAMPLES):
                    self.complain(path, line, f'an example may not include "{name}"')

    def check_tests(self):
        for path in self.files("tb", SOURCES):
            for line, name, quoted in self.includes(path):
                if quoted and not GENERATED.match(name):
                    self.from_root(path, line, name)
                if name.startswith("examples/"):
                    self.complain(path, line, f'nothing may include an example: "{name}"')

    def run(self):
        self.check_firmware()
        self.check_models()
        self.check_words()
        self.check_rtl()
        self.check_examples()
        self.check_tests()
        return self.problems


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the tree to check")
    root = parser.parse_args(arguments).root.resolve()
    if not (root / "models").is_dir():
        print(f"check_layers: no models/ in {root}", file=sys.stderr)
        return 2
    checker = Checker(root)
    problems = checker.run()
    for problem in problems:
        print(problem)
    print(f"check_layers: {len(problems)} violations" if problems else
          f"check_layers: every include points downward ({len(checker.seen)} files)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
