# SPDX-License-Identifier: BSD-3-Clause
"""The report of any experiment's columns, the grid and the performance map: numbers by hand."""

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


GRID = f"""
title: Small
source: nobody
page: page.md
report: paq_grid
config: {ROOT / "configs/ssd/paq.yaml"}
dimensions:
  queue entries: {{key: host.queue_depth, values: [8, 32]}}
  channels: {{key: geometry.channels, values: [2, 4]}}
  scheme: {{key: scheduler, values: [vaq, paq2]}}
base: {{scheme: vaq}}
loads: {{presets: [uniform-web1, uniform-fin2]}}
"""


def test_the_grid_has_a_row_per_queue_size_and_a_column_per_channel_count(tmp_path):
    status, out, err = run(tmp_path, GRID, [
        ["uniform-web1/32+4+paq2/", 0, "", at(8800.0)],
        ["uniform-fin2/32+4+paq2/", 0, "", at(2200.0)],  # geometric mean 4400, of 2200: +100 %
        ["/8+2+paq2/", 0, "", at(1650.0)],
        ["/8+4+paq2/", 0, "", at(2200.0)],
        ["/32+2+paq2/", 0, "", at(1100.0)],
        ["+2+vaq/", 0, "", at(1100.0)],
        ["+4+vaq/", 0, "", at(2200.0)],
    ])
    assert status == DONE, err
    assert "| 8 | 1.10 | 2.20 |" in out and "| 32 | 1.10 | 2.20 |" in out
    assert "| 8 | +50.0 | +0.0 |" in out and "| 32 | +0.0 | +100.0 |" in out


MAP = f"""
title: Small
source: nobody
page: page.md
report: palloc_map
config: {ROOT / "configs/ssd/palloc.yaml"}
dimensions:
  order: {{key: ftl.allocation, values: [CWDP, CPWD, PDWC]}}
base: {{order: CWDP}}
arrivals: [closed, 0.5]
loads: {{presets: [uniform-palloc-web]}}
paper: {{says: something}}
"""


def test_the_map_has_throughput_beside_latency_for_each_order_and_group(tmp_path):
    status, out, err = run(tmp_path, MAP, [
        ["CWDP/", 0, "", at(1000.0, 100.0)],
        ["CPWD/", 0, "", at(900.0, 90.0)],
        ["PDWC/closed", 0, "", at(1500.0, 80.0)],
        ["PDWC/0.5", 0, "", at(500.0, 130.0)],
    ])
    assert status == DONE, err
    assert "| PDWC | plane first | +50.0 | -20.0 | +30.0 |" in out
    assert "| plane first | +50.0 | -20.0 | +30.0 |" in out
    # CWDP itself 0 and CPWD -10: the mean of the group is -5 in all three.
    assert "| channel first | -5.0 | -5.0 | -5.0 |" in out
