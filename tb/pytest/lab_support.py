# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the Python lab share: crafted results, and a program that stands for tlmssd."""

import json
import os
import pathlib
import subprocess
import sys

from cli import ROOT

CONFIG = str(ROOT / "configs/ssd/default.yaml")


def traffic(count, iops, mean, p99):
    latency = {
        "mean": mean,
        "p50": mean,
        "p95": p99,
        "p99": p99,
        "p999": p99,
        "p9999": p99,
        "max": p99,
    }
    return {
        "count": count,
        "bytes": 4096 * count,
        "iops": iops,
        "mb_s": iops * 4096 / 1e6,
        "latency_us": latency,
        "response_us": dict(latency),
    }


def crafted(**changes):
    """A document like results.json with all keys that the lab itself asks for.

    `changes`: dotted keys with double underscores for the dots; a value `None` is null.
    """
    document = {
        "schema": "tlmssd-results-1",
        "config_hash": "0123456789abcdef",
        "seed": 1,
        "calibrated": False,
        "status": "done",
        "wall": {"seconds": 0.25, "git": "abc"},
        "config": {
            "seed": 1,
            "scheduler": "inorder",
            "controller": {"kind": "tlm"},
            "host": {"queue_depth": 32},
            "geometry": {"channels": 2, "ways": 1, "dies": 1, "planes": 2, "blocks": 8, "pages": 16},
        },
        "sim": {"time_s": 0.5},
        "workload": {"name": "randread-4k", "source_requests": 100},
        "host": {
            "all": traffic(100, 1000.0, 80.0, 200.0),
            "reads": traffic(100, 1000.0, 80.0, 200.0),
            "writes": traffic(0, 0.0, None, None),
            "queue_wait_us": {"mean": 0.0},
        },
        "ftl": {
            "waf": 1.0,
            "host_pages_written": 0,
            "gc": {"runs": 0, "pages_moved": 0, "blocks_erased": 0},
            "free_blocks": {"start": 3.0, "end": 3.0},
        },
        "buffer": {"hit_ratio": 0.5},
        "sched": {"name": "inorder", "reordered": 0},
        "flash": {
            "die_operations": 100,
            "die_idle_s": 1.0,
            "contention_us": 5.0,
            "conflict_wait_us": {"channel": 7.0},
            "channels": [{"busy_s": 0.1}, {"busy_s": 0.3}],
        },
        "cpu": {"model": "native", "busy_fraction": [0.25, 0.75]},
        "energy_mj": {"total": 3.0},
        "integrity": {"mismatches": 0},
        "checker": {"violations": 0},
        "bound": {"limiter": "die", "fraction_of_bound": 0.5},
    }
    for key, value in changes.items():
        *folders, last = key.split("__")
        place = document
        for folder in folders:
            place = place.setdefault(folder, {})
        place[last] = value
    return document


def write_results(folder, **changes):
    """results.json in `folder`; the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(crafted(**changes)), encoding="utf-8")
    return folder


_PROGRAM = """#!{python}
import hashlib, json, pathlib, signal, sys, time
words = sys.argv[1:]
if words[0] == "describe":
    print("# config_hash    " + hashlib.sha256(" ".join(words).encode()).hexdigest()[:16])
    sys.exit(0)
out = pathlib.Path(words[words.index("--out") + 1])
line = " ".join(words)
here = pathlib.Path(__file__)
with open(here.with_suffix(".calls"), "a") as calls:
    calls.write(line + "\\n")
def stop(*_):
    sys.exit(130)
signal.signal(signal.SIGINT, stop)
for needle, status, message, results in json.loads(here.with_suffix(".json").read_text()):
    if needle in line:
        break
else:
    sys.exit("no case for " + line)
if message == "sleep":
    with open(here.with_suffix(".asleep"), "a") as asleep:  # a finaliser would lose the interrupt
        print("asleep", file=asleep)
    time.sleep(60)
elif message:
    print("tlmssd: " + message, file=sys.stderr)
if results is not None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "results.json").write_text(json.dumps(results))
sys.exit(status)
"""


def fake_program(folder, cases):
    """A program in place of tlmssd. A case is (words that the command line must have, exit status,
    line for standard error or "sleep", results or None); the first that fits is played. The command
    lines are kept in program.calls; `describe` gives a hash of its words."""
    path = pathlib.Path(folder) / "program"
    path.write_text(_PROGRAM.format(python=sys.executable), encoding="utf-8")
    path.chmod(0o755)
    path.with_suffix(".json").write_text(json.dumps(cases), encoding="utf-8")
    return path


def start_lab(*words, program, **options):
    """The command line of the lab, running; `program` is what it takes for tlmssd."""
    return subprocess.Popen(
        [sys.executable, "-m", "tlmssd_lab.cli", *map(str, words)],
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TLMSSD": str(program)},
        **options,
    )


def call_lab(*words, program, timeout=120, **options):
    """The same, to its end: (exit status, standard output, standard error)."""
    process = start_lab(*words, program=program, **options)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, out, err
