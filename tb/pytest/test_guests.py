# SPDX-License-Identifier: BSD-3-Clause
"""The table of `scripts/linux-compare`, by hand."""

from tlmssd_lab.guests import Run, table


def results(programs, erases, waf, cores):
    return {"flash": {"ops": {"program": programs, "erase": erases}}, "ftl": {"waf": waf}, "cpu": {"busy_fraction": cores}}


def test_seconds_have_an_interval_and_changes_are_by_seed():
    """Two seeds: t = 12.706, half a width = 12.706 * (difference / sqrt 2) / sqrt 2 = 6.353 * difference."""
    runs = {
        "inorder": [Run(2.0, results(100, 4, 2.0, [0.1, 0.3])), Run(4.0, results(300, 6, 3.0, [0.5, 0.2]))],
        "host": [Run(1.0, results(10, 0, None, [0.2])), Run(3.0, results(30, 0, 1.0, [0.4]))],
    }
    assert table(runs).splitlines()[2:] == [
        "| inorder | 3.0000 ± 12.7062 |  | 200 | 2.50 | 5 | 40 |",
        # the WAF of one seed alone; -50 and -25 %: mean -37.5, half a width 6.353 * 25 = 158.8
        "| host | 2.0000 ± 12.7062 | -37.5 ± 158.8 | 20 | 1.00 | 0 | 30 |",
    ]


def test_one_seed_has_no_interval():
    runs = {"sost": [Run(0.5, results(1, 0, 1.0, [0.0]))], "hybrid": [Run(0.6, results(1, 0, 1.0, [0.0]))]}
    assert table(runs).splitlines()[2:] == ["| sost | 0.5000 |  | 1 | 1.00 | 0 | 0 |", "| hybrid | 0.6000 | +20.0 | 1 | 1.00 | 0 | 0 |"]
