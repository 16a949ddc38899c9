# SPDX-License-Identifier: BSD-3-Clause
"""docs/reference/glossary.md: every term that pages and messages need, in the order of the alphabet."""

import re

import pytest

from cli import ROOT
from test_words import WORDS

TERMS = """NCQ, ONFI, hil, ftl, GC, WAF, OP, CE#, DQ, DQS, NBD, ISS, MSR, PRP, FUA, OOB, ECC, tR, tPROG, tBERS, VAQ, PAQ,
SOST, HOST, Ozone, CAWR, AHCI, FIS, NVMe, SATA, HAL, DFTL, LPN, PPN, R/B#, die, plane, target, package, block, page, channel,
segment, request, command, page operation, flash operation, outstanding, queued, in flight, cache line, event queue, grant,
retire, complete, pending, time-out, station, fence, stream, workload, design point, excerpt, device file, comparison,
datasheet figures, lower bound, stage, mapping unit, victim, write point, steady state, Python tools"""


def tables(text):
    """The first cells of each table, without its head."""
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        yield [line.split(" | ")[0].removeprefix("| ") for line in part.split("\n") if line.startswith("| ")][1:]


def unsorted(text):
    return [pair for rows in tables(text) for pair in zip(rows, rows[1:])
            if pair[0].lower().replace("/", "") > pair[1].lower().replace("/", "")]


@pytest.fixture(name="page", scope="module")
def _page():
    return (ROOT / "docs/reference/glossary.md").read_text(encoding="utf-8")


def test_every_term_has_a_row(page):
    words = {word.strip("() ") for rows in tables(page) for row in rows
             for word in re.split(r", | (?=\()", row)}
    assert not [term for term in TERMS.replace("\n", " ").split(", ") if term not in words
                and not any(word.startswith(f"{term} ") for word in words)]


def test_tables_are_short_and_in_order(page):
    assert unsorted(page) == []
    assert max(len(rows) for rows in tables(page)) <= 40
    assert unsorted("## A\n| word |\n|---|\n| b | x |\n| a | y |\n") == [("b", "a")]


def test_words_that_may_not_come_back_are_in_a_column(page):
    """What test_words.py bans is named as what not to say."""
    listed = set(re.findall(r"`([\w -]+)`", "\n".join(line.rsplit(" | ", 1)[1] for line in page.split("\n")
                                                         if line.startswith("| "))))
    singular = {word.banned[0].removesuffix("s") for word in WORDS} - {"bound", "collection"}
    missing = {word for word in singular if not any(word in each for each in listed)}
    assert missing == set()
