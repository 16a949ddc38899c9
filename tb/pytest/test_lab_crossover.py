# SPDX-License-Identifier: BSD-3-Clause
"""The crossover's table of LUTs: the laws are those of docs/notebook/area.md, the page has what is printed."""

import re

import pytest

from cli import ROOT
from tlmssd_lab.figures import crossover, figure

AREA = (ROOT / "docs/notebook/area.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("law", crossover.LAWS, ids=lambda law: law.top)
def test_the_laws_are_those_of_the_page_on_area(law):
    # As scripts/synth --fit prints them: LUT4 = 2,015 + 1,875 channels + 128 channels x LUNs    (top, tags, ...
    for name, values in (("LUT4", law.lut4), ("LUT sites", law.sites)):
        found = re.findall(rf"^    {name} = (.*) channels \+ (.*) channels x LUNs    \({law.top}, ",
                           AREA, re.MULTILINE)
        assert [re.split(r" \+ ", " + ".join(words).replace(",", "")) for words in found] == [
            [str(value) for value in values]]


def test_the_table_follows_the_laws_and_stands_on_the_page():
    parts = crossover.luts(["2", "4", "8"])
    rows = [line.split("|")[2:-1] for line in parts[1].split("\n")[2:]]
    # 2,015 + 2 x (1,875 + 8 x 128) = 7,813; 4 and 8 channels. Sites: 3,784 + 2 x (2,993 + 8 x 139) = 11,994.
    assert [cell.strip() for cell in rows[0]] == ["7,813", "13,611", "25,207", "11,994", "20,204", "36,624"]
    # 1,368 + 2 x (701 + 8 x 96) = 4,306; 7,813 - 4,306 = 3,507.
    assert (rows[1][0].strip(), rows[3][0].strip()) == ("4,306", "3,507")
    page = (ROOT / "docs/notebook/crossover.md").read_text(encoding="utf-8")
    assert "\n\n".join(map(figure._filled, parts)) in page


def test_names_and_commands_are_not_broken_at_their_hyphens():
    # 118 columns end inside of the command, between its hyphens.
    text = f"{'x' * 90} `tlmssd-lab figure palloc-sizes`; a point"
    assert figure._filled(text) == f"{'x' * 90} `tlmssd-lab figure\npalloc-sizes`; a point"
    item = f"- {'x' * 100} uniform-palloc-sql1 (failed)"
    assert figure._filled(item) == f"- {'x' * 100}\n  uniform-palloc-sql1 (failed)"
