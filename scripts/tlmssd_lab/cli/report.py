# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab diff and tlmssd-lab report."""

from __future__ import annotations

import argparse
import json
import pathlib
from collections.abc import Sequence
from typing import Any

from tlmssd_lab.compare.export import NAME as COMPARISON
from tlmssd_lab.compare.export import SCHEMA as COMPARISON_SCHEMA
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.run.result import RESULTS, read_json, results_path

_DIFF_EPILOG = """\
A and B are files results.json or the folders that they are in. `wall` is left out: it depends
on the machine. Figures are sorted by the weight of the figure times |ln(after / before)|.

examples:
  tlmssd-lab diff out/inorder out/vaq
  tlmssd-lab diff out/inorder/results.json out/vaq/results.json --all
"""

_REPORT_EPILOG = """\
A folder that `tlmssd run --out` wrote is one run; one that `tlmssd-lab compare --out` wrote
stands for the first seed of each variant. With a run's timeline.json.gz (--timeline) the page has
its timeline too.
docs/start/read-a-report.md tells how to read the page.

examples:
  tlmssd-lab report out/inorder out/vaq -o report.html
  tlmssd-lab report out/race -o out/race/report.html --title "inorder against vaq"
"""


def add_diff(commands: Any) -> None:
    command = commands.add_parser(
        "diff",
        help="what differs between two results, and which keys of the configuration",
        description="Shows what differs between two results.",
        epilog=_DIFF_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.set_defaults(call=call_diff)
    command.add_argument("a", metavar="A", help="the result before")
    command.add_argument("b", metavar="B", help="the result after")
    command.add_argument(
        "--all", action="store_true", help="every key that differs, not only the figures"
    )


def call_diff(words: argparse.Namespace) -> int:
    from tlmssd_lab.compare.diff import diff, text_of

    print(text_of(diff(words.a, words.b), (words.a, words.b), words.all))
    return 0


def add_report(commands: Any) -> None:
    command = commands.add_parser(
        "report",
        help="write a page that shows one run or compares several",
        description="Writes one self-contained HTML page on runs.",
        epilog=_REPORT_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.set_defaults(call=call_report)
    command.add_argument("folders", nargs="+", metavar="DIR", help="folder with results.json")
    command.add_argument("-o", "--output", required=True, metavar="FILE", help="the page to write")
    command.add_argument("--title", help="its heading (the workload's name)")


def call_report(words: argparse.Namespace) -> int:
    output = pathlib.Path(words.output)
    if output.is_dir():
        raise LabInputError(f"{output}: is a folder; the report needs a file's name")
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
    """The folders of runs, comparisons replaced by what they kept; each once."""
    runs: dict[pathlib.Path, pathlib.Path] = {}
    for folder in folders:
        if folder.is_file():
            raise LabInputError(f"{folder}: is a file; name the folder that it is in")
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
        raise LabInputError(f"{file}: no JSON: {error}") from None
    if not isinstance(document, dict) or document.get("schema") != COMPARISON_SCHEMA:
        raise LabInputError(
            f'{file}: no comparison of tlmssd-lab: schema must be "{COMPARISON_SCHEMA}"'
        )
    try:
        done = [
            variant["runs"][0]["folder"]
            for load in document["workloads"]
            for variant in load["variants"]
            if variant["status"] == "done"
        ]
    except (KeyError, IndexError, TypeError):
        raise LabInputError(f"{file}: is no whole comparison") from None
    if not done:
        raise LabInputError(f"{file}: no variant of this comparison has run")
    return [file.parent / folder for folder in done]
