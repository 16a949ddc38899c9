# SPDX-License-Identifier: BSD-3-Clause
"""The program takes the settings of each experiment's runs."""
import subprocess

import pytest

from cli import ROOT
from conftest import binary_path
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.figures import experiment
from tlmssd_lab.figures.experiment_points import at_rate, loads, points
from tlmssd_lab.run.run import input_words


def chosen(wanted):
    """Points of the first seed with the first preset (without one: the first trace) that have each label of each
    dimension and each arrival once."""
    try:
        found = loads(wanted)[0]
    except LabInputError:
        pytest.skip("traces not found: set TLMSSD_TRACES")
    seen = set()
    for point in points(wanted, found[:1]):
        new = {("arrival", point.arrival), *point.labels.items()} - seen
        if point.seed == 1 and new:
            seen |= new
            yield point if point.arrival in (experiment.CLOSED, experiment.OWN) else at_rate(point, 1000)


@pytest.mark.parametrize("name", experiment.names())
def test_settings_are_understood(name):
    wanted = experiment.load(name)
    some = list(chosen(wanted))
    assert some
    for point in some:
        words = input_words(point.config or wanted.config, workload=point.load.preset, trace=point.load.trace,
                            settings=[point.settings])
        done = subprocess.run([binary_path(), "describe", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{point.name}: {done.stderr}"
