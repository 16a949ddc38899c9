# SPDX-License-Identifier: BSD-3-Clause
"""The top of the page: what was run, the summary in sentences, and what to try next."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from tlmssd_lab.html_text import NONE, escape, number
from tlmssd_lab.report.runs import Run, differences
from tlmssd_lab.report.suggestions import longest_stage, suggestions
from tlmssd_lab.report.summary import Ranking, shown_value, summary, warnings
from tlmssd_lab.report.terms import marked

_MOST_KEYS = 6  # of the configuration in the header
_LINKS = {"direct": "no host link"}


def facts(runs: Sequence[Run]) -> list[tuple[str, list[str]]]:
    """(what, its text for each run): device, workload, requests, revision, date, seed, and keys that differ."""
    found = [(head, [text(run) for run in runs]) for head, text in (
        ("Device", _device), ("Workload", _workload), ("Requests", _requests), ("Scheduler", _scheduler),
        ("Seed", lambda run: _known(run.get("seed"))), ("Revision of tlmssd", lambda run: _known(run.get("wall.git"))),
        ("Results written", _written))]
    keys = {key: values for key, values in differences(runs).items() if key not in ("seed", "scheduler")}
    if len(runs) > 1:
        for key, values in list(keys.items())[:_MOST_KEYS]:
            found.append((key, [shown_value(value) for value in values]))
        if len(keys) > _MOST_KEYS:
            more = f"{len(keys) - _MOST_KEYS} more keys differ (see Configuration)"
            found.append(("Other keys", [more] * len(runs)))
    return found


def header(runs: Sequence[Run]) -> str:
    """A fact that is the same in all runs stands once; the others stand in a table, by run."""
    every = facts(runs)
    differ = [(head, texts) for head, texts in every if len(set(texts)) > 1]
    equal = "".join(f"<div><dt>{escape(head)}</dt><dd>{escape(texts[0])}</dd></div>"
                    for head, texts in every if len(set(texts)) == 1)
    parts = [f'<dl class="facts">{equal}</dl>']
    if differ:
        heads = "".join(f'<th scope="col">{escape(head)}</th>' for head, _ in differ)
        rows = "".join(f'<tr><th scope="row">{escape(run.name)}</th>'
                       + "".join(f"<td>{escape(texts[place])}</td>" for _, texts in differ) + "</tr>"
                       for place, run in enumerate(runs))
        parts.append('<div class="scroll differs" tabindex="0" role="region" aria-label="Differences of the runs">'
                     "<table><caption>Differences</caption>"
                     f'<thead><tr><th scope="col">run</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>')
    elif len(runs) > 1:
        names = ", ".join(run.name for run in runs)
        parts.append(f'<p class="note">{len(runs)} runs that differ in nothing of this: {escape(names)}.</p>')
    return "".join(parts)


def _known(value: Any) -> str:
    return NONE if value is None else str(value)


def _device(run: Run) -> str:
    part = run.get("config.nand.name") or run.get("config.nand")
    words = [str(part)] if isinstance(part, str) and part else []
    sizes = [(run.get(f"config.geometry.{key}"), key) for key in ("channels", "ways", "dies", "planes")]
    known = [f"{size} {key if size != 1 else key[:-1]}" for size, key in sizes if isinstance(size, int)]
    if known:
        words.append(" \u00d7 ".join(known))
    link = run.get("config.host.kind")
    if link == "sata":
        words.append(f"SATA {number(run.get('config.sata.gbps'))} Gb/s")
    elif link == "nvme":
        words.append(f"NVMe, PCIe {run.get('config.pcie.generation', NONE)} \u00d7{run.get('config.pcie.lanes', NONE)}")
    elif link is not None:
        words.append(_LINKS.get(link, str(link)))
    return ", ".join(words) or NONE


def _workload(run: Run) -> str:
    names = [str(job.get("workload") or job.get("name")) for job in run.jobs()]
    return ", ".join(dict.fromkeys(names)) or _known(run.get("workload.name"))


def _requests(run: Run) -> str:
    reads, writes = run.get("host.reads.count"), run.get("host.writes.count")
    parts = f" ({number(reads)} reads, {number(writes)} writes)" if reads is not None and writes is not None else ""
    return number(run.get("host.all.count")) + parts


def _scheduler(run: Run) -> str:
    return _known(run.get("sched.name", run.get("config.scheduler")))


def _written(run: Run) -> str:
    """The file's time: the results themselves hold none."""
    written = datetime.datetime.fromtimestamp(run.written, datetime.UTC)
    return f"{written:%Y-%m-%d %H:%M} UTC"


def in_words(runs: Sequence[Run]) -> str:
    items = "".join(f"<dt>{escape(head)}</dt><dd>{marked(text)}</dd>" for head, text in _sentences(runs))
    notes = "".join(f"<li>{escape(text)}</li>" for text in warnings(runs))
    return (f'<dl class="summary">{items}</dl>{_next(runs)}'
            + (f'<h3>To bear in mind</h3><ul class="warnings">{notes}</ul>' if notes else ""))


def _sentences(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """The limit and the longest stage come right after the result."""
    said = summary(runs)
    if len(runs) == 1 and (stage := longest_stage(runs[0])) is not None:
        said.append(("Where the time goes", stage))
    order = {head: place for place, head in enumerate(
        ("Result", "Fastest", "Changed", "Limit", "Where the time goes", "Busy", "Tail"))}
    return sorted(said, key=lambda part: order[part[0]])


def _next(runs: Sequence[Run]) -> str:
    """Suggestions for the one run, or for the fastest."""
    ranked = Ranking(runs).runs
    run = ranked[0] if ranked else runs[0]
    rows = "".join(
        f'<li data-rule="{escape(one.rule)}">{escape(one.why)} {escape(one.what)}<br>'
        f"<code>{escape(_options(one.settings))}</code> "
        f'<button type="button" class="small" data-copy="{escape(_options(one.settings))}" hidden>copy</button></li>'
        for one in suggestions(run))
    if not rows:
        return ""
    whose = f" from {run.name}" if len(runs) > 1 else ""
    return (f"<h3>Try next{escape(whose)}</h3><ol class=\"next\">{rows}</ol>"
            '<p class="note">Each is one change to run and compare, with these options of tlmssd run. '
            "Only the run shows what it gains.</p>")


def _options(settings: Sequence[str]) -> str:
    return " ".join(f"--set {setting}" for setting in settings)
