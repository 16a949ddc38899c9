#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the pages of docs/reference that have a source: the command line (from the help of each
program), the Python API (from its docstrings), the catalogue (from tables and files) and what goes
together (from the checks that refuse). The key reference and the results have programs of their own.

Usage: gen_reference.py --write | --check [PAGE ...]     without a page: all of them

--write writes the pages, --check compares them with what would be written: status 1 where one
differs. The programs are those beside $TLMSSD_BIN, else those of build/release/bin.
"""

import difflib
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

# pylint: disable=wrong-import-position
from docs_tools import catalogue, command_line, compatibility, python_api
from docs_tools.programs import Programs, ProgramError

PAGES = {
    "command-line": command_line.page,
    "python": python_api.page,
    "catalogue": catalogue.page,
    "compatibility": compatibility.page,
}


def main(words: list[str]) -> int:
    if words[:1] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    names = words[1:] or list(PAGES)
    if words[:1] not in (["--write"], ["--check"]) or not set(names) <= set(PAGES):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    programs = Programs(pathlib.Path(
        os.environ.get("TLMSSD_BIN") or ROOT / "build/release/bin/tlmssd").resolve().parent)
    status = 0
    for name in names:
        place = ROOT / "docs/reference" / f"{name}.md"
        before = place.read_text(encoding="utf-8") if place.is_file() else ""
        after = PAGES[name](programs)
        if words[0] == "--write":
            if after != before:
                place.write_text(after, encoding="utf-8")
        elif after != before:
            status = 1
            lines = difflib.unified_diff(before.split("\n"), after.split("\n"), str(place), "made now",
                                         lineterm="", n=1)
            print("\n".join(list(lines)[:60]))
            print(f"{place.relative_to(ROOT)} is not up to date: scripts/gen/gen_reference.py --write")
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except ProgramError as error:
        print(f"gen_reference.py: {error}", file=sys.stderr)
        sys.exit(2)
