# SPDX-License-Identifier: BSD-3-Clause
"""lab.report: one page on runs and comparisons."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Sequence

from tlmssd_lab.compare.export import NAME as COMPARISON
from tlmssd_lab.compare.export import SCHEMA as COMPARISON_SCHEMA
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.run.result import RESULTS, Result, read_json, results_path

PathLike = str | os.PathLike[str]


def report(
    runs: PathLike | Result | Sequence[PathLike | Result],
    output: PathLike,
    *,
    title: str | None = None,
) -> pathlib.Path:
    """Write one self-contained HTML page on one run or several.

    Arguments:
        runs: results, or folders that `tlmssd run --out` or `compare(out=...)` wrote; one or a list.
            A folder of a comparison stands for the first seed of each variant that ran.
        output: the page to write; its folder is made.
        title: heading of the page. Default: the names of the workloads.

    Returns:
        The path `output`.

    Raises:
        LabInputError: a folder has no results, or the page cannot be written. No page is left then.
    """
    from tlmssd_lab.report import build_report

    page = pathlib.Path(output)
    if page.is_dir():
        raise LabInputError(f"{page}: is a folder; use the name of a file in it")
    items = [runs] if isinstance(runs, (str, os.PathLike, Result)) else list(runs)
    folders = run_folders(
        [item.folder if isinstance(item, Result) else pathlib.Path(item) for item in items]
    )
    if title is None:
        names = dict.fromkeys(
            str(read_json(run / RESULTS).get("workload", {}).get("name", "tlmssd"))
            for run in folders
        )
        title = ", ".join(names)
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabInputError(f"{page}: cannot be written: {error.strerror}") from None
    build_report(folders, page, title)
    return page


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
