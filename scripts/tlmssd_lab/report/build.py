# SPDX-License-Identifier: BSD-3-Clause
"""One self-contained page on one or more runs."""
import base64
import hashlib
import pathlib
from collections.abc import Sequence

from tlmssd_lab.files import write_whole
from tlmssd_lab.html_text import escape
from tlmssd_lab.report import front, sections, terms
from tlmssd_lab.report.runs import Run, load_runs
from tlmssd_lab.report.summary import Ranking
from tlmssd_lab.report.timeline import page as timeline_page
from tlmssd_lab.report.timeline.timeline import Timeline, find_request, read_timeline

ASSETS = pathlib.Path(__file__).parent / "assets"
SCRIPTS = ("theme.js", "terms.js", "tables.js", "kinds.js", "unpack.js", "runs.js", "draw.js", "view.js",
           "follow.js", "details.js", "timeline.js", "input.js")
_THEMES = ('<label id="theme" hidden>Colours <select><option value="">of the system</option>'
           '<option value="light">light</option><option value="dark">dark</option></select></label>')
MAX_SLICES = 16_000_000  # on a page, all runs together


def build_report(runs: Sequence[pathlib.Path], output: pathlib.Path, title: str) -> None:
    """Write the page on run folders (results.json, and where there are: timeline.json[.gz],
    log.csv[.gz|.xz|.zst], *.fst and their pictures). LabInputError where a folder cannot be read or the
    page not be written; then nothing is."""
    loaded = load_runs(runs)
    title = title or "tlmssd"
    timelines = _timelines(loaded)
    parts = _sections(loaded, timelines, pathlib.Path(output))
    page = _page(title, front.header(loaded), parts, *timeline_page.data(loaded, timelines))
    write_whole(pathlib.Path(output), page)


def _timelines(runs: Sequence[Run]) -> dict[int, Timeline]:
    have = {run.index: run.timeline for run in runs if run.timeline is not None}
    return {index: read_timeline(path, MAX_SLICES // len(have)) for index, path in have.items()}


def _sections(
    runs: Sequence[Run], timelines: dict[int, Timeline], output: pathlib.Path
) -> list[tuple[str, str, str]]:
    """(id, heading, HTML)"""
    requests = {index: [find_request(timeline, entry.get("tag"), entry.get("issued_us"))
                        for entry in runs[index].get("worst", [])]
                for index, timeline in timelines.items()}
    waves = sections.waves(runs, output)
    return [
        ("summary", "Summary", front.in_words(runs)),
        ("runs", "The runs", sections.runs_table(runs)),
        ("latency", "Latency percentiles", sections.latency(runs)),
        ("stages", "Where the time goes", sections.stages(runs)),
        ("use", "Utilisation", sections.utilisation(runs)),
        ("acted", "Mechanisms that acted", sections.acted(runs)),
        ("time", "Over time", sections.over_time(runs)),
        ("jobs", "Jobs", sections.jobs(runs)),
        ("worst", "Slowest requests", sections.worst(runs, requests)),
        ("timeline", "Timeline", _timeline(runs, timelines)),
        *([("waves", "Waveforms", waves)] if waves else []),
        ("configuration", "Configuration", sections.configuration(runs)),
        ("terms", "Terms", terms.legend())]


def _timeline(runs: Sequence[Run], timelines: dict[int, Timeline]) -> str:
    missing = sections.lacking([run for run in runs if run.index not in timelines], "timeline",
                               "tlmssd run --timeline writes it as timeline.json.gz into the run's "
                               "folder")
    if not timelines:
        return missing
    ranked = [run.index for run in Ranking(runs).runs if run.index in timelines] or list(timelines)
    return missing + timeline_page.controls((ranked[0], ranked[-1]), timelines)


def _style() -> str:
    """The dark colours hold where the reader has chosen them, or the system has and the reader has not."""
    dark = (ASSETS / "dark.css").read_text(encoding="utf-8")
    return ((ASSETS / "report.css").read_text(encoding="utf-8")
            + f'@media screen {{ :root[data-theme="dark"] {{\n{dark}}} }}\n'
            + f'@media screen and (prefers-color-scheme: dark) {{ :root:not([data-theme]) {{\n{dark}}} }}\n')


def _page(title: str, head: str, parts: Sequence[tuple[str, str, str]], data: str, slices: str) -> str:
    """`slices` come last: they are large, and the code draws before it needs them."""
    code = "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in SCRIPTS)
    code = f'"use strict";\n(() => {{\n{code}\n}})();\n'
    digest = base64.b64encode(hashlib.sha256(code.encode("utf-8")).digest()).decode("ascii")
    # Only this very script runs, and nothing is fetched, whatever the runs' texts hold.
    policy = (f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
              "img-src data:; base-uri 'none'; form-action 'none'")
    links = "".join(f'<li><a href="#{name}">{escape(head)}</a></li>' for name, head, _ in parts)
    body = "".join(f'<section id="{name}" aria-labelledby="{name}-head"><h2 id="{name}-head">'
                   f"{escape(head)}</h2>{inner}</section>\n" for name, head, inner in parts)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(title)}</title>\n<style>\n{_style()}</style></head>\n<body>\n"
            '<a class="skip" href="#summary">Skip to the summary</a>\n'
            f'<header><div class="title"><h1>{escape(title)}</h1>{_THEMES}</div>{head}'
            f'<nav aria-label="Contents"><ul>{links}</ul></nav>'
            f"</header>\n<main>\n{body}</main>\n{data}\n<script>{code}</script>\n{slices}\n</body></html>\n")
