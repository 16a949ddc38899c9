# SPDX-License-Identifier: BSD-3-Clause
"""Rows of scripts/same-results that compare what was built, without running it: RV32 code and symbols."""
import re
import shutil
import subprocess

from .compare import Difference, first_text
from .renames import Problem
from .sides import IMAGE

OBJDUMP = "riscv64-unknown-elf-objdump"
CODE = "build/rv32-code"
SYMBOLS = "build/symbols"
STRONG = re.compile(r"^[0-9a-f]+ ([TDBR]) (.+)$", re.MULTILINE)  # defined, global, in one object only


def _output(words, program, package):
    if shutil.which(program) is None:
        raise Problem(f"no {program} (package {package})")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"{program}: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout


def rv32_code(old, new, names):
    """The first instruction of the RV32 image that differs, with its address."""
    texts = [_output([OBJDUMP, "-d", side.root / IMAGE], OBJDUMP, "binutils-riscv64-unknown-elf")
             for side in (old, new)]
    # The lines at the top name the file.
    texts = [text.partition("Disassembly of section")[2] for text in texts]
    difference = first_text(names.text(texts[0]), texts[1])
    return difference and Difference(f"objdump -d: line {difference[0]}", *difference[1:])


def symbols(old, new, names):
    """The first symbol that only one side's libraries define. Which library and which object file defines it does
    not count: what moves keeps its names. Symbols that several objects may hold are left out: they depend on
    inlining."""
    found = []
    for side in (old, new):
        places = [side.root / "build/release" / folder for folder in ("models", "firmware")]
        libraries = sorted(path for place in places for path in place.rglob("libtlmssd*.a"))
        if not libraries:
            raise Problem(f"{side.label}: no libtlmssd*.a below {side.root}/build/release: build it with scripts/build")
        text = _output(["nm", "-C", *libraries], "nm", "binutils")
        found.append("\n".join(sorted({f"{kind} {name}" for kind, name in STRONG.findall(text)})))
    ours = set(names.text(found[0]).split("\n"))
    theirs = set(found[1].split("\n"))
    only = sorted(ours ^ theirs)
    if not only:
        return None
    where = f"nm -C: {len(ours - theirs)} symbols only in OLD, {len(theirs - ours)} only in NEW"
    return Difference(where, *(min(some, default="(nothing)") for some in (ours - theirs, theirs - ours)))
