# SPDX-License-Identifier: BSD-3-Clause
"""Reports of garbage collection: the theory and their figures by hand, and one point of the real program."""

import pytest

from cli import DONE, ROOT
from lab_support import call_lab, crafted, fake_program
from tlmssd_lab.figures import experiment, gc_theory

HEAD = """
title: Small
source: nobody
page: page.md
config: CONFIG
loads: {presets: [randwrite-4k]}
limits: {requests: 100}
"""

AMPLIFICATION = HEAD + """
report: gc_amplification
set:
  host.kind: direct
  buffer.policy: none
  geometry.channels: 1
  geometry.ways: 1
  geometry.dies: 1
  geometry.planes: 1
  geometry.blocks: 256
  geometry.pages: 64
  ftl.placement: static
  ftl.gc.threshold_blocks: 2
  precondition: {fill: 1.0, overwrite: 4, steady: true, steady_window: 1, steady_limit: 100}
dimensions:
  policy:
    greedy: {ftl.gc.policy: greedy}
    random: {ftl.gc.policy: random}
  spare: {key: ftl.over_provisioning, values: [0.385]}
paper: {tolerance: 3}
"""

HOT_COLD = HEAD + """
report: gc_hot_cold
dimensions:
  pattern:
    uniform: {precondition.overwrite_pattern: random}
    half: {precondition.overwrite_pattern: "zoned:50/50:50/50"}
  policy: {key: ftl.gc.policy, values: [greedy, fifo]}
  moved: {key: ftl.gc.separate, values: [true, false]}
paper:
  shares: {half: [0.5, 0.5]}
"""

LAG = HEAD + """
report: gc_lag
dimensions:
  free:
    two: {ftl.gc.threshold_blocks: 2}
  queue:
    "1": {host.queue_depth: 1}
    "4": {host.queue_depth: 4}
"""


def run(tmp_path, program, text):
    path = tmp_path / "small.yaml"
    path.write_text(text.replace("CONFIG", str(ROOT / "configs/ssd/default.yaml")), encoding="utf-8")
    status, out, err = call_lab("figure", path, "--out", tmp_path / "out", "--quiet", program=program)
    assert status == DONE, err
    return " ".join(out.split())


def device(steady, run_waf):
    """One plane of 100 blocks of 2 pages, 200 / 1.385 = 144 logical ones. 3.5 blocks are idle: 193 pages
    for 144, 34.03 %."""
    return crafted(
        config__geometry={"channels": 1, "ways": 1, "dies": 1, "planes": 1, "blocks": 100, "pages": 2},
        config__ftl={"over_provisioning": 0.385, "gc": {"threshold_blocks": 2}},
        precondition={"waf": steady}, ftl__waf=run_waf)


def test_greedy_with_blocks_of_two_pages():
    """(q + 1 / 2) m = 1 + q with m = 2 / (1 + op): at 0.28 m = 1.5625, q = 0.21875 / 0.5625, A = 2 / (1 + q)."""
    assert gc_theory.greedy(0.28, 2) == pytest.approx(1.44, abs=1e-9)
    # 1 + 1 / 2: from there on victims are empty
    assert gc_theory.greedy(0.4999, 2) == pytest.approx(1, abs=1e-3)
    assert gc_theory.greedy(0.6, 2) == 1


def test_random_with_blocks_of_two_pages():
    """s(1) = x, s(0) = m - x, r = 1 / 2x in r (s(0) - s(1)) = (1 - s(0)) / (1 - s(1)): x = m / (4 - m). For
    m = 1.5: 0.6 and 0.9; a victim has 1 - 0.1 / 0.4 valid pages, A = 2 / 1.25. Of one page: never any."""
    assert gc_theory.choices(1 / 3, 2, 1) == pytest.approx(1.6, abs=1e-6)
    assert gc_theory.choices(0.28, 1, 1) == pytest.approx(1)


def test_fifo_and_many_choices():
    # 1 - exp(-1.28 g) = g between 0.40 (0.4007) and 0.41 (0.4083)
    assert 1 / 0.41 < gc_theory.fifo(0.28) < 1 / 0.40
    assert gc_theory.choices(0.28, 64, 1000) == pytest.approx(gc_theory.greedy(0.28, 64), rel=0.01)


def test_the_inverse_of_greedy_and_the_best_division():
    # 150 logical pages and 28 % are 192 pages, 96 blocks of 100
    assert gc_theory.idle_blocks(1.44, 100, 150, 2) == pytest.approx(4, abs=1e-6)
    # two halves of one heat: nothing is better than one half of the spare each
    assert gc_theory.apart(0.28, 64, 0.5, 0.5) == pytest.approx(gc_theory.greedy(0.28, 64), rel=1e-3)
    assert gc_theory.apart(0.28, 64, 0.1, 0.9) < gc_theory.greedy(0.28, 64)


def test_amplification_stands_beside_theory(tmp_path):
    """Greedy: m = 288 / 193, q = (1 - 144 / 193) / (m - 1) = 49 / 95, A = 190 / 144 = 1.319. Random:
    x = m / (4 - m) = 72 / 121, s(0) = m - x; a victim has 1 - (1 - s(0)) / (1 - x) = 0.7461, A = 1.595."""
    cases = [["policy=greedy", 0, "", device(1.3458, 1.3)], ["policy=random", 0, "", device(1.7545, 1.5)]]
    out = run(tmp_path, fake_program(tmp_path, cases), AMPLIFICATION)
    assert "| greedy | 38 | 34.03 | 1.346 | 1.319 | +2.0 | 1.300 |" in out
    assert "| random | 38 | 34.03 | 1.754 | 1.595 | +10.0 | 1.500 |" in out
    assert "1 of 2 are within 3 % of theory, the worst 10.0 % away" in out


def test_hot_and_cold_have_a_gain_and_a_reference(tmp_path):
    cases = [["separate=true", 0, "", device(1.2, 1)], ["separate=false", 0, "", device(1.5, 1)]]
    out = run(tmp_path, fake_program(tmp_path, cases), HOT_COLD)
    assert "| uniform | greedy | 1.200 | 1.500 | -20.0 | 1.319 |" in out
    assert "| half | greedy | 1.200 | 1.500 | -20.0 | 1.319 |" in out
    assert "| half | fifo | 1.200 | 1.500 | -20.0 | - |" in out


def test_lag_is_told_in_idle_blocks(tmp_path):
    """A = 1.44 needs 28 % of 144 pages: 184.32 pages, 92.16 blocks of 100; 1.319 the rule's 3.5."""
    cases = [["depth=1", 0, "", device(1.44, 190 / 144)], ["depth=4", 0, "", device(1.44, 1.44)]]
    out = run(tmp_path, fake_program(tmp_path, cases), LAG)
    assert "| two | 1.32 | 1.44 | 1.32 | 1.44 |" in out
    assert "| two | 3.5 | 7.8 | 3.5 | 7.8 |" in out


def test_the_pages_experiments_have_the_goals_of_the_project():
    spare = next(d for d in experiment.load("gc-amplification").dimensions if d.name == "spare")
    assert [float(label) for label in spare.labels] == [0.07, 0.15, 0.28]
    assert experiment.load("gc-amplification").paper["tolerance"] == 3


def test_greedy_is_near_theory_on_the_real_program(tlmssd, tmp_path):
    text = AMPLIFICATION.replace("    random: {ftl.gc.policy: random}\n", "").replace("0.385", "0.28")
    out = run(tmp_path, tlmssd.path, text)
    assert "1 of 1 are within 3 % of theory" in out
