#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check that every #include points downward, as the table below says, and that no files include each other in a circle.

Usage: check_layers.py [--root DIR]
Prints one line "file:line: message" for each violation; exit status 1 if there is one.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]

# ---- The table ----
# A row names a module and the modules that it may include besides itself. From below: a row names only
# modules of rows above it. "*": all of these, but for those with a minus. Every module of models/ may
# also include firmware/hal, which is made of leaf headers.
_BASE = "common interfaces time config observe"
_FIRMWARE = "firmware/core firmware/boot"
MODELS = {
    "common": "",
    "interfaces": "common",
    "time": "common",
    "config": "common firmware/core",
    "observe": "common",  # knows no device
    "workload": "common interfaces config observe",
    "onfi": "common time config",
    "dram": _BASE,
    "sata": _BASE,
    "nvme": _BASE,
    "cpu": f"{_BASE} {_FIRMWARE}",
    "nand": "common time config observe onfi",
    "flash": f"{_BASE} onfi",
    "host": f"{_BASE} workload sata nvme",
    "pci": "common time",
    "ahci": "common time config sata pci",
    "nvme_device": "common interfaces time config nvme pci",
    "probes": f"{_BASE} workload onfi sata nvme cpu host {_FIRMWARE}",  # never ssd
    "snapshot": "common observe nand host",
    "aging": f"{_BASE} workload dram cpu nand flash host {_FIRMWARE}",
    "ssd": f"* {_FIRMWARE}",
    "run": f"* -ahci -pci -nvme_device {_FIRMWARE}",
    "replay": "* -ahci -pci -nvme_device",
    "sample": "* -ahci -pci -nvme_device -replay",
    "powercut": "* -ahci -pci -nvme_device -replay -sample",
    "serve": "* -ahci -pci -nvme_device -replay -sample -powercut",
    "guest": "* -replay -sample -powercut -serve",
    "cli": "*",
}
FIRMWARE = {
    "hal": "",
    "core": "hal",
    "hil": "hal core",
    "buffer": "hal core",
    "ftl": "hal core",
    "sched": "hal core",
    "boot": "hal core hil buffer ftl sched",
    "port": "hal core boot",
}
# The folders of a module, from below; ".": the files of the module's own folder. Folders between two "<":
# "|" keeps them apart, "," lets them include each other.
FOLDERS = {
    "models/config": ". < text < keys < tables | fio < rules",
    "models/observe": "output < fst | .",
    "models/workload": "random < locality | formats < rows | detect < .",
    "models/onfi": "bus < checker | pins",
    "models/cpu": ". < iss < steps",
    "models/nand": "store < errors < . < lun < target",
    "models/flash": "o3 < tlm | rtl < pins < .",
    "models/probes": "ops | stages | timeline | waves",
    "models/nvme_device": "protocol < core < .",
    "models/ssd": ". , include",  # the public headers
    "firmware/buffer": ". , ahead < policies",
    "firmware/ftl": "core < map < gc < recovery < .",
    "firmware/sched": ". < fifo | vaq | paq | sost | hybrid",
    "firmware/port": "riscv | x32",
}
# Pure C++: a unit test needs no kernel.
NO_SYSTEMC = ("models/common/", "models/interfaces/", "models/config/", "models/workload/", "models/observe/",
              "models/cpu/iss/", "models/cpu/steps/", "models/flash/o3/",
              "models/nvme/bytes.h", "models/nvme/entries", "models/nvme/register_map.h", "models/nvme/status.h",
              "models/nvme_device/protocol/", "models/nvme_device/core/")
NO_FLASH_OP = ("models/onfi", "models/nand")  # a die gets bytes, not intentions
FIRMWARE_SYSTEM = {"stdint.h", "stdbool.h", "stddef.h"}  # freestanding C11
SYSTEMC = re.compile(r"^(systemc|tlm)(\.h)?$|^(sysc|tlm_core|tlm_utils|systemc)/")
GENERATED = re.compile(r"^(tlmssd_git\.h|rtl_controllers\.def|V\w+\.h)$")  # by CMake and by Verilator
# What a stranger's RTL controller may use (docs/start/own-rtl-controller.md), beside its own folder: in RTL the
# headers of rtl/common/, in an adapter these. Nothing may use a controller of examples/.
FOR_EXAMPLES = ("models/common/", "models/config/", "models/interfaces/", "models/flash/", "firmware/hal/")
# The schedulers of docs/start/add-a-scheduler-2.md, which are copied to firmware/sched/, may use what one there may.
OWN_SCHEDULERS, FOR_SCHEDULERS = "examples/own-scheduler/", ("firmware/core/", "firmware/hal/", "firmware/sched/sched.h")
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


def allowed_of(table, top, always=()):
    """The table as {"top/module": the modules that it may include}."""
    rows = {}
    for module, words in table.items():
        allowed = {f"{top}/{module}", *always}
        for word in words.split():
            if word == "*":
                allowed |= set(rows)
            elif word.startswith("-"):
                allowed.remove(f"{top}/{word[1:]}")
            elif "/" in word:
                allowed.add(word)
            elif f"{top}/{word}" in rows:
                allowed.add(f"{top}/{word}")
            else:
                raise ValueError(f"{top}/{module}: no row above it is called {word}")
        rows[f"{top}/{module}"] = allowed
    return rows


def ranks_of(order):
    """{folder: (rank, group)} of a row of FOLDERS."""
    return {folder.strip(): (rank, group)
            for rank, folders in enumerate(order.split("<"))
            for group, together in enumerate(folders.split("|"))
            for folder in together.split(",")}


ALLOWED = {"models": allowed_of(MODELS, "models", {"firmware/hal"}), "firmware": allowed_of(FIRMWARE, "firmware")}
RANKS = {module: ranks_of(order) for module, order in FOLDERS.items()}
FLAT = {".": (0, 0)}  # a module without folders


def place_of(name):
    """Module and folder of a file: "models/config/text/raw.h" is ("models/config", "text")."""
    parts = name.split("/")[:-1]
    return "/".join(parts[:2]), parts[2] if len(parts) > 2 else "."


def circles(graph):
    """Circles of {node: nodes}, each a list that begins with its smallest node; no node is in two of them."""
    left = set(graph)
    while True:
        ends = {node for node in left if not left & set(graph[node])}
        if ends:
            left -= ends
            continue
        if not left:
            return
        way = [min(left)]
        while way[-1] not in way[:-1]:
            way.append(min(left & set(graph[way[-1]])))
        circle = way[way.index(way[-1]):-1]
        first = circle.index(min(circle))
        yield circle[first:] + circle[:first]
        left -= set(circle)


class Checker:
    def __init__(self, root):
        self.root = root
        self.problems = []
        self.seen = set()
        self.graph = {}  # {node: {node that it includes: (path, line)}}

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

    def check_tree(self, top):
        unknown = {}
        for path in self.files(top, SOURCES):
            module, folder = place_of(str(path.relative_to(self.root)))
            if module not in ALLOWED[top]:
                unknown.setdefault(module, "a module that the table in check_layers.py does not name")
            elif folder not in RANKS.get(module, FLAT):
                unknown.setdefault(f"{module}/{folder}", f"a folder that the row of {module} in check_layers.py "
                                                         "does not name")
            else:
                self.check_file(path, top, module, folder)
        for place, message in unknown.items():
            self.complain(self.root / place, 0, message)

    def check_file(self, path, top, module, folder):
        shown = str(path.relative_to(self.root))
        for line, name, quoted in self.includes(path):
            if not quoted:
                if top == "firmware" and name not in FIRMWARE_SYSTEM:
                    self.complain(path, line, f"firmware is freestanding: <{name}> is not allowed")
                if shown.startswith(NO_SYSTEMC) and SYSTEMC.match(name):
                    self.complain(path, line, f"{module} knows no SystemC here: <{name}>")
            elif top == "firmware" and not name.startswith("firmware/"):
                self.complain(path, line, f'only firmware/ may be included here, not "{name}"')
            elif not GENERATED.match(name) and self.from_root(path, line, name):
                self.note_edge(path, line, name)
                self.check_edge(path, line, module, folder, name)

    def check_edge(self, path, line, module, folder, name):
        if name.startswith("examples/"):
            self.complain(path, line, f'nothing may include an example: "{name}"')
            return
        other, inside = place_of(name)
        if other not in ALLOWED[module.split("/")[0]][module]:
            self.complain(path, line, f'{module} may not include "{name}"')
        elif other == module and inside != folder:
            ranks = RANKS.get(module, FLAT)
            here, there = ranks[folder], ranks.get(inside, (len(ranks), 0))
            if here[0] <= there[0] and here != there:
                place = module if folder == "." else f"{module}/{folder}"
                self.complain(path, line, f'{place} may not include "{name}"')

    def note_edge(self, path, line, name):
        """X.h and X.cpp are one node of the graph."""
        node = str(path.relative_to(self.root).with_suffix(""))
        other = str(pathlib.PurePath(name).with_suffix(""))
        if other != node:
            self.graph.setdefault(node, {}).setdefault(other, (path, line))
            self.graph.setdefault(other, {})

    def check_circles(self):
        for circle in circles(self.graph):
            path, line = self.graph[circle[0]][circle[1]]
            self.complain(path, line, "a circle of includes: " + " -> ".join([*circle, circle[0]]))

    def check_words(self):
        for module in NO_FLASH_OP:
            for path in self.files(module, SOURCES):
                text = without_comments(path.read_text(encoding="utf-8"))
                for number, line in enumerate(text.splitlines(), 1):
                    if "flash_op" in line:
                        self.complain(path, number, f"{module} must not know flash_op")

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
            scheduler = path.relative_to(self.root).as_posix().startswith(OWN_SCHEDULERS)
            allowed = FOR_SCHEDULERS if scheduler else FOR_EXAMPLES
            for line, name, quoted in self.includes(path):
                beside = (path.parent / name).resolve()
                own = beside.is_file() and beside.is_relative_to((self.root / "examples").resolve())
                if quoted and not own and not GENERATED.match(name) and not name.startswith(allowed):
                    self.complain(path, line, f'an example may not include "{name}"')

    def check_tests(self):
        for path in self.files("tb", SOURCES):
            for line, name, quoted in self.includes(path):
                if quoted and not GENERATED.match(name):
                    self.from_root(path, line, name)
                if name.startswith("examples/"):
                    self.complain(path, line, f'nothing may include an example: "{name}"')

    def run(self):
        self.check_tree("firmware")
        self.check_tree("models")
        self.check_circles()
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
