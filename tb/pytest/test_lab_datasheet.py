# SPDX-License-Identifier: BSD-3-Clause
"""The report of the six datasheet figures: its numbers by hand; a device file for each label; the real file."""

import csv

import pytest

from cli import DONE, INPUT_ERROR, ROOT
from lab_support import call_lab, crafted, fake_program, traffic
from tlmssd_lab.figures import experiment, experiment_points
from tlmssd_lab.yaml_files import read_yaml

SMALL = f"""
title: Small
source: nobody
page: page.md
report: datasheet
config: {ROOT / "configs/ssd/default.yaml"}
dimensions:
  figure:
    SR: {{workload.rw: read}}
    RW: {{workload.rw: randwrite}}
  drive:
    A: {{config: {ROOT / "configs/ssd/jasmine.yaml"}, host.queue_depth: 1}}
    B: {{}}
loads: {{presets: [randread-4k]}}
paper:
  within_percent: 10
  measured: {{A: {{SR: 100, RW: 10}}, B: {{SR: 200, RW: 40}}}}
  fitted: {{A: {{SR: "cpu.mhz 80"}}, B: {{}}}}
  set: {{B: {{SR: "cpu.mhz 90, by its rating"}}}}
  duplicate: {{B: {{RW: SR}}}}
"""
NAMES = ["SR", "SW", "RR1", "RR32", "RW1", "RW32"]


def at_rate(mb_s):
    rate = traffic(100, 1000.0, 80.0, 200.0)
    return crafted(host__all={**rate, "mb_s": mb_s})


def write(folder, text=SMALL):
    path = folder / "small.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_errors_and_counts_are_of_the_measured_rates(tmp_path):
    program = fake_program(tmp_path, [
        ["RW+A/", 0, "", at_rate(10.9)],  # +9 %
        ["SR+A/", 0, "", at_rate(95.0)],  # -5 %
        ["RW+B/", 0, "", at_rate(44.4)],  # +11 %
        ["SR+B/", 0, "", at_rate(200.0)],
    ])
    status, out, err = call_lab("figure", write(tmp_path), "--out", tmp_path / "out", program=program)
    assert status == DONE, err
    assert "| A | SR | fitted | cpu.mhz 80 | 100 | 95.0 | -5.0 | yes |" in out
    assert "| A | RW | independent |  | 10.0 | 10.9 | +9.0 | yes |" in out
    assert "| B | SR | set | cpu.mhz 90, by its rating | 200 | 200 | +0.0 | yes |" in out
    assert "| B | RW | duplicate | SR | 40.0 | 44.4 | +11.0 | **no** |" in out
    told = "1 fitted (1 within), 1 set (1 within), 1 duplicate (0 within), 1 independent (1 within)."
    assert f"3 of 4 datasheet figures are within 10 %: {told}" in " ".join(out.split())
    rows = list(csv.DictReader((tmp_path / "out/small/small-corners.csv").open()))
    assert [(row["drive"], row["figure"], row["kind"], row["error, %"]) for row in rows] == [
        ("A", "SR", "fitted", "-5.0"), ("A", "RW", "independent", "+9.0"), ("B", "SR", "set", "+0.0"),
        ("B", "RW", "duplicate", "+11.0")]
    assert rows[3]["within 10 %"] == "no"


def test_a_label_may_have_a_device_file_of_its_own(tmp_path):
    wanted = experiment.load(str(write(tmp_path)))
    found = experiment_points.points(wanted, experiment_points.loads(wanted)[0])
    files = {point.labels["drive"]: point.config for point in found}
    assert files["A"].name == "jasmine.yaml" and files["B"] is None
    assert all("config" not in point.settings for point in found)
    missing = write(tmp_path, SMALL.replace("jasmine.yaml", "jasmin.yaml"))
    status, _, err = call_lab("figure", missing, program=fake_program(tmp_path, []))
    assert status == INPUT_ERROR and "dimensions.drive.A.config: " in err and "no such file" in err


def test_each_figure_has_one_kind_and_each_drive_at_most_three_fitted_ones():
    paper = experiment.load("datasheet").paper
    fitted = paper["fitted"]
    assert set(fitted) == set(paper["measured"])
    for drive, figures in fitted.items():
        own = list(figures.values())  # a shared figure counts for the drive whose figure set it
        assert len(own) <= 3 and len(set(own)) == len(own) and set(figures) <= set(NAMES), drive
    for drive in paper["measured"]:
        kinds = [figure for kind in ("fitted", "set", "duplicate") for figure in paper[kind].get(drive, {})]
        assert len(set(kinds)) == len(kinds) and set(kinds) <= set(NAMES), drive
    for drive, figures in paper["duplicate"].items():
        assert set(figures.values()) <= set(NAMES) - set(figures), drive


def test_what_is_called_duplicate_by_one_command_at_a_time_is_the_same_run():
    """PATA knows no depth: the settings of depth 32 make the configuration of depth 1."""
    wanted = experiment.load("datasheet")
    found = experiment_points.points(wanted, experiment_points.loads(wanted)[0])
    mine = {point.labels["figure"]: point.settings for point in found if point.labels["drive"] == "Kingspec"}
    for figure, of in wanted.paper["duplicate"]["Kingspec"].items():
        assert mine[figure] == mine[of], figure


def test_the_measured_rates_are_those_of_the_talk():
    measured = experiment.load("datasheet").paper["measured"]
    assert list(measured["Kingspec"].values()) == [75, 17, 16, 18, 2.5, 2.5]
    assert list(measured["X25-M"].values()) == [263, 112, 25, 165, 78, 99]
    assert list(measured["Vertex 3"].values()) == [492, 299, 35, 192, 95, 246]
    assert all(list(rates) == NAMES for rates in measured.values())


@pytest.mark.parametrize("drive, file", [("Kingspec", "kingspec"), ("X25-M", "x25-m"), ("Vertex 3", "vertex-3")])
def test_what_the_page_calls_fitted_is_what_the_preset_has(drive, file):
    device = read_yaml(ROOT / f"configs/ssd/{file}.yaml")
    host = read_yaml(ROOT / "configs/experiments/datasheet.yaml")
    for figure in experiment.load("datasheet").paper["fitted"][drive].values():
        key, *value = figure.split()
        if key == "host":
            assert host["dimensions"]["figure"]["RW1"]["workload.thinktime_us"] == int(value[0])
            continue
        room, name = key.split(".")
        assert device[room][name] == int(value[0]), figure


RANGE = SMALL.replace("report: datasheet", "report: datasheet_range").replace("dimensions:", """seeds: 2
dimensions:
  requests: {key: workload.requests, values: [10, 20, 30]}""")


def test_the_range_is_where_every_seed_is_within_the_tolerance(tmp_path):
    program = fake_program(tmp_path, [
        ["10+RW+A/closed-seed-1", 0, "", at_rate(10.0)],
        ["10+RW+A/closed-seed-2", 0, "", at_rate(12.0)],  # +20 %: one seed of two
        ["30+RW+B/", 0, "", at_rate(20.0)],  # -50 %
        ["SR+A/", 0, "", at_rate(100.0)],
        ["RW+A/", 0, "", at_rate(10.5)],
        ["SR+B/", 0, "", at_rate(300.0)],
        ["RW+B/", 0, "", at_rate(42.0)],
    ])
    status, out, err = call_lab("figure", write(tmp_path, RANGE), "--out", tmp_path / "out", program=program)
    assert status == DONE, err
    assert "| A | SR | +0.0 | +0.0 | +0.0 | all |" in out
    # 0 and 20: mean 10, deviation 14.14, t with one degree of freedom 12.706: half = 12.706 * 14.14 / sqrt 2 = 127.
    assert "| A | RW | **+10.0 ± 127** | +5.0 | +5.0 | 20 to 30 |" in out
    assert "| B | SR | **+50.0** | **+50.0** | **+50.0** | none |" in out
    assert "| B | RW | +5.0 | +5.0 | **-50.0** | 10 to 20 |" in out
    assert "1 of 4 figures hold at all numbers" in " ".join(out.split())


RATED = f"""
title: Small
source: makers
page: page.md
report: datasheet_rated
config: {ROOT / "configs/ssd/default.yaml"}
dimensions:
  rating:
    reads: {{workload.rw: read}}
    writes: {{workload.rw: randwrite}}
loads: {{presets: [randread-4k]}}
paper:
  within_percent: 20
  rated: {{reads: [250, MB/s], writes: [6600, 1/s]}}
"""


def test_ratings_are_compared_in_their_own_unit(tmp_path):
    program = fake_program(tmp_path, [
        ["/reads/", 0, "", at_rate(150.0)],
        ["/writes/", 0, "", crafted(host__all=traffic(100, 7260.0, 80.0, 200.0), ftl__waf=2.5)],
    ])
    status, out, err = call_lab("figure", write(tmp_path, RATED), "--out", tmp_path / "out", program=program)
    assert status == DONE, err
    assert "| reads | MB/s | 250 | 150 | -40.0 | 1.00 | **no** |" in out
    assert "| writes | 1/s | 6,600 | 7,260 | +10.0 | 2.50 | yes |" in out


def test_the_range_measures_what_the_table_of_corners_does():
    corners, over = experiment.load("datasheet"), experiment.load("datasheet-range")
    assert corners.paper["measured"] == over.paper["measured"]
    for mine, its in zip(corners.dimensions, over.dimensions[1:], strict=True):
        for label, settings in mine.labels.items():
            rest = {key: value for key, value in settings.items() if key != "workload.requests"}
            assert dict(its.labels[label]) == rest, label
        assert mine.configs == its.configs


def test_no_rating_is_one_that_a_value_of_its_file_was_fitted_to():
    wanted = experiment.load("datasheet-rated")
    assert set(wanted.paper["rated"]) == set(wanted.dimensions[0].labels)


def test_all_corners_are_within_ten_per_cent(tmp_path, tlmssd):
    """The real thing: 18 figures, five seeds."""
    status, out, err = call_lab("figure", "datasheet", "--out", tmp_path, "--quiet", "--jobs", 1,
                                program=tlmssd.path, timeout=600)
    assert status == DONE, err
    told = "8 fitted (8 within), 1 set (1 within), 3 duplicate (3 within), 6 independent (6 within)."
    assert f"18 of 18 datasheet figures are within 10 %: {told}" in " ".join(out.split())
    assert len(list(csv.DictReader((tmp_path / "datasheet/datasheet.csv").open()))) == 5 * 18
