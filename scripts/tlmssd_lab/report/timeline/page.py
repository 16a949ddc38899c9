# SPDX-License-Identifier: BSD-3-Clause
"""The timeline's part of the page: its controls, and its data as packed text."""
import json
from collections.abc import Sequence

from tlmssd_lab.html_text import escape, number
from tlmssd_lab.report.runs import Run
from tlmssd_lab.report.timeline.encode import encode
from tlmssd_lab.report.timeline.overview import overview
from tlmssd_lab.report.timeline.timeline import GROUPS, Timeline

KEYS = (("+ and -", "zoom in and out (the wheel too, after a click; Ctrl and wheel always)"),
        ("left, right", "earlier, later; with Shift by a screen (or drag)"),
        ("0 or Home", "the whole run"), ("up, down", "the track above, below"),
        (", and .", "the slice before, after on the track"),
        ("Enter", "follow the request of the selected slice (a click does both)"),
        ("p and n", "follow the request before, after"),
        ("f", "zoom to the followed request"), ("Esc", "follow none"))


def json_text(document: object) -> str:
    """JSON that cannot end a script element or open a comment in it."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=True).replace("<", "\\u003c")


def data(runs: Sequence[Run], timelines: dict[int, Timeline]) -> tuple[str, str]:
    """Script elements that are data, not code: what the page's code needs at once (headers as JSON,
    overviews), and the columns as text (dense.py)."""
    headers, first, blobs = [], [], []
    for run in runs:
        if run.index not in timelines:
            continue
        timeline = timelines.pop(run.index)
        packed = {"index": run.index, "name": run.name, "overview": overview(timeline)} | encode(timeline)
        if packed["overview"]:
            first.append((f"overview-{run.index}", packed["overview"].pop("blob")))
        for group in packed["groups"]:
            blobs.append((f"blob-{run.index}-{group['name'].replace(' ', '-')}", group.pop("blob")))
        blobs.append((f"blob-{run.index}-arrows", packed["arrows"].pop("blob")))
        headers.append(packed)
    return (f'<script type="application/json" id="timeline-data">{json_text(headers)}</script>' + _elements(first),
            _elements(blobs))


def _elements(texts: Sequence[tuple[str, str]]) -> str:
    return "".join(f'<script type="text/plain" id="{name}">{text}</script>' for name, text in texts)


def _button(name: str, text: str, label: str) -> str:
    return (f'<button type="button" id="tl-{name}" aria-label="{escape(label)}" '
            f'title="{escape(label)}">{text}</button>')


def _panel(place: int, cut: str) -> str:
    return (f'<div class="tl-panel"><h3 id="tl-name-{place}"></h3><p class="note cut" hidden>'
            f'{escape(cut)}</p><div class="tl-box" tabindex="0" role="application" '
            'aria-roledescription="timeline" aria-describedby="tl-keys"><div class="spacer">'
            "<canvas></canvas></div></div></div>")


def controls(start: tuple[int, int], timelines: dict[int, Timeline]) -> str:
    """`start`: indices of the runs that are shown first."""
    cut = ("The grey end of this run's timeline was left out to keep the page small; "
           "--timeline-from and --timeline-to choose another part.")
    groups = "".join(f'<label><input type="checkbox" data-group="{name}"> {name}</label>'
                     for name in GROUPS)
    keys = "".join(f"<dt><kbd>{key}</kbd></dt><dd>{escape(text)}</dd>" for key, text in KEYS)
    counts = number(sum(timeline.slices() for timeline in timelines.values()))
    return "".join([
        f"<p>{counts} slices. Click one, or give a number, to follow its request through the "
        "device: all that belongs to it stays bright and gets a frame; arrows lead from the "
        "request to the flash operations that it caused. Two runs share one axis of time.</p>",
        '<noscript><p class="note">The timeline needs JavaScript.</p></noscript>',
        '<div id="timeline-app"><div class="tl-bar" role="toolbar" aria-label="Timeline">',
        f'<label>Upper run <select id="tl-run-0" data-start="{start[0]} {start[1]}"></select>'
        '</label><label>Lower run <select id="tl-run-1"></select></label><span class="set">',
        _button("in", "+", "Zoom in"), _button("out", "\u2212", "Zoom out"),
        _button("left", "\u25c0", "Earlier"), _button("right", "\u25b6", "Later"),
        _button("fit", "whole run", "Show the whole run"), "</span>",
        '<form id="tl-form" class="set"><label>Request <input id="tl-number" type="number" min="0" '
        'inputmode="numeric"></label><button>follow</button>',
        _button("previous", "\u2190", "Request before"), _button("next", "\u2192", "Request after"),
        _button("frame", "zoom to it", "Zoom to the followed request"),
        _button("clear", "none", "Follow no request"), "</form></div>",
        f'<fieldset class="tl-bar"><legend>Tracks</legend>{groups}<label>height <select '
        'id="tl-rows"><option value="0">automatic</option><option value="9">low</option>'
        '<option value="13">middle</option><option value="20">high</option></select></label>'
        "</fieldset>",
        '<p id="tl-range" class="range"></p>', _panel(0, cut), _panel(1, cut),
        '<div id="tl-legend" class="legend"></div>',
        '<p id="tl-status" role="status" aria-live="polite"></p><div id="tl-details"></div>',
        '<div id="tl-tip" hidden></div>',
        f'<details id="tl-keys"><summary>Keys</summary><dl class="keys">{keys}</dl></details>',
        "</div>"])
