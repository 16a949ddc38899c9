# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab sweep, tlmssd-lab query."""

from __future__ import annotations

import argparse
import pathlib
import sys
from typing import Any

from tlmssd_lab.cli.figure import number_of_jobs
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.files import held

_EPILOG = """\
FILE says what is varied: docs/guides/sweep.md. Each point is run in DIR/points/ID; what the same program
has done there is not run again, so the same command goes on where it was stopped.

examples:
  tlmssd-lab sweep configs/sweeps/depth-and-clock.yaml
  tlmssd-lab sweep configs/sweeps/depth-and-clock.yaml --list
  tlmssd-lab sweep my.yaml --scheduler tcp://10.0.0.1:8786
  tlmssd-lab sweep my.yaml --cluster slurm.yaml --out /shared/my

exit status: 0 done (combinations that the program refuses are left out), 2 wrong input, no
scheduler, full disk, or all refused, 3 a point failed or took too long, or the scheduler went
away, 130 interrupted; what was done is kept
"""
_QUERY_EPILOG = """\
The table is called points; a row a run, with the parameters, `point`, `status` and every number of
results.json by its dotted key in double quotes.

examples:
  tlmssd-lab query out/sweeps/depth-and-clock \\
    'select scheduler, max("host.all.iops") from points group by scheduler'
"""


def add_to(commands: Any) -> None:
    sweep = commands.add_parser(
        "sweep",
        help="run a grid, a list, a Latin hypercube or a search over keys, here or on a cluster",
        description="Runs many points of a configuration's parameters.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    sweep.set_defaults(call=call)
    sweep.add_argument("file", metavar="FILE", help="the sweep")
    sweep.add_argument("--out", metavar="DIR", help="where all goes (out/sweeps/NAME)")
    sweep.add_argument("--list", action="store_true", help="print the points and run nothing")
    where = sweep.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=number_of_jobs, metavar="N",
                       help="worker processes here (one a processor)")
    where.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler that is there")
    where.add_argument("--cluster", metavar="FILE", help="a batch system's, by dask-jobqueue")
    sweep.add_argument("--quiet", action="store_true", help="no progress")
    query = commands.add_parser(
        "query",
        help="ask the table of a sweep in SQL",
        description="Asks the table of a sweep in DuckDB's SQL.",
        epilog=_QUERY_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    query.set_defaults(call=call_query)
    query.add_argument("folder", metavar="DIR", help="folder of a sweep, or a Parquet file")
    query.add_argument("sql", metavar="SQL")
    query.add_argument("--csv", action="store_true", help="CSV instead of a table")


def call(words: argparse.Namespace) -> int:
    from tlmssd_lab.sweep import plan as sweep_plan

    plan = sweep_plan.load(words.file)
    out = pathlib.Path(words.out or f"out/sweeps/{plan.path.stem}").absolute()
    if words.list:
        return _list(plan)
    with held(out):
        return _sweep(plan, out, words)


def _sweep(plan: Any, out: pathlib.Path, words: argparse.Namespace) -> int:
    from tlmssd_lab.sweep import report as sweep_report
    from tlmssd_lab.sweep import table as sweep_table
    from tlmssd_lab.sweep.sweep import sweep

    def progress(text: str) -> None:
        print(f"  {text}", file=sys.stderr, flush=True)

    swept = sweep(plan, out, scheduler=words.scheduler, cluster=words.cluster, jobs=words.jobs,
                  progress=None if words.quiet else progress)
    frame = sweep_table.table(plan, out, swept.points, swept.ended)
    try:
        sweep_table.write(frame, out)
        page = sweep_report.write(plan, frame, out)
    except LabInputError as error:
        swept.status = swept.status or error.status
        swept.message = swept.message or str(error)
    else:
        print(page)
    if swept.spent and not words.quiet:
        progress(swept.spent)
    if swept.message:
        print(f"tlmssd-lab: {swept.message}", file=sys.stderr)
    elif swept.status:
        lost = [ended for ended in swept.ended.values() if ended.status != "done"]
        first = (lost[0].message or lost[0].status).splitlines()[0]
        more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
        print(f"tlmssd-lab: point {lost[0].id}: {first}{more}", file=sys.stderr)
    return swept.status


def _list(plan: Any) -> int:
    from tlmssd_lab.sweep import plan as sweep_plan

    if plan.method == sweep_plan.SEARCH:
        raise LabInputError("--list: a search chooses its points as it goes")
    for point in sweep_plan.points(plan):
        print(f"{point.id}  {point.name}")
    return 0


def call_query(words: argparse.Namespace) -> int:
    from tlmssd_lab.sweep import table as sweep_table

    frame = sweep_table.query(pathlib.Path(words.folder), words.sql)
    if words.csv:
        print(frame.to_csv(index=False), end="")
    else:
        from tabulate import tabulate

        shown = frame.astype(object).where(frame.notna(), None)
        print(tabulate(shown, headers="keys", showindex=False))
    return 0
