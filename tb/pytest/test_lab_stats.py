# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of the lab against hand-computed values."""

import math
import random

import pytest

from tlmssd_lab.stats import mean_interval, paired_interval, t_quantile


def test_t_quantiles_have_their_closed_forms():
    # One degree of freedom (Cauchy): tan(pi (p - 1/2)). Two: (2p - 1) / sqrt(2 p (1 - p)).
    for p in (0.9, 0.975, 0.995):
        assert t_quantile(p, 1) == pytest.approx(math.tan(math.pi * (p - 0.5)), rel=1e-9)
        assert t_quantile(p, 2) == pytest.approx((2 * p - 1) / math.sqrt(2 * p * (1 - p)), rel=1e-9)


@pytest.mark.parametrize("degrees, table", [(4, 2.776), (9, 2.262), (29, 2.045), (120, 1.980)])
def test_t_quantiles_are_those_of_the_printed_tables(degrees, table):
    assert t_quantile(0.975, degrees) == pytest.approx(table, abs=5e-4)


def test_the_interval_of_three_values():
    # mean 4, s = sqrt((4 + 0 + 4) / 2) = 2, t(0.975, 2) = 4.302653:
    # half = t * 2 / sqrt(3) = 4.968276
    interval = mean_interval([2.0, 4.0, 6.0])
    assert (interval.n, interval.mean) == (3, 4.0)
    assert interval.half_width == pytest.approx(4.968276, abs=1e-6)
    assert interval.low == pytest.approx(-0.968276, abs=1e-6)
    assert interval.high == pytest.approx(8.968276, abs=1e-6)
    assert not interval.excludes_zero


def test_less_confidence_gives_a_narrower_interval():
    # two values 1 and 3: mean 2, s = sqrt 2, half = t * s / sqrt 2 = t;
    # t(0.75, 1) = tan(pi / 4) = 1
    interval = mean_interval([1.0, 3.0], confidence=0.5)
    assert (interval.low, interval.high) == (pytest.approx(1.0), pytest.approx(3.0))


def test_one_value_has_a_mean_and_no_interval():
    interval = mean_interval([5.0])
    assert (interval.mean, interval.low, interval.high, interval.half_width) == (
        5.0,
        None,
        None,
        None,
    )
    assert not interval.excludes_zero


def test_pairs_count_not_the_spread_between_seeds():
    # differences 1, 3, 2: mean 2, s = 1, half = 4.302653 / sqrt(3) = 2.484138: 0 is inside
    weak = paired_interval([10, 200, 3000], [11, 203, 3002])
    assert (weak.mean, weak.low) == (2, pytest.approx(-0.484138, abs=1e-6))
    assert not weak.excludes_zero
    # differences 4, 6, 5: the same width about 5: 0 is outside
    strong = paired_interval([10, 200, 3000], [14, 206, 3005])
    assert strong.low == pytest.approx(2.515862, abs=1e-6) and strong.excludes_zero


def test_a_difference_below_zero_excludes_it_too():
    interval = paired_interval([14.0, 206.0, 3005.0], [10.0, 200.0, 3000.0])
    assert interval.high == pytest.approx(-2.515862, abs=1e-6) and interval.excludes_zero


def test_equal_pairs_differ_by_nothing_with_certainty():
    interval = paired_interval([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    assert (interval.mean, interval.low, interval.high) == (0.0, 0.0, 0.0)
    assert not interval.excludes_zero


def test_equal_values_have_an_interval_of_no_width():
    interval = mean_interval([0.1] * 7)  # a sum of rounded terms would leave some
    assert (interval.low, interval.high) == (interval.mean, interval.mean) == (0.1, 0.1)


def test_pairs_must_be_pairs():
    with pytest.raises(ValueError):
        paired_interval([1.0, 2.0], [1.0])


def test_ninety_five_per_cent_of_the_intervals_hold_the_true_mean():
    # 4,000 samples of five normal values: sqrt(0.95 * 0.05 / 4000) = 0.35 per cent; four of these
    draw = random.Random(1)
    held = 0
    for _ in range(4000):
        interval = mean_interval([draw.gauss(10, 3) for _ in range(5)])
        held += interval.low <= 10 <= interval.high
    assert abs(held / 4000 - 0.95) < 0.014
