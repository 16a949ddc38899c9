# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab figure."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from tlmssd_lab.errors import LabInputError

_EPILOG = """\
An experiment is a file of configs/experiments/: `list` shows them all. Each point is run in a
folder of its own under DIR/NAME/points/ with its resolved configuration, results and log. A point
that was done by the same program with the same configuration and trace is not run again, so that
an interrupted figure goes on where it stopped.

examples:
  tlmssd-lab figure list
  tlmssd-lab figure paq-schemes --quick
  tlmssd-lab figure all --quick
  tlmssd-lab figure paq-schemes --jobs 8 --write
  TLMSSD_TRACES=/data/traces tlmssd-lab figure hybrid-claim

exit status: 0 all points ran, 2 wrong input or a point was refused, 3 the model failed in any
point, 130 interrupted (what was done is kept and shown)
"""


def number_of_jobs(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 1 to 1024")
    return int(text)


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "figure",
        help="run an experiment of the papers and make its table and drawing",
        description="Runs the points of an experiment and makes its table and drawing.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.set_defaults(call=call)
    command.add_argument("name", metavar="NAME", help="experiment, a path to one, all, or list")
    command.add_argument("--quick", action="store_true", help="its short form, minutes at most")
    command.add_argument(
        "--out", metavar="DIR", default="out/figures", help="where all goes (out/figures)"
    )
    command.add_argument(
        "--jobs", type=number_of_jobs, metavar="N", help="points at a time (one a processor)"
    )
    command.add_argument(
        "--write", action="store_true", help="put table and drawing into its page of docs/"
    )
    command.add_argument("--quiet", action="store_true", help="no progress")


def _list() -> int:
    from tlmssd_lab.figures import experiment

    for name in experiment.names():
        try:
            found = experiment.load(name)
            print(f"{name:16} {found.title} ({found.source})")
        except LabInputError as error:  # the others can be shown
            print(f"{name:16} cannot run: {error}")
    return 0


def _all(words: argparse.Namespace) -> int:
    """One after the other; one that fails does not keep the others from running."""
    import time

    from tlmssd_lab.figures import experiment

    status = 0
    for name in experiment.names():
        started = time.monotonic()
        try:
            ended = _one(argparse.Namespace(**{**vars(words), "name": name, "quiet": True}), False)
            told = "" if ended == 0 else f", status {ended}"
        except LabInputError as error:
            ended, told = error.status, f": {error}"
        print(f"{name:18} {time.monotonic() - started:6.1f} s{told}", flush=True)
        if ended == 130:
            return ended
        status = max(status, ended)
    return status


def call(words: argparse.Namespace) -> int:
    if words.name == "list":
        return _list()
    return _all(words) if words.name == "all" else _one(words, True)


def _one(words: argparse.Namespace, show: bool) -> int:
    from tlmssd_lab.figures.figure import figure

    def progress(text: str) -> None:
        print(f"  {text}", file=sys.stderr, flush=True)

    outcome = figure(
        words.name,
        quick=words.quick,
        out=words.out,
        jobs=words.jobs,
        write=words.write,
        progress=None if words.quiet else progress,
    )
    if show:
        print(outcome.text, end="", flush=True)
        if not outcome.unwritten:
            print(f"tlmssd-lab: written: {outcome.folder}", file=sys.stderr)
    if outcome.unwritten:
        print(f"tlmssd-lab: {outcome.unwritten}", file=sys.stderr)
    if outcome.status == 130:
        print("tlmssd-lab: interrupted: the same command goes on where it stopped", file=sys.stderr)
    elif outcome.lost and not outcome.unwritten:
        more = f" (and {len(outcome.lost) - 1} more)" if len(outcome.lost) > 1 else ""
        print(f"tlmssd-lab: {outcome.lost[0]}{more}", file=sys.stderr)
    return outcome.status
