#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Renders the drawings of docs/images from their sources in this folder.

Usage: render.py --write    write docs/images/NAME.svg
       render.py --check    exit status 1 and a line per drawing that is missing or differs
"""
import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent
SOURCES = ("layers", "life", "strips", "device", "timing", "controller", "crossover")
# Each is a module with drawings(): name -> SVG text


def drawings():
    sys.path.insert(0, str(HERE))
    found = {}
    for source in SOURCES:
        for name, text in importlib.import_module(source).drawings().items():
            if name in found:
                raise SystemExit(f"render.py: {source}.py: {name} is drawn twice")
            found[name] = text
    return found


def check(found):
    wrong = []
    for name, text in found.items():
        file = OUT / f"{name}.svg"
        if not file.is_file():
            wrong.append(f"{file}: missing: docs/images/src/render.py --write")
        elif file.read_text(encoding="utf-8") != text:
            wrong.append(f"{file}: differs from its source: docs/images/src/render.py --write")
    return wrong


def main(words):
    if words not in (["--write"], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    found = drawings()
    if words == ["--check"]:
        wrong = check(found)
        print("\n".join(wrong) if wrong else f"render.py: {len(found)} drawings are as their sources")
        return 1 if wrong else 0
    for name, text in found.items():
        (OUT / f"{name}.svg").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
