# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab on a disk that is full: one line, what was there stays, what was found is shown."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pandas
import pytest

import test_lab_figure
import test_lab_fit
from cli import DONE, INPUT_ERROR
from lab_support import CONFIG, call_lab, crafted, fake_program, write_results
from tlmssd_lab import cli
from tlmssd_lab.calibrate.costs import Table, read_costs
from tlmssd_lab.cli import calibrate as cli_calibrate
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.files import write_whole

NO_ROOM = "No space left on device"


def fill(folder):
    """Take what room there is."""
    with open(folder / "fill", "ab", buffering=0) as file:
        for size in (1 << 16, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def one_line(err, path):
    assert err.splitlines()[-1] == f"tlmssd-lab: {path}: cannot be written: {NO_ROOM}", err
    assert err.count("tlmssd-lab:") == 1 and "Traceback" not in err


def test_a_figure_without_room_shows_its_table_and_keeps_the_old_files(tmp_path, small_disk):
    small = small_disk("out", 4096)
    program = fake_program(tmp_path, test_lab_figure.speeds(1000.0, 1250.0))
    status, table, err = test_lab_figure.run(tmp_path, program, "--quiet")
    assert status == DONE, err
    fill(small)
    before = contents(small)
    status, out, err = test_lab_figure.run(tmp_path, program, "--quiet")
    assert (status, out) == (INPUT_ERROR, table)
    one_line(err, small / "small/small.md")
    assert contents(small) == before


def test_a_figure_runs_nothing_more_when_a_point_found_no_room(tmp_path):
    program = fake_program(tmp_path, [["", 2, f"a/results.json: cannot write: {NO_ROOM}", None]])
    status, out, err = test_lab_figure.run(tmp_path, program, "--jobs", 1, "--quiet")
    assert status == INPUT_ERROR and out.count(NO_ROOM) == 4, "of four points"
    assert len(test_lab_figure.calls(program)) == 1 and "Traceback" not in err


def test_a_fit_without_room_shows_what_it_found_and_keeps_the_old_files(tmp_path, small_disk):
    small = small_disk("out", 8192)
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    status, table, err = test_lab_fit.run(tmp_path, program, "--quiet")
    assert status == DONE, err
    fill(small)
    before = contents(small)
    status, out, err = test_lab_fit.run(tmp_path, program, "--quiet")
    assert status == INPUT_ERROR and out.splitlines()[0] == table.splitlines()[0]
    one_line(err, small / "fit.txt")
    assert contents(small) == before


def test_a_report_without_room_leaves_the_old_page(tmp_path, small_disk):
    small = small_disk("small", 64)
    page = small / "page.html"
    page.write_text("before")
    fill(small)
    status, out, err = call_lab("report", write_results(tmp_path / "a"), "-o", page, program=tmp_path)
    assert (status, out) == (INPUT_ERROR, "")
    one_line(err, page)
    assert page.read_text() == "before" and len(list(small.iterdir())) == 2


def test_a_comparison_without_room_for_one_file_writes_the_other_and_shows_all(tmp_path, small_disk):
    small = small_disk("small", 64)
    fill(small)
    program = fake_program(tmp_path, [["", 0, "", crafted(sched__name="vaq")]])
    words = ["compare", CONFIG, "--scheduler", "vaq", "--seeds", 2, "--quiet"]
    status, out, err = call_lab(*words, "--csv", small / "c.csv", "--out", tmp_path / "out",
                                program=program)
    assert status == INPUT_ERROR and "vaq" in out
    one_line(err, small / "c.csv")
    kept = (tmp_path / "out/compare.json").read_text()
    assert json.loads(kept)["seeds"] == [1, 2]
    status, out, err = call_lab(*words, "--csv", small / "c.csv", "--json", program=program)
    assert status == INPUT_ERROR and json.loads(out)["seeds"] == [1, 2]
    one_line(err, small / "c.csv")
    assert [path.name for path in small.iterdir()] == ["fill"]


def test_a_comparison_ends_at_a_full_disk_with_the_seeds_that_are_whole(tmp_path):
    program = fake_program(tmp_path, [
        ["scheduler=vaq --set seed=2", 2, f"x/results.json: cannot write: {NO_ROOM}", None],
        ["scheduler=vaq", 0, "", crafted(sched__name="vaq")], ["", 0, "", crafted()]])
    status, out, err = call_lab(
        "compare", CONFIG, "--scheduler", "inorder,vaq", "--seeds", 9, "--jobs", 1, "--quiet",
        "--out", tmp_path / "out", program=program)
    assert (status, err) == (INPUT_ERROR, f"tlmssd-lab: x/results.json: cannot write: {NO_ROOM}\n")
    document = json.loads((tmp_path / "out/compare.json").read_text())
    assert (document["status"], document["seeds"]) == ("interrupted", [1])
    assert "inorder" in out and "vaq" in out
    # inorder and vaq with seed 1, then with seed 2; the 14 that are left are not begun.
    assert len(program.with_suffix(".calls").read_text().splitlines()) == 4


def test_the_cost_points_stay_where_there_is_no_room_for_new_ones(tmp_path, small_disk, monkeypatch,
                                                                  capsys):
    small = small_disk("small", 256)
    costs = small / "costs.def"
    costs.write_text(cli_calibrate.COSTS.read_text())
    fill(small)
    before = contents(small)
    points = tuple(read_costs(costs.read_text()))
    # Each point once alone, 10 cycles.
    table = Table("made up", points, np.ones(len(points)), np.full(len(points), 10.0), np.eye(len(points)))
    monkeypatch.setattr(cli_calibrate, "COSTS", costs)
    monkeypatch.setattr(cli_calibrate, "_sibling", lambda *_: tmp_path / "image")
    monkeypatch.setattr(cli_calibrate, "_each", lambda *_: [table])
    monkeypatch.setattr("tlmssd_lab.calibrate.costs.image_hash", lambda _: "0123")
    assert cli.main(["calibrate", "--write"]) == INPUT_ERROR
    one_line(capsys.readouterr().err, costs)
    assert contents(small) == before


def test_an_answer_that_standard_output_does_not_take_is_one_line(tmp_path):
    pandas.DataFrame({"a": range(5)}).to_parquet(tmp_path / "points.parquet")
    for words in (["--csv"], []):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([sys.executable, "-m", "tlmssd_lab.cli", "query", tmp_path,
                                   "select * from points", *words], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        assert (done.returncode, done.stderr) == (INPUT_ERROR, f"tlmssd-lab: {NO_ROOM}\n")


def test_nothing_but_a_regular_file_is_replaced(tmp_path):
    for place in (tmp_path, "/dev/full"):
        with pytest.raises(LabInputError, match="not a regular file"):
            write_whole(pathlib.Path(place), "text")
    write_whole(tmp_path / "new/a", "text")
    with pytest.raises(LabInputError, match="already exists"):
        write_whole(tmp_path / "new/a", "other", keep=True)
    assert contents(tmp_path) == {tmp_path / "new/a": b"text"}
