# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab sweep."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from tlmssd_lab.cli import options
from tlmssd_lab.cli.status_line import StatusLine
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.run import named

SCHEMA = "tlmssd-sweep-1"
_EPILOG = """\
FILE names the parameters and their values: docs/guides/sweep.md. Each point runs in DIR/points/ID. A
point that the same program has run there before is not run again: the same command continues an
interrupted sweep.

examples:
  tlmssd-lab sweep --list
  tlmssd-lab sweep configs/sweeps/depth-and-clock.yaml
  tlmssd-lab sweep configs/sweeps/depth-and-clock.yaml --list
  tlmssd-lab sweep my.yaml --dask tcp://10.0.0.1:8786
  tlmssd-lab sweep my.yaml --cluster slurm.yaml -o /shared/my

exit status: 0 done (combinations that the program refuses are left out), 2 wrong input, no Dask
scheduler, full disk, or all points refused, 3 a point failed or took too long, or the Dask scheduler
went away, 130 interrupted; finished points are kept
"""


def add_to(commands: Any) -> None:
    command = options.add_command(
        commands,
        "sweep",
        "run a grid, a list, a Latin hypercube or a search over keys, here or on a cluster",
        "Runs many points of a configuration's parameters.",
        _EPILOG,
    )
    command.set_defaults(call=call)
    command.add_argument(
        "file", nargs="?", metavar="FILE", help="the sweep: a file, or a name in configs/sweeps"
    )
    options.add_out(command, "DIR", "folder of points, table and page (default out/sweeps/NAME)")
    options.add_list(
        command, "run nothing; list the points of FILE, or without FILE all sweeps"
    )
    options.add_json(command, "the table, one object per point")
    where = command.add_mutually_exclusive_group()
    options.add_jobs(where, "worker processes")
    where.add_argument("--dask", metavar="ADDRESS", help="use the workers of a Dask scheduler")
    where.add_argument(
        "--cluster", metavar="FILE", help="let a batch system start workers, by dask-jobqueue"
    )
    command.add_argument(
        "--scheduler",
        action=options.Replaced,
        const="ADDRESS was renamed to --dask ADDRESS",
        help=argparse.SUPPRESS,
    )
    options.add_quiet(command)


def call(words: argparse.Namespace) -> int:
    from tlmssd_lab.sweep import plan as sweep_plan

    options.refuse_together(words, "list", "json")
    if words.file is None:
        return options.list_files(words, named.SWEEPS, lambda path: sweep_plan.load(path).title)
    plan = sweep_plan.load(named.file_path(named.SWEEPS, words.file))
    if words.list:
        return _list(plan)
    return _sweep(words, words.out or f"out/sweeps/{plan.path.stem}")


def _sweep(words: argparse.Namespace, out: str) -> int:
    from tlmssd_lab.api.sweep import sweep

    with StatusLine(words.quiet) as line:
        found = sweep(
            words.file,
            out=out,
            dask=words.dask,
            cluster=words.cluster,
            jobs=words.jobs,
            progress=line,
        )
    if found.spent:
        line.note(found.spent)
    if words.json:
        points = json.loads(found.frame.to_json(orient="records", date_format="iso"))
        head = {"schema": SCHEMA, "title": found.title, "status": found.status}
        options.print_json({**head, "message": found.message, "points": points})
    elif found.page is not None:
        print(found.page)
    if found.message:
        print(f"tlmssd-lab: {found.message}", file=sys.stderr)
    return found.status


def _list(plan: Any) -> int:
    from tlmssd_lab.sweep import plan as sweep_plan

    if plan.method == sweep_plan.SEARCH:
        raise LabInputError("--list conflicts with method search: it chooses its points as it runs")
    for point in sweep_plan.points(plan):
        print(f"{point.id}  {point.name}")
    return 0
