#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Walks a newcomer's path: clones the repository and copies each command of the pages, in their order.

Usage: walk.py REPOSITORY FOLDER

REPOSITORY is cloned to FOLDER/tlmssd, which must not exist; FOLDER is made where it is absent. Then
the commands of README.md, docs/start/tutorial.md (an own experiment) and
docs/start/add-a-scheduler.md (an own scheduler in the comparison) run as they stand. Stated output is compared. Prints a line per step with its time, and
ends with status 1 where a step fails, prints something else, or the path takes longer than its limit.

Run it on a fresh Debian 12 with git and python3, as root: the set-up is a step of the path.
"""

import pathlib
import re
import subprocess
import sys
import time
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "pytest"))
import tutorial  # noqa: E402  (beside the tests)

PATH = (
    ("README.md", 0),
    ("docs/start/tutorial.md", 15 * 60),
    ("docs/start/add-a-scheduler.md", 60 * 60),
)
LONGEST = 3600  # seconds of one step
PROGRAM = re.compile(r"(?:\w+=\S+ )*(?:build/release/bin/|\.venv/bin/|scripts/|ctest |git |cat >)")
BLOCK = re.compile(
    r"^```(?P<kind>[^\n]*)\n(?P<fenced>.*?)^```$|(?:(?<=\n\n)|\A)(?P<plain>(?:    [^\n]+\n)+)",
    re.DOTALL | re.MULTILINE,
)


class Step(NamedTuple):
    """A block of commands, and the output that the page states for it."""

    line: int
    script: str
    output: str


def steps(text: str) -> list[Step]:
    """Each `sh` block and each indented block of commands, in order."""
    found: list[Step] = []
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start()) + 1
        if block["plain"]:
            script = "\n".join(row[4:] for row in block["plain"].rstrip("\n").split("\n"))
            if PROGRAM.match(script):
                found.append(Step(line, script, ""))
        elif block["kind"].split(" ")[0] == "sh":
            found.append(Step(line, block["fenced"], ""))
        elif block["kind"].split(" ")[0] == "text" and found:
            found[-1] = found[-1]._replace(output=block["fenced"])
    return found


def without_clone(script: str) -> str:
    """The clone is a step of this program's own: it knows the repository's address."""
    return "\n".join(line for line in script.split("\n") if not line.startswith("git clone"))


def taken(script: str, folder: pathlib.Path) -> tuple[int, str, float]:
    begin = time.monotonic()
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, text=True, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LONGEST,
    )
    return done.returncode, done.stdout, time.monotonic() - begin


def walk(repository: str, folder: pathlib.Path) -> int:
    clone = folder / "tlmssd"
    if clone.exists():
        print(f"walk.py: {clone} exists", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    status, printed, seconds = taken(f"git clone -q '{repository}' '{clone}'", folder)
    print(f"{seconds:8.1f} s  git clone", flush=True)
    failed = status != 0
    for name, limit in PATH if not failed else ():
        for step in steps((clone / name).read_text(encoding="utf-8")):
            status, printed, seconds = taken(without_clone(step.script), clone)
            wrong = ""
            if status != 0:
                wrong = f"  FAILED, status {status}:\n{printed[-3000:]}"
            elif step.output and not tutorial.agrees(step.output, printed):
                wrong = f"  OTHER OUTPUT:\n{printed[-3000:]}\nstated:\n{step.output}"
            failed = failed or bool(wrong)
            first = without_clone(step.script).strip().split("\n")[0][:90]
            print(f"{seconds:8.1f} s  {name}:{step.line}  {first}{wrong}", flush=True)
        elapsed = time.monotonic() - begin
        late = limit and elapsed > limit
        failed = failed or bool(late)
        print(f"{elapsed:8.1f} s  after {name}{f', LATER than {limit} s' if late else ''}", flush=True)
    return 1 if failed else 0


def main(words: list[str]) -> int:
    if len(words) != 2 or words[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 0 if words[:1] in (["-h"], ["--help"]) else 2
    return walk(words[0], pathlib.Path(words[1]).resolve())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
