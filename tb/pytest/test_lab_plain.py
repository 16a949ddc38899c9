# SPDX-License-Identifier: BSD-3-Clause
"""The report of any experiment's columns: numbers by hand."""

import pytest

from cli import DONE, INPUT_ERROR, ROOT
from lab_support import call_lab, crafted, fake_program, traffic

SMALL = f"""
title: Small
source: nobody
page: page.md
report: plain
config: {ROOT / "configs/ssd/default.yaml"}
dimensions:
  depth: {{key: host.queue_depth, values: [1, 8]}}
  scheme: {{key: scheduler, values: [vaq, paq2]}}
base: {{scheme: vaq}}
loads: {{presets: [randread-4k]}}
seeds: 2
paper:
  columns: {{IOPS: host.all.iops, "hits, %": buffer.hit_ratio, "all, s": spent_s, none: prefetch.pages}}
  in_percent: ["hits, %"]
"""


def at(iops, response=100.0):
    return crafted(host__all=traffic(50, iops, response, 200.0), buffer__hit_ratio=0.25)


def run(tmp_path, text, cases):
    path = tmp_path / "small.yaml"
    path.write_text(text, encoding="utf-8")
    return call_lab("figure", path, "--out", tmp_path / "out", program=fake_program(tmp_path, cases))


CASES = [
    ["1+vaq/closed-seed-1", 0, "", at(1000.0)],
    ["1+vaq/closed-seed-2", 0, "", at(2000.0)],
    ["1+paq2/closed-seed-1", 0, "", at(1100.0)],
    ["1+paq2/closed-seed-2", 0, "", at(2200.0)],
    ["8+vaq/", 0, "", at(4000.0)],
    ["8+paq2/", 0, "", at(3000.0, 2000.0)],
]


def test_values_have_intervals_and_changes_are_seed_by_seed(tmp_path):
    status, out, err = run(tmp_path, SMALL, CASES)
    assert status == DONE, err
    # 1000 and 2000: deviation 707.1, t with one degree of freedom 12.706, half = 12.706 * 707.1 / sqrt 2 = 6353.
    assert "| 1 | vaq | 1,500 ± 6,353 | 25.00 | 0.005000 | - |" in out
    assert "| 8 | paq2 | 3,000 | 25.00 | 0.1000 | - |" in out
    # 1100 / 1000 and 2200 / 2000: +10 % with both seeds, so no spread.
    assert "| 1 | paq2 | +10.0 | +0.0 | +0.0 | - |" in out
    assert "| 8 | paq2 | -25.0 | +0.0 | +1900.0 | - |" in out
    assert "| 1 | vaq | +" not in out, "the base has no change"


@pytest.mark.parametrize("old, new, words", [
    ("columns:", "colums:", "paper.columns: must be a map"),
    ('in_percent: ["hits, %"]', 'in_percent: ["hit, %"]', "'hit, %' is none of paper.columns"),
])
def test_a_wrong_file_is_one_line(tmp_path, old, new, words):
    assert old in SMALL
    status, out, err = run(tmp_path, SMALL.replace(old, new), CASES)
    assert (status, out) == (INPUT_ERROR, "") and words in err and len(err.strip().splitlines()) == 1, err
