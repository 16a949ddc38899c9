# SPDX-License-Identifier: BSD-3-Clause
"""Completion: the candidates that the programs name, and what bash, zsh and fish make of them."""
import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import time

import pytest

from cli import DONE, ROOT

COMPLETION = ROOT / "scripts/completion"


def candidates(tlmssd, *words):
    done = tlmssd("complete", *words)
    assert done.returncode == DONE and done.stderr == "", done.stderr
    return dict(line.partition("\t")[::2] for line in done.stdout.splitlines())


def names(tlmssd, kind):
    return {entry["name"] for entry in json.loads(tlmssd("list", kind, "--json").stdout)}


def test_verbs_and_options_with_their_sentences(tlmssd):
    verbs = candidates(tlmssd, "")
    assert set(verbs) == {"run", "describe", "list", "explain", "replay-ops", "snapshot", "powercut", "serve", "guest"}
    assert all(verbs.values())
    assert set(candidates(tlmssd, "re")) == {"replay-ops"}
    assert set(candidates(tlmssd, "snapshot", "")) == {"save", "info", "load"}
    assert set(candidates(tlmssd, "run", "default", "--wa")) == {
        "--waves", "--waves-view", "--waves-from", "--waves-to", "--waves-channels"}
    assert {"-s", "--set", "-q", "--json"} <= set(candidates(tlmssd, "run", "-"))


def test_keys_and_their_values(tlmssd):
    keys = candidates(tlmssd, "run", "default", "--set", "")
    assert len(keys) > 300 and {"scheduler=", "workload=", "nand="} <= set(keys)
    values = candidates(tlmssd, "run", "default", "--set", "scheduler=")
    assert {name.removeprefix("scheduler=") for name in values} == names(tlmssd, "schedulers")
    assert all(values.values())
    assert set(candidates(tlmssd, "run", "-s", "scheduler=va")) == {"scheduler=vaq"}
    assert set(candidates(tlmssd, "run", "--set=scheduler=va")) == {"--set=scheduler=vaq"}
    assert set(candidates(tlmssd, "run", "-s", "checker=")) == {"checker=true", "checker=false"}
    assert {"ftl.gc.policy=greedy"} <= set(candidates(tlmssd, "run", "-s", "ftl.gc.policy="))
    assert candidates(tlmssd, "run", "-s", "workload.trace=") == {":files": ""}


def test_devices_workloads_formats_and_arguments(tlmssd):
    assert set(candidates(tlmssd, "describe", "")) == names(tlmssd, "devices") | {":files"}
    assert set(candidates(tlmssd, "run", "default", "-w", "")) == names(tlmssd, "workloads") | {":files"}
    assert set(candidates(tlmssd, "run", "default", "--format", "")) == names(tlmssd, "formats")
    assert set(candidates(tlmssd, "list", "")) == {
        "devices", "workloads", "schedulers", "policies", "formats", "controllers"}
    assert {"buffer", "buffer.policy", "host.reads.iops"} <= set(candidates(tlmssd, "explain", ""))
    assert candidates(tlmssd, "run", "default", "--trace", "") == {":files": ""}
    assert set(candidates(tlmssd, "replay-ops", "x", "mqsim_8x8_")) == {"mqsim_8x8_gc", ":files"}


# ---- the Python tools ----

@pytest.fixture(scope="module")
def lab(tlmssd):
    def complete(*words):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts"), "TLMSSD": str(tlmssd.path)}
        done = subprocess.run([sys.executable, "-m", "tlmssd_lab.cli", "complete", *words], cwd=ROOT, env=environment,
                              text=True, capture_output=True, check=True, timeout=60)
        assert done.stderr == ""
        return dict(line.partition("\t")[::2] for line in done.stdout.splitlines())
    return complete


def test_the_python_tools_take_verbs_and_options_from_their_parser(lab):
    from tlmssd_lab.cli.command import parser
    verbs = next(action for action in parser()._actions if action.choices)
    assert set(lab("")) == set(verbs.choices)
    for verb, inner in verbs.choices.items():
        long = {name for action in inner._actions if action.help != "==SUPPRESS==" for name in action.option_strings}
        assert set(lab(verb, "-")) == long, verb


def test_the_python_tools_take_names_from_tlmssd(lab, tlmssd):
    assert set(lab("compare", "")) == names(tlmssd, "devices") | {":files"}
    assert set(lab("compare", "default", "-w", "seqr")) == {"seqread-128k", ":files"}
    assert set(lab("compare", "default", "--scheduler", "inorder,va")) == {"inorder,vaq"}
    assert set(lab("compare", "default", "--set", "scheduler=va")) == {"scheduler=vaq"}
    assert "paq-schemes" in lab("figure", "paq-s")


# ---- shells ----

@pytest.fixture
def home(tlmssd, lab, tmp_path):
    """A home with both programs in bin/."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "tlmssd").symlink_to(pathlib.Path(tlmssd.path).resolve())
    runner = folder / "tlmssd-lab"
    runner.write_text(f"#!/bin/sh\nTLMSSD='{tlmssd.path}' PYTHONPATH='{ROOT}/scripts' "
                      f"exec '{sys.executable}' -m tlmssd_lab.cli \"$@\"\n", encoding="utf-8")
    runner.chmod(0o755)
    (tmp_path / "some-trace.csv").write_text("", encoding="utf-8")
    return tmp_path


def environment(home):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "COMP_"))}
    return {**clean, "HOME": str(home), "PATH": f"{home}/bin:{os.environ['PATH']}", "TERM": "dumb", "COLUMNS": "200",
            "LINES": "50"}


class Terminal:
    """A shell at a terminal."""

    def __init__(self, words, home, ready):
        self.leader, follower = pty.openpty()
        self.process = subprocess.Popen(words, cwd=home, stdin=follower, stdout=follower, stderr=follower,
                                        env=environment(home), start_new_session=True)
        os.close(follower)
        self.type(ready)
        self.until("READY\r?\n")

    def type(self, text):
        os.write(self.leader, text.encode())

    def until(self, pattern, limit=60):
        text, end = "", time.monotonic() + limit
        while not re.search(pattern, text):
            assert time.monotonic() < end, f"no {pattern!r} in {text!r}"
            if select.select([self.leader], [], [], 0.2)[0]:
                text += os.read(self.leader, 4096).decode(errors="replace").replace("\a", "")
        return text

    def completes(self, typed, whole):
        """After TAB the line is `whole`: the shell runs it as the words of `echo`."""
        self.type(f"{typed}\t")
        self.until(re.escape(whole))
        self.type("\x15")  # erase the line
        time.sleep(0.2)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.leader)


LINES = [
    ("tlmssd repl", "tlmssd replay-ops "),
    ("tlmssd run default --set schedu", "scheduler="),
    ("tlmssd run default --set scheduler=va", "scheduler=vaq"),
    ("tlmssd run default --set=ftl.gc.policy=gree", "ftl.gc.policy=greedy"),
    ("tlmssd describe mqsim_8x8_", "mqsim_8x8_gc"),
    ("tlmssd run default --trace some-", "some-trace.csv"),
    ("tlmssd-lab comp", "tlmssd-lab compare "),
    ("tlmssd-lab fs", "tlmssd-lab fsync "),
    ("tlmssd-lab compare default --first", "--first-seed"),
    ("tlmssd-lab compare default -w seqre", "seqread-128k"),
]


def test_bash_completes_at_the_terminal(home):
    shell = Terminal(["bash", "--norc", "--noprofile", "-i"], home,
                     f"source {COMPLETION}/tlmssd.bash; PS1='> '; echo READ''Y\n")
    try:
        for typed, whole in LINES:
            shell.completes(typed, whole)
    finally:
        shell.close()


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh: scripts/setup --for test installs it")
def test_zsh_completes_at_the_terminal(home):
    shell = Terminal(["zsh", "-f", "-i"], home,
                     f"unsetopt zle_bracketed_paste; fpath=({COMPLETION} $fpath); autoload -U compinit; "
                     "compinit -u -D; PS1='> '; echo READ''Y\n")
    try:
        for typed, whole in LINES:
            shell.completes(typed, whole)
    finally:
        shell.close()


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish: scripts/setup --for test installs it")
@pytest.mark.parametrize("typed, whole", LINES)
def test_fish_completes(home, typed, whole):
    script = f"source {COMPLETION}/tlmssd.fish; complete -C '{typed}'"
    done = subprocess.run(["fish", "--no-config", "-c", script], cwd=home, env=environment(home), text=True,
                          capture_output=True, check=True, timeout=60)
    found = [line.partition("\t")[0] for line in done.stdout.splitlines()]
    assert len(found) == 1 and found[0].endswith(whole.split()[-1]), done.stdout + done.stderr
