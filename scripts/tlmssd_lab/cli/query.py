# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab query."""

from __future__ import annotations

import argparse
import json
import pathlib
from typing import Any

from tlmssd_lab.cli import options
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.files import write_whole

_EPILOG = """\
The table is called points and has one row per run. Its columns are the parameters, `point`, `status`
and every number of results.json. A column with dots in its name stands in double quotes.

examples:
  tlmssd-lab query out/sweeps/depth-and-clock \\
    'select scheduler, max("host.all.iops") from points group by scheduler'
  tlmssd-lab query out/sweeps/depth-and-clock 'select * from points' --csv points.csv

exit status: 0 done, 2 wrong input
"""


def add_to(commands: Any) -> None:
    command = options.add_command(
        commands,
        "query",
        "ask the table of a sweep in SQL",
        "Asks the table of a sweep in DuckDB's SQL and prints the answer.",
        _EPILOG,
    )
    command.set_defaults(call=call)
    command.add_argument("folder", metavar="DIR", help="folder of a sweep, or a Parquet file")
    command.add_argument("sql", nargs="?", metavar="SQL", help="the question; one statement")
    command.add_argument(
        "--csv",
        nargs="?",
        const="-",  # --csv was a flag
        metavar="FILE",
        help="write the answer as CSV; - prints it instead of the table",
    )
    options.add_json(command, "the answer, one object per row")


def call(words: argparse.Namespace) -> int:
    from tlmssd_lab.api.sweep import query

    if words.sql is None:
        _old_flag(words)
    if words.json and words.csv == "-":
        raise LabInputError("--json conflicts with --csv -; use --csv FILE")
    frame = query(words.folder, words.sql)
    if words.csv not in (None, "-"):
        write_whole(pathlib.Path(words.csv), frame.to_csv(index=False))
    if words.json:
        options.print_json(json.loads(frame.to_json(orient="records", date_format="iso")))
    elif words.csv == "-":
        print(frame.to_csv(index=False), end="")
    else:
        from tabulate import tabulate

        shown = frame.astype(object).where(frame.notna(), None)
        print(tabulate(shown.values.tolist(), headers=[*map(str, shown.columns)]))
    return 0


def _old_flag(words: argparse.Namespace) -> None:
    """--csv was a flag: the argument after it is the folder or the question."""
    found = [words.folder, words.csv]
    if not pathlib.Path(words.folder).exists():
        found.reverse()
    if found[1] is None or " " not in found[1]:
        words.parser.error("SQL is missing")
    words.folder, words.sql = found
    words.csv = "-"
