# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab reproduce: verdicts by hand, rows and their errors, values of runs, stale rows."""

import dataclasses

import pytest

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.reproduce import page, rows
from tlmssd_lab.reproduce.rows import COLUMNS, Row
from tlmssd_lab.reproduce.values import parsed
from tlmssd_lab.reproduce.verdict import (
    DIRECTION, INPUT, NOT_JUDGED, REPRODUCED, SHOWN, UNKNOWN, Claim, Found, judge)

PERCENT = Claim("number", 40, 40, 0.2)  # 32 to 48
RANGE = Claim("number", 14, 42, 0.2)  # 11.2 to 50.4
LESS = Claim("number", -40, -40, 0.2)
SPREAD = Claim("factor", 0.01, 0.01, 2)  # 0.005 to 0.02


def found(low, high, seeds=5):
    return Found((low + high) / 2, low, high, seeds=seeds)


@pytest.mark.parametrize("claim, interval, verdict", [
    (PERCENT, found(32, 48), REPRODUCED),
    (PERCENT, found(31.9, 40), DIRECTION),  # the interval leaves the tolerance
    (PERCENT, found(40, 48.1), DIRECTION),
    (PERCENT, found(0.1, 2), DIRECTION),
    (PERCENT, found(-0.1, 60), UNKNOWN),  # 0 lies in it
    (PERCENT, found(-48, -32), UNKNOWN),
    (RANGE, found(11.2, 50.4), REPRODUCED),
    (RANGE, found(10, 30), DIRECTION),
    (LESS, found(-48, -32), REPRODUCED),
    (LESS, found(-5, -1), DIRECTION),
    (LESS, found(1, 5), UNKNOWN),
    (SPREAD, found(0.005, 0.02), REPRODUCED),
    (SPREAD, found(0.0049, 0.01), UNKNOWN),  # a spread is positive by nature: no direction
    (SPREAD, found(0.01, 0.021), UNKNOWN),
    (Claim("number", 0, 0, 0), found(0, 0), REPRODUCED),
    (Claim("number", 0, 0, 0), found(0, 1), UNKNOWN),
    (Claim("sign", 1, 1), found(0.1, 5), REPRODUCED),
    (Claim("sign", 1, 1), found(0, 5), UNKNOWN),
    (Claim("sign", -1, -1), found(-5, -0.1), REPRODUCED),
    (Claim("sign", -1, -1), found(0.1, 5), UNKNOWN),
    (Claim("name", name="PWCD"), Found(name="PWCD", seeds=5), REPRODUCED),
    (Claim("name", name="PWCD"), Found(name="PCWD or PWCD", seeds=5), UNKNOWN),
    (Claim("input"), None, INPUT),
    (PERCENT, None, NOT_JUDGED),
    (PERCENT, found(40, 40, seeds=4), NOT_JUDGED),
    (PERCENT, found(40, 40, seeds=1), NOT_JUDGED),
    (PERCENT, found(40, 40, seeds=0), REPRODUCED),  # a closed form: nothing is drawn
])
def test_a_verdict_follows_from_claim_tolerance_and_interval(claim, interval, verdict):
    assert judge(claim, interval, cause_shown=False) == verdict
    shown = judge(claim, interval, cause_shown=True)
    assert shown == (SHOWN if verdict == UNKNOWN else verdict)


def row(**changes):
    first = Row("a-1", "A", "1", "gain", "mean", "x vs y", "40", "%", "number", "40", "40", "0.2",
                "configs/ssd/paq.yaml", "paq-schemes", "gain key=host.all.iops; of=paq2; base=vaq")
    return dataclasses.replace(first, **changes)


def saved(tmp_path, *listed):
    file = tmp_path / "rows.csv"
    rows.write(listed, file)
    return file


def test_rows_come_back_as_they_were_written(tmp_path):
    listed = [row(cause="a, \"b\"\nc"), row(id="a-2", value="41", value_low="39", value_high="43", seeds="1 2 3 4 5")]
    assert rows.read(saved(tmp_path, *listed)) == listed


@pytest.mark.parametrize("changes, words", [
    ({"judge": "nummber"}, "judge: 'nummber' is none of number, factor, sign, name, input; did you mean 'number'?"),
    ({"verdict": "agrees"}, "verdict: 'agrees' is none of reproduced, direction only"),
    ({"low": "many"}, "low: 'many' is not a number"),
    ({"low": "50"}, "low: 50 is above high, 40"),
    ({"low": "", "high": ""}, "low: number needs low and high"),
    ({"tolerance": "1"}, "tolerance: '1': a share of the value from 0 to below 1"),
    ({"judge": "factor", "tolerance": "1"}, "tolerance: '1': a factor above 1"),
    ({"judge": "factor", "low": "-1", "tolerance": "2"}, "tolerance: '2': a factor above 1, of values above 0"),
    ({"judge": "sign"}, "low: sign needs 1 and 1, or -1 and -1"),
    ({"value": "much"}, "value: 'much' is not a number"),
])
def test_a_wrong_row_is_named_with_line_and_column(tmp_path, changes, words):
    file = saved(tmp_path, row(), row(id="a-2", **changes))
    with pytest.raises(LabInputError) as error:
        rows.read(file)
    assert str(error.value).startswith(f"{file}:3: {words}")


def test_a_wrong_file_is_named(tmp_path):
    file = saved(tmp_path, row(), row())
    with pytest.raises(LabInputError, match="rows.csv:3: id: 'a-1' is there twice"):
        rows.read(file)
    file.write_text(file.read_text().replace("tolerance,", "tolerence,", 1))
    with pytest.raises(LabInputError, match="rows.csv:1: unknown column 'tolerence'; did you mean 'tolerance'?"):
        rows.read(file)
    file.write_text(",".join(COLUMNS) + "\na,b\n")
    with pytest.raises(LabInputError, match=f"rows.csv:2: 2 columns instead of {len(COLUMNS)}"):
        rows.read(file)
    with pytest.raises(LabInputError, match="nothing.csv: No such file"):
        rows.read(tmp_path / "nothing.csv")


@pytest.mark.parametrize("text, words", [
    ("gian key=a; of=b; base=c", "no function 'gian'; did you mean 'gain'?"),
    ("gain key=a; of=b", "gain needs 'base'"),
    ("gain key=a; of=b; base=c; lods=d", "gain has no 'lods'; did you mean 'loads'?"),
    ("gain key", "'key' is not KEY=VALUE"),
    ("gain key=a; of=b; base=c; how=most", "how: 'most' is none of mean, median, max, min, sum"),
])
def test_a_wrong_value_is_named(text, words):
    with pytest.raises(LabInputError) as error:
        parsed(row(value_from=text))
    assert str(error.value) == f"a-1: value_from: {words}"


def test_a_row_is_chosen_by_its_id_or_the_beginning_of_it():
    listed = [row(id="paq-8-max"), row(id="paq-80"), row(id="paq-8")]
    assert [r.id for r in rows.chosen(listed, ["paq-8"])] == ["paq-8-max", "paq-8"]
    assert rows.chosen(listed, []) == listed
    with pytest.raises(LabInputError, match="no row 'paq-81' in .*; did you mean 'paq-8'?"):
        rows.chosen(listed, ["paq-81"])


def test_the_page_has_counts_intervals_and_stamps(tmp_path):
    file = tmp_path / "page.md"
    file.write_text(f"# P\n\n{page.FIRST}\nold\n{page.LAST}\n\nend\n")
    listed = [rows.filled(row(value="41", value_low="39", value_high="43", seeds="1 2 3 4 5", revision="abc",
                              date="2026-01-01", cause="why", cause_run="paq-causes", page="paq")),
              rows.filled(row(id="a-2"))]
    assert page.faults(listed, file)
    page.write(listed, file)
    text = file.read_text()
    assert page.faults(listed, file) == []
    assert text.startswith("# P\n") and text.endswith("\nend\n") and "old" not in text
    assert "| reproduced | 1 |" in text and "| not judged | 1 |" in text
    assert "| 40 % | 41 (39 to 43) | **reproduced** |" in text
    assert "`abc`, seeds 1 2 3 4 5, 2026-01-01 | why (`paq-causes`) [paq](paq.md) |" in text
    listed[0] = dataclasses.replace(listed[0], value="42")
    assert page.faults(listed, file)


def test_each_row_of_the_repository_can_be_read_and_its_value_is_known():
    listed = rows.read()
    assert len(listed) == 89
    for one in listed:
        assert one.verdict == one.judged, one.id
        if one.value_from:
            parsed(one)
