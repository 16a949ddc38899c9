# SPDX-License-Identifier: BSD-3-Clause
"""--log writes one row a request that agrees with results.json, exactly, and changes nothing."""
import collections
import csv
import decimal
import gzip
import io
import json
import lzma
import signal
import time

import pytest

from cli import DEFAULT, DONE, INPUT_ERROR, INTERRUPTED, deterministic, set_options, without_checksum

HEADER = ("job,kind,lba,bytes,tag,arrival_ns,issue_ns,completion_ns,hit,flash_ops,status"
          .split(","))
MIXED = ["workload.rw=randrw", "workload.bs=6k", "workload.requests=3000",
         "workload.flush_every=40", "workload.trim_percent=5", "precondition.fill=0.3",
         "buffer.size_mib=2"]


def text_of(path):
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    elif path.suffix == ".xz":
        data = lzma.decompress(data)
    return without_checksum(data.decode("ascii"))


def rows_of(path):
    reader = csv.DictReader(io.StringIO(text_of(path)))
    assert reader.fieldnames == HEADER
    return list(reader)


def picoseconds(ns):
    """Exact: three decimals, read as a decimal number."""
    whole, point, rest = ns.partition(".")
    assert point == "." and len(rest) == 3 and whole.isdigit() and rest.isdigit(), ns
    return int(whole) * 1000 + int(rest)


def mean_us(times_ps):
    return float(decimal.Decimal(sum(times_ps)) / len(times_ps) / 1000000)


@pytest.mark.parametrize("sets", [
    ["host.kind=sata"], ["host.kind=direct", "scheduler=vaq"],
    ["host.kind=direct", "buffer.policy=none", "scheduler=serial"]])
def test_rows_agree_with_results(tlmssd, tmp_path, sets):
    text = tlmssd.run(tmp_path, "--log", tmp_path / "log.csv", sets=MIXED + sets)
    results = json.loads(text)
    rows = rows_of(tmp_path / "log.csv")
    kinds = collections.Counter(row["kind"] for row in rows)
    host = results["host"]
    assert kinds["flush"] == host["flushes"]["count"] > 0
    assert kinds["trim"] == host["trims"]["count"] > 0
    assert {row["status"] for row in rows} == {"ok"}
    assert {row["job"] for row in rows} == {"0"}
    for kind, key in (("read", "reads"), ("write", "writes")):
        of_kind = [row for row in rows if row["kind"] == kind]
        assert len(of_kind) == host[key]["count"] > 0
        assert sum(int(row["bytes"]) for row in of_kind) == host[key]["bytes"]
        latency = [picoseconds(row["completion_ns"]) - picoseconds(row["issue_ns"])
                   for row in of_kind]
        assert min(latency) > 0
        assert mean_us(latency) == pytest.approx(host[key]["latency_us"]["mean"], rel=1e-12)
        assert max(latency) == round(host[key]["latency_us"]["max"] * 1000000)
        response = [picoseconds(row["completion_ns"]) - picoseconds(row["arrival_ns"])
                    for row in of_kind]
        assert mean_us(response) == pytest.approx(host[key]["response_us"]["mean"], rel=1e-12)
    ends = [picoseconds(row["completion_ns"]) for row in rows]
    assert ends == sorted(ends)
    assert ends[-1] == round(results["sim"]["time_s"] * 1e12)


def test_a_tag_is_never_used_twice_at_once(tlmssd, tmp_path):
    tlmssd.run(tmp_path, "--log", tmp_path / "log.csv", sets=MIXED)
    free_at = {}
    for row in sorted(rows_of(tmp_path / "log.csv"), key=lambda r: picoseconds(r["issue_ns"])):
        issued = picoseconds(row["issue_ns"])
        assert issued >= picoseconds(row["arrival_ns"])
        assert issued >= free_at.get(row["tag"], 0)
        free_at[row["tag"]] = picoseconds(row["completion_ns"])
    assert len(free_at) <= 32


def test_hits_and_flash_operations_are_those_of_the_device(tlmssd, tmp_path):
    """One page a request: each read is a hit or a miss, each miss one page read of the flash."""
    sets = ["workload.rw=randread", "workload.bs=4k", "workload.requests=4000",
            "workload.size=16m", "precondition.fill=0.3", "buffer.size_mib=8"]
    results = json.loads(tlmssd.run(tmp_path, "--log", tmp_path / "log.csv", sets=sets))
    rows = rows_of(tmp_path / "log.csv")
    hits = sum(int(row["hit"]) for row in rows)
    assert hits == results["buffer"]["read_hits"] > 0
    assert len(rows) - hits == results["buffer"]["read_misses"] > 0
    # A request that found its page on the way from flash is a miss without an operation of its own.
    assert sum(int(row["flash_ops"]) for row in rows) == results["flash"]["ops"]["read"]
    assert all(row["flash_ops"] == "0" for row in rows if row["hit"] == "1")


def test_each_write_through_waits_for_its_program(tlmssd, tmp_path):
    sets = ["workload.rw=randwrite", "workload.bs=8k", "workload.requests=500",
            "buffer.policy=none", "precondition.fill=0"]
    results = json.loads(tlmssd.run(tmp_path, "--log", tmp_path / "log.csv", sets=sets))
    rows = rows_of(tmp_path / "log.csv")
    assert {row["flash_ops"] for row in rows} == {"1"}
    assert results["flash"]["ops"]["program"] == len(rows) == 500


def test_worst_requests_are_in_the_log(tlmssd, tmp_path):
    results = json.loads(tlmssd.run(tmp_path, "--log", tmp_path / "log.csv", sets=MIXED))
    rows = [row for row in rows_of(tmp_path / "log.csv") if row["kind"] in ("read", "write")]

    def latency(row):
        return picoseconds(row["completion_ns"]) - picoseconds(row["issue_ns"])

    rows.sort(key=latency, reverse=True)
    worst = results["worst"]
    assert [round(w["latency_us"] * 1000000) for w in worst] == [latency(r) for r in rows[:100]]
    slowest = next(r for r in rows if r["lba"] == str(worst[0]["lba"])
                   and latency(r) == latency(rows[0]))
    assert slowest["tag"] == str(worst[0]["tag"])
    assert slowest["flash_ops"] == str(worst[0]["flash_ops"])
    assert picoseconds(slowest["issue_ns"]) == round(worst[0]["issued_us"] * 1000000)


def test_measured_part_is_what_follows_the_warmup(tlmssd, tmp_path):
    sets = MIXED + ["workload.warmup=requests", "workload.warmup_requests=1000"]
    results = json.loads(tlmssd.run(tmp_path, "--log", tmp_path / "log.csv", sets=sets))
    rows = rows_of(tmp_path / "log.csv")
    assert len(rows) == results["workload"]["source_requests"]
    measured = rows[results["warmup"]["requests"]:]
    for kind, key in (("read", "reads"), ("write", "writes")):
        latency = [picoseconds(row["completion_ns"]) - picoseconds(row["issue_ns"])
                   for row in measured if row["kind"] == kind]
        assert len(latency) == results["host"][key]["count"]
        assert mean_us(latency) == pytest.approx(results["host"][key]["latency_us"]["mean"],
                                                 rel=1e-12)
    assert picoseconds(rows[999]["completion_ns"]) == round(results["warmup"]["time_s"] * 1e12)


def test_compressed_logs_hold_the_same_rows(tlmssd, tmp_path):
    texts = []
    for name in ("a.csv", "a.csv.gz", "a.csv.xz"):
        tlmssd.run(tmp_path, "--log", tmp_path / name, sets=MIXED)
        texts.append(text_of(tmp_path / name))
    assert texts.count(texts[0]) == 3
    assert (tmp_path / "a.csv.xz").stat().st_size < len(texts[0]) / 3
    tlmssd.run(tmp_path, "--log", tmp_path / "a.csv.zst", sets=MIXED)
    packed = (tmp_path / "a.csv.zst").read_bytes()  # its rows: tb/observe/request_log_test.cpp
    assert packed[:4] == b"\x28\xb5\x2f\xfd" and len(packed) < len(texts[0]) / 2


def test_log_changes_nothing_else(tlmssd, tmp_path):
    plain = tlmssd.run(tmp_path / "a", sets=MIXED)
    logged = tlmssd.run(tmp_path / "b", "--log", tmp_path / "b/log.csv.zst", sets=MIXED)
    assert deterministic(plain) == deterministic(logged)


def test_log_needs_no_stage_breakdown(tlmssd, tmp_path):
    sets = MIXED + ["observe.stages=false"]
    results = json.loads(tlmssd.run(tmp_path, "--log", tmp_path / "a.csv", sets=sets))
    tlmssd.run(tmp_path, "--log", tmp_path / "b.csv", sets=MIXED)
    assert results["stages"] is None and results["worst"] == []
    assert text_of(tmp_path / "a.csv") == text_of(tmp_path / "b.csv")


@pytest.mark.parametrize("name", ["log.txt", "log.csv.bz2", "log"])
def test_unknown_suffix_is_an_error(tlmssd, tmp_path, name):
    done = tlmssd("run", DEFAULT, "--log", tmp_path / name, "--quiet")
    assert done.returncode == INPUT_ERROR
    assert "--log" in done.stderr and ".csv.zst" in done.stderr
    assert not list(tmp_path.iterdir())


def test_broken_trace_leaves_no_log(tlmssd, tmp_path):
    trace = tmp_path / "t.spc"
    trace.write_text("0,1,512,R,0.0\n" * 50 + "0,x,512,R,0.1\n", encoding="ascii")
    done = tlmssd("run", DEFAULT, "--trace", trace, "--format", "spc",
                  "--log", tmp_path / "log.csv", "--quiet")
    assert done.returncode == INPUT_ERROR, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["t.spc"]


def test_interrupted_run_keeps_its_log(tlmssd, tmp_path):
    log = tmp_path / "log.csv.gz"
    child = tlmssd.start("run", DEFAULT, *set_options(["workload.requests=100000000"]),
                         "--workload", "randread-4k", "--log", log, "--out", tmp_path, "--quiet")
    time.sleep(1.5)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=60)
    assert child.returncode == INTERRUPTED
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert len(rows_of(log)) == results["host"]["all"]["count"] > 0


def test_run_without_a_log_writes_none(tlmssd, tmp_path):
    done = tlmssd("run", DEFAULT, *set_options(["workload.requests=10"]), "--quiet",
                  "--out", tmp_path)
    assert done.returncode == DONE
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]
