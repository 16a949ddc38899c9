# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd --version, list and explain; devices and workloads by name."""
import json
import re
import shutil

import pytest

from cli import DONE, INPUT_ERROR, ROOT

SCHEDULERS = re.findall(r"^SCHED\(\w+, (\w+),", (ROOT / "firmware/hal/sched.def").read_text(), re.MULTILINE)
KINDS = ("devices", "workloads", "schedulers", "policies", "formats", "controllers")


def stems(folder):
    return sorted(path.stem for path in (ROOT / folder).glob("*.yaml"))


def listed(tlmssd, kind):
    done = tlmssd("list", kind, "--json")
    assert done.returncode == DONE and done.stderr == ""
    return json.loads(done.stdout)


def test_version_is_that_of_the_project_and_of_results(tlmssd, tmp_path):
    done = tlmssd("--version")
    assert done.returncode == DONE and done.stderr == ""
    number = re.search(r"project\(tlmssd VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    revision = json.loads(tlmssd.run(tmp_path, sets=["workload.requests=1"]))["wall"]["git"]
    assert done.stdout == f"tlmssd {number} ({revision})\n"


def test_list_names_what_can_be_listed(tlmssd):
    assert [line.split()[0] for line in tlmssd("list").stdout.splitlines()] == list(KINDS)
    done = tlmssd("list", "device")
    assert done.returncode == INPUT_ERROR and "did you mean 'devices'?" in done.stderr


@pytest.mark.parametrize("kind, names", [
    ("devices", stems("configs/ssd")), ("workloads", stems("configs/workloads")), ("schedulers", SCHEDULERS),
])
def test_a_list_has_every_entry_of_its_source(tlmssd, kind, names):
    assert [entry["name"] for entry in listed(tlmssd, kind)] == names
    assert [line.split()[0] for line in tlmssd("list", kind).stdout.splitlines()] == names


@pytest.mark.parametrize("kind", KINDS)
def test_every_entry_has_a_sentence(tlmssd, kind):
    entries = listed(tlmssd, kind)
    assert entries
    for entry in entries:
        assert len(entry["sentence"]) > 8, entry


def test_policies_formats_and_controllers_are_choices_of_their_keys(tlmssd):
    for entry in listed(tlmssd, "policies"):
        assert tlmssd("describe", "default", "--set", f"{entry['key']}={entry['name']}").returncode == DONE, entry
    names = re.findall(r'^    \{"([\w-]+)", ', (ROOT / "models/workload/formats/formats.cpp").read_text(), re.M)
    assert [entry["name"] for entry in listed(tlmssd, "formats")] == names
    controllers = listed(tlmssd, "controllers")
    assert controllers[0]["name"] == "tlm"
    choices = json.loads(tlmssd("explain", "controller.rtl", "--json").stdout)["configuration"]["choices"]
    rtl = [entry["name"] for entry in controllers[1:]]
    assert rtl in ([], [choice["name"] for choice in choices])


def explained(tlmssd, key):
    done = tlmssd("explain", key, "--json")
    assert done.returncode == DONE and done.stderr == "", done.stderr
    return json.loads(done.stdout)


def test_every_key_of_the_reference_is_explained_as_there(tlmssd):
    rows = re.findall(r"^\| `([\w.]+)` \| (\w+) \| (.+?) \| (.+?) \| ", (ROOT / "configs/README.md").read_text(),
                      re.MULTILINE)
    assert len(rows) > 300
    for key, kind, default, values in rows[::17]:
        found = explained(tlmssd, key)["configuration"]
        assert (found["key"], found["type"], found["default"], found["range"]) == (key, kind, default, values)


def test_a_choice_has_its_sentence_and_a_key_its_condition(tlmssd):
    found = explained(tlmssd, "scheduler")["configuration"]
    assert [choice["name"] for choice in found["choices"]] == SCHEDULERS
    assert all(choice["sentence"] for choice in found["choices"])
    text = tlmssd("explain", "ftl.gc.choices").stdout
    assert "condition" in text and "d_choices" in text
    assert explained(tlmssd, "nand.t_read_us")["configuration"]["unit"] == "us"


def test_a_group_lists_its_keys(tlmssd):
    keys = [entry["name"] for entry in explained(tlmssd, "buffer")["configuration"]["keys"]]
    assert "buffer.policy" in keys and all(key.startswith("buffer.") for key in keys)
    assert "  buffer.policy " in tlmssd("explain", "buffer").stdout


def leaves(schema, node, path):
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
    if "properties" not in node:
        yield path
    for name, inner in node.get("properties", {}).items():
        yield from leaves(schema, inner, f"{path}.{name}" if path else name)


def test_every_key_of_results_is_explained(tlmssd):
    schema = json.loads((ROOT / "docs/reference/results.schema.json").read_text(encoding="utf-8"))
    keys = list(leaves(schema, schema, ""))
    assert len(keys) > 100
    for key in keys[::29]:
        found = explained(tlmssd, key)["results"]
        assert found["sentence"] and found["type"], key
    found = explained(tlmssd, "host.reads.latency_us.p99")["results"]
    assert (found["unit"], found["type"]) == ("us", "number")
    names = [explained(tlmssd, key)["results"]["sentence"]
             for key in ("flash.channels[].busy_s", "flash.channels.0.busy_s", "flash.channels.busy_s")]
    assert len(set(names)) == 1


@pytest.mark.parametrize("key, nearest", [
    ("schedular", "scheduler"), ("buffer.polcy", "buffer.policy"), ("host.all.latency_us.p98", "host.all.latency_us.p9"),
])
def test_an_unknown_key_gets_the_nearest_name(tlmssd, key, nearest):
    done = tlmssd("explain", key)
    assert done.returncode == INPUT_ERROR and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and f"did you mean '{nearest}" in done.stderr


def test_an_old_key_says_its_new_name(tlmssd):
    rows = re.findall(r'\{"([\w.]+)", "([\w.]+)"\}', (ROOT / "models/config/keys/renamed.cpp").read_text())
    assert rows
    for old, new in rows[::5]:
        done = tlmssd("explain", old)  # results.json may still have the old name
        assert f"was renamed to '{new}'" in done.stdout + done.stderr, old
        assert done.returncode == (DONE if "results.json: " in done.stdout else INPUT_ERROR)


@pytest.mark.parametrize("name", ["default", "mqsim_8x8"])
def test_a_device_is_found_by_name(tlmssd, tmp_path, name):
    by_path = tlmssd("describe", f"configs/ssd/{name}.yaml").stdout
    assert by_path and tlmssd("describe", name).stdout == by_path
    elsewhere = tlmssd("describe", name, "--workload", "seqread-128k", cwd=tmp_path)  # beside the program
    assert elsewhere.returncode == DONE, elsewhere.stderr
    assert tlmssd("describe", name, "--workload", "seqread-128k").stdout == elsewhere.stdout


def test_a_file_comes_before_a_name(tlmssd, tmp_path):
    (tmp_path / "default").write_text("seed: 77\n", encoding="utf-8")
    assert "seed: 77" in tlmssd("describe", "default", cwd=tmp_path).stdout
    folder = tmp_path / "configs/ssd"
    folder.mkdir(parents=True)
    shutil.copy(tmp_path / "default", folder / "mine.yaml")
    assert "seed: 77" in tlmssd("describe", "mine", cwd=tmp_path).stdout


@pytest.mark.parametrize("words", [["run"], ["describe"], ["powercut"], ["serve", "--socket", "s"], ["replay-ops", "x"],
                                   ["snapshot", "save", "-o", "x"], ["snapshot", "load", "x"]])
def test_every_verb_names_the_nearest_device(tlmssd, tmp_path, words):
    done = tlmssd(*words, "mqsim_8x9", cwd=tmp_path)
    assert done.returncode == INPUT_ERROR
    assert len(done.stderr.splitlines()) == 1
    assert "no device 'mqsim_8x9'" in done.stderr and "did you mean 'mqsim_8x8'?" in done.stderr
