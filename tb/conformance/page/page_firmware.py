#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A copy of the firmware with the code blocks of a page in it.

Usage: page_firmware.py ROOT PAGE DIR
Brings ROOT/firmware and ROOT/tb/conformance/age_limits.def to DIR, with what the fenced blocks of PAGE say:
```c file=PATH is a file that must not exist, ```c append=PATH goes to the end of one that must. Files of DIR
that stay the same are not touched; DIR/stamp is.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"^```c (file|append)=(\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def wanted_files(root, page):
    """Path in the copy -> text."""
    files = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
             for path in sorted((root / "firmware").rglob("*")) if path.is_file()}
    table = "tb/conformance/age_limits.def"
    files[table] = (root / table).read_text(encoding="utf-8")
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    if not blocks:
        sys.exit(f"{page}: no code block with file= or append=")
    for action, name, text in blocks:
        if (name in files) != (action == "append"):
            sys.exit(f"{page}: {action}={name}: the file "
                     + ("does not exist" if action == "append" else "exists"))
        files[name] = files.get(name, "") + text
    return files


def main(root, page, target):
    files = wanted_files(root, page)
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
    main(*map(pathlib.Path, sys.argv[1:4]))
