# SPDX-License-Identifier: BSD-3-Clause
"""One experiment from its file to its table and drawing."""

from __future__ import annotations

import os
import pathlib
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from tlmssd_lab.drawings import svg_of
from tlmssd_lab.errors import LabError, LabInputError, nearest
from tlmssd_lab.figures import (
    bluessd_parts,
    buffer_policies,
    cawr,
    cawr_length,
    crossover,
    datasheet,
    datasheet_range,
    experiment,
    experiment_points,
    gc,
    hybrid_claim,
    launch,
    ozone,
    palloc,
    palloc_causes,
    palloc_map,
    paq,
    paq_fig2,
    paq_grid,
    plain,
    queue_depth,
    software_cost,
)
from tlmssd_lab.figures.data import Data, Report, caption, csv_text, intervals
from tlmssd_lab.figures.page import page_block, stamp, write_into_page
from tlmssd_lab.figures.experiment_run import Done, run_points
from tlmssd_lab.files import held, write_whole
from tlmssd_lab.progress import Progress
from tlmssd_lab.run.errors import LabInterrupted
from tlmssd_lab.run.process import ROOT

REPORTS: dict[str, Callable[[Data], Report]] = {
    "paq_schemes": paq.paq_schemes,
    "paq_causes": paq.paq_causes,
    "paq_contention": paq.paq_contention,
    "paq_spikes": paq.paq_spikes,
    "paq_sweep": paq.paq_sweep,
    "paq_grid": paq_grid.paq_grid,
    "paq_fig2": paq_fig2.paq_fig2,
    "paq_fig2_causes": paq_fig2.paq_fig2_causes,
    "bluessd_parts": bluessd_parts.bluessd_parts,
    "bluessd_bounds": bluessd_parts.bluessd_bounds,
    "buffer_policies": buffer_policies.buffer_policies,
    "software_cost": software_cost.software_cost,
    "hybrid_claim": hybrid_claim.hybrid_claim,
    "ozone": ozone.ozone,
    "gc_amplification": gc.gc_amplification,
    "gc_hot_cold": gc.gc_hot_cold,
    "gc_lag": gc.gc_lag,
    "palloc": palloc.palloc,
    "palloc_causes": palloc_causes.palloc_causes,
    "palloc_removed": palloc.palloc_removed,
    "palloc_sizes": palloc_causes.palloc_sizes,
    "palloc_layout": palloc_causes.palloc_layout,
    "palloc_open": palloc_causes.palloc_open,
    "palloc_map": palloc_map.palloc_map,
    "queue_depth": queue_depth.queue_depth,
    "datasheet": datasheet.datasheet,
    "datasheet_range": datasheet_range.datasheet_range,
    "datasheet_rated": datasheet_range.datasheet_rated,
    "plain": plain.plain,
    "launch": launch.launch,
    "launch_causes": launch.launch_causes,
    "cawr": cawr.cawr,
    "crossover": crossover.crossover,
    "cawr_causes": cawr.cawr_causes,
    "cawr_pages": cawr.cawr_pages,
    "cawr_spread": cawr.cawr_spread,
    "cawr_length": cawr_length.cawr_length,
}


@dataclass(frozen=True)
class Outcome:
    """`status` as an exit status; `text` is the Markdown, also in `folder` unless `unwritten` says why not."""

    status: int
    text: str
    folder: pathlib.Path
    done: list[Done]
    lost: list[str]
    unwritten: str = ""


def figure(
    name: str,
    *,
    quick: bool = False,
    out: str | os.PathLike = "out/figures",
    jobs: int | None = None,
    write: bool = False,
    binary: str | os.PathLike | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run what is missing of an experiment's points and write NAME.md, NAME.csv and NAME.svg into
    out/NAME (out/NAME-quick); `write`: put table and drawing into its page of docs/ too.

    Raises LabInputError for a name or file that is wrong. Points that failed are in the outcome.
    """
    wanted = experiment.load(name, quick)
    if wanted.report not in REPORTS:
        hint = nearest(wanted.report, REPORTS)
        raise LabInputError(f"{wanted.name}: report: '{wanted.report}' is no report{hint}")
    loads, missing = experiment_points.loads(wanted)
    folder = pathlib.Path(out).absolute() / (wanted.name + ("-quick" if quick else ""))
    with held(folder):
        return _run(wanted, loads, missing, folder, write, jobs, binary, progress)


def _run(
    wanted: experiment.Experiment,
    loads: list[experiment_points.ExperimentLoad],
    missing: list[str],
    folder: pathlib.Path,
    write: bool,
    jobs: int | None,
    binary: str | os.PathLike | None,
    progress: Progress | None,
) -> Outcome:
    points = experiment_points.points(wanted, loads)
    done, interrupted = run_points(
        wanted, points, folder, jobs=jobs, binary=binary, progress=progress
    )
    data = Data(wanted, done)
    lost = [*missing, *data.lost()]
    status = _status(done, interrupted)
    report = REPORTS[wanted.report](data)
    report.parts.append(intervals(data, report.spread))
    text = _text(wanted, report, lost)
    try:
        _write(wanted, report, text, data, folder)
        if write and not interrupted:
            _into_page(wanted, report, text, data, folder)
    except LabInputError as error:  # what was run is worth its table
        return Outcome(status or error.status, text, folder, done, lost, str(error))
    return Outcome(status, text, folder, done, lost)


def _status(done: list[Done], interrupted: bool) -> int:
    if interrupted:
        return LabInterrupted.status
    return max((d.outcome.status for d in done if isinstance(d.outcome, LabError)), default=0)


def _text(wanted: experiment.Experiment, report: Report, lost: list[str]) -> str:
    parts = [f"{wanted.title} ({wanted.source}). {caption(wanted)}", *report.parts]
    if lost:
        shown = lost[:20] + ([f"and {len(lost) - 20} more"] if len(lost) > 20 else [])
        parts.append("Not in these tables:\n\n" + "\n".join(f"- {line}" for line in shown))
    return "\n\n".join(map(_filled, parts)) + "\n"


def _write(
    wanted: experiment.Experiment, report: Report, text: str, data: Data, folder: pathlib.Path
) -> None:
    write_whole(folder / f"{wanted.name}.md", text)
    write_whole(folder / f"{wanted.name}.csv", csv_text(wanted, data.done))
    for end, rows in report.tables.items():
        write_whole(folder / f"{wanted.name}{end}.csv", rows)
    for end, drawing in report.drawings.items():
        write_whole(folder / f"{wanted.name}{end}.svg", svg_of(drawing, name_of(wanted.title, end)))


def name_of(title: str, end: str) -> str:
    """Of a drawing: the experiment's, and which one where there are several."""
    return f"{title}: {end.removeprefix('-').replace('-', ' ')}" if end else title


def _filled(part: str) -> str:
    """Paragraphs and items of lists in lines of the docs' width; tables as they are."""
    lines = part.split("\n")
    return "\n".join(x if x[:1] == "|" else _wrapped(x) for x in lines)


def _wrapped(line: str) -> str:
    """Not broken at hyphens: names and commands have them."""
    indent = "  " if line.startswith("- ") else ""
    return textwrap.fill(line, 118, subsequent_indent=indent, break_on_hyphens=False)


def _into_page(
    wanted: experiment.Experiment, report: Report, text: str, data: Data, folder: pathlib.Path
) -> None:
    """The block of the page: caption and stamp, the drawings, the tables folded."""
    page = ROOT / wanted.page
    images = images_of(page)
    where = os.path.relpath(images, page.parent)
    drawings = [
        f"![{name_of(wanted.title, end)}]({where}/{wanted.name}{end}.svg)" for end in report.drawings
    ]
    block = page_block(text.strip(), stamp(data.done, folder), drawings)
    if not write_into_page(page, wanted.name, block):
        raise LabInputError(
            f"{page}: lacks the lines '<!-- figure {wanted.name} -->' and "
            f"'<!-- end of figure {wanted.name} -->'"
        )
    for end, drawing in report.drawings.items():
        write_whole(images / f"{wanted.name}{end}.svg", svg_of(drawing, name_of(wanted.title, end)))


def images_of(page: pathlib.Path) -> pathlib.Path:
    """All pages of docs/ share one folder; any other page has its own."""
    docs = ROOT / "docs"
    return (docs if page.is_relative_to(docs) else page.parent) / "images"
