# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab diff and tlmssd-lab report."""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from collections.abc import Sequence
from typing import Any

from tlmssd_lab.cli import options
from tlmssd_lab.compare.export import NAME as COMPARISON
from tlmssd_lab.compare.export import SCHEMA as COMPARISON_SCHEMA
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.run.result import RESULTS, read_json, results_path
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
    output = pathlib.Path(words.out)
    if output.is_dir():
        raise LabInputError(f"{output}: is a folder; use the name of a file in it")
    runs = run_folders([pathlib.Path(folder) for folder in words.folders])
    names = dict.fromkeys(
        str(read_json(run / RESULTS).get("workload", {}).get("name", "tlmssd")) for run in runs
    )
    from tlmssd_lab.report import build_report

    try:
        output.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabInputError(f"{output}: cannot be written: {error.strerror}") from None
    build_report(runs, output, words.title if words.title is not None else ", ".join(names))
    print(output)
    return 0


def run_folders(folders: Sequence[pathlib.Path]) -> list[pathlib.Path]:
    """The folders of runs, comparisons replaced by the runs in them; each once."""
    runs: dict[pathlib.Path, pathlib.Path] = {}
    for folder in folders:
        if folder.is_file():
            raise LabInputError(f"{folder}: is a file; use the name of its folder")
        kept = folder / COMPARISON
        is_comparison = kept.is_file() and not (folder / RESULTS).is_file()
        for run in _kept_runs(kept) if is_comparison else [results_path(folder).parent]:
            read_json(results_path(run))
            runs.setdefault(run.resolve(), run)
    return list(runs.values())


def _kept_runs(file: pathlib.Path) -> list[pathlib.Path]:
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LabInputError(f"{file}: is not JSON: {error}") from None
    if not isinstance(document, dict) or document.get("schema") != COMPARISON_SCHEMA:
        raise LabInputError(
            f'{file}: is not a comparison of tlmssd-lab: schema must be "{COMPARISON_SCHEMA}"'
        )
    try:
        done = [
            variant["runs"][0]["folder"]
            for load in document["workloads"]
            for variant in load["variants"]
            if variant["status"] == "done"
        ]
    except (KeyError, IndexError, TypeError):
        raise LabInputError(f"{file}: is an incomplete comparison") from None
    if not done:
        raise LabInputError(f"{file}: no variant of this comparison has run")
    return [file.parent / folder for folder in done]
