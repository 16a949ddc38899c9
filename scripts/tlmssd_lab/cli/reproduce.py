# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab reproduce."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from tlmssd_lab.cli import options
from tlmssd_lab.cli.status_line import StatusLine

_EPILOG = """\
reference/reproduction.csv has a row for each published figure: what the paper states, the tolerance
that was fixed before the run, the device, the experiment, what the runs gave, and the verdict that
follows. docs/guides/reproduce.md explains the columns.

examples:
  tlmssd-lab reproduce --list
  tlmssd-lab reproduce paq-8
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
        "Runs what the rows need, fills in value, interval and verdict, and writes the page of the\n"
        "notebook. Without ROW all rows.",
        _EPILOG,
    )
    command.set_defaults(call=call)
    command.add_argument(
        "rows", nargs="*", metavar="ROW", help="an id of a row, or the beginning of several"
    )
    command.add_argument(
        "--check",
        action="store_true",
        help="run short points of each experiment and say which rows are stale, or have a verdict that does not "
        "follow from their figures; with ROW run these in full and compare",
    )
    command.add_argument(
        "--write-page", action="store_true", help="run nothing; write the page from the rows"
    )
    options.add_list(command, "run nothing; list the rows with their verdicts")
    options.add_out(
        command, "DIR", "folder of points, shared with figure (default out/figures)", default="out/figures"
    )
    options.add_json(command, "the rows, one object each (no table)")
    options.add_jobs(command, "points")
    options.add_quiet(command)


def call(words: argparse.Namespace) -> int:
    from tlmssd_lab.reproduce import page, reproduce, rows

    for first, other in (("list", "check"), ("list", "write_page"), ("check", "write_page"), ("check", "json")):
        options.refuse_together(words, first, other)
    listed = rows.read()
    wanted = rows.chosen(listed, words.rows)
    if words.write_page:
        page.write([rows.filled(row) for row in listed])
        return 0
    if not words.list:
        with StatusLine(words.quiet, title="reproduce", notes=False) as line:
            given = reproduce.Options(words.out, words.jobs, progress=line)
            if words.check:
                found = reproduce.faults(words.rows, given)
            else:
                wanted = reproduce.update(words.rows, given)
    if words.check:
        print("\n".join(found) if found else f"{len(wanted)} rows: verdicts, page and stamps are right")
        return 1 if found else 0
    if words.json:
        options.print_json([dataclasses.asdict(row) for row in wanted])
        return 0
    for row in wanted:
        print(f"{row.id:36} {row.paper_value + ' ' + row.unit:20} {row.value or '-':>10}  {row.judged}")
    return 0
