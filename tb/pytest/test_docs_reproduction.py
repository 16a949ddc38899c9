# SPDX-License-Identifier: BSD-3-Clause
"""docs/notebook/reproduction.md: every row of the papers' figures, as reference/reproduction.csv has it."""

import csv
import os
import pathlib
import re

import pytest

from cli import DONE, ROOT
from conftest import binary_path
from lab_support import call_lab
from tlmssd_lab.reproduce import page, rows
from tlmssd_lab.reproduce.verdict import VERDICTS

NAMES = {"PAQ": "PAQ", "PALLOC": "Page allocation", "SOST": "Software", "CAWR": "CAWR",
         "SMART": "Launch"}


def shown():
    """(paper, the cells of a row) of the page's tables."""
    found, paper = [], None
    for line in (ROOT / "docs/notebook/reproduction.md").read_text(encoding="utf-8").split("\n"):
        if line.startswith("## "):
            paper = next((k for k, name in NAMES.items() if line[3:].startswith(name)), None)
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if paper and len(cells) == len(page.HEADS) and cells[0] not in ("figure", "---"):
            found.append((paper, *cells))
    return found


def test_the_page_is_what_the_rows_say():
    assert page.faults(rows.read()) == []


def test_each_row_has_a_verdict_and_each_difference_a_reason():
    for row in shown():
        verdict, why = row[8].strip("*"), row[9]
        assert verdict in VERDICTS, row
        assert verdict in ("reproduced", "not judged") or why, row


def test_the_counts_at_the_top_are_those_of_the_rows():
    text = (ROOT / "docs/notebook/reproduction.md").read_text(encoding="utf-8")
    for verdict in VERDICTS:
        told = int(re.search(rf"\*\*{verdict}\*\* \| (\d+) \|", text)[1])
        assert told == sum(row[8] == f"**{verdict}**" for row in shown()), verdict


def test_every_row_of_the_papers_figures_is_there():
    folder = os.environ.get("TLMSSD_REFERENCE") or ROOT.parent / "shared/reference"
    listed = pathlib.Path(folder) / "results.csv"
    if not listed.is_file():
        pytest.skip("the papers' figures (results.csv) are not here: set TLMSSD_REFERENCE")
    with listed.open(encoding="utf-8", newline="") as file:
        wanted = [(r["paper"], r["figure"], r["metric"], r["workload"], r["compares"],
                   f"{r['value']} {r['unit']}".strip().replace("percent", "%")) for r in csv.DictReader(file)]
    assert [row[:6] for row in shown() if row[:6] in wanted] == sorted(wanted, key=lambda r: list(NAMES).index(r[0]))
    assert all(row[5] == "trend" for row in shown() if row[:6] not in wanted), "of figures without numbers in the text"


def test_verdicts_stamps_and_the_cheap_rows_hold_with_this_program(tmp_path):
    """tlmssd-lab reproduce --check, with the repository's own rows and page."""
    status, out, err = call_lab("reproduce", "--check", "--quiet", "--out", tmp_path, program=binary_path(),
                                timeout=1200)
    assert status == DONE, out + err
