# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab reproduce: verdicts by hand, rows and their errors, values of runs, what --check finds."""

import dataclasses
import math

import pytest

from cli import DONE, ROOT
from conftest import binary_path
from lab_support import call_lab, crafted, fake_program, traffic
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.figures import experiment
from tlmssd_lab.reproduce import page, reproduce, rows
from tlmssd_lab.reproduce.reproduce import Options
from tlmssd_lab.reproduce.rows import COLUMNS, RUN, STAMP, Row
from tlmssd_lab.reproduce.values import parsed
from tlmssd_lab.reproduce.verdict import (
    DIRECTION, INPUT, NOT_JUDGED, REPRODUCED, SHOWN, UNKNOWN, Claim, Found, judge)

PERCENT = Claim("number", 40, 40, 0.2)  # 32 to 48
RANGE = Claim("number", 14, 42, 0.2)  # 11.2 to 50.4
LESS = Claim("number", -40, -40, 0.2)
SHARE = Claim("level", 80, 80, 0.2)  # 64 to 96
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
    (SHARE, found(64, 96), REPRODUCED),
    (SHARE, found(63, 70), UNKNOWN),  # a share is positive by nature: no direction
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
    first = Row("a-1", "A", "1", "gain", "mean", "x vs y", "40", "%", "number", "40", "40", "0.2", "",
                "paq-schemes", "gain key=host.all.iops; of=paq2; base=vaq", STAMP)
    return dataclasses.replace(first, **changes)


def measured(**changes):
    """As filled in: a value with a stamp."""
    return rows.filled(row(), **{"value": "41", "value_low": "39", "value_high": "43", "seeds": "1 2 3 4 5",
                                 "revision": "abc", "date": "2026-01-01", "probe": "0123", **changes})


def saved(tmp_path, *listed):
    file = tmp_path / "rows.csv"
    rows.write(listed, file)
    return file


def test_rows_come_back_as_they_were_written(tmp_path):
    listed = [row(cause="a, \"b\"\nc"), measured(id="a-2"), measured(id="a-3", value="41..43")]
    assert rows.read(saved(tmp_path, *listed)) == listed


@pytest.mark.parametrize("changes, words", [
    ({"judge": "nummber"}, "judge: 'nummber' is none of number, level, factor, sign, name, input; did you mean 'number'?"),
    ({"verdict": "agrees"}, "verdict: 'agrees' is none of reproduced, direction only"),
    ({"low": "many"}, "low: 'many' is not a number"),
    ({"low": "50"}, "low: 50 is above high, 40"),
    ({"low": "", "high": ""}, "low: number needs low and high"),
    ({"tolerance": "1"}, "tolerance: '1': a share of the value from 0 to below 1"),
    ({"judge": "factor", "tolerance": "1"}, "tolerance: '1': a factor above 1"),
    ({"judge": "factor", "low": "-1", "tolerance": "2"}, "tolerance: '2': a factor above 1, of values above 0"),
    ({"judge": "sign"}, "low: sign needs 1 and 1, or -1 and -1"),
    ({"value": "much", "probe": "0123"}, "value: 'much' is not a number"),
    ({"value_low": "much"}, "value_low: 'much' is not a number"),
    ({"check": "always"}, "check: 'always' is none of run, stamp"),
    ({"check": ""}, "check: '': a row with an experiment has run or stamp, others nothing"),
    ({"value_from": "page"}, "value_from: 'page': a row with an experiment has functions, others 'page' or nothing"),
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
    ("gain key=a; of=b; base=c; how=most", "how: 'most' is none of mean, median, max, min, range"),
    ("gain key=a; of=b; base=c; times=two", "times: 'two' is not a number"),
    ("gain key=a; of=b; base=c & gian key=a", "no function 'gian'; did you mean 'gain'?"),
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
    told = row(id="a-2", value="about 50", seeds="1", revision="def", cause="why", page="paq")
    span = measured(id="a-3", value="33..47", value_low="32.5", value_high="47.5")
    listed = [measured(cause="why", cause_run="paq-causes", page="paq"), rows.filled(told), span]
    assert page.faults(listed, file)
    page.write(listed, file)
    text = file.read_text()
    assert page.faults(listed, file) == []
    assert text.startswith("# P\n") and text.endswith("\nend\n") and "old" not in text
    assert "| **reproduced** | 2 |" in text and "| **not judged** | 1 |" in text and "| all | 3 |" in text
    assert "| 40 % | 32 to 48 | 41 (39 to 43) | **reproduced** | why (`paq-causes`) [paq](paq.md) | `a-1` |" in text
    assert "| about 50; 1 seed, revision `def`, from page | **not judged** | why [paq](paq.md) |" in text
    assert "| 33 to 47 (32.5 to 47.5) |" in text
    assert "| `paq-schemes` | `` | 2 | `abc` | 1 2 3 4 5 | 2026-01-01 | short points |" in text
    listed[0] = dataclasses.replace(listed[0], value="42")
    assert page.faults(listed, file)


SMALL = """
title: Small
source: nobody
page: PAGE
report: paq_causes
config: ROOT/configs/ssd/default.yaml
set: {geometry.blocks: 64, geometry.pages: 16, workload.size: 1m}
dimensions:
  scheme: {inorder: {scheduler: inorder}, host: {scheduler: host}}
base: {scheme: inorder}
loads: {presets: [randread-4k, randwrite-4k]}
limits: {requests: 40}
reproduce: {loads: {presets: [randread-4k]}, seeds: 5}
"""


@pytest.fixture
def small(tmp_path):
    """Files of an experiment of two schemes, and of one row of it that no run has filled in."""
    path = tmp_path / "small.yaml"
    path.write_text(SMALL.replace("ROOT", str(ROOT)))
    one = row(experiment=str(path), value_from="gain key=host.all.iops; of=host; base=inorder", low="20", high="20",
              check=RUN)
    file = saved(tmp_path, one)
    place = tmp_path / "page.md"
    place.write_text(f"{page.FIRST}\n{page.LAST}\n")
    return Options(file=file, page=place, out=tmp_path / "out", jobs=1)


def played(folder, gains):
    """A program whose host does 1,000 requests a second with inorder, and so many % more with host by seed."""
    folder.mkdir(exist_ok=True)
    cases = [["scheduler=inorder", 0, "", crafted(host__all=traffic(40, 1000.0, 100.0, 200.0))]]
    for seed, percent in enumerate(gains, 1):
        speed = traffic(40, 1000.0 + 10 * percent, 100.0, 200.0)
        cases.append([f"scheduler=host --set workload.mode=closed --set workload.rate_iops=none --set seed={seed}",
                      0, "", crafted(host__all=speed)])
    return fake_program(folder, cases)


def test_a_row_gets_the_mean_of_five_seeds_and_its_interval(small, tmp_path):
    options = dataclasses.replace(small, binary=played(tmp_path / "a", (18, 19, 20, 21, 22)))
    (one,) = reproduce.update([], options, write=True)
    # s = sqrt(10 / 4) = 1.5811; t(0.975, 4) = 2.7764; half = 2.7764 * 1.5811 / sqrt(5) = 1.9633
    assert (one.value, one.value_low, one.value_high) == ("20", "18.037", "21.963")
    assert one.seeds == "1 2 3 4 5" and one.device == "configs/ssd/default.yaml" and one.revision == "abc"
    assert one.verdict == "reproduced" and rows.read(options.file) == [one]
    assert reproduce.faults([], options) == []


def test_an_interval_that_leaves_the_tolerance_is_not_reproduced(small, tmp_path):
    options = dataclasses.replace(small, binary=played(tmp_path / "a", (14, 17, 20, 23, 26)))  # half = 5.89
    (one,) = reproduce.update([], options)
    assert one.value == "20" and one.verdict == "direction only"
    assert not rows.read(options.file)[0].measured, "nothing is written without write"


def test_check_finds_a_stale_stamp_a_wrong_value_and_a_wrong_verdict(small, tmp_path):
    options = dataclasses.replace(small, binary=played(tmp_path / "a", (18, 19, 20, 21, 22)))
    (good,) = reproduce.update([], options, write=True)

    def found(one, **changes):
        rows.write([one], options.file)
        page.write([one], options.page)
        return reproduce.faults([], dataclasses.replace(options, **changes))

    assert found(good) == []
    assert "a-1: stale: " in found(dataclasses.replace(good, probe="0" * 12))[1]
    assert found(dataclasses.replace(good, verdict="direction only")) == [
        "a-1: the verdict is 'direction only', but 'reproduced' follows from its figures"]
    # By hand: the seal notices it; with a new seal the runs do.
    changed = dataclasses.replace(good, value="20.5")
    assert "its claim or its value was changed without a run" in found(changed)[0]
    assert found(dataclasses.replace(changed, seal=changed.sealed)) == [
        "a-1: the value is 20.5 (18.037 to 21.963), but runs give 20 (18.037 to 21.963)"]
    # A tolerance that is widened after the run.
    assert "its claim or its value was changed" in found(dataclasses.replace(good, tolerance="0.9"))[0]
    # A page that says other things.
    rows.write([good], options.file)
    options.page.write_text(options.page.read_text().replace("reproduced", "refuted"))
    assert reproduce.faults([], options) == ["page.md: not what the rows say; tlmssd-lab reproduce --write-page"]
    # A program that does something else: of this row the stamp and the value, of one with check STAMP the stamp.
    other = {"binary": played(tmp_path / "b", (28, 29, 30, 31, 32)), "out": tmp_path / "others"}
    assert [text.split(":")[1].split(" is ")[0] for text in found(good, **other)] == [" stale", " the value"]
    cheap = rows.filled(good, check=STAMP)
    assert [text.split(":")[1] for text in found(cheap, **other)] == [" stale"]
    assert found(dataclasses.replace(good, cause_run="nothing")) == ["a-1: cause_run: 'nothing' is no experiment"]


def test_a_changed_device_file_makes_a_row_stale(tmp_path, small):
    """With the program itself: a slower part, and nothing else."""
    options = dataclasses.replace(small, binary=binary_path())
    reproduce.update([], options, write=True)
    assert reproduce.faults([], options) == []
    file = tmp_path / "small.yaml"
    file.write_text(file.read_text().replace("workload.size: 1m", "workload.size: 1m, nand.t_read_us: 60"))
    assert any(": stale: " in text for text in reproduce.faults([], options))


def test_only_the_points_of_the_rows_are_run(small, tmp_path):
    options = dataclasses.replace(small, binary=played(tmp_path / "a", (18, 19, 20, 21, 22)))
    reproduce.update([], options)
    runs = (tmp_path / "a/program.calls").read_text().splitlines()
    assert not any("randwrite-4k" in run for run in runs), "the form `reproduce` has one load"
    assert sum(" --out " in run and "/rows/" in run for run in runs) == 10


def test_each_row_of_the_repository_can_be_read_and_its_points_exist():
    listed = rows.read()
    assert sum(not one.variant for one in listed) == 90
    for one in listed:
        assert one.verdict == one.judged, one.id
        assert not one.cause_run or one.cause_run in experiment.names(), one.id
        if one.measured:
            assert one.seal == one.sealed, one.id
            assert (ROOT / one.device).is_file(), one.id
        else:
            assert one.judge == "input" or one.seeds and one.verdict == "not judged", one.id
    for name, group in reproduce.by_experiment(listed).items():
        work = reproduce.work(name, group, Options())
        assert len(work.wanted.seeds) >= 5 and work.points, name
        if any(one.measured for one in group):
            assert all(one.device == str(work.device) for one in group if one.measured), name


def test_a_variant_claims_what_the_papers_row_claims_and_names_its_configuration():
    """The paper's value and tolerance, so that no second configuration gets a softer judge."""
    listed = rows.read()
    papers = [one for one in listed if not one.variant]
    for one in listed:
        if not one.variant:
            continue
        same = [
            row for row in papers
            if one.paper == rows.VARIANTS + row.paper and (one.figure, one.metric, one.over) == (
                row.figure, row.metric, row.over)
        ]
        assert len(same) == 1, one.id
        for column in ("paper_value", "unit", "judge", "low", "high", "tolerance"):
            assert getattr(one, column) == getattr(same[0], column), (one.id, column)
        assert one.experiment != same[0].experiment and one.compares != same[0].compares, one.id
        assert "configs/ssd/" in one.cause, one.id


def test_no_tolerance_is_as_large_as_the_papers_value():
    for one in rows.read():
        if one.judge in ("number", "level"):
            assert one.claim.tolerance < 1
        if one.judge == "factor":
            assert math.isclose(one.claim.tolerance, 2), "spreads: a factor of 2"


def test_the_list_shows_verdicts_and_runs_nothing(tmp_path):
    status, out, err = call_lab("reproduce", "--list", "launch-qd", program=tmp_path / "none")
    assert (status, err) == (DONE, "")
    assert out.startswith("launch-qd-average-queue-depth") and len(out.splitlines()) == 1
