# SPDX-License-Identifier: BSD-3-Clause
"""Help, exit status, messages and files of the command line."""
import json
import re
import shutil

import jsonschema
import pytest

from cli import DEFAULT, DONE, INPUT_ERROR, ROOT, set_options

SMALL = ["workload.requests=200"]


def one_line(done):
    """The message of a run that ended with status 2: one line, nothing else on stderr."""
    assert done.returncode == INPUT_ERROR, done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].strip(), done.stderr
    return lines[0]


@pytest.fixture
def configs(tmp_path):
    """A copy of configs/ that a test may spoil."""
    return shutil.copytree(ROOT / "configs", tmp_path / "configs")


def spoil(path, pattern, replacement):
    """Replace the only match of `pattern`; returns the number of its line."""
    text = path.read_text(encoding="utf-8")
    matches = list(re.finditer(pattern, text, re.MULTILINE))
    assert len(matches) == 1, f"{pattern}: {len(matches)} matches in {path}"
    path.write_text(text[:matches[0].start()] + replacement + text[matches[0].end():], encoding="utf-8")
    return text[:matches[0].start()].count("\n") + 1


@pytest.mark.parametrize("arguments, words", [
    (["--help"], ["run", "describe", "Example"]),
    (["run", "--help"], ["--set", "--trace", "--workload", "--out", "--waves", "--waves-view", "--waves-from", "--waves-to",
                         "--waves-channels", "--timeline", "--timeline-from", "--timeline-to",
                         "--lenient", "Example"]),
    (["describe", "--help"], ["Example"]),
])
def test_help_has_options_and_examples(tlmssd, arguments, words):
    done = tlmssd(*arguments)
    assert done.returncode == DONE and done.stderr == ""
    for word in words:
        assert word.lower() in done.stdout.lower(), word
    assert re.search(r"^\s+(\$ )?tlmssd (run|describe) \S+", done.stdout, re.MULTILINE), done.stdout


def test_help_names_every_scheduler(tlmssd):
    listed = re.findall(r"^SCHED\(\w+, (\w+),", (ROOT / "firmware/hal/sched.def").read_text(), re.MULTILINE)
    assert {"serial", "barrier", "inorder", "vaq", "host", "paq0", "paq1", "paq2", "sost",
            "hybrid"} <= set(listed)
    text = tlmssd("run", "--help").stdout
    for name in listed:
        assert re.search(rf"\b{name}\b", text), name


@pytest.mark.parametrize("arguments", [
    [], ["race"], ["run"], ["describe"], ["run", DEFAULT, "--nonsense"], ["run", DEFAULT, "--set"],
    ["run", DEFAULT, "--set", "seed"],
    ["run", DEFAULT, "--workload", "randread-4k", "--format", "spc"],
])
def test_a_wrong_command_line_is_status_2(tlmssd, arguments):
    done = tlmssd(*arguments)
    assert done.returncode == INPUT_ERROR
    assert done.stderr.strip() and "terminate called" not in done.stderr


def test_a_missing_file_is_named(tlmssd):
    assert "absent.yaml" in one_line(tlmssd("run", "absent.yaml"))
    assert "absent.spc" in one_line(tlmssd("run", DEFAULT, "--trace", "absent.spc", "--format", "spc"))


def test_an_unknown_key_gets_place_and_nearest_name(tlmssd, configs):
    path = configs / "ssd/default.yaml"
    line = spoil(path, r"^scheduler:", "schedular:")
    message = one_line(tlmssd("run", path, *set_options(SMALL)))
    assert f"default.yaml:{line}:1: " in message
    assert "schedular" in message and re.search(r"\bscheduler\b", message)


def test_an_unknown_scheduler_gets_place_and_nearest_name(tlmssd, configs):
    path = configs / "ssd/default.yaml"
    line = spoil(path, r"^scheduler: *\w+", "scheduler: inordr")
    message = one_line(tlmssd("describe", path))
    assert f"default.yaml:{line}:12: " in message
    assert "inordr" in message and re.search(r"\binorder\b", message)


@pytest.mark.parametrize("setting, words", [
    ("sceduler=vaq", ["sceduler", "scheduler"]),
    ("scheduler=vak", ["scheduler", "vak", "vaq"]),
    ("geometry.chanels=4", ["geometry.chan", "channels"]),
    ("geometry.channels=zero", ["geometry.channels", "zero"]),
    ("geometry.channels=-1", ["geometry.channels"]),
    ("geometry.channels=0", ["geometry.channels"]),
    ("controller.kind=rlt", ["controller.kind", "rtl"]),
    ("host.queue_depth=64", ["host.queue_depth", "32"]),
    ("ftl.allocation=CWDD", ["ftl.allocation"]),
    ("workload.rw=randreed", ["workload.rw", "randread"]),
    ("cpu.model=iis", ["cpu.model", "iss"]),
    ("inject.no_grants=1", ["inject.no_grants", "controller.kind: rtl"]),
])
def test_a_wrong_setting_names_key_and_choice(tlmssd, setting, words):
    message = one_line(tlmssd("describe", DEFAULT, "--set", setting))
    assert "--set" in message
    for word in words:
        assert word in message, message


def test_an_unknown_workload_gets_the_nearest_name(tlmssd):
    assert "randread-4k" in one_line(tlmssd("run", DEFAULT, "--workload", "randreed-4k"))


def test_broken_yaml_gets_its_line(tlmssd, tmp_path):
    path = tmp_path / "broken.yaml"
    path.write_text("seed: 1\ngeometry: {channels: 4\n", encoding="utf-8")
    assert re.search(r"broken\.yaml:\d+:\d+: ", one_line(tlmssd("run", path)))


def test_a_broken_trace_line_gets_its_number_or_is_counted(tlmssd, tmp_path):
    path = tmp_path / "three.spc"
    path.write_text("0,8,4096,R,0.0\n0,oops,4096,R,0.1\n0,16,4096,W,0.2\n", encoding="utf-8")
    options = ["--trace", path, "--format", "spc"]
    out = tmp_path / "out"
    assert "three.spc:2" in one_line(tlmssd("run", DEFAULT, *options, "--out", out))
    assert not (out / "results.json").exists(), "nothing half-written"
    workload = json.loads(tlmssd.run(out, *options, "--lenient"))["workload"]
    assert (workload["source_requests"], workload["skipped"]) == (2, 1)


def test_an_ambiguous_trace_asks_for_its_format(tlmssd, tmp_path):
    # Five integers are DiskSim, SSDsim and MQSim alike.
    path = tmp_path / "five"
    path.write_text("0 0 8 8 1\n1000 0 16 8 0\n", encoding="utf-8")
    message = one_line(tlmssd("run", DEFAULT, "--trace", path))
    assert "--format" in message
    for name in ("ssdsim", "mqsim", "disksim"):
        assert name in message


def test_a_directory_as_trace_is_refused(tlmssd, tmp_path):
    assert tmp_path.name in one_line(tlmssd("run", DEFAULT, "--trace", tmp_path, "--format", "spc"))


def test_an_out_folder_that_cannot_be_made_is_refused(tlmssd, tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    done = tlmssd("run", DEFAULT, *set_options(SMALL), "--out", tmp_path / "file" / "out")
    assert "file" in one_line(done)


def test_results_satisfy_the_published_schema(tlmssd, tmp_path):
    schema = json.loads((ROOT / "docs/reference/results.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    for kind in ("sata", "direct"):
        for workload in ("randread-4k", "randwrite-4k"):
            text = tlmssd.run(tmp_path, "--workload", workload, sets=[*SMALL, f"host.kind={kind}"])
            results = json.loads(text)
            jsonschema.Draft202012Validator(schema).validate(results)
            assert results["status"] == "done"
            assert results["host"]["all"]["count"] == 200
            assert results["host"]["all"]["bytes"] == 200 * 4096


def test_the_schema_refuses_a_document_with_a_key_too_few(tlmssd, tmp_path):
    schema = json.loads((ROOT / "docs/reference/results.schema.json").read_text(encoding="utf-8"))
    results = json.loads(tlmssd.run(tmp_path, "--workload", "randread-4k", sets=SMALL))
    del results["host"]["all"]["iops"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(results)


def test_the_table_is_printed_and_quiet_leaves_it_out(tlmssd):
    arguments = ["run", DEFAULT, "--workload", "randread-4k", *set_options(SMALL)]
    loud, quiet = tlmssd(*arguments), tlmssd(*arguments, "--quiet")
    assert loud.returncode == quiet.returncode == DONE
    for word in ("IOPS", "p99.9", "bound", "WAF"):
        assert word in loud.stdout
    assert quiet.stdout == "" and loud.stderr == quiet.stderr == ""


def test_describe_tells_capacity_and_every_key(tlmssd):
    done = tlmssd("describe", DEFAULT, "--set", "geometry.channels=2")
    assert done.returncode == DONE and done.stderr == ""
    for word in ("channels: 2", "capacity", "MB/s"):
        assert word.lower() in done.stdout.lower(), done.stdout


def test_settings_take_effect_in_order(tlmssd, tmp_path):
    text = tlmssd.run(tmp_path, sets=[*SMALL, "scheduler=serial", "scheduler=vaq"])
    assert json.loads(text)["sched"]["name"] == "vaq"


def test_a_generated_run_can_be_given_without_a_preset(tlmssd, tmp_path):
    sets = [*SMALL, "workload.rw=write", "workload.bs=16384"]
    host = json.loads(tlmssd.run(tmp_path, sets=sets))["host"]
    assert (host["writes"]["count"], host["reads"]["count"]) == (200, 0)
    assert host["writes"]["bytes"] == 200 * 16384
