# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab figure: what an experiment's file asks for, what is run and what is not run again."""

import csv
import datetime
import json
import signal
import time

import pytest

from cli import DONE, INPUT_ERROR, INTERRUPTED, MODEL_ERROR, ROOT
from lab_support import call_lab, crafted, fake_program, start_lab, traffic
from test_traces import FILES
from tlmssd_lab.drawings import svg_of
from tlmssd_lab.figures import experiment, figure
from tlmssd_lab.figures import data as figure_data
from tlmssd_lab.figures.experiment_points import Point, at_rate, loads, points
from tlmssd_lab.yaml_files import read_yaml

SMALL = """
title: Small
source: nobody
page: PAGE
report: paq_causes
config: CONFIG
dimensions:
  device:
    as is: {}
    deep: {host.queue_depth: 64}
  scheme: {key: scheduler, values: [vaq, paq2]}
base: {scheme: vaq}
loads: {presets: [uniform-web1]}
paper: {bandwidth: {mean: 32.6}}
quick: {limits: {requests: 5}}
"""


def write(folder, text=SMALL, **changes):
    """An experiment in `folder`; `changes` are pieces of its text and what replaces them."""
    page = folder / "page.md"
    page.write_text("above\n<!-- figure small -->\nold\n<!-- end of figure small -->\nbelow\n")
    for old, new in {"PAGE": page, "CONFIG": ROOT / "configs/ssd/paq.yaml", **changes}.items():
        assert old in text, old
        text = text.replace(old, str(new))
    path = folder / "small.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def speeds(vaq, paq2):
    """Cases of the fake program: kIOPS by scheduler."""
    return [
        ["scheduler=vaq", 0, "", crafted(host__all=traffic(100, vaq, 100.0, 200.0))],
        ["scheduler=paq2", 0, "", crafted(host__all=traffic(100, paq2, 80.0, 160.0))],
    ]


def calls(program):
    path = program.with_suffix(".calls")
    return path.read_text().splitlines() if path.exists() else []


def run(tmp_path, program, *words, name=None):
    return call_lab("figure", name or write(tmp_path), "--out", tmp_path / "out", *words,
                    program=program)


def test_the_table_has_the_gain_of_each_device_beside_the_papers(tmp_path):
    program = fake_program(tmp_path, speeds(1000.0, 1250.0))
    status, out, err = run(tmp_path, program)
    assert status == DONE, err
    # 1250 / 1000 - 1 = 25 %, latency 1 - 80 / 100 = 20 %; one load, so its mean is the same.
    assert "| paq2 | as is | +25.0 | +25.0 | +20.0 |" in out
    assert "| paq2 | deep | +25.0 | +25.0 | +20.0 |" in out
    assert "paper's mean for PAQ2 is 32.6" in out and "quick" not in out.split("|")[0]
    folder = tmp_path / "out/small"
    assert (folder / "small.md").read_text() == out
    rows = list(csv.DictReader((folder / "small.csv").open()))
    assert len(rows) == 4 and {row["status"] for row in rows} == {"done"}
    assert [row["host.all.iops"] for row in rows if row["scheme"] == "paq2"] == ["1250.0"] * 2


def test_each_point_has_a_folder_with_configuration_results_and_log(tmp_path):
    program = fake_program(tmp_path, speeds(1000.0, 1250.0))
    assert run(tmp_path, program)[0] == DONE
    place = tmp_path / "out/small/points/uniform-web1/deep+paq2/closed-seed-1"
    assert (place / "config.yaml").read_text().startswith("# config_hash")
    assert json.loads((place / "results.json").read_text())["status"] == "done"
    assert "host.queue_depth=64" in (place / "log.txt").read_text()
    point = json.loads((place / "point.json").read_text())
    assert point["labels"] == {"device": "deep", "scheme": "paq2"} and point["seed"] == 1


def test_what_is_done_is_not_run_again_unless_something_has_changed(tmp_path):
    program = fake_program(tmp_path, speeds(1000.0, 1250.0))
    assert run(tmp_path, program)[0] == DONE
    assert len(calls(program)) == 4
    status, out, err = run(tmp_path, program)
    assert status == DONE and len(calls(program)) == 4 and "4 of 4 are kept from an earlier run" in err
    changed = write(tmp_path, **{"host.queue_depth: 64": "host.queue_depth: 128"})
    assert run(tmp_path, program, name=changed)[0] == DONE
    assert len(calls(program)) == 6, "the two points with another configuration"
    program.write_text(program.read_text() + "# another revision\n")
    assert run(tmp_path, program, name=changed)[0] == DONE
    assert len(calls(program)) == 10, "another program: all"
    (tmp_path / "out/small/points/uniform-web1/deep+vaq/closed-seed-1/results.json").write_text("{}")
    assert run(tmp_path, program, name=changed)[0] == DONE
    assert len(calls(program)) == 11, "a result that cannot be read"


def test_the_quick_form_changes_keys_and_has_a_folder_of_its_own(tmp_path):
    program = fake_program(tmp_path, speeds(1000.0, 1250.0))
    status, out, _ = run(tmp_path, program, "--quick")
    assert status == DONE and "**quick form**" in out and "at most 5 requests" in " ".join(out.split())
    assert all("workload.requests=5" in line for line in calls(program))
    assert (tmp_path / "out/small-quick/small.md").is_file()


@pytest.mark.parametrize("failing, status", [(3, MODEL_ERROR), (2, INPUT_ERROR)])
def test_a_point_that_fails_is_reported_and_the_others_are_kept(tmp_path, failing, status):
    cases = [["deep+paq2", failing, "it broke", None], *speeds(1000.0, 1250.0)]
    program = fake_program(tmp_path, cases)
    got, out, err = run(tmp_path, program)
    assert got == status
    assert "| paq2 | as is | +25.0 |" in out and "| paq2 | deep | - |" in out
    assert "- uniform-web1, deep, paq2 (failed): it broke" in out
    assert err.splitlines()[-1] == "tlmssd-lab: uniform-web1, deep, paq2 (failed): it broke"
    place = tmp_path / "out/small/points/uniform-web1/deep+paq2/closed-seed-1"
    assert "it broke" in (place / "log.txt").read_text() and not (place / "point.json").exists()
    fake_program(tmp_path, speeds(1000.0, 1250.0))
    assert run(tmp_path, program)[0] == DONE
    assert len(calls(program)) == 5, "only what had failed"


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path):
    cases = [["deep+paq2", 130, "sleep", None], *speeds(1000.0, 1250.0)]
    program = fake_program(tmp_path, cases)
    process = start_lab("figure", write(tmp_path), "--out", tmp_path / "out", "--jobs", 1,
                        program=program)
    until = time.monotonic() + 60
    while not program.with_suffix(".asleep").exists():
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED, err
    assert "| paq2 | as is | +25.0 |" in out and "uniform-web1, deep, paq2 (interrupted)" in out
    assert len(calls(program)) == 4
    fake_program(tmp_path, speeds(1000.0, 1250.0))
    assert run(tmp_path, program)[0] == DONE
    assert len(calls(program)) == 5, "three were there"


def test_open_loop_runs_at_the_share_of_the_bases_closed_loop_iops(tmp_path):
    path = write(tmp_path, **{"base: {scheme: vaq}": "base: {scheme: vaq}\narrivals: [closed, 0.9]"})
    program = fake_program(tmp_path, speeds(1234.5678, 2000.0))
    assert run(tmp_path, program, name=path)[0] == DONE
    opened = [line for line in calls(program) if "workload.mode=open" in line]
    assert len(opened) == 4
    # 0.9 * 1234.5678 = 1111.11102, to six digits 1111.11; also for paq2.
    assert all("workload.rate_iops=1111.11 " in line + " " for line in opened)
    assert all("workload.rate_process=poisson" in line for line in opened)


def test_without_its_base_a_point_in_open_loop_is_not_run(tmp_path):
    path = write(tmp_path, **{"base: {scheme: vaq}": "base: {scheme: vaq}\narrivals: [closed, 0.9]"})
    program = fake_program(tmp_path, [["scheduler=vaq", 3, "it broke", None], speeds(1, 2)[1]])
    status, out, _ = run(tmp_path, program, name=path)
    assert status == MODEL_ERROR and len(calls(program)) == 4
    assert "uniform-web1, deep, paq2, at 0.9 (failed): its base in closed loop has no IOPS" in out


def test_all_runs_every_experiment_and_goes_on_behind_a_failure(tmp_path, monkeypatch, capsys):
    from tlmssd_lab import cli

    folder = tmp_path / "experiments"
    folder.mkdir()
    for name in ("first", "second", "third"):
        text = SMALL.replace("PAGE", str(tmp_path / "page.md"))
        text = text.replace("CONFIG", str(ROOT / "configs/ssd/paq.yaml"))
        if name == "second":
            text = text.replace("title: Small", "tilte: Small")
        (folder / f"{name}.yaml").write_text(text)
    (tmp_path / "page.md").write_text("")
    monkeypatch.setattr(experiment, "names", lambda: ["first", "second", "third"])
    monkeypatch.setattr(experiment, "find", lambda name: folder / f"{name}.yaml")
    monkeypatch.setenv("TLMSSD", str(fake_program(tmp_path, speeds(1000.0, 1250.0))))
    words = ["figure", "all", "--out", str(tmp_path / "out"), "--jobs", "2", "--quiet"]
    assert cli.main(words) == INPUT_ERROR
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in said] == ["first", "second", "third"]
    assert "tilte" in said[1] and "status" not in said[0] + said[2]
    assert (tmp_path / "out/first/first.md").is_file() and (tmp_path / "out/third/third.md").is_file()


def test_write_fills_the_page_between_its_markers(tmp_path):
    program = fake_program(tmp_path, speeds(1000.0, 1250.0))
    assert run(tmp_path, program, "--write")[0] == DONE
    page = (tmp_path / "page.md").read_text()
    assert page.startswith("above\n<!-- figure small -->\n\nSmall (nobody).")
    assert page.endswith("<!-- end of figure small -->\nbelow\n") and "old" not in page
    today = datetime.date.today().isoformat()
    assert f"\n\nRevision `abc`; seeds 1; {today}.\n\n" in page
    head, folded = page.split('<details markdown="1">\n<summary>Tables</summary>')
    assert "|" not in head and folded.count("</details>") == 1
    assert "|---" in folded.split("</details>")[0]
    assert run(tmp_path, program, "--write", "--quiet", name=tmp_path / "small.yaml")[0] == DONE
    assert (tmp_path / "page.md").read_text() == page, "again gives the same"
    (tmp_path / "page.md").write_text("no markers")
    status, _, err = run(tmp_path, program, "--write", "--quiet", name=tmp_path / "small.yaml")
    assert status == INPUT_ERROR and "<!-- figure small -->" in err


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("title: Small", "tilte: Small", ["tilte", "did you mean 'title'"]),
        ("title: Small", "", ["title: is missing"]),
        ("report: paq_causes", "report: paq_cause", ["paq_cause", "did you mean 'paq_causes'"]),
        ("presets: [uniform-web1]", "presets: [uniform-wep1]", ["uniform-wep1", "did you mean 'uniform-web1'"]),
        ("presets: [uniform-web1]", "preset: [uniform-web1]", ["loads.preset", "did you mean 'presets'"]),
        ("base: {scheme: vaq}", "base: {shceme: vaq}", ["shceme", "did you mean 'scheme'"]),
        ("base: {scheme: vaq}", "subject: {scheme: hybrid2}", ["hybrid2", "vaq, paq2"]),
        ("base: {scheme: vaq}", "arrivals: [0.9]", ["a share needs closed"]),
        ("base: {scheme: vaq}", "arrivals: [often]", ["'often'"]),
        ("loads: {presets: [uniform-web1]}", "loads: {}", ["no load is left"]),
        ("loads: {presets: [uniform-web1]}", "loads: [uniform-web1]", ["loads: must be a map"]),
        ("values: [vaq, paq2]", "values: 3", ["dimensions.scheme.values"]),
        ("title: Small", "title: [", ["is not YAML"]),
        ("base: {scheme: vaq}", "seeds: 0", ["seeds: 0"]),
        ("CONFIG", "nowhere.yaml", ["nowhere.yaml: no such file"]),
    ],
)
def test_a_file_that_is_wrong_is_one_line_and_status_2(tmp_path, old, new, words):
    program = fake_program(tmp_path, speeds(1000.0, 1250.0))
    text = SMALL.replace(old, new) if old == "CONFIG" else SMALL
    path = write(tmp_path, text + ("# CONFIG" if old == "CONFIG" else ""),
                 **({} if old == "CONFIG" else {old: new}))
    status, out, err = run(tmp_path, program, name=path)
    assert (status, out, len(err.splitlines())) == (INPUT_ERROR, "", 1), err
    assert all(word in err for word in words), err
    assert not calls(program)


def traced(tmp_path, monkeypatch, rows):
    """A folder of traces with a manifest of `rows` (file, rows, mean size) and no contents."""
    folder = tmp_path / "traces"
    folder.mkdir()
    lines = ["file,rows,mean_size_B"]
    for name, count, size in rows:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")
        lines.append(f"{name},{count},{size}")
    (folder / "MANIFEST.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.setenv("TLMSSD_TRACES", str(folder))
    return folder


TRACED = {"loads: {presets: [uniform-web1]}": "loads: {presets: [uniform-web1], traces: {only: [tpcc, prxy_0]}}",
          "quick: {limits: {requests: 5}}": "limits: {requests: 4000, mib: 16}"}


def test_a_piece_that_is_missing_is_left_out_and_named(tmp_path, monkeypatch):
    traced(tmp_path, monkeypatch, [("msprod/TPCC_first6999.mqsim.trace.xz", 6999, 8192.0)])
    program = fake_program(tmp_path, speeds(1000.0, 1250.0))
    status, out, err = run(tmp_path, program, name=write(tmp_path, **TRACED))
    assert status == DONE, err
    words = " ".join(out.split())  # the item is wrapped where the folder's name is long
    assert "- prxy_0 left out: " in words and "prxy_0_section20000.csv.xz is missing" in words
    mine = [line for line in calls(program) if "TPCC" in line]
    # 16 MiB / 8 KiB = 2048 requests, below the 4,000 and the 6,999 that it has.
    assert len(mine) == 4 and all("workload.requests=2048" in line for line in mine)
    assert all("--format mqsim" in line for line in mine)


def test_a_trace_that_has_changed_is_run_again(tmp_path, monkeypatch):
    folder = traced(tmp_path, monkeypatch, [("msprod/TPCC_first6999.mqsim.trace.xz", 6999, 8192.0)])
    program = fake_program(tmp_path, speeds(1000.0, 1250.0))
    path = write(tmp_path, **TRACED)
    assert run(tmp_path, program, name=path)[0] == DONE
    (folder / "msprod/TPCC_first6999.mqsim.trace.xz").write_text("another\n")
    assert run(tmp_path, program, name=path)[0] == DONE
    assert len(calls(program)) == 8 + 4


def test_no_traces_at_all(tmp_path, monkeypatch):
    monkeypatch.setenv("TLMSSD_TRACES", str(tmp_path / "nowhere"))
    program = fake_program(tmp_path, speeds(1000.0, 1250.0))
    status, out, _ = run(tmp_path, program, name=write(tmp_path, **TRACED))
    assert status == DONE and "all traces left out" in out and "set TLMSSD_TRACES" in out
    alone = {**TRACED, "loads: {presets: [uniform-web1]}": "loads: {traces: {}}"}
    status, out, err = run(tmp_path, program, name=write(tmp_path, **alone))
    assert (status, out) == (INPUT_ERROR, "") and "set TLMSSD_TRACES" in err


def test_least_requests_choose_pieces(tmp_path, monkeypatch):
    traced(tmp_path, monkeypatch, [("msprod/TPCC_first6999.mqsim.trace.xz", 6999, 8192.0),
                                   ("msr/prxy_0_section20000.csv.xz", 4999, 2631.0)])
    some = {**TRACED, "loads: {presets: [uniform-web1]}": "loads: {traces: {min_requests: 5000}}"}
    found, missing = loads(experiment.load(str(write(tmp_path, **some))))
    assert [load.name for load in found] == ["tpcc"]
    assert len(missing) == 22, "the other pieces of _traces.yaml are not there"


def test_the_pieces_are_those_that_the_readers_tests_know():
    """Every trace but the sample of a format, with its format and blkparse action."""
    listed = read_yaml(experiment.FOLDER / "_traces.yaml")
    known = {file: (spec["format"], spec.get("action")) for file, spec in FILES.items()}
    del known["formats/t0038.fio3.iolog.xz"]
    found = {
        spec["file"]: (spec["format"], (spec.get("set") or {}).get("workload.blkparse_action"))
        for spec in listed.values()
    }
    assert found == known and len(found) == len(listed)


def test_seeds_go_first_and_closed_loop_before_open(tmp_path):
    path = write(tmp_path, **{"base: {scheme: vaq}":
                              "base: {scheme: vaq}\narrivals: [0.5, closed]\nseeds: 2"})
    wanted = experiment.load(str(path))
    found = points(wanted, loads(wanted)[0])
    assert [(p.arrival, p.seed) for p in found[::4]] == [
        ("closed", 1), ("closed", 2), ("0.5", 1), ("0.5", 2)]
    assert at_rate(found[8], 3000).settings["workload.rate_iops"] == "1500.0"
    assert len({p.folder for p in found}) == len(found) == 16


@pytest.mark.parametrize("name", experiment.names())
@pytest.mark.parametrize("quick", [False, True])
def test_shipped_experiments_are_whole(name, quick):
    """Keys, labels, presets and pages; a claim about a scheduler needs the scheduler."""
    if name == "hybrid-claim" and "hybrid" not in experiment.schedulers():
        with pytest.raises(experiment.LabInputError, match="there is no 'hybrid'"):
            experiment.load(name, quick)
        return
    wanted = experiment.load(name, quick)
    from tlmssd_lab.figures.figure import REPORTS

    assert wanted.report in REPORTS
    page = (ROOT / wanted.page).read_text(encoding="utf-8")
    assert f"<!-- figure {name} -->" in page and f"<!-- end of figure {name} -->" in page
    known = {path.stem for path in (ROOT / "configs/workloads").glob("*.yaml")}
    assert {part for name in wanted.presets for part in name.split(" + ")} <= known


@pytest.mark.parametrize("name", experiment.names())
@pytest.mark.parametrize("kept", [0, 1])
def test_a_report_stands_what_is_missing(name, kept, tmp_path, monkeypatch):
    """Ctrl-C at once, or after the first point: gaps in the tables, no error."""
    from tlmssd_lab.figures.experiment_run import Done
    from tlmssd_lab.figures.figure import REPORTS
    from tlmssd_lab.run.errors import LabInterrupted
    from tlmssd_lab.run.result import load as load_result

    traced(tmp_path, monkeypatch, [])
    wanted = experiment.load(name, True)
    outcomes = [Done(p, LabInterrupted("interrupted")) for p in points(wanted, loads(wanted)[0])]
    cycles = dict.fromkeys(("hil", "buffer", "ftl", "sched"), 100)
    (tmp_path / "results.json").write_text(json.dumps(crafted(cpu__cycles=cycles)))
    (tmp_path / "log.csv").write_text("job,kind,lba,bytes,tag,arrival_ns,issue_ns,completion_ns,hit,"
                                      "flash_ops,status\n0,read,0,4096,0,0,0,1000,0,1,ok\n")
    for i in range(kept):
        outcomes[i] = Done(outcomes[i].point, load_result(tmp_path))
    data = figure_data.Data(wanted, outcomes)
    report = REPORTS[wanted.report](data)
    assert len(data.lost()) == len(outcomes) - kept
    for drawing in report.drawings.values():
        assert svg_of(drawing, wanted.title).startswith(b"<svg")
    assert figure_data.csv_text(wanted, outcomes).count("\n") == 1 + len(outcomes)


def test_a_real_point_runs_with_the_real_program(tlmssd, tmp_path):
    """One load, two schemes, a few requests: the file's keys are keys of the program."""
    path = write(tmp_path, **{"deep: {host.queue_depth: 64}": "small: {geometry.pages: 8}",
                              "as is: {}": "tiny: {geometry.pages: 4}",
                              "base:": "limits: {requests: 50}\nbase:",
                              "loads:": "set: {geometry.blocks: 80}\nloads:"})
    status, out, err = call_lab("figure", path, "--out", tmp_path / "out", "--quiet",
                                program=tlmssd.path)
    assert status == DONE, err
    rows = list(csv.DictReader((tmp_path / "out/small/small.csv").open()))
    assert [row["requests"] for row in rows] == ["50"] * 4


def test_pages_of_docs_share_one_folder_of_images(tmp_path):
    assert figure.images_of(ROOT / "docs/notebook/gc.md") == ROOT / "docs/images"
    assert figure.images_of(tmp_path / "page.md") == tmp_path / "images"


def test_each_of_several_drawings_has_a_name_of_its_own():
    assert figure.name_of("Hardware or software", "-randread-4k-iops") == "Hardware or software: randread 4k iops"
    assert figure.name_of("Queue depth", "") == "Queue depth"
