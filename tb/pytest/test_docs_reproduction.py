# SPDX-License-Identifier: BSD-3-Clause
"""docs/notebook/reproduction.md: every row of the papers' figures, each with a verdict and a reason."""

import csv
import os
import pathlib
import re

import pytest

from cli import ROOT

NAMES = {"PAQ": "PAQ", "PALLOC": "Page allocation", "SOST": "Software", "CAWR": "CAWR",
         "SMART": "Launch"}


def rows():
    """(paper, figure, metric, over, compares, paper's value, here, verdict, why)"""
    found, paper = [], None
    for line in (ROOT / "docs/notebook/reproduction.md").read_text(encoding="utf-8").split("\n"):
        if line.startswith("## "):
            paper = next(k for k, name in NAMES.items() if line[3:].startswith(name))
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if paper and len(cells) == 8 and cells[0] not in ("figure", "---"):
            found.append((paper, *cells))
    return found


def test_each_row_has_a_verdict_and_a_reason():
    for row in rows():
        assert row[7] in ("**agrees**", "**differs**", "**not compared**"), row
        assert row[6] and (row[8] or row[7] == "**agrees**"), row


def test_the_counts_at_the_top_are_those_of_the_rows():
    text = (ROOT / "docs/notebook/reproduction.md").read_text(encoding="utf-8")
    for verdict in ("agrees", "differs", "not compared"):
        told = int(re.search(rf"\*\*{verdict}\*\*[^|]*\| (\d+) \|", text)[1])
        assert told == sum(row[7] == f"**{verdict}**" for row in rows()), verdict


def test_every_row_of_the_papers_figures_is_there():
    folder = os.environ.get("TLMSSD_REFERENCE") or ROOT.parent / "shared/reference"
    listed = pathlib.Path(folder) / "results.csv"
    if not listed.is_file():
        pytest.skip("the papers' figures (results.csv) are not here: set TLMSSD_REFERENCE")
    with listed.open(encoding="utf-8", newline="") as file:
        wanted = [(r["paper"], r["figure"], r["metric"], r["workload"], r["compares"],
                   f"{r['value']} {r['unit']}".strip().replace("percent", "%")) for r in csv.DictReader(file)]
    assert [row[:6] for row in rows()] == sorted(wanted, key=lambda r: list(NAMES).index(r[0]))
