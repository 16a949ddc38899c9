# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab figure."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from tlmssd_lab.cli import options
from tlmssd_lab.cli.status_line import StatusLine
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.progress import Progress

if TYPE_CHECKING:
    from tlmssd_lab.figures.figure import Outcome

SCHEMA = "tlmssd-figure-1"
_EPILOG = """\
An experiment is a file of configs/experiments/; --list shows all. Each point runs in a folder of its
own under DIR/NAME/points/, with its resolved configuration, results and log. A point that the same
program has run there before with the same configuration and trace is not run again: the same
command continues an interrupted figure.

examples:
  tlmssd-lab figure --list
  tlmssd-lab figure paq-schemes --quick
  tlmssd-lab figure all --quick
  tlmssd-lab figure paq-schemes -j 8 --write
  TLMSSD_TRACES=/data/traces tlmssd-lab figure hybrid-claim

exit status: 0 all points ran, 2 wrong input or a point was refused, 3 the model failed in a point,
130 interrupted (finished points are kept and shown)
"""


def add_to(commands: Any) -> None:
    command = options.add_command(
        commands,
        "figure",
        "reproduce an experiment of the papers: its table and drawing",
        "Runs the points of an experiment and makes its table and drawing.",
        _EPILOG,
    )
    command.set_defaults(call=call)
    command.add_argument(
        "name", nargs="?", metavar="NAME", help="an experiment's name or file; all: every experiment"
    )
    options.add_list(
        command, "run nothing; list the points of NAME, or without NAME all experiments"
    )
    command.add_argument(
        "--quick", action="store_true", help="the short form of the experiment, minutes at most"
    )
    options.add_out(
        command, "DIR", "folder of points, tables and drawings (default out/figures)",
        default="out/figures",
    )
    command.add_argument(
        "--write",
        action="store_true",
        help="write back into the repository: table and drawing into the experiment's page",
    )
    options.add_json(command, "the results, one object per point (no table)")
    options.add_jobs(command, "points")
    options.add_quiet(command)


def _list() -> int:
    from tlmssd_lab.figures import experiment

    for name in experiment.names():
        try:
            found = experiment.load(name)
            print(f"{name:16} {found.title} ({found.source})")
        except LabInputError as error:  # the others can still be listed
            print(f"{name:16} cannot run: {error}")
    return 0


def _points(words: argparse.Namespace) -> int:
    from tlmssd_lab.figures import experiment, experiment_points

    wanted = experiment.load(words.name, words.quick)
    loads, missing = experiment_points.loads(wanted)
    for point in experiment_points.points(wanted, loads):
        print(point.name)
    for text in missing:
        print(f"tlmssd-lab: {text}", file=sys.stderr)
    return 0


def _all(words: argparse.Namespace) -> int:
    """One after the other; one that fails does not keep the others from running."""
    import time

    from tlmssd_lab.figures import experiment

    status = 0
    for name in experiment.names():
        started = time.monotonic()
        one = argparse.Namespace(**{**vars(words), "name": name})
        try:
            with StatusLine(words.quiet, title=name, notes=False) as line:
                outcome = _run(one, line)
            _report(outcome)
            ended = outcome.status
            result = "" if ended == 0 else f", status {ended}"
        except LabInputError as error:
            ended, result = error.status, f": {error}"
        print(f"{name:18} {time.monotonic() - started:6.1f} s{result}", flush=True)
        if ended == 130:
            return ended
        status = max(status, ended)
    return status


def call(words: argparse.Namespace) -> int:
    options.refuse_together(words, "list", "json")
    options.refuse_together(words, "list", "write")
    if words.name == "list" or (words.list and words.name in (None, "all")):
        return _list()
    if words.name is None:
        words.parser.error("NAME is missing; --list lists the experiments")
    if words.list:
        return _points(words)
    if words.name != "all":
        return _one(words)
    if words.json:
        raise LabInputError("--json conflicts with all; use the name of one experiment")
    return _all(words)


def _run(words: argparse.Namespace, progress: Progress) -> Outcome:
    from tlmssd_lab.figures.figure import figure

    return figure(
        words.name,
        quick=words.quick,
        out=words.out,
        jobs=words.jobs,
        write=words.write,
        progress=progress,
    )


def _one(words: argparse.Namespace) -> int:
    with StatusLine(words.quiet) as line:
        outcome = _run(words, line)
    if words.json:
        from tlmssd_lab.figures.data import records

        options.print_json({
            "schema": SCHEMA,
            "name": outcome.folder.name,
            "status": outcome.status,
            "folder": str(outcome.folder),
            "missing": outcome.lost,
            "points": records(outcome.done),
        })
    else:
        print(outcome.text, end="", flush=True)
    if not outcome.unwritten:
        print(f"tlmssd-lab: written: {outcome.folder}", file=sys.stderr)
    _report(outcome)
    return outcome.status


def _report(outcome: Outcome) -> None:
    """Report failures and points that are missing, on standard error."""
    if outcome.unwritten:
        print(f"tlmssd-lab: {outcome.unwritten}", file=sys.stderr)
    if outcome.status == 130:
        print("tlmssd-lab: interrupted: the same command continues", file=sys.stderr)
    elif outcome.lost and not outcome.unwritten:
        more = f" (and {len(outcome.lost) - 1} more)" if len(outcome.lost) > 1 else ""
        print(f"tlmssd-lab: {outcome.lost[0]}{more}", file=sys.stderr)
