# SPDX-License-Identifier: BSD-3-Clause
"""Experiment paq-contention: how much less contention time PAQ2 has than VAQ, by hand."""

import json

from lab_support import crafted
from test_lab_figure import SMALL, write
from tlmssd_lab.figures import data as figure_data
from tlmssd_lab.figures import experiment, paq
from tlmssd_lab.figures.experiment_points import ExperimentLoad, Point
from tlmssd_lab.figures.experiment_run import Done
from tlmssd_lab.run.result import load as load_result

TEXT = SMALL.replace("report: paq_causes", "report: paq_contention\nseeds: 2")
TEXT = TEXT.replace("base: {scheme: vaq}", "base: {scheme: vaq}\nsubject: {scheme: paq2}")


def test_contention_is_compared_seed_by_seed(tmp_path):
    # a: 100 to 20 and 100 to 10: 80 and 90 % less, 85 +- 12.706 * 7.0711 / sqrt(2) = 63.5; falls.
    # b: 100 to 150 and to 50: 0 +- 635; does not. As it is with depth: nothing to compare but one seed of a.
    results = [
        ("a", "as is", "vaq", 1, 100), ("a", "as is", "paq2", 1, 20), ("a", "as is", "vaq", 2, 100),
        ("a", "as is", "paq2", 2, 10), ("b", "as is", "vaq", 1, 100), ("b", "as is", "paq2", 1, 150),
        ("b", "as is", "vaq", 2, 100), ("b", "as is", "paq2", 2, 50), ("a", "deep", "vaq", 1, 10),
        ("a", "deep", "paq2", 1, 40), ("b", "deep", "vaq", 1, 0), ("b", "deep", "paq2", 1, 40),
    ]
    made = []
    for number, (load, device, scheme, seed, contention) in enumerate(results):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "results.json").write_text(json.dumps(crafted(flash__contention_us=contention, seed=seed)))
        point = Point(ExperimentLoad(load), {"device": device, "scheme": scheme}, "closed", seed, {})
        made.append(Done(point, load_result(folder)))
    data = figure_data.Data(experiment.load(str(write(tmp_path, TEXT))), made)
    lines = paq.paq_contention(data).parts[0].splitlines()
    assert lines[2] == "| load | as is | deep |"
    assert lines[4] == "| a | +85.0 ± 64 | -300.0 |"  # one seed has no interval
    assert lines[5] == "| b | +0.0 ± 635 | - |"  # nothing is no base
    assert lines[6] == "| falls on | 1 of 2 | 0 of 2 |"
