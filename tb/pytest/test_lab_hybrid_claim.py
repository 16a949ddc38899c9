# SPDX-License-Identifier: BSD-3-Clause
"""The claim of scheduler hybrid: margins over the best rival, verdicts, steady state, intervals."""

import json

import pytest

from lab_support import crafted, traffic
from test_lab_figure import SMALL, write
from tlmssd_lab.figures import data as figure_data
from tlmssd_lab.figures import experiment, hybrid_claim
from tlmssd_lab.figures.experiment_points import ExperimentLoad, Point
from tlmssd_lab.figures.experiment_run import Done
from tlmssd_lab.run.result import load as load_result

CLAIM = SMALL.replace("report: paq_causes", "report: hybrid_claim").replace("base: {scheme: vaq}", "subject: {scheme: paq2}")
CLAIM = CLAIM.replace("    deep: {host.queue_depth: 64}\n", "").replace("values: [vaq, paq2]", "values: [vaq, sost, paq2]")
CLAIM = CLAIM.replace("paper: {bandwidth: {mean: 32.6}}",
                      "paper: {rivals: [vaq, sost], within_percent: 2, points_percent: 85, worst_percent: 10, "
                      "write_gain: 1.15}\nseeds: 2")


def claimed(tmp_path, results):
    """Data of the claim. `results`: load, scheme, seed, IOPS, mean, p99 and changes of the document."""
    made = []
    for number, (load, scheme, seed, iops, mean, p99, changes) in enumerate(results):
        folder = tmp_path / str(number)
        folder.mkdir()
        document = crafted(host__all=traffic(100, iops, mean, p99), seed=seed, **changes)
        (folder / "results.json").write_text(json.dumps(document))
        labels = {"device": "as is", "scheme": scheme}
        made.append(Done(Point(ExperimentLoad(load), labels, "closed", seed, {}), load_result(folder)))
    return figure_data.Data(experiment.load(str(write(tmp_path, CLAIM))), made)


def test_the_claim_is_judged_against_the_best_rival_of_each_figure(tmp_path):
    # a: twice the throughput of sost, the best in it, in both seeds; half the mean of vaq, the best in that.
    # b: 0.97 of vaq's throughput; p99 1.25 times vaq's, so 0.8 times as good.
    collects = {"ftl__gc__blocks_erased": 5, "ftl__host_pages_written": 640}
    data = claimed(tmp_path, [
        ("a", "vaq", 1, 100, 10, 100, {}), ("a", "sost", 1, 200, 20, 100, {}), ("a", "paq2", 1, 400, 5, 100, collects),
        ("a", "vaq", 2, 100, 10, 100, {}), ("a", "sost", 2, 100, 20, 100, {}), ("a", "paq2", 2, 200, 5, 100, collects),
        ("b", "vaq", 1, 100, 10, 100, {}), ("b", "paq2", 1, 97, 10, 125, {}),
        ("b", "vaq", 2, 100, 10, 100, {}), ("b", "paq2", 2, 97, 10, 125, {}),
    ])
    found = {(m.load, m.figure): m for m in hybrid_claim.margins(data)}
    assert (found["a", "throughput"].rival, found["a", "throughput"].times.mean) == ("sost", 2)
    assert (found["a", "mean"].rival, found["a", "mean"].times.mean) == ("vaq", 2) and found["a", "mean"].better
    assert not found["a", "p99"].better and not found["a", "p99"].worse
    lost = found["b", "throughput"]
    assert lost.times.mean == pytest.approx(0.97) and lost.worse and not lost.within(0.02) and lost.within(0.04)
    assert found["b", "p99"].times.mean == pytest.approx(0.8) and found["b", "p99"].loses_more_than(0.1)
    assert hybrid_claim.write_gain(data).mean == 2  # a alone collects: 400 / 200 and 200 / 100
    text = "\n".join(hybrid_claim.hybrid_claim(data).parts)
    assert "**does not hold**: best or within 2 % of the best in all four figures on 1 of 2 points (50 %" in text
    assert "**does not hold**: on no point worse by more than 10 %: 2 of 8 figures are" in text  # p99 and p99.9 of b
    assert "**holds**: throughput 2.00 times the best rival's" in text
    assert "- as is, b: p99 0.800 times as good as vaq" in text and "as is, a:" not in text


def test_a_claim_within_its_interval_is_no_difference(tmp_path):
    data = claimed(tmp_path, [
        ("a", "vaq", 1, 100, 10, 100, {}), ("a", "paq2", 1, 90, 10, 100, {}),
        ("a", "vaq", 2, 100, 10, 100, {}), ("a", "paq2", 2, 130, 10, 100, {}),
    ])
    found = hybrid_claim.margins(data)[0]
    assert found.times.mean == pytest.approx(1.1) and not found.better and not found.worse
    assert "It loses on no point." in "\n".join(hybrid_claim.hybrid_claim(data).parts)


@pytest.mark.parametrize("end, written, stars", [(3.0, 640, 0), (2.7, 640, 1), (3.0, 639, 1), (2.7, 639, 2)])
def test_a_run_that_was_not_steady_has_a_star(end, written, stars, tmp_path):
    # 2 channels x 2 planes x 16 pages: 64 may be put off, ten times as many have to be written.
    changes = {"ftl__gc__blocks_erased": 5, "ftl__host_pages_written": written, "ftl__free_blocks__end": end}
    data = claimed(tmp_path, [("a", "paq2", 1, 100, 10, 100, changes)])
    text = hybrid_claim.hybrid_claim(data).parts[-1]
    assert f"({stars} runs' means)" in text
    row = next(line for line in text.splitlines() if line.startswith("| as is | a | paq2"))
    assert row.count("*") == stars


def test_the_widest_interval_of_each_figure_is_named(tmp_path):
    # IOPS 90 and 110: 100 +- 12.706 * 14.142 / sqrt(2), t with one degree of freedom. b has no spread.
    data = claimed(tmp_path, [
        ("a", "vaq", 1, 90, 10, 100, {}), ("a", "vaq", 2, 110, 10, 100, {}),
        ("b", "vaq", 1, 100, 10, 100, {}), ("b", "vaq", 2, 100, 10, 100, {}),
    ])
    text = figure_data.intervals(data)
    assert "IOPS ± 64 (median of the points), at most ± 127 (a, as is, vaq)" in text
    assert "99 % latency ± 0 (median of the points)" in text
    data.experiment = experiment.load(str(write(tmp_path, CLAIM.replace("seeds: 2", "seeds: 1"))))
    assert figure_data.intervals(data) == "One seed: no intervals."
