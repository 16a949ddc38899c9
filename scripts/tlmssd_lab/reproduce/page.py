# SPDX-License-Identifier: BSD-3-Clause
"""docs/notebook/reproduction.md: how many rows have which verdict, the rows' tables, and their stamps."""

from __future__ import annotations

import pathlib
from collections import Counter
from collections.abc import Sequence

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.figures.data import NONE, table
from tlmssd_lab.files import write_whole
from tlmssd_lab.reproduce.rows import RUN, SPAN, Row
from tlmssd_lab.reproduce.verdict import NOT_JUDGED, VERDICTS
from tlmssd_lab.run.process import ROOT

PAGE = ROOT / "docs/notebook/reproduction.md"
FIRST, LAST = "<!-- rows -->", "<!-- end of rows -->"
HEADS = ("figure", "metric", "over", "compares", "paper", "accepted", "here", "verdict", "why, where", "row")


def text_of(listed: Sequence[Row]) -> str:
    """Counts, a table per paper and one of its variants, stamps."""
    counts = Counter((row.verdict, row.variant) for row in listed)
    rows = [[f"**{word}**", counts[word, False], counts[word, True]] for word in VERDICTS]
    variants = sum(row.variant for row in listed)
    parts = [table(["", "rows", "variants"], [*rows, ["all", len(listed) - variants, variants]])]
    for paper in dict.fromkeys(row.paper for row in listed):
        parts.append(f"## {paper}")
        mine = [row for row in listed if row.paper == paper]
        parts.append(table(HEADS, [_cells(row) for row in mine], left=len(HEADS)))
    return "\n\n".join([*parts, "## Stamps", _stamps(listed)])


def _cells(row: Row) -> list[str]:
    cells = [row.figure, row.metric, row.over, row.compares, f"{row.paper_value} {row.unit}".strip()]
    return [*cells, _accepted(row), _here(row), f"**{row.verdict or NOT_JUDGED}**", _why(row), f"`{row.id}`"]


def _accepted(row: Row) -> str:
    """Where the whole interval must lie."""
    if row.judge == "sign":
        return "above 0" if row.low == "1" else "below 0"
    if row.judge == "name":
        return row.paper_value
    if row.judge == "input":
        return NONE
    least, greatest = (f"{end:.4g}" for end in row.claim.limits)
    return least if least == greatest else f"{least} to {greatest}"


def _here(row: Row) -> str:
    if not row.value:
        return NONE
    if not row.measured:
        seeds = len(row.seeds.split())
        return f"{row.value}; {seeds} seed{'s' if seeds > 1 else ''}, revision `{row.revision}`, from page"
    if row.judge in ("name", "input"):
        return row.value
    return f"{row.value.replace(SPAN, ' to ')} ({row.value_low} to {row.value_high})"


def _why(row: Row) -> str:
    cause = row.cause
    if row.cause_run and f"`{row.cause_run}`" not in cause:
        cause += f" (`{row.cause_run}`)"
    return f"{cause} [{row.page}]({row.page}.md)".strip() if row.page else cause


def _stamps(listed: Sequence[Row]) -> str:
    """A line per experiment, revision and seeds."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in listed:
        if row.measured:
            key = (row.experiment, row.device, row.revision, row.seeds, row.date, row.check)
            groups.setdefault(key, []).append(row)
    lines = []
    for (name, device, revision, seeds, date, check), rows in groups.items():
        checked = "rows run again" if check == RUN else "short points"
        lines.append([f"`{name}`", f"`{device}`", len(rows), f"`{revision}`", seeds, date, checked])
    return table(["experiment", "device", "rows", "revision", "seeds", "day", "--check"], lines, left=7)


def _split(page: pathlib.Path) -> tuple[str, str, str]:
    """Before, between and after the markers."""
    try:
        text = page.read_text(encoding="utf-8")
    except OSError as error:
        raise LabInputError(f"{page}: {error.strerror}") from None
    if FIRST not in text or LAST not in text:
        raise LabInputError(f"{page}: lacks the lines '{FIRST}' and '{LAST}'")
    head, rest = text.split(FIRST, 1)
    between, tail = rest.split(LAST, 1)
    return head, between, tail


def write(listed: Sequence[Row], page: pathlib.Path = PAGE) -> None:
    head, _, tail = _split(page)
    write_whole(page, f"{head}{FIRST}\n\n{text_of(listed)}\n\n{LAST}{tail}")


def faults(listed: Sequence[Row], page: pathlib.Path = PAGE) -> list[str]:
    if _split(page)[1].strip() == text_of(listed).strip():
        return []
    return [f"{page.name}: not what the rows say; tlmssd-lab reproduce --write-page"]
