# SPDX-License-Identifier: BSD-3-Clause
"""scripts/same-results: waves of which signals or scopes have other names are compared by name."""
import sys

import pytest
from cli import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
# pylint: disable=wrong-import-position
from same_results.compare import by_name  # noqa: E402

OLD = """$timescale 1ps $end
$scope module top $end
$scope module u_look $end
$var wire 1 ! any_o $end
$var wire 8 " data [7:0] $end
$upscope $end
$scope module u_luns $end
$var wire 1 ! look_i $end
$var real 64 # level $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
0!
b00000001 "
r1.5 #
$end
#1500
1!
b00000010 "
"""
# The scope and a signal have another name; the scope stands behind the other, and all codes are others.
NEW = """$timescale 1ps $end
$scope module top $end
$scope module u_luns $end
$var wire 1 # look_i $end
$var real 64 ! level $end
$upscope $end
$scope module u_request $end
$var wire 1 # any_o $end
$var wire 8 $ data [7:0] $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
r1.5 !
0#
b00000001 $
$end
#1500
b00000010 $
1#
"""


def test_a_renamed_scope_changes_nothing():
    assert by_name(OLD.replace("u_look", "u_request")) == by_name(NEW)


@pytest.mark.parametrize("old, new", [
    ("#1500", "#1501"),                    # one picosecond
    ("1#\n", "0#\n"),                      # a value
    ("b00000010 $\n", ""),                 # a change that is missing
    ("r1.5 !", "r1.25 !"),
    ("wire 8 $", "wire 9 $"),              # a width
    ("$var real 64 ! level $end\n", "$var real 64 ! level $end\n$var wire 1 % more $end\n"),
], ids=["time", "value", "missing", "real", "width", "signal"])
def test_a_planted_difference_is_seen(old, new):
    assert NEW.count(old) == 1
    assert by_name(OLD.replace("u_look", "u_request")) != by_name(NEW.replace(old, new))


def test_values_of_two_signals_are_not_mixed_up():
    swapped = NEW.replace("$var wire 8 $ data [7:0]", "$var wire 8 $ other [7:0]")
    assert by_name(OLD.replace("u_look", "u_request")) != by_name(swapped)
