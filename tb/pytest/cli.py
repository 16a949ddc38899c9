# SPDX-License-Identifier: BSD-3-Clause
"""Runs the tlmssd binary and reads results.json, for all tests of this folder."""
import json
import os
import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFAULT = ROOT / "configs/ssd/default.yaml"

DONE, INPUT_ERROR, MODEL_ERROR, INTERRUPTED = 0, 2, 3, 130


def long_form():
    """Whether scripts/test --long asked for full counts."""
    return os.environ.get("TLMSSD_TEST_LONG") == "1"


class Tlmssd:
    """One build of the command line tool."""

    def __init__(self, path):
        self.path = path

    def start(self, *arguments, cwd=ROOT, **options):
        return subprocess.Popen([self.path, *map(str, arguments)], cwd=cwd, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **options)

    def __call__(self, *arguments, cwd=ROOT, timeout=120, **options):
        """Run to the end; the caller looks at returncode, stdout and stderr."""
        return subprocess.run([self.path, *map(str, arguments)], cwd=cwd, timeout=timeout, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              errors="replace", **options)

    def run(self, out, *arguments, config=DEFAULT, sets=(), timeout=120):
        """`tlmssd run` that must succeed; the text of its results.json."""
        done = self("run", config, *arguments, *set_options(sets), "--out", out, "--quiet",
                    timeout=timeout)
        assert done.returncode == DONE, f"status {done.returncode}: {done.stderr}{done.stdout}"
        return (pathlib.Path(out) / "results.json").read_text(encoding="utf-8")


def set_options(sets):
    """["a.b=c"] -> ["--set", "a.b=c"]"""
    return [word for setting in sets for word in ("--set", setting)]


class Literal(str):
    """A number as it is written: 1.0 and 1.00 differ."""


def parse(text):
    """results.json with every number kept as written, order of keys included."""
    return json.loads(text, parse_float=Literal, parse_int=Literal)


def deterministic(text, without=()):
    """What must be byte-identical in equal runs: all but `wall` and the dotted paths `without`."""
    document = parse(text)
    del document["wall"]
    for path in without:
        *folders, last = path.split(".")
        place = document
        for folder in folders:
            place = place[folder]
        del place[last]
    return json.dumps(document, indent=1)


def without_checksum(text):
    """The lines of a log or recording without the last one, which is their checksum."""
    lines, _, last = text.removesuffix("\n").rpartition("\n")
    assert re.fullmatch("# crc32 [0-9a-f]{8}", last), last
    return lines + "\n"


def has_ended(pid, within=10):
    """Whether a process ends within so many seconds; one whose parent has not asked for its status has ended."""
    limit = time.monotonic() + within
    while True:
        try:
            state = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z" or time.monotonic() > limit:
            return state == "Z"
        time.sleep(0.05)
