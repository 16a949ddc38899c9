# SPDX-License-Identifier: BSD-3-Clause
"""The page on one fsync: the picture, what it waited for, its requests."""

from __future__ import annotations

from tlmssd_lab.fsync.drawing import svg
from tlmssd_lab.fsync.fsync import OneFsync, Traced
from tlmssd_lab.fsync.join import PARTS
from tlmssd_lab.html_text import escape, number, percent, table
from tlmssd_lab.stages import STAGE_TEXTS, STAGES

_CSS = (":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:1.5rem auto;max-width:1240px;"
        "padding:0 1rem}svg{max-width:100%;height:auto}table{border-collapse:collapse;margin:1rem 0}"
        "caption{text-align:left;font-weight:bold}"
        "th,td{padding:.15rem .6rem;border-bottom:1px solid #8884;text-align:left}"
        ".n{text-align:right;font-variant-numeric:tabular-nums}.scroll{overflow-x:auto}")


def page(traced: Traced, one: OneFsync) -> str:
    """Self-contained HTML without a script."""
    body = (f"<h1>{escape(one.title)}</h1>\n{svg(one)}"
            "<p>A request in the row “SSD, by stage” is as long as its time in the SSD. Its stages stand in the order "
            "of the path, each as long as its sum: the rows below show the instants.</p>\n"
            f"{_parts(one)}\n{_requests(one)}\n{_all(traced)}")
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
            f"<title>{escape(one.title)}</title>\n<style>{_CSS}</style></head>\n<body>\n{body}\n</body></html>\n")


def _parts(one: OneFsync) -> str:
    whole = one.end - one.begin
    rows = [[PARTS[part], number(time / 1e6), percent(time / whole)] for part, time in one.parts.items()]
    rows.append(["all", number(whole / 1e6), percent(1.0)])
    return table("Its parts", ["part", "µs", "share"], rows)


def _requests(one: OneFsync) -> str:
    head = ["request", "flags", "by", "queued at, µs", "issue and fetch", "SSD", "completion",
            *(STAGE_TEXTS[stage] for stage in STAGES)]
    rows = []
    for each in one.requests:
        block = each.block
        name = "flush" if block.kind == "flush" else f"{block.kind} {block.sector} + {block.sectors}"
        times = (each.queued - one.begin, each.begin - each.issued, each.end - each.begin, each.completed - each.end,
                 *(each.device.stages[stage] for stage in STAGES))
        rows.append([name, block.flags, block.task, *(number(time / 1e6) for time in times)])
    return table("Its requests: microseconds; the stages add up to the time in the SSD", head, rows, texts=(1, 2))


def _all(traced: Traced) -> str:
    rows = []
    for each in traced.fsyncs:
        parts = traced.parts(each)
        rows.append([each.number, each.task, number((each.end - each.begin) / 1e3),
                     *(number(parts[part] / 1e6) for part in PARTS)])
    head = ["", "by", "µs", "file system", "block layer", "issue and fetch", "SSD", "completion"]
    return table("All fsyncs of the run, microseconds", head, rows, texts=(1,))
