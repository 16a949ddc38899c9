# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab report: which runs it hands to the page, and what it refuses."""

import json

import pytest

from cli import DONE, INPUT_ERROR
from lab_support import CONFIG, crafted, fake_program, write_results
from tlmssd_lab import cli, lab


@pytest.fixture
def pages(monkeypatch):
    """What build_report was called with."""
    made = []
    monkeypatch.setattr("tlmssd_lab.report.build_report", lambda *arguments: made.append(arguments))
    return made


def report(*words):
    return cli.main(["report", *map(str, words)])


def test_runs_are_handed_on_in_order_each_once(tmp_path, pages, capsys):
    a, b = write_results(tmp_path / "a"), write_results(tmp_path / "b", workload__name="other")
    page = tmp_path / "new/folder/page.html"
    assert report(b, a, tmp_path / "a/../b", "-o", page) == DONE
    assert pages == [([b, a], page, "other, randread-4k")]
    assert capsys.readouterr().out == f"{page}\n" and page.parent.is_dir()
    assert report(a, "-o", page, "--title", "") == DONE
    assert pages[1] == ([a], page, "")


def test_a_comparison_stands_for_the_first_seed_of_what_ran(tmp_path, pages):
    program = fake_program(tmp_path, [["scheduler=nix", 2, "no", None], ["", 0, "", crafted()]])
    lab.compare(
        CONFIG,
        schedulers=["a", "nix", "b"],
        workloads=["w", "v"],
        seeds=2,
        out=tmp_path / "out",
        binary=program,
    )
    assert report(tmp_path / "out", "-o", tmp_path / "page.html") == DONE
    assert pages[0][0] == [
        tmp_path / "out" / load / name / "seed-1" for load in "wv" for name in "ab"
    ]


@pytest.mark.parametrize(
    "name, text, word",
    [
        (None, None, "no results.json"),
        ("results.json", "{", "no JSON"),
        ("results.json", '{"schema": "tlmssd-results-9"}', "tlmssd-results-9"),
        ("compare.json", '{"schema": "x"}', "tlmssd-compare-1"),
        ("compare.json", "[1]", "tlmssd-compare-1"),
        ("compare.json", '{"schema": "tlmssd-compare-1"}', "incomplete"),
        ("compare.json", '{"schema": "tlmssd-compare-1", "workloads": []}', "no variant"),
        (
            "compare.json",
            json.dumps(
                {
                    "schema": "tlmssd-compare-1",
                    "workloads": [{"variants": [{"status": "done", "runs": [{"folder": "gone"}]}]}],
                }
            ),
            "gone",
        ),
    ],
)
def test_folders_without_results_are_refused(tmp_path, pages, capsys, name, text, word):
    if name is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert report(tmp_path, "-o", tmp_path / "page.html") == INPUT_ERROR
    err = capsys.readouterr().err
    assert word in err and str(tmp_path) in err and len(err.splitlines()) == 1
    assert pages == [] and not (tmp_path / "page.html").exists()


def test_wrong_places_for_the_page_are_refused(tmp_path, pages, capsys):
    run = write_results(tmp_path / "run")
    assert report(run, "-o", tmp_path) == INPUT_ERROR
    assert report(run, "-o", run / "results.json/page.html") == INPUT_ERROR
    assert report(run / "results.json", "-o", tmp_path / "page.html") == INPUT_ERROR
    assert len(capsys.readouterr().err.splitlines()) == 3 and pages == []
