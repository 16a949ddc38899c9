# SPDX-License-Identifier: BSD-3-Clause
"""run --ops records what the flash controller gets; replay-ops hands it to any controller."""
import csv
import gzip
import io
import json
import re

import pytest
import zstandard

from cli import DEFAULT, DONE, INPUT_ERROR, MODEL_ERROR, deterministic, set_options, without_checksum

SETS = ["scheduler=host", "workload.requests=800", "workload.rw=randrw", "workload.bs=16k",
        "host.kind=direct", "buffer.policy=none", "precondition.fill=0.3"]


@pytest.fixture(name="ops")
def recording(tlmssd, tmp_path):
    tlmssd.run(tmp_path / "run", "--ops", tmp_path / "ops.csv.gz", sets=SETS)
    return tmp_path / "ops.csv.gz"


def replay(tlmssd, ops, *arguments, sets=()):
    return tlmssd("replay-ops", ops, DEFAULT, *set_options(SETS), *set_options(sets), *arguments)


def rows_of(path):
    return list(csv.DictReader(io.StringIO(without_checksum(gzip.decompress(path.read_bytes()).decode("ascii")))))


def test_recording_agrees_with_the_results_and_changes_nothing(tlmssd, tmp_path, ops):
    plain = tlmssd.run(tmp_path / "plain", sets=SETS)
    recorded = (tmp_path / "run/results.json").read_text(encoding="utf-8")
    assert deterministic(plain) == deterministic(recorded)
    counts = json.loads(plain)["flash"]["ops"]
    rows = rows_of(ops)
    for kind in ("read", "program"):
        assert sum(len(r["rows"].split("/")) for r in rows if r["op"] == kind) == counts[kind] > 0


def test_replays_are_deterministic_and_name_no_difference(tlmssd, tmp_path, ops):
    first = replay(tlmssd, ops, "--out", tmp_path / "a")
    assert first.returncode == DONE, first.stderr
    again = replay(tlmssd, ops, "--out", tmp_path / "b", "--quiet", "--against", tmp_path / "a")
    assert again.returncode == DONE, again.stderr
    assert "0 of" in again.stdout and "no operation starts or completes at another time" in again.stdout
    texts = [(tmp_path / name / "replay.json").read_text(encoding="utf-8") for name in "ab"]
    assert deterministic(texts[0]) == deterministic(texts[1])
    assert ((tmp_path / "a/replay.csv.zst").read_bytes()
            == (tmp_path / "b/replay.csv.zst").read_bytes())
    result = json.loads(texts[0])
    assert result["operations"]["completed"] == len(rows_of(ops))
    assert str(result["operations"]["completed"]) in first.stdout


@pytest.mark.parametrize("arguments", [["--mode", "serial"], ["--mode", "inorder"], ["--closed"]])
def test_another_way_is_shown_with_both_timelines(tlmssd, tmp_path, ops, arguments):
    assert replay(tlmssd, ops, "--out", tmp_path / "a").returncode == DONE
    done = replay(tlmssd, ops, "--against", tmp_path / "a/replay.csv.zst", "--tolerance", "1us",
                  *arguments)
    assert done.returncode == DONE, done.stderr
    assert "operations start or complete at other times; the first: die" in done.stdout
    assert done.stdout.count("   > operation") >= 2
    assert f"{tmp_path}/a/replay.csv.zst, us:" in done.stdout


def test_serial_is_slower_than_in_order_and_that_than_out_of_order(tlmssd, tmp_path, ops):
    times = []
    for mode in ("serial", "inorder", "ooo"):
        done = replay(tlmssd, ops, "--closed", "--mode", mode, "--quiet", "--out", tmp_path / mode)
        assert done.returncode == DONE, done.stderr
        times.append(json.loads((tmp_path / mode / "replay.json").read_text())["sim"]["time_s"])
    assert times[0] > 2 * times[1] and times[1] > times[2]


def test_waves_and_timeline(tlmssd, tmp_path, ops):
    done = replay(tlmssd, ops, "--waves", tmp_path / "a.fst", "--timeline", tmp_path / "a.json.gz")
    assert done.returncode == DONE, done.stderr
    events = json.loads(gzip.decompress((tmp_path / "a.json.gz").read_bytes()))
    names = {event.get("name") for event in events["traceEvents"]}
    assert {"READ", "PROGRAM"} <= names
    assert (tmp_path / "a.fst").stat().st_size > 1000


def broken(ops, tmp_path, line, old, new):
    lines = gzip.decompress(ops.read_bytes()).decode("ascii").splitlines()
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    path = tmp_path / "broken.csv"
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path


def test_a_broken_line_is_one_message_and_leaves_nothing(tlmssd, tmp_path, ops):
    path = broken(ops, tmp_path, 3, ",0,-,", ",0,fence+mata,")
    done = replay(tlmssd, path, "--out", tmp_path / "out", "--timeline", tmp_path / "t.json",
                  "--waves", tmp_path / "w.fst")
    assert done.returncode == INPUT_ERROR
    assert done.stderr == (f"tlmssd: {path}:3: field `flags`: 'mata' is not a flag; "
                           "did you mean meta?\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["broken.csv", "ops.csv.gz", "run"]


@pytest.mark.parametrize("sets, words", [
    (["precondition.fill=0.1"], ["was it recorded with this configuration"]),
    (["geometry.channels=1"], ["field `", "nearest:"])])
def test_another_device_is_refused(tlmssd, ops, sets, words):
    done = replay(tlmssd, ops, sets=sets)
    assert done.returncode == INPUT_ERROR
    assert done.stderr.count("\n") == 1 and f"{ops}:" in done.stderr
    assert all(word in done.stderr for word in words), done.stderr


@pytest.mark.parametrize("arguments, word", [
    (["--mode", "inordr"], "did you mean inorder?"),
    (["--tolerance", "1us"], "--tolerance requires --against"),
    (["--against", "nowhere"], "nowhere:1: cannot open the replay"),
    (["--timeline-from", "1us"], "require --timeline")])
def test_wrong_options(tlmssd, ops, arguments, word):
    done = replay(tlmssd, ops, *arguments)
    assert done.returncode == INPUT_ERROR and word in done.stderr, done.stderr


@pytest.mark.parametrize("mode, sets, message", [
    ("inorder", ["controller.suspend=erase"], "controller.suspend: has no effect because --mode is inorder"),
    ("serial", ["controller.stations=4"], "controller.stations: has no effect because --mode is serial"),
    ("ooo", ["controller.kind=rtl", "controller.rtl=round_robin"], "--mode is ooo: use o3")])
def test_keys_that_the_mode_makes_useless_are_refused(tlmssd, ops, mode, sets, message):
    done = replay(tlmssd, ops, "--mode", mode, sets=sets)
    assert done.returncode == INPUT_ERROR and message in done.stderr, done.stderr


def test_the_mode_gives_keys_their_effect(tlmssd, tmp_path, ops):
    # Recorded with another scheduler; with ooo its stations count.
    stations = {}
    for count in (1, 8):
        done = replay(tlmssd, ops, "--mode", "ooo", "--closed", "--out", tmp_path / str(count),
                      sets=["scheduler=inorder", f"controller.stations={count}"])
        assert done.returncode == DONE, done.stderr
        result = json.loads((tmp_path / str(count) / "replay.json").read_text(encoding="utf-8"))
        assert result["config"]["controller"]["stations"] == count
        assert result["config"]["controller"]["mode"] == "ooo"
        stations[count] = result["sim"]["time_s"]
    assert stations[1] > stations[8]


@pytest.mark.parametrize("sets, message", [
    (["controller.suspend=erase"], "controller.suspend is erase; nearest: none"),
    (["controller.cache_ops=read"], "controller.cache_ops is read; nearest: none"),
    (["onfi.ready=status"], "onfi.ready is status; nearest: lun")])
def test_latencies_are_refused_where_they_are_not_fitted(tlmssd, ops, sets, message):
    done = replay(tlmssd, ops, "--rtl-latencies", sets=sets)
    assert done.returncode == INPUT_ERROR and message in done.stderr, done.stderr


def test_a_time_beyond_the_timers_of_the_rtl_names_its_key(tlmssd, ops):
    done = replay(tlmssd, ops, sets=["controller.kind=rtl", "onfi.ready=status", "onfi.poll_us=600000"])
    assert done.returncode == INPUT_ERROR
    assert done.stderr == ("tlmssd: onfi.poll_us: 600000 is more than the timers of the RTL reach "
                           "(controller.kind: rtl); nearest: 549755\n")


def test_a_stalled_controller_reports_in_lines(tlmssd, ops):
    done = replay(tlmssd, ops, "--quiet", sets=["controller.kind=rtl", "inject.no_grants=1"])
    assert done.returncode == MODEL_ERROR, done.stderr
    lines = done.stderr.splitlines()
    assert lines[0].startswith("tlmssd: rtl: watchdog: no progress since "), done.stderr
    assert any(line.startswith("tlmssd: rtl: channel 0: ") for line in lines), done.stderr


def test_suspends_of_a_replay_have_their_phases(tlmssd, tmp_path, ops):
    text = without_checksum(gzip.decompress(ops.read_bytes()).decode("ascii")).splitlines()
    header = text[0].split(",")
    column, kind = header.index("flags"), header.index("op")
    rows = [line.split(",") for line in text[1:]]
    for row in rows:
        if row[kind] == "program":
            row[column] = "suspendable" if row[column] == "-" else row[column] + "+suspendable"
    path = tmp_path / "suspendable.csv"
    path.write_text("\n".join([text[0], *(",".join(row) for row in rows)]) + "\n", encoding="ascii")
    sets = ["controller.suspend=program_and_erase"]
    assert replay(tlmssd, path, "--closed", "--quiet", "--out", tmp_path / "a", sets=sets).returncode == DONE
    again = replay(tlmssd, path, "--closed", "--quiet", "--against", tmp_path / "a", sets=sets)
    assert again.returncode == DONE and "no operation starts" in again.stdout, again.stderr
    with open(tmp_path / "a/replay.csv.zst", "rb") as packed:
        reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        log = reader.read().decode("ascii")
    assert re.search(r"/suspend \d+", log) and re.search(r"/resume \d+", log)


def test_help_names_the_command(tlmssd):
    assert "replay-ops" in tlmssd("--help").stdout
    done = tlmssd("replay-ops", "--help")
    assert done.returncode == DONE
    for option in ("--closed", "--mode", "--against", "--tolerance", "--waves", "--timeline"):
        assert option in done.stdout
    assert "--ops" in tlmssd("run", "--help").stdout
