# SPDX-License-Identifier: BSD-3-Clause
"""docs/notebook/reproduction.md: the tables of the rows, and how many have which verdict."""

from __future__ import annotations

import pathlib
from collections import Counter
from collections.abc import Sequence

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.figures.data import NONE, table
from tlmssd_lab.files import write_whole
from tlmssd_lab.reproduce.rows import Row
from tlmssd_lab.reproduce.verdict import NOT_JUDGED, VERDICTS
from tlmssd_lab.run.process import ROOT

PAGE = ROOT / "docs/notebook/reproduction.md"
FIRST, LAST = "<!-- rows -->", "<!-- end of rows -->"


def text_of(listed: Sequence[Row]) -> str:
    """Counts first, then a table per paper."""
    counts = Counter(row.verdict for row in listed)
    parts = [table(["verdict", "rows"], [[word, counts[word]] for word in VERDICTS if counts[word]])]
    for paper in dict.fromkeys(row.paper for row in listed):
        parts.append(f"## {paper}")
        mine = [row for row in listed if row.paper == paper]
        heads = ["figure", "metric", "compares, over", "paper", "here", "verdict", "device", "stamp", "cause"]
        parts.append(table(heads, [_cells(row) for row in mine], left=len(heads)))
    return "\n\n".join(parts)


def _cells(row: Row) -> list[str]:
    compares = ", ".join(filter(None, (row.compares, row.over)))
    cause = row.cause
    if row.cause_run:
        cause += f" (`{row.cause_run}`)"
    if row.page:
        cause += f" [{row.page}]({row.page}.md)"
    stamp = f"`{row.revision}`, seeds {row.seeds}, {row.date}" if row.revision else NONE
    return [row.figure, row.metric, compares, f"{row.paper_value} {row.unit}".strip(), _here(row),
            f"**{row.verdict or NOT_JUDGED}**", row.device, stamp, cause.strip()]


def _here(row: Row) -> str:
    if not row.value:
        return NONE
    if not row.value_low or row.value_low == row.value_high:
        return row.value
    return f"{row.value} ({row.value_low} to {row.value_high})"


def _split(page: pathlib.Path) -> tuple[str, str, str]:
    """Before, between and behind the markers."""
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
