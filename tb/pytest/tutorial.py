#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The steps of a tutorial (docs/start/): each `sh` block, with the output that a `text` block directly after it states.

Usage: tutorial.py PAGE    runs the steps of PAGE that state their output, in the root of the repository

In stated output `...` alone in a line stands for any lines, within a line for any characters. All other words and
numbers are compared: runs are repeatable.
"""
import os
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Pages whose `sh` blocks are run from top to bottom by test_tutorials.py. Others: tb/conformance/page, test_own_rtl.py.
PAGES = [ROOT / f"docs/start/{name}.md" for name in ("tutorial", "read-a-report", "debug-a-stall")]
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Step(NamedTuple):
    line: int       # of the page, the first one of the block
    script: str
    output: str     # that the page states; "": none


def steps(text):
    """The steps of a page's text, in order."""
    found, end = [], None
    for fence in FENCE.finditer(text):
        kind, block = fence[1].split(" ")[0], fence[2]
        if kind == "sh":
            found.append(Step(text.count("\n", 0, fence.start()) + 2, block, ""))
            end = fence.end()
        elif kind == "text" and end is not None and not text[end:fence.start()].strip():
            found[-1] = found[-1]._replace(output=block)
            end = None
    return found


def agrees(stated, printed):
    """Whether what was printed is what a page states."""
    lines = [r"(?:.*\n)*?" if line == "..." else r"[^\n]*?".join(map(re.escape, line.split("..."))) + r" *\n"
             for line in stated.rstrip("\n").split("\n")]
    return re.fullmatch("".join(lines), printed.rstrip("\n") + "\n") is not None


def run(script, folder, **variables):
    """Status and output, both streams in one, of a step in `folder`."""
    environment = {**os.environ, "COLUMNS": "200", **variables}
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          timeout=300)
    return done.returncode, done.stdout


def main(page):
    failed, stated = False, [step for step in steps(pathlib.Path(page).read_text(encoding="utf-8")) if step.output]
    for step in stated:
        status, printed = run(step.script, ROOT)
        if status != 0 or not agrees(step.output, printed):
            failed = True
            print(f"{page}:{step.line}: status {status}; the page states\n{step.output}\nbut this was printed\n{printed}")
    print(f"{page}: {len(stated)} steps")
    return 1 if failed or not stated else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
