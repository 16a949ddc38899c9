# SPDX-License-Identifier: BSD-3-Clause
"""Options mean the same in every verb; JSON on standard output; colour; old spellings."""
import json
import os
import pty
import re
import subprocess

import pytest

from cli import DEFAULT, DONE, INPUT_ERROR, deterministic, set_options

SMALL = ["--set", "workload.requests=200"]
VERBS = (["run"], ["describe"], ["replay-ops"], ["snapshot", "save"], ["snapshot", "load"], ["powercut"], ["serve"])
RECOVERS = set_options(["ftl.recovery=scan", "workload.requests=50"])


def options_of(tlmssd, verb):
    """{"--set": "-s", "--format": ""}: options of a verb, with the short form of each."""
    text = tlmssd(*verb, "--help").stdout
    return {long: short for short, long in re.findall(r"^  (?:(-\w),)?(--[\w-]+)", text, re.MULTILINE)}


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_an_option_has_the_same_short_form_everywhere(tlmssd, verb):
    short = {"--set": "-s", "--workload": "-w", "--quiet": "-q", "--jobs": "-j", "--out": "-o", "--help": "-h"}
    found = options_of(tlmssd, verb)
    assert found["--set"] == "-s" and "--seed" in found
    for name, letter in found.items():
        assert letter == short.get(name, ""), name


def test_the_first_screen_is_short_and_names_every_verb(tlmssd):
    text = tlmssd("--help").stdout
    assert len(text.splitlines()) <= 40 and max(map(len, text.splitlines())) <= 100
    for verb in ("run", "describe", "list", "explain", "replay-ops", "snapshot", "powercut", "serve"):
        assert re.search(rf"^  {verb} ", text, re.MULTILINE), verb
    assert "dry run" in text and "complete" not in text
    assert "dry run" in tlmssd("describe", "--help").stdout


def test_short_forms_do_what_the_long_ones_do(tlmssd, tmp_path):
    long = tlmssd("run", DEFAULT, "--workload", "randread-4k", *SMALL, "--seed", 5, "--out", tmp_path / "a", "--quiet")
    short = tlmssd("run", "default", "-w", "randread-4k", "-s", "workload.requests=200", "-s", "seed=5",
                   "-o", tmp_path / "b", "-q")
    assert long.returncode == short.returncode == DONE
    assert long.stdout == short.stdout == long.stderr == short.stderr == ""
    one, two = ((tmp_path / name / "results.json").read_text() for name in "ab")
    assert deterministic(one) == deterministic(two) and json.loads(one)["seed"] == 5


def test_two_seeds_conflict(tlmssd):
    done = tlmssd("describe", "default", "--seed", 1, "--set", "seed=2")
    assert done.returncode == INPUT_ERROR and "--seed 1 conflicts with --set seed=2; use one of them" in done.stderr
    done = tlmssd("describe", "default", "--seed", "one")
    assert done.returncode == INPUT_ERROR and "seed" in done.stderr and "one" in done.stderr


@pytest.mark.parametrize("words, said", [
    (["race"], "unknown verb 'race'; did you mean '"),
    (["describ", "default"], "did you mean 'describe'?"),
    (["run", "default", "--quite"], "unknown option --quite; did you mean '--quiet'?"),
    (["run", "default", "--output", "x"], "unknown option --output; did you mean '--out'?"),
    (["run", "default", "more"], "'more' is one argument too many"),
    (["run"], "DEVICE is required"),
    ([], "tlmssd requires a verb"),
    (["snapshot"], "tlmssd snapshot requires a verb"),
])
def test_a_wrong_word_gets_the_nearest_one(tlmssd, words, said):
    done = tlmssd(*words)
    assert done.returncode == INPUT_ERROR and done.stdout == ""
    assert done.stderr.startswith("tlmssd: ") and said in done.stderr
    assert re.search(r"^Run `tlmssd .*--help` for more information\.$", done.stderr, re.MULTILINE)


def test_json_of_a_run_is_results_json_and_nothing_else(tlmssd, tmp_path):
    done = tlmssd("run", "default", "-w", "randread-4k", *SMALL, "--json", "-o", tmp_path)
    assert done.returncode == DONE
    assert done.stdout == (tmp_path / "results.json").read_text(encoding="utf-8")


def test_json_of_describe_is_what_results_carry(tlmssd, tmp_path):
    described = json.loads(tlmssd("describe", "default", *SMALL, "--json").stdout)
    results = json.loads(tlmssd("run", "default", *SMALL, "--json").stdout)
    assert described["config"] == results["config"] and described["config_hash"] == results["config_hash"]
    text = tlmssd("describe", "default", *SMALL).stdout
    assert f"{described['capacities']['logical_sectors']} sectors" in text
    assert re.search(rf"# dram +{described['peak_mb_s']['dram']:.1f}\n", text)


def test_json_of_a_snapshot_and_of_power_cuts(tlmssd, tmp_path):
    device = ["powercut", *RECOVERS]
    assert tlmssd("snapshot", "save", *device, "-o", tmp_path / "s").returncode == DONE
    info = json.loads(tlmssd("snapshot", "info", tmp_path / "s", "--json").stdout)
    text = tlmssd("snapshot", "info", tmp_path / "s").stdout
    assert f"units written               {info['units_written']} of {info['units']}" in text
    cut = ["powercut", *device, "--cuts", 4, "--within", "1ms", "-j", 2]
    done, table = tlmssd(*cut, "--json"), tlmssd(*cut)
    assert done.returncode == table.returncode == DONE, done.stderr + table.stderr
    found = json.loads(done.stdout)
    assert found["cuts"] == 4 and found["failures"] == 0
    assert f"pages checked               {found['pages_checked']}\n" in table.stdout
    assert f"mean {found['recovery_us']['mean']:.1f}," in table.stdout


def test_json_of_a_replay_stands_alone(tlmssd, tmp_path):
    ops = tmp_path / "ops.csv.zst"
    assert tlmssd("run", "default", *SMALL, "--ops", ops, "-q").returncode == DONE
    assert tlmssd("replay-ops", ops, "default", "-q", "-o", tmp_path / "first").returncode == DONE
    done = tlmssd("replay-ops", ops, "default", "--json", "--against", tmp_path / "first", "-o", tmp_path / "again")
    assert done.returncode == DONE, done.stderr
    assert done.stdout == (tmp_path / "again/replay.json").read_text(encoding="utf-8")
    assert done.stderr != ""


def coloured(tlmssd, words, **environment):
    clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    return tlmssd(*words, env={**clean, "TERM": "xterm", **environment})


def test_colour_only_where_it_is_wanted(tlmssd):
    words = ["run", "default", "-w", "randread-4k", *SMALL]
    plain = coloured(tlmssd, words)
    forced = coloured(tlmssd, words, FORCE_COLOR="1")
    assert "\033" not in plain.stdout + plain.stderr
    assert "\033[1;33m" in re.search(r"^bound .*$", forced.stdout, re.MULTILINE)[0]
    without = re.sub(r"\033\[[\d;]*m", "", forced.stdout)
    wall = r"in \d+\.\d+ s of wall time.*"
    assert re.sub(wall, "", without) == re.sub(wall, "", plain.stdout)


def test_a_message_on_a_terminal_is_coloured_unless_no_color_is_set(tlmssd, tmp_path):
    def shown(**environment):
        return terminal(tlmssd, ["describe", "nowhere-near"], tmp_path, environment)

    assert "\033[1;31mtlmssd:\033[0m no device" in shown()
    for off in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        text = shown(**off)
        assert "\033" not in text and "tlmssd: no device" in text


def terminal(tlmssd, words, folder, environment):
    """What a program writes to a terminal."""
    leader, follower = pty.openpty()
    clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen([tlmssd.path, *words], cwd=folder, stdin=follower, stdout=follower, stderr=follower,
                               env={**clean, "TERM": "xterm", **environment})
    os.close(follower)
    text = b""
    try:
        while chunk := os.read(leader, 4096):
            text += chunk
    except OSError:  # the other end is closed
        pass
    os.close(leader)
    assert process.wait(timeout=60) == INPUT_ERROR
    return text.decode()


LENIENT = "--lenient (workload.lenient) leaves broken rows out and counts them"


@pytest.mark.parametrize("rows, options, offered", [
    (["0,8,4096,R,0.0", "0,oops,4096,R,0.1", "0,16,4096,W,0.2"], ["--format", "spc"], True),
    (["0,oops,4096,R,0.1"] + [f"0,{i},4096,R,{i}.0" for i in range(8)], ["--format", "spc"], True),
    (["0,8,4096,R,0.0", "0,oops,4096,R,0.1", "0,16,4096,W,0.2"], [], True),
    (["a", "b", "c", "d"], ["--format", "spc"], False),
    (["0,8,4096,R,0.0", "x", "y", "z"], ["--format", "spc"], False),
    (["a", "b", "c", "d"], [], False),
])
def test_lenient_is_named_where_it_would_help(tlmssd, tmp_path, rows, options, offered):
    path = tmp_path / "t"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    done = tlmssd("run", "default", "--trace", path, *options)
    assert done.returncode == INPUT_ERROR and len(done.stderr.splitlines()) == 1
    assert (LENIENT in done.stderr) == offered, done.stderr
    if offered:
        assert tlmssd("run", "default", "--trace", path, *options, "--lenient", "-q").returncode == DONE


# Every spelling that tlmssd had before it got short forms and names.
OLD = """--set --trace --format --trace-columns --workload --lenient --out --waves --waves-view --waves-from --waves-to
--waves-channels --timeline --timeline-from --timeline-to --log --ops --steps --snapshot --timed-mount --gdb --quiet
--closed --mode --rtl-latencies --against --tolerance --after-workload --cuts --seed --jobs --lives --within --socket
--device --threads""".split()


def test_every_old_spelling_is_still_an_option(tlmssd):
    found = set()
    for verb in VERBS:
        found |= set(options_of(tlmssd, verb))
    assert set(OLD) <= found

