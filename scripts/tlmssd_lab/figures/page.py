# SPDX-License-Identifier: BSD-3-Clause
"""An experiment's block in its page of docs/notebook: caption, stamp, drawings, folded tables."""

from __future__ import annotations

import datetime
import pathlib
from collections.abc import Sequence

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.figures.experiment_run import Done
from tlmssd_lab.files import write_whole
from tlmssd_lab.run.result import RESULTS, Result

FOLD = '<details markdown="1">\n<summary>Tables</summary>'


def stamp(done: Sequence[Done], folder: pathlib.Path) -> str:
    """Revision of the program, seeds and day of the newest run, in a line."""
    results = [item for item in done if isinstance(item.outcome, Result)]
    found = [item.outcome for item in done if isinstance(item.outcome, Result)]
    revisions = sorted({str(result.json["wall"]["git"]) for result in found})
    seeds = sorted({item.point.seed for item in results})
    files = [folder / "points" / item.point.folder / RESULTS for item in results]
    times = [file.stat().st_mtime for file in files if file.is_file()]
    day = datetime.date.fromtimestamp(max(times)).isoformat() if times else "no run"
    made = ", ".join(f"`{revision}`" for revision in revisions) or "none"
    return f"Revision {made}; seeds {', '.join(map(str, seeds)) or 'none'}; {day}."


def page_block(text: str, stamped: str, drawings: Sequence[str]) -> str:
    """The caption is the first paragraph of `text`; all that follows is folded."""
    caption, _, tables = text.partition("\n\n")
    parts = [caption, stamped, *drawings]
    if tables:
        parts += [FOLD, tables.strip(), "</details>"]
    return "\n\n".join(parts)


def write_into_page(page: pathlib.Path, name: str, text: str) -> bool:
    """Replace what stands between the experiment's markers; False where the page has none."""
    try:
        old = page.read_text(encoding="utf-8")
    except OSError as error:
        raise LabInputError(f"{page}: {error.strerror}") from None
    first, last = f"<!-- figure {name} -->", f"<!-- end of figure {name} -->"
    if first not in old or last not in old:
        return False
    head, rest = old.split(first, 1)
    tail = rest.split(last, 1)[1]
    write_whole(page, f"{head}{first}\n\n{text.strip()}\n\n{last}{tail}")
    return True
