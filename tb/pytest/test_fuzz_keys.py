# SPDX-License-Identifier: BSD-3-Clause
"""Whatever the keys are within their ranges, a run ends: with status 0, 2 or 3, and when it is asked to.

The short form takes the first seeds of each kind, the long form (TLMSSD_TEST_LONG=1) 1,000 combinations of fault
keys and 500 of all keys. A failure names its seed; `pytest -k 'faults-17'` repeats it.
"""
import gzip
import json
import random
import resource
import signal
import subprocess
import time

import pytest

from cli import DEFAULT, DONE, INPUT_ERROR, INTERRUPTED, MODEL_ERROR, long_form, set_options
from fuzz_keys import combination, draw, leaves

COUNTS = {"faults": 1000, "all": 500} if long_form() else {"faults": 24, "all": 16}
CASES = [(kind, seed) for kind, count in COUNTS.items() for seed in range(count)]
CPU_SECONDS = 20  # a run of 120 requests takes 0.1 s; of own time, so that a busy machine does not matter
STOP_SECONDS = 2
STOP_MARGIN = 4   # beside other processes
MEMORY = 4 << 30
OUTPUTS = ["--log", "log.csv.zst", "--timeline", "timeline.json.gz", "--out", "out"]


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def check_files(folder, status):
    """Each output is whole or absent."""
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert names <= {"log.csv.zst", "timeline.json.gz", "out/results.json", "faults.txt"}, names
    results = None
    if "out/results.json" in names:
        results = json.loads((folder / "out/results.json").read_text(encoding="utf-8"))
        wanted = {DONE: "done", MODEL_ERROR: "failed", INTERRUPTED: "interrupted"}
        assert results["status"] == wanted[status]
    if "timeline.json.gz" in names:
        json.loads(gzip.decompress((folder / "timeline.json.gz").read_bytes()))
    if "log.csv.zst" in names:
        subprocess.run(["zstd", "-qt", folder / "log.csv.zst"], check=True)
    return results


def command(tlmssd, folder, kind, seed):
    return ["run", DEFAULT, *set_options(combination(tlmssd, seed, kind, folder)), *OUTPUTS, "--quiet"]


@pytest.mark.parametrize("kind, seed", CASES, ids=[f"{kind}-{seed}" for kind, seed in CASES])
def test_run_ends(tlmssd, tmp_path, kind, seed):
    words = command(tlmssd, tmp_path, kind, seed)
    done = tlmssd(*words, cwd=tmp_path, timeout=20 * CPU_SECONDS, preexec_fn=limits)
    assert done.returncode in (DONE, INPUT_ERROR, MODEL_ERROR), (done.returncode, done.stderr, words)
    lines = [line for line in done.stderr.splitlines() if not line.startswith(("warning: ", "note: "))]
    if done.returncode == DONE:
        assert check_files(tmp_path, DONE) is not None
    else:
        assert lines and lines[0].startswith("tlmssd: "), (done.stderr, words)
        check_files(tmp_path, done.returncode)
    if done.returncode == INPUT_ERROR:
        assert len(lines) == 1, done.stderr


@pytest.mark.parametrize("kind, seed", CASES, ids=[f"{kind}-{seed}" for kind, seed in CASES])
def test_run_stops(tlmssd, tmp_path, kind, seed):
    words = [*command(tlmssd, tmp_path, kind, seed), *set_options(["workload.requests=unlimited", "workload.loops=unlimited"])]
    process = tlmssd.start(*words, cwd=tmp_path, preexec_fn=limits)
    try:
        time.sleep(random.Random(seed).uniform(0.02, 0.5))
        process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        _, stderr = process.communicate(timeout=STOP_SECONDS * STOP_MARGIN)
        took = time.monotonic() - began
    except subprocess.TimeoutExpired:
        pytest.fail(f"it goes on {STOP_SECONDS * STOP_MARGIN} s after SIGTERM: {words}")
    finally:
        process.kill()
        process.wait()
    ended = (DONE, INPUT_ERROR, MODEL_ERROR, INTERRUPTED, -signal.SIGTERM)
    assert process.returncode in ended, (process.returncode, stderr, words)
    print(f"{kind}-{seed}: status {process.returncode} {took:.2f} s after the signal")
    if process.returncode != -signal.SIGTERM:  # that was before its handler
        check_files(tmp_path, process.returncode)


@pytest.mark.parametrize("kind", COUNTS)
def test_combinations_are_not_all_refused(tlmssd, tmp_path, kind):
    """A fuzz that the check of the configuration ends early would test nothing."""
    seeds = range(12)
    good = sum(tlmssd("describe", DEFAULT, *set_options(combination(tlmssd, seed, kind, tmp_path))).returncode == DONE
               for seed in seeds)
    assert good >= len(seeds) // 4


def test_values_are_within_their_ranges():
    rng = random.Random(1)
    for key, leaf in leaves().items():
        if leaf.get("type") not in ("integer", "number") or "maximum" not in leaf:
            continue
        low = leaf.get("minimum", leaf.get("exclusiveMinimum"))
        for _ in range(50):
            assert low <= draw(rng, key, leaf) <= leaf["maximum"], key
