# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab reproduce."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
from typing import TYPE_CHECKING, Any

from tlmssd_lab.cli import options
from tlmssd_lab.cli.status_line import StatusLine
from tlmssd_lab.progress import Progress

if TYPE_CHECKING:
    from tlmssd_lab.reproduce.reproduce import Options

_EPILOG = """\
reference/reproduction.csv has a row for each published figure: what the paper states, the tolerance
that was fixed before the run, the experiment, what the runs gave, and the verdict that follows.
Only the points that the chosen rows are made of are run, with five seeds. A point that the same program
has run in DIR before is not run again.

examples:
  tlmssd-lab reproduce --list
  tlmssd-lab reproduce launch-qd
  tlmssd-lab reproduce paq-8 paq-9 --write
  tlmssd-lab reproduce --check
  tlmssd-lab reproduce --check launch

exit status: 0 done, 1 --check has found something, 2 wrong input, 3 the model failed in a point,
130 interrupted (nothing is written)
"""


def add_to(commands: Any) -> None:
    command = options.add_command(
        commands,
        "reproduce",
        "judge the papers' figures by a program",
        "Runs what the rows need and shows value and verdict of each. Without ROW all rows.",
        _EPILOG,
    )
    command.set_defaults(call=call)
    command.add_argument(
        "rows", nargs="*", metavar="ROW", help="an id of a row, or the beginning of several"
    )
    command.add_argument(
        "--write",
        action="store_true",
        help="write values and verdicts into reference/reproduction.csv and docs/notebook/reproduction.md",
    )
    command.add_argument(
        "--check",
        action="store_true",
        help="compare with these files instead: verdicts, page, stamps by short points of each experiment; values of "
        "the cheap rows, or those of ROW, by running them in full",
    )
    command.add_argument(
        "--write-page", action="store_true", help="run nothing; write the verdicts and the page from the rows"
    )
    options.add_list(command, "run nothing; list the rows with their verdicts")
    options.add_out(
        command, "DIR", "folder of points (default out/reproduce)", default="out/reproduce"
    )
    options.add_json(command, "the rows, one object each (no table)")
    options.add_jobs(command, "points")
    options.add_quiet(command)


def call(words: argparse.Namespace) -> int:
    from tlmssd_lab.reproduce import page, reproduce, rows

    modes = ("list", "write", "check", "write_page")
    for first, other in (*itertools.combinations(modes, 2), ("check", "json"), ("write_page", "json")):
        options.refuse_together(words, first, other)
    wanted = rows.chosen(rows.read(), words.rows)
    if words.write_page:
        listed = [rows.filled(row) for row in rows.read()]
        rows.write(listed)
        page.write(listed)
        return 0
    if words.check:
        with StatusLine(words.quiet, title="reproduce", notes=False) as line:
            found = reproduce.faults(words.rows, _options(words, line))
        print("\n".join(found) if found else f"{len(wanted)} rows: verdicts, page and stamps are right")
        return 1 if found else 0
    if not words.list:
        with StatusLine(words.quiet, title="reproduce", notes=False) as line:
            wanted = reproduce.update(words.rows, _options(words, line), words.write)
    if words.json:
        options.print_json([dataclasses.asdict(row) for row in wanted])
        return 0
    for row in wanted:
        paper = f"{row.paper_value} {row.unit}".strip()
        print(f"{row.id:44} {paper:22} {row.value[:24] or '-':>24}  {row.judged}")
    return 0


def _options(words: argparse.Namespace, line: Progress) -> Options:
    from tlmssd_lab.reproduce.reproduce import Options

    return Options(out=words.out, jobs=words.jobs, progress=line)
