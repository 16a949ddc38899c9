# SPDX-License-Identifier: BSD-3-Clause
"""Several traces and workloads at once on the command line, and what each job got."""
import json

import jsonschema
import pytest

from cli import DEFAULT, DONE, INPUT_ERROR, ROOT, set_options

SPC = "0,0,4096,r,0.0\n0,16,4096,w,0.001\n0,32,8192,r,0.002\n"
MSR = "128166372000000000,h,0,Write,0,4096,1\n128166372000010000,h,0,Read,4096,4096,1\n"
SIX = "10 0 64 8 1 7\n20 0 128 8 0 7\n"  # time device LBA size op, one more: ssdsim


@pytest.fixture
def files(tmp_path):
    for name, text in (("a.spc", SPC), ("b.csv", MSR), ("c.txt", SIX)):
        (tmp_path / name).write_text(text, encoding="ascii")
    return tmp_path


def described(tlmssd, *arguments):
    done = tlmssd("describe", DEFAULT, *arguments)
    assert done.returncode == DONE, done.stderr
    return done.stdout


def refused(tlmssd, *arguments):
    done = tlmssd("describe", DEFAULT, *arguments)
    assert done.returncode == INPUT_ERROR
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


def run(tlmssd, files, *arguments):
    return json.loads(tlmssd.run(files / "out", *arguments))


def test_each_format_belongs_to_the_trace_before_it(tlmssd, files):
    r = run(tlmssd, files, "--trace", files / "a.spc", "--format", "spc",
            "--trace", files / "b.csv", "--format", "msr",
            "--trace", files / "c.txt", "--format", "ssdsim")
    given = r["config"]["workload"]["jobs"]
    assert [(j["name"], j["format"]) for j in given] == [
        ("a", "spc"), ("b", "msr"), ("c", "ssdsim")]
    jobs = r["host"]["jobs"]
    assert [(j["name"], j["workload"], j["mode"]) for j in jobs] == [
        ("a", "a.spc", "open"), ("b", "b.csv", "open"), ("c", "c.txt", "open")]
    # Lines of the three files above: reads, writes, bytes.
    assert [(j["reads"]["count"], j["writes"]["count"], j["all"]["bytes"]) for j in jobs] == [
        (2, 1, 16384), (1, 1, 8192), (1, 1, 8192)]
    assert r["host"]["all"]["count"] == r["workload"]["source_requests"] == 7
    assert r["integrity"]["mismatches"] == 0 and r["checker"]["violations"] == 0


def test_columns_belong_to_the_trace_before_them_too(tlmssd, files):
    r = run(tlmssd, files, "--trace", files / "b.csv", "--trace", files / "c.txt",
            "--trace-columns", "time:ns,device,lba:sectors,size:sectors,op:1=read:0=write,-")
    first, second = r["config"]["workload"]["jobs"]
    assert first["trace_columns"] == "" and second["trace_columns"].startswith("time:ns")
    assert [j["requests"] for j in r["host"]["jobs"]] == [2, 2]


def test_a_trace_between_workloads_keeps_its_format(tlmssd, files):
    r = run(tlmssd, files, "--workload", "randread-4k", "--trace", files / "a.spc", "--workload",
            "seqwrite-128k", "--format", "spc", *set_options(["workload.requests=3"]))
    assert [(j["name"], j["mode"]) for j in r["host"]["jobs"]] == [
        ("randread-4k", "closed"), ("a", "open"), ("seqwrite-128k", "closed")]
    assert r["config"]["workload"]["jobs"][1]["format"] == "spc"
    assert [j["requests"] for j in r["host"]["jobs"]] == [3, 3, 3]
    assert r["workload"]["name"] == "randread-4k + a + seqwrite-128k"


def test_one_trace_is_the_plain_form_in_any_order(tlmssd, files):
    before = described(tlmssd, "--format", "spc", "--trace", files / "a.spc")
    after = described(tlmssd, "--trace", files / "a.spc", "--format", "spc")
    plain = described(tlmssd,
                      *set_options([f"workload.trace={files / 'a.spc'}", "workload.format=spc"]))
    assert before == after == plain
    assert "\n  jobs:" not in plain


@pytest.mark.parametrize("arguments, words", [
    (["--format", "spc", "--trace", "a.spc", "--trace", "b.csv"],
     "--format spc: with several jobs it must stand after its --trace"),
    (["--trace", "a.spc", "--format", "spc", "--format", "msr"],
     "--format msr: a second --format for the same trace"),
    (["--trace", "a.spc", "--workload", "randred-4k"],
     "--workload randred-4k: workload.jobs.1.workload: no preset 'randred-4k'"),
    (["--trace", "absent", "--workload", "randread-4k"],
     "--trace absent: workload.jobs.0.trace: cannot read 'absent'"),
    (["--workload", "randread-4k", "--workload", "randread-4k", "--lenient"],
     "workload.lenient: has no effect on any of workload.jobs"),
])
def test_wrong_jobs_are_refused_with_the_option(tlmssd, files, arguments, words):
    given = [str(files / a) if (files / a).is_file() else a for a in arguments]
    assert words in refused(tlmssd, *given)


def test_jobs_of_the_command_line_replace_those_of_the_file(tlmssd, files):
    config = files / "d.yaml"
    config.write_text("geometry: {channels: 2, ways: 2}\n"
                      "workload: {jobs: [{rw: write, requests: 5}, {requests: 6}]}\n",
                      encoding="ascii")

    def names(*arguments):
        results = json.loads(tlmssd.run(files / "out", *arguments, config=config))
        return [(j["workload"], j["requests"]) for j in results["host"]["jobs"]]

    assert names() == [("write", 5), ("randread", 6)]
    assert names("--trace", files / "a.spc", "--format", "spc") == [("a.spc", 3)]
    assert names("--trace", files / "a.spc", "--format", "spc", "--trace", files / "b.csv") == [
        ("a.spc", 3), ("b.csv", 2)]
    assert names(*set_options(["workload.requests=2"])) == [("write", 2), ("randread", 2)]


def test_results_of_jobs_add_up_and_repeat(tlmssd, files):
    arguments = ["--workload", "randread-4k", "--workload", "randwrite-4k-fsync",
                 *set_options(["workload.requests=400", "workload.jobs.1.priority=3",
                               "workload.jobs.0.iodepth=8", "workload.jobs.1.numjobs=2"])]
    first = run(tlmssd, files, *arguments)
    schema = json.loads((ROOT / "docs/reference/results.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(first)
    host = first["host"]
    assert len(host["jobs"]) == 3
    for kind in ("all", "reads", "writes"):
        assert sum(j[kind]["count"] for j in host["jobs"]) == host[kind]["count"]
        assert sum(j[kind]["bytes"] for j in host["jobs"]) == host[kind]["bytes"]
        assert sum(j[kind]["iops"] for j in host["jobs"]) == pytest.approx(host[kind]["iops"])
    # A flush after each 16th write: 23 x 17 = 391 requests, the other 9 are writes.
    assert [j["flushes"] for j in host["jobs"]] == [0, 23, 23]
    assert first["bound"]["fraction_of_bound"] <= 1
    second = run(tlmssd, files, *arguments)
    assert {k: v for k, v in first.items() if k != "wall"} == {
        k: v for k, v in second.items() if k != "wall"}
