# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab diff on crafted results."""

import json
import math

import pytest

from cli import DONE, INPUT_ERROR
from lab_support import write_results
from tlmssd_lab import cli
from tlmssd_lab.compare.diff import diff


def printed(capsys, *words):
    status = cli.main(["diff", *map(str, words)])
    return status, *capsys.readouterr()


def test_results_that_differ_in_wall_only_are_identical(tmp_path, capsys):
    a = write_results(tmp_path / "a", wall__seconds=1.0)
    b = write_results(tmp_path / "b", wall__seconds=9.0, wall__git="other")
    assert diff(a, b).identical
    assert printed(capsys, a, b) == (DONE, "identical (except wall)\n", "")


def test_a_file_may_stand_for_its_folder(tmp_path):
    a = write_results(tmp_path / "a")
    b = write_results(tmp_path / "b", host__all__iops=2000.0)
    assert diff(a / "results.json", b).figures == diff(a, b / "results.json").figures != []


def test_keys_of_the_configuration_are_shown_with_both_values(tmp_path, capsys):
    a = write_results(tmp_path / "a")
    b = write_results(
        tmp_path / "b", config__scheduler="vaq", config__host__queue_depth=8, config_hash="1"
    )
    found = diff(a, b)
    assert [(change.key, change.before, change.after) for change in found.config] == [
        ("scheduler", "inorder", "vaq"),
        ("host.queue_depth", 32, 8),
    ]
    status, text, _ = printed(capsys, a, b)
    assert status == DONE and "2 keys differ" in text and "results: identical" in text
    assert text.split("scheduler")[1].split()[:3] == ["inorder", "->", "vaq"]


def test_keys_of_one_configuration_only_stand_apart(tmp_path, capsys):
    a = write_results(tmp_path / "a")
    b = write_results(
        tmp_path / "b", config__scheduler="sost", config__sost={"leveler": True, "hot_hits": 3}
    )
    text = printed(capsys, a, b)[1]
    assert "configuration: 1 key differs\n  scheduler" in text
    assert "configuration: 2 keys in only one of them\n  sost.leveler" in text


def test_figures_come_in_the_order_of_weight_times_logarithm(tmp_path):
    # iops x2: 4 ln 2 = 2.77; waf x3: 3 ln 3 = 3.30; reads' p99 / 10: 2 ln 10 = 4.61; 0 -> 1: first
    a = write_results(tmp_path / "a")
    b = write_results(
        tmp_path / "b",
        host__all__iops=2000.0,
        ftl__waf=3.0,
        host__reads__latency_us__p99=20.0,
        ftl__gc__pages_moved=1,
    )
    figures = diff(a, b).figures
    assert [change.key for change in figures] == [
        "ftl.gc.pages_moved",
        "host.reads.latency_us.p99",
        "ftl.waf",
        "host.all.iops",
    ]
    assert figures[0].rank == math.inf and figures[0].percent is None
    assert figures[1].rank == pytest.approx(2 * math.log(10))
    assert (figures[1].absolute, figures[1].percent) == (-180.0, pytest.approx(-90.0))
    assert (figures[3].absolute, figures[3].percent) == (1000.0, 100.0)


def test_a_value_that_became_undefined_is_a_change(tmp_path, capsys):
    a = write_results(tmp_path / "a")
    b = write_results(tmp_path / "b", ftl__waf=None)
    (change,) = diff(a, b).figures
    assert (change.before, change.after, change.absolute) == (1.0, None, None)
    assert "null" in printed(capsys, a, b)[1]


def test_cores_count_by_their_mean(tmp_path):
    a = write_results(tmp_path / "a")
    b = write_results(tmp_path / "b", cpu__busy_fraction=[0.75, 0.75])
    found = diff(a, b)
    (change,) = found.figures
    assert (change.key, change.before, change.after) == ("cpu.busy_fraction", 0.5, 0.75)
    assert found.others == [], "its cores one by one would say the same again"


def test_other_keys_are_counted_and_shown_with_all(tmp_path, capsys):
    a = write_results(tmp_path / "a")
    b = write_results(
        tmp_path / "b",
        sched__reordered=4,
        flash__channels=[{"busy_s": 0.1}, {"busy_s": 0.4}, {"busy_s": 0.2}],
    )
    short = printed(capsys, a, b)[1]
    assert "3 other keys differ; --all" in short and "reordered" not in short
    full = printed(capsys, a, b, "--all")[1]
    assert "sched.reordered" in full and "flash.channels.1.busy_s" in full
    line = next(line for line in full.splitlines() if "flash.channels.2.busy_s" in line)
    assert line.split() == ["flash.channels.2.busy_s", "(absent)", "0.2"]


def test_another_file_under_the_same_name_is_told(tmp_path, capsys):
    # The hash counts the trace's size too, the keys do not show it.
    a = write_results(tmp_path / "a")
    b = write_results(tmp_path / "b", config_hash="ff")
    assert not diff(a, b).identical
    assert "a file that the configuration names differs" in printed(capsys, a, b)[1]


def test_the_status_of_a_run_is_told(tmp_path, capsys):
    a = write_results(tmp_path / "a")
    b = write_results(tmp_path / "b", status="interrupted")
    text = printed(capsys, a, b)[1]
    assert text.split("  status ")[1].split()[:3] == ["done", "->", "interrupted"]


def test_a_seed_is_one_key_of_the_configuration(tmp_path):
    found = diff(
        write_results(tmp_path / "a"), write_results(tmp_path / "b", seed=2, config__seed=2)
    )
    assert [change.key for change in found.config] == ["seed"]
    assert not found.header and not found.others


@pytest.mark.parametrize(
    "text, words",
    [
        ("{", ["no JSON"]),
        ("[]", ["schema"]),
        ("{}", ["schema", "tlmssd-results-1"]),
        (json.dumps({"schema": "tlmssd-compare-1"}), ["tlmssd-compare-1", "tlmssd-results-1"]),
    ],
)
def test_what_is_no_result_is_refused_with_its_name(tmp_path, capsys, text, words):
    (tmp_path / "results.json").write_text(text, encoding="utf-8")
    status, out, err = printed(capsys, tmp_path, tmp_path)
    assert status == INPUT_ERROR and out == ""
    assert len(err.splitlines()) == 1 and "results.json" in err
    for word in words:
        assert word in err


def test_a_folder_without_results_is_refused(tmp_path, capsys):
    good = write_results(tmp_path / "a")
    (tmp_path / "empty").mkdir()
    assert "no results.json in this folder" in printed(capsys, good, tmp_path / "empty")[2]
    assert printed(capsys, tmp_path / "absent", good)[::2] == (
        INPUT_ERROR,
        f"tlmssd-lab: {tmp_path}/absent: no such file or folder\n",
    )
