# SPDX-License-Identifier: BSD-3-Clause
"""Options of tlmssd-lab: one meaning each, JSON and CSV on standard output, and every old spelling."""

import csv
import io
import json
import os
import pathlib

import pandas
import pytest

from cli import DONE, INPUT_ERROR, ROOT
from lab_support import CONFIG, call_lab, crafted, fake_program, write_results
from tlmssd_lab.cli.command import parser
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.run import named

# Of every option that several subcommands have: short form, and whether it takes a value.
COMMON = {
    "--out": ("-o", True), "--set": ("-s", True), "--workload": ("-w", True),
    "--jobs": ("-j", True), "--quiet": ("-q", False), "--json": (None, False),
    "--list": (None, False), "--write": (None, False), "--quick": (None, False),
    "--scheduler": (None, True), "--csv": (None, True), "--seed": (None, True),
    "--seeds": (None, True),
}
SWEEP = f"config: {CONFIG}\nparameters:\n  scheduler: [inorder, vaq]\n"


def shown_options():
    """(subcommand, option of argparse) of all that the help shows."""
    (subcommands,) = [a for a in parser()._actions if a.dest == "command"]
    for name, command in subcommands.choices.items():
        for action in command._actions:
            if action.option_strings and action.help != "==SUPPRESS==":
                yield name, action


def test_an_option_has_one_form_everywhere():
    seen = set()
    for command, action in shown_options():
        long = next(o for o in action.option_strings if o.startswith("--"))
        if long in COMMON:
            short, takes_value = COMMON[long]
            assert [o for o in action.option_strings if o != long] == ([short] if short else []), (
                command, long)
            assert (action.nargs != 0) == takes_value, (command, long)
            seen.add(long)
    assert seen == set(COMMON)


def test_every_option_has_a_help_text():
    for command, action in shown_options():
        assert action.help, (command, action.option_strings)


def sweep_table(folder):
    folder.mkdir(exist_ok=True)
    pandas.DataFrame({"a": [1, 2], "b": [0.5, None]}).to_parquet(folder / "points.parquet")
    return folder


SQL = "select a, b from points order by a"


@pytest.mark.parametrize("words", [["DIR", SQL, "--csv"], ["DIR", "--csv", SQL], ["--csv", "DIR", SQL],
                                   ["DIR", SQL, "--csv", "-"], ["--csv=-", "DIR", SQL]])
def test_query_prints_csv_by_its_old_and_new_form(tmp_path, words):
    folder = sweep_table(tmp_path / "s")
    done = call_lab("query", *[str(folder) if w == "DIR" else w for w in words], program=tmp_path)
    assert done == (DONE, "a,b\n1,0.5\n2,\n", "")


def test_query_writes_csv_and_prints_json(tmp_path):
    folder = sweep_table(tmp_path / "s")
    status, out, err = call_lab("query", folder, SQL, "--csv", tmp_path / "a.csv", "--json",
                                program=tmp_path)
    assert (status, json.loads(out), err) == (DONE, [{"a": 1, "b": 0.5}, {"a": 2, "b": None}], "")
    assert (tmp_path / "a.csv").read_text() == "a,b\n1,0.5\n2,\n"


@pytest.mark.parametrize("words, message", [
    (["compare", CONFIG, "--json", "c.json"], "--json c.json was replaced by --json > c.json"),
    (["compare", "--json", "c.json", CONFIG], "--json c.json was replaced by --json > c.json"),
    (["compare", CONFIG, "--json=c.json"], "--json takes no value"),
    (["compare", CONFIG, "--json", "out/c"], "--json out/c was replaced by --json > out/c"),
    (["sweep", "SWEEP", "--scheduler", "tcp://a:1"], "--scheduler ADDRESS was renamed to --dask ADDRESS"),
])
def test_an_old_spelling_ends_with_one_line_that_names_the_new_one(tmp_path, words, message):
    (tmp_path / "mine.yaml").write_text(SWEEP)
    words = [str(tmp_path / "mine.yaml") if word == "SWEEP" else word for word in words]
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    status, out, err = call_lab(*words, program=program, cwd=tmp_path)
    assert (status, out, err.count("\n")) == (INPUT_ERROR, "", 1) and message in err, err
    assert not program.with_suffix(".calls").exists()


def test_old_spellings_that_still_work(tmp_path):
    runs = write_results(tmp_path / "a")
    for option in ("--output", "--out", "-o"):
        page = tmp_path / f"{option}.html"
        assert call_lab("report", runs, option, page, program=tmp_path)[:2] == (DONE, f"{page}\n")
        assert page.is_file()
    old, new = (call_lab("figure", word, program=tmp_path) for word in ("list", "--list"))
    assert old == new and old[0] == DONE and "paq-schemes" in old[1]
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    for long, short in (("--set", "-s"), ("--workload", "-w")):
        value = "k=v" if long == "--set" else "randread-4k"
        for option in (long, short):
            assert call_lab("compare", CONFIG, option, value, "--seeds", 1, "-q", "-j", 1,
                            program=program)[0] == DONE
    calls = program.with_suffix(".calls").read_text().splitlines()
    outs = [" ".join(w for w in call.split() if not w.startswith("/")) for call in calls]
    assert outs[0] == outs[1] and outs[2] == outs[3] and outs[0] != outs[2]


@pytest.mark.parametrize("words, message", [
    (["compare", CONFIG, "--seed", "1", "--seeds", "2"], "--seed conflicts with --seeds; use"),
    (["compare", CONFIG, "--seed", "1", "--first-seed", "2"], "--seed conflicts with --first-seed"),
    (["compare", CONFIG, "--json", "--csv", "-"], "--json conflicts with --csv -; use --csv FILE"),
    (["compare", CONFIG, "--timeline-from", "1ms"], "--timeline-from requires --timeline"),
    (["diff", "a", "b", "--all", "--json"], "--all conflicts with --json"),
    (["query", "a", SQL, "--json", "--csv", "-"], "--json conflicts with --csv -"),
    (["query", "a"], "SQL is missing"),
    (["query", "a", "--csv", "b.csv"], "SQL is missing"),
    (["sweep", "--list", "--json"], "--json conflicts with --list"),
    (["sweep", "a", "--jobs", "1", "--dask", "b"], "--dask conflicts with --jobs"),
    (["sweep"], "FILE is missing; --list lists the files in configs/sweeps"),
    (["fit"], "FILE is missing; --list lists the files in configs/fits"),
    (["fit", "FIT", "--force"], "--force requires --out FILE.yaml"),
    (["fit", "FIT", "-o", "a.yaml", "-o", "b.yaml"], "'b.yaml' is a second file"),
    (["fit", "FIT", "-o", "a", "-o", "b"], "'b' is a second folder"),
    (["fit", "FIT", "--out", "a.yaml", "--write", "b"], "'b' is a second file"),
    (["figure"], "NAME is missing; --list lists the experiments"),
    (["figure", "all", "--json"], "--json conflicts with all"),
    (["figure", "--list", "--write"], "--write conflicts with --list"),
    (["report", "a"], "--out is missing"),
    (["report", "a", "-o"], "--out requires a value"),
    (["calibrate", "--check", "--write"], "--write conflicts with --check"),
    (["calibrate", "--quick"], "--quick requires --check"),
    (["calibrate", "--check", "--points"], "--points conflicts with --check"),
    (["compare", CONFIG, "--shceduler", "vaq"], "unknown option --shceduler vaq; did you mean '--scheduler'?"),
    (["compare", "defualt"], "no device 'defualt' and no file of this name (looked for "
     "defualt.yaml in configs/ssd; `tlmssd list devices` names all); did you mean 'default'?"),
    (["diff", "a", "b", "c"], "'c' is one argument too many"),
])
def test_what_conflicts_or_lacks_is_named_in_one_line(tmp_path, words, message):
    words = [str(ROOT / "configs/fits/example.yaml") if word == "FIT" else word for word in words]
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    status, out, err = call_lab(*words, program=program, cwd=tmp_path)
    assert (status, out, err.count("\n")) == (INPUT_ERROR, "", 1) and message in err, err
    assert not program.with_suffix(".calls").exists()


def test_seed_is_one_run_for_each_variant(tmp_path):
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    status, out, err = call_lab("compare", CONFIG, "--scheduler", "a,b", "--seed", 7, program=program)
    assert (status, err) == (DONE, "") and "seeds" not in out
    calls = program.with_suffix(".calls").read_text().splitlines()
    assert len(calls) == 2 and all(call.endswith("seed=7") for call in calls)


def test_compare_prints_json_or_csv_instead_of_the_table(tmp_path):
    program = fake_program(tmp_path, [["vaq", 0, "", crafted(sched__name="vaq")], ["", 0, "", crafted()]])
    words = ["compare", CONFIG, "--scheduler", "inorder,vaq", "--seeds", 2]
    status, out, err = call_lab(*words, "--json", program=program)
    document = json.loads(out)
    assert (status, err, document["schema"]) == (DONE, "", "tlmssd-compare-1")
    assert [v["variant"] for v in document["workloads"][0]["variants"]] == ["inorder", "vaq"]
    status, out, err = call_lab(*words, "--csv", "-", program=program)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert (status, err) == (DONE, "") and {row["variant"] for row in rows} == {"inorder", "vaq"}


def test_diff_prints_json(tmp_path):
    a = write_results(tmp_path / "a")
    b = write_results(tmp_path / "b", host__all__iops=1500.0, config__scheduler="vaq",
                      config__vaq={"x": 1}, ftl__gc__runs=4)
    status, out, err = call_lab("diff", a, b, "--json", program=tmp_path)
    found = json.loads(out)
    assert (status, err, found["schema"], found["identical"]) == (DONE, "", "tlmssd-diff-1", False)
    assert found["figures"] == [
        {"key": "host.all.iops", "before": 1000.0, "after": 1500.0, "change": 500.0, "percent": 50.0}]
    assert found["config"] == [{"key": "scheduler", "before": "inorder", "after": "vaq"},
                               {"key": "vaq.x", "after": 1}]
    assert [change["key"] for change in found["others"]] == ["ftl.gc.runs"]
    status, out, _ = call_lab("diff", a, a, "--json", program=tmp_path)
    assert status == DONE and json.loads(out)["identical"] is True


def test_a_sweep_prints_its_table_as_json(tmp_path):
    (tmp_path / "mine.yaml").write_text(SWEEP)
    program = fake_program(tmp_path, [["vaq", 2, "no good", None], ["", 0, "", crafted()]])
    status, out, _ = call_lab("sweep", tmp_path / "mine.yaml", "-o", tmp_path / "out", "-j", 1, "-q",
                              "--json", program=program)
    found = json.loads(out)
    assert (status, found["schema"], found["status"]) == (DONE, "tlmssd-sweep-1", 0)
    assert [(p["scheduler"], p["status"], p["host.all.iops"]) for p in found["points"]] == [
        ("inorder", "done", 1000.0), ("vaq", "refused", None)]


def test_list_without_a_file_shows_the_files_of_the_repository(tmp_path):
    for verb in ("sweep", "fit"):
        status, out, err = call_lab(verb, "--list", program=tmp_path, cwd=tmp_path)
        names = [line.split()[0] for line in out.splitlines()]
        assert (status, err) == (DONE, "")
        assert names == sorted(p.stem for p in (ROOT / f"configs/{verb}s").glob("*.yaml"))
        assert "cannot run" not in out


def test_list_with_a_name_shows_its_points_and_runs_nothing(tmp_path):
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    for words in (["sweep", "depth-and-clock"], ["fit", "example"], ["figure", "datasheet"]):
        status, out, _ = call_lab(*words, "--list", program=program, cwd=tmp_path)
        assert status == DONE and len(out.splitlines()) > 3, words
    assert not program.with_suffix(".calls").exists()


# Devices by name


def test_a_device_is_found_by_name_from_any_folder(tmp_path):
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    for name in ("default", "configs/ssd/default.yaml"):
        assert call_lab("compare", name, "--seed", 1, program=program, cwd=tmp_path)[0] == DONE
    own = tmp_path / "configs/ssd/mine.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("include: x\n")
    assert call_lab("compare", "mine", "--seed", 1, program=program, cwd=tmp_path)[0] == DONE
    calls = program.with_suffix(".calls").read_text().splitlines()
    devices = [word for call in calls for word in call.split() if word.endswith(".yaml")]
    assert devices == [CONFIG, CONFIG, "configs/ssd/mine.yaml"]


def test_a_file_comes_before_a_name_and_the_installed_folder_last(tmp_path, monkeypatch):
    prefix = tmp_path / "prefix"
    (prefix / "bin").mkdir(parents=True)
    program = fake_program(prefix / "bin", [])
    device = prefix / "share/tlmssd/configs/ssd/only-there.yaml"
    device.parent.mkdir(parents=True)
    device.write_text("x: 1\n")
    (device.parent / "default.yaml").write_text("x: 1\n")
    (prefix / "share/tlmssd/configs/schema.json").write_text("{}")  # marks an installation
    monkeypatch.setenv("TLMSSD", str(program))
    monkeypatch.chdir(tmp_path)
    assert named.config_path("only-there") == device
    assert named.config_path("default") == pathlib.Path(CONFIG), "the repository's comes first"
    (tmp_path / "default").write_text("x: 1\n")
    assert named.config_path("default") == pathlib.Path("default")
    assert named.config_path("no/such/file") == pathlib.Path("no/such/file")
    with pytest.raises(LabInputError, match="no device 'jasmin' .*did you mean 'jasmine'"):
        named.config_path("jasmin")
    os.environ.pop("TLMSSD")
    assert "default" in named.names(named.DEVICES) and "only-there" not in named.names(named.DEVICES)
    assert "randread-4k" in named.names(named.WORKLOADS)
    assert all(not name.startswith("_") for name in named.names(named.EXPERIMENTS))
