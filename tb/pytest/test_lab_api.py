# SPDX-License-Identifier: BSD-3-Clause
"""lab.run and what it returns."""

import gc
import gzip
import json
import threading
import time

import numpy
import pandas
import pytest
import zstandard

from lab_support import CONFIG, crafted, fake_program, write_results
from tlmssd_lab import lab
from tlmssd_lab.run.process import find_binary
from tlmssd_lab.run.settings import settings_of

# A short run on a device of 512 MiB, which is soon filled beforehand.
SMALL = {"geometry.pages": 16}
REQUESTS = {"workload.requests": 200, **SMALL}


@pytest.fixture
def real(tlmssd, monkeypatch):
    monkeypatch.setenv("TLMSSD", str(tlmssd.path))


def calls(program):
    return program.with_suffix(".calls").read_text(encoding="utf-8").splitlines()


def test_attributes_are_what_results_json_says(real, tmp_path):
    result = lab.run(
        CONFIG, workload="randread-4k", scheduler="vaq", out=tmp_path / "out", **REQUESTS
    )
    document = json.loads((tmp_path / "out/results.json").read_text(encoding="utf-8"))
    assert result.json == document and result.folder == tmp_path / "out"
    assert (result.scheduler, result.controller, result.status) == ("vaq", "tlm", "done")
    assert (result.workload, result.seed, result.all.count) == ("randread-4k", 1, 200)
    assert result.all.iops == document["host"]["all"]["iops"]
    assert result.reads.latency_us.p9999 == document["host"]["reads"]["latency_us"]["p9999"]
    assert result.writes.latency_us.mean is None
    assert result["flash.channels.1.busy_s"] == document["flash"]["channels"][1]["busy_s"]
    assert result.limiter == document["bound"]["limiter"]


@pytest.mark.parametrize(
    "form",
    [
        {"host__queue_depth": 8},
        {"host.queue_depth": 8},
        {"overrides": {"host": {"queue_depth": 8}}},
        {"overrides": {"host.queue_depth": numpy.int64(8)}},
        {"host": {"queue_depth": "8"}},
    ],
)
def test_a_key_can_be_named_in_four_forms(real, form):
    result = lab.run(CONFIG, workload="randread-4k", **form, **REQUESTS)
    assert result["config.host.queue_depth"] == 8


def test_a_workload_may_be_a_map_of_its_keys(real):
    result = lab.run(CONFIG, workload={"rw": "write", "bs": 8192, "requests": 50}, **SMALL)
    assert (result.writes.count, result.writes.bytes) == (50, 50 * 8192)


def test_values_become_the_texts_of_the_configuration():
    texts = settings_of(
        {
            "a": True,
            "b": {"c": numpy.bool_(False), "d": 0.1},
            "e": 1e-7,
            "f": [1, 2],
            "g__h": "x",
            "i": numpy.float64(2.5),
        }
    )
    assert texts == {
        "a": "true",
        "b.c": "false",
        "b.d": "0.1",
        "e": "1e-07",
        "f": "[1, 2]",
        "g.h": "x",
        "i": "2.5",
    }
    for wrong in ({"a": None}, {"a": object()}, {1: 2}):
        with pytest.raises(lab.LabInputError):
            settings_of(wrong)


def test_a_trace_goes_with_its_format(real, tmp_path):
    path = tmp_path / "five"
    path.write_text("0 0 8 8 1\n1000 0 16 8 0\n", encoding="utf-8")
    with pytest.raises(lab.LabInputError, match="--format"):
        lab.run(CONFIG, trace=path)
    for trace in ({"trace": path, "format": "ssdsim"}, {"trace": lab.Trace(path, "ssdsim")}):
        result = lab.run(CONFIG, **trace, **SMALL)
        assert (result.reads.count, result.writes.count) == (1, 1)


def test_several_traces_and_workloads_are_handed_on_in_order(tmp_path):
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    lab.run(
        CONFIG,
        workload=["a", "b"],
        trace=["x", lab.Trace("y", "csv", "time,lba")],
        lenient=True,
        timeline=True,
        timeline_from="1ms",
        log=True,
        options=["--waves", "w.fst"],
        binary=program,
    )
    words = calls(program)[0].split()
    text = " ".join(words)
    assert (
        "--workload a --workload b --trace x --trace y --format csv --trace-columns time,lba "
        "--lenient"
    ) in text
    assert words[words.index("--timeline") + 1].endswith("/timeline.json.gz")
    assert words[words.index("--log") + 1].endswith("/log.csv.zst")
    assert "--timeline-from 1ms" in text and text.endswith("--waves w.fst")
    with pytest.raises(lab.LabInputError, match="several traces"):
        lab.run(CONFIG, trace=["x", "y"], format="spc", binary=program)


def test_a_configuration_of_the_repository_is_found_from_anywhere(real, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert lab.run("configs/ssd/default.yaml", workload="randread-4k", **REQUESTS).all.count == 200
    with pytest.raises(lab.LabInputError, match="absent.yaml"):
        lab.run("absent.yaml")


def test_wrong_input_is_an_error_with_the_message_and_leaves_no_old_results(real, tmp_path):
    lab.run(CONFIG, workload="randread-4k", out=tmp_path, **REQUESTS)
    with pytest.raises(lab.LabInputError, match="did you mean 'vaq'") as caught:
        lab.run(CONFIG, scheduler="vqa", out=tmp_path)
    assert caught.value.status == 2
    assert not str(caught.value).startswith("tlmssd:")
    assert not (tmp_path / "results.json").exists()


def test_an_error_of_the_model_carries_what_was_measured(real, tmp_path):
    with pytest.raises(lab.LabModelError, match="integrity") as caught:
        lab.run(
            CONFIG,
            workload="randread-4k",
            out=tmp_path,
            inject__swap_page_registers_at=3,
            **REQUESTS,
        )
    assert caught.value.status == 3 and caught.value.result.status == "failed"
    assert caught.value.result["integrity.mismatches"] > 0


@pytest.mark.parametrize(
    "status, error, word",
    [
        (2, lab.LabInputError, "a reason"),
        (3, lab.LabModelError, "a reason"),
        (7, lab.LabModelError, "status 7"),
        (130, lab.LabInterrupted, "interrupted"),
    ],
)
def test_each_exit_status_has_its_error(tmp_path, status, error, word):
    program = fake_program(tmp_path, [["", status, "a reason", None]])
    with pytest.raises(error, match=word) as caught:
        lab.run(CONFIG, binary=program)
    assert getattr(caught.value, "result", None) is None


def test_a_partial_result_comes_with_the_error(tmp_path):
    for status, word in ((3, "failed"), (130, "interrupted")):
        program = fake_program(tmp_path, [["", status, "why", crafted(status=word)]])
        with pytest.raises(lab.LabError) as caught:
            lab.run(CONFIG, binary=program)
        assert caught.value.result.status == word


def test_a_program_that_dies_is_named_with_its_signal(tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nkill -SEGV $$\n", encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(lab.LabModelError, match="SIGSEGV"):
        lab.run(CONFIG, binary=program)


def test_success_without_results_is_an_error(tmp_path):
    with pytest.raises(lab.LabModelError, match="results.json"):
        lab.run(CONFIG, binary=fake_program(tmp_path, [["", 0, "", None]]))


def test_warnings_are_kept(tmp_path):
    program = fake_program(tmp_path, [["", 0, "line 3 left out", crafted()]])
    assert lab.run(CONFIG, binary=program).warnings == ("line 3 left out",)


def test_a_missing_program_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("TLMSSD", str(tmp_path / "absent"))
    with pytest.raises(lab.LabInputError, match="TLMSSD.*absent"):
        find_binary()
    monkeypatch.delenv("TLMSSD")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("tlmssd_lab.run.process.ROOT", tmp_path)
    with pytest.raises(lab.LabInputError, match="add its folder to PATH"):
        find_binary()
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs/schema.json").write_text("{}", encoding="utf-8")  # a clone, not built
    with pytest.raises(lab.LabInputError, match="scripts/build"):
        find_binary()


def test_a_temporary_folder_goes_with_its_result(real):
    result = lab.run(CONFIG, workload="randread-4k", **REQUESTS)
    folder = result.folder
    assert (folder / "results.json").is_file()
    del result
    gc.collect()
    assert not folder.exists()


def test_the_timeline_lies_beside_the_results(real, tmp_path):
    assert lab.run(CONFIG, workload="randread-4k", out=tmp_path, **REQUESTS).timeline is None
    result = lab.run(CONFIG, workload="randread-4k", out=tmp_path, timeline=True, **REQUESTS)
    assert result.timeline == tmp_path / "timeline.json.gz" and result.timeline.stat().st_size > 0


def test_many_runs_come_in_order_and_errors_among_them(real):
    outcomes = lab.run_many(
        [
            {"config": CONFIG, "workload": "randread-4k", "workload__requests": n, **SMALL}
            for n in (30, 10, 20)
        ]
        + [{"config": CONFIG, "scheduler": "nix"}],
        jobs=3,
    )
    assert [outcome.all.count for outcome in outcomes[:3]] == [30, 10, 20]
    assert isinstance(outcomes[3], lab.LabInputError)


def test_no_more_runs_at_a_time_than_asked_for(monkeypatch):
    lock, running, most = threading.Lock(), 0, 0

    def run(**_arguments):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.05)
        with lock:
            running -= 1

    monkeypatch.setattr("tlmssd_lab.run.run.run", run)
    lab.run_many([{}] * 8, jobs=2)
    assert most == 2


SERIES = {
    "interval_s": 0.25,
    "points": [
        {"t_s": 0.0, "iops": 4.0, "latency_us": {"mean": 5.0, "p99": 9.0}, "waf": None},
        {"t_s": 0.25, "iops": 0.0, "latency_us": {"mean": None, "p99": None}, "waf": 1.5},
    ],
}


def test_parts_become_data_frames(tmp_path):
    result = lab.load(
        write_results(
            tmp_path,
            series=SERIES,
            worst=[{"job": 0, "kind": "read", "stages_us": {"cell": 50.0}}],
            host__jobs=[{"name": "a", "all": {"iops": 4.0}}, {"name": "b", "all": {"iops": 2.0}}],
            stages={
                "link_us": {"mean": 3.0},
                "cell_us": {"mean": 7.0},
                "reads": {"link_us": {"mean": 1.0}},
            },
        )
    )
    assert list(result.jobs["name"]) == ["a", "b"] and list(result.jobs["all.iops"]) == [4.0, 2.0]
    assert result.worst.loc[0, "stages_us.cell"] == 50.0
    series = result.series
    assert series.attrs["interval_s"] == 0.25 and list(series["t_s"]) == [0.0, 0.25]
    assert series["latency_us.mean"].dtype == "float64" and pandas.isna(
        series.loc[1, "latency_us.mean"]
    )
    assert pandas.isna(series.loc[0, "waf"])
    assert result.stages_us == {"link": 3.0, "cell": 7.0}


def test_empty_parts_become_empty_frames(tmp_path):
    result = lab.load(
        write_results(tmp_path, worst=[], stages=None, series={"interval_s": 1.0, "points": []})
    )
    assert len(result.worst) == len(result.series) == 0 and result.stages_us is None


@pytest.mark.parametrize("part", ["jobs", "worst", "series", "stages_us"])
def test_an_older_file_without_a_part_is_told(tmp_path, part):
    result = lab.load(write_results(tmp_path))
    with pytest.raises(lab.LabInputError, match="older tlmssd"):
        getattr(result, part)


LOG = (
    "job,kind,lba,bytes,tag,arrival_ns,issue_ns,completion_ns,hit,flash_ops,status\n"
    "0,read,8,4096,31,0.000,1000.000,3500.125,0,1,0\n"
    "1,write,16,512,0,500.000,2000.000,2500.000,1,0,0\n"
)


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_the_log_is_read_with_its_latencies(tmp_path, suffix):
    write_results(tmp_path)
    path = tmp_path / f"log.csv{suffix}"
    if suffix == ".zst":
        path.write_bytes(zstandard.compress(LOG.encode()))
    else:
        path.write_bytes(gzip.compress(LOG.encode()) if suffix else LOG.encode())
    log = lab.load(tmp_path).log
    # first row: 3500.125 - 1000 = 2500.125 ns after its tag, 3500.125 ns after its arrival
    assert list(log["latency_us"]) == [2.500125, 0.5] and list(log["response_us"]) == [
        3.500125,
        2.0,
    ]
    assert list(log["kind"]) == ["read", "write"] and log["lba"].sum() == 24


def test_what_is_no_log_is_refused(tmp_path):
    result = lab.load(write_results(tmp_path))
    with pytest.raises(lab.LabInputError, match="log=True"):
        _ = result.log
    (tmp_path / "log.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(lab.LabInputError, match="'job' is missing"):
        _ = result.log
    (tmp_path / "log.csv.zst").write_text("not packed", encoding="utf-8")
    with pytest.raises(lab.LabInputError, match="log.csv.zst"):
        _ = result.log
