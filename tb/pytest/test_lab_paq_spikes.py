# SPDX-License-Identifier: BSD-3-Clause
"""The table of PAQ's Fig. 13: requests of all seeds, each against the same request of the base."""
import types

import pandas

from tlmssd_lab.figures import paq


class Runs:
    """Two seeds; latencies in us of three requests by scheme and seed, in the order of issue 2, 0, 1."""

    LATENCY = {"vaq": {1: [10, 10, 10], 2: [10, 10, 20]}, "paq2": {1: [5, 5, 30], 2: [5, 5, 30]}}
    loads = [types.SimpleNamespace(name="sql3")]

    def labels(self, dimension):
        return list(self.LATENCY)

    def results(self, load, scheme):
        order = [2, 0, 1]
        return {
            seed: types.SimpleNamespace(log=pandas.DataFrame(
                {"issue_ns": order, "latency_us": [float(values[i]) for i in order]}))
            for seed, values in self.LATENCY[scheme].items()
        }

    def mean(self, key, load, scheme):
        return {"vaq": 100.0, "paq2": 150.0}[scheme]


def test_spikes_are_of_all_seeds():
    report = paq.paq_spikes(Runs())
    row = next(line for line in report.parts[0].splitlines() if line.startswith("| paq2 "))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    # 80 us for 6 requests against 70; beyond twice VAQ's: 30 against 10 of seed 1, not 30 against 20 of seed 2.
    assert cells == ["paq2", "13", "-14.3", "30", "30", "16.67 %", "3.00", "+50.0"]
    assert list(report.drawings) == ["-sql3"]
