# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab diff and tlmssd-lab report."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from tlmssd_lab.cli import options
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.terminal import Painter, has_colour

_DIFF_EPILOG = """\
A and B are files results.json or their folders. `wall` is left out: it depends on the machine. The
figures are sorted by the weight of the figure times |ln(after / before)|. On a terminal, green is
better and red is worse.

examples:
  tlmssd-lab diff out/inorder out/vaq
  tlmssd-lab diff out/inorder/results.json out/vaq/results.json --all
  tlmssd-lab diff out/inorder out/vaq --json > diff.json

exit status: 0 done, 2 wrong input
"""

_REPORT_EPILOG = """\
A folder of `tlmssd run --out` is one run. A folder of `tlmssd-lab compare --out` stands for the first
seed of each variant. The page also has the timeline of a run with a timeline.json.gz (--timeline).
docs/start/read-a-report.md explains the page.

examples:
  tlmssd-lab report out/inorder out/vaq -o report.html
  tlmssd-lab report out/compare -o out/compare/report.html --title "inorder against vaq"

exit status: 0 done, 2 wrong input
"""


def add_diff(commands: Any) -> None:
    command = options.add_command(
        commands,
        "diff",
        "show the differences between two results",
        "Shows the differences between two results: keys of the configuration, and figures.",
        _DIFF_EPILOG,
    )
    command.set_defaults(call=call_diff)
    command.add_argument("a", metavar="A", help="the result before")
    command.add_argument("b", metavar="B", help="the result after")
    command.add_argument(
        "--all", action="store_true", help="show every key that differs, not only the figures"
    )
    options.add_json(command, "every difference")


def call_diff(words: argparse.Namespace) -> int:
    from tlmssd_lab.compare import diff

    if words.all and words.json:
        raise LabInputError("--all conflicts with --json, which always has every key")
    found, names = diff.diff(words.a, words.b), (words.a, words.b)
    if words.json:
        options.print_json(diff.document(found, names))
    else:
        print(diff.text_of(found, names, words.all, Painter(has_colour(sys.stdout))))
    return 0


def add_report(commands: Any) -> None:
    command = options.add_command(
        commands,
        "report",
        "write a page that shows one run or compares several",
        "Writes one self-contained HTML page on runs.",
        _REPORT_EPILOG,
    )
    command.set_defaults(call=call_report)
    command.add_argument("folders", nargs="+", metavar="DIR", help="folder with results.json")
    options.add_out(command, "FILE", "the page to write (required)")
    command.add_argument("--output", dest="out", metavar="FILE", help=argparse.SUPPRESS)
    command.add_argument("--title", help="heading of the page (default: name of the workload)")


def call_report(words: argparse.Namespace) -> int:
    if words.out is None:
        words.parser.error("--out is missing")
    from tlmssd_lab.api.report import report

    print(report(words.folders, words.out, title=words.title))
    return 0
