#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A copy of the firmware with the schedulers of the pages in it.

Usage: page_firmware.py ROOT DIR PAGE...
Brings ROOT/firmware and ROOT/tb/conformance/age_limits.def to DIR and does there what the shell blocks of the pages do:
`cat >FILE <<'END'` makes a file that must not exist, `cat >>FILE <<'END'` adds to one that must, and `cp FILE... FOLDER/`
copies files of examples/. Files of DIR that stay the same are not touched; DIR/stamp is.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
HERE = re.compile(r"^cat (>>?)(\S+) <<'END'\n(.*?)^END$", re.DOTALL | re.MULTILINE)
COPY = re.compile(r"^cp ((?:examples/\S+ )+)(firmware/\S+)/$", re.MULTILINE)


def actions(root, page):
    """(how, path, text) of each file that the page makes ("file") or adds to ("append")."""
    found = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for names, folder in COPY.findall(block):
            for name in names.split():
                source = root / name
                found.append(("file", f"{folder}/{source.name}", source.read_text(encoding="utf-8")))
        for how, name, text in HERE.findall(block):
            found.append(("append" if how == ">>" else "file", name, text))
    return found


def wanted_files(root, pages):
    """Path in the copy -> text."""
    files = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
             for path in sorted((root / "firmware").rglob("*")) if path.is_file()}
    table = "tb/conformance/age_limits.def"
    files[table] = (root / table).read_text(encoding="utf-8")
    for page in pages:
        made = actions(root, page)
        if not made:
            sys.exit(f"{page}: no shell block makes a file")
        for how, name, text in made:
            if (name in files) != (how == "append"):
                sys.exit(f"{page}: {how} {name}: the file "
                         + ("does not exist" if how == "append" else "exists"))
            files[name] = files.get(name, "") + text
    return files


def main(root, target, *pages):
    files = wanted_files(root, pages)
    for path in sorted(target.rglob("*")):
        if path.is_file() and path.relative_to(target).as_posix() not in files:
            path.unlink()
    for name, text in files.items():
        path = target / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    (target / "stamp").touch()


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
