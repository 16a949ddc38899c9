# SPDX-License-Identifier: BSD-3-Clause
"""Every table of docs/notebook has revision, seeds and date: a stamp between its section's heading and the table,
as generated blocks have it. A table that no run gave has a mark right above it. Generated blocks are not looked at:
their program writes the stamp."""

import re

import pytest

from cli import ROOT

PAGES = [page for page in sorted((ROOT / "docs/notebook").glob("*.md")) if page.name != "index.md"]
STAMP = re.compile(r"Revision `[0-9a-f]{7,8}`.*; \d{4}-\d\d-\d\d\.")
MARK = "<!-- no measurement -->"
FIRST = re.compile(r"<!-- (?:figure [\w-]+|rows) -->")
LAST = re.compile(r"<!-- end of (?:figure [\w-]+|rows) -->")
HEADING = re.compile(r"#{1,6} ")
RULE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?)?\s*")  # below the head of a table


def unstamped(text):
    """Numbers of the lines where a table without stamp and without mark begins."""
    found, above, stamped, generated, fenced = [], "", False, False, False
    lines = text.split("\n")
    for number, (line, below) in enumerate(zip(lines, [*lines[1:], ""]), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif FIRST.fullmatch(line):
            generated = True
        elif LAST.fullmatch(line):
            generated = False
        elif fenced or generated:
            continue
        elif HEADING.match(line):
            stamped = False
        elif STAMP.fullmatch(line):
            stamped = True
        elif "|" in line and RULE.fullmatch(below) and not stamped and above != MARK:
            found.append(number)
        above = line.strip() or above
    return found


def test_every_table_of_the_notebook_has_a_stamp_or_a_mark():
    found = [f"{page.relative_to(ROOT)}:{number}" for page in PAGES
             for number in unstamped(page.read_text(encoding="utf-8"))]
    assert not found, "tables without revision, seeds and date:\n" + "\n".join(found)


TABLE = "| a | b |\n|---|---:|\n| 1 | 2 |\n"
STAMPED = "Revision `e3eb5721`; seeds 1, 2, 3, 4, 5; 2026-11-20.\n"
HEAD = f"# Page\n\n## Result\n\n{TABLE}"


def test_a_table_without_stamp_is_found():
    assert unstamped(HEAD) == [5]
    assert unstamped(f"{HEAD}\nWords.\n\n{TABLE}") == [5, 11]
    assert unstamped("# Page\n\n- Words.\n\n  a | b\n  --|--\n  1 | 2\n") == [5]


@pytest.mark.parametrize("stamp", [
    STAMPED,
    "Revision `e3eb572`; seed 1 alone, no interval; 2026-11-20.\n",
    "Revision `e3eb5721` (of the commit that brought the table); no seed: synthesis; 2026-11-20.\n",
])
def test_a_table_with_a_stamp_passes(stamp):
    assert not unstamped(f"# Page\n\n{stamp}\n{TABLE}\nWords.\n\n{TABLE}")


@pytest.mark.parametrize("stamp", [
    "Revision `e3eb5721`, 2026-11-20.\n",
    "Revision `e3eb5721`; seeds 1; 2026-11-20\n",
    "Revision e3eb5721; seeds 1; 2026-11-20.\n",
    "Written at revision `e3eb5721`; seeds 1; 2026-11-20.\n",
    "Revision `e3eb5721`; seeds 1,\n2; 2026-11-20.\n",
])
def test_what_only_looks_like_a_stamp_does_not_count(stamp):
    assert len(unstamped(f"# Page\n\n{stamp}\n{TABLE}")) == 1


def test_a_stamp_after_the_table_or_of_an_earlier_section_does_not_count():
    assert unstamped(f"{HEAD}\n{STAMPED}") == [5]
    assert unstamped(f"# Page\n\n{STAMPED}\n## Result\n\n{TABLE}") == [7]
    assert unstamped(f"# Page\n\n{STAMPED}\n{TABLE}\n### More\n\n{TABLE}") == [11]


@pytest.mark.parametrize("first, last", [("figure paq-fig13", "end of figure paq-fig13"), ("rows", "end of rows")])
def test_a_generated_block_is_left_out_and_its_stamp_is_its_own(first, last):
    block = f"<!-- {first} -->\n\n{STAMPED}\n{TABLE}\n<!-- {last} -->\n"
    assert not unstamped(f"# Page\n\n{block}")
    assert not unstamped(f"# Page\n\n{block.replace(STAMPED, '')}")
    assert unstamped(f"# Page\n\n{block}\n{TABLE}") == [13]


def test_a_mark_is_of_the_table_below_it():
    assert not unstamped(f"# Page\n\n{MARK}\n\n{TABLE}")
    assert unstamped(f"# Page\n\n{MARK}\n\n{TABLE}\n{TABLE}") == [9]
    assert unstamped(f"# Page\n\n{MARK}\n\nWords.\n\n{TABLE}") == [7]


def test_a_fenced_block_has_neither_tables_nor_headings():
    assert not unstamped(f"# Page\n\n```\n{TABLE}```\n")
    assert not unstamped(f"# Page\n\n{STAMPED}\n```\n# a remark\n```\n\n{TABLE}")
