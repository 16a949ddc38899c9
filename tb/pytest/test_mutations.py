# SPDX-License-Identifier: BSD-3-Clause
"""Damaged configurations and traces, through the binary itself: a clear message or a sound run.

The same is done at a larger scale without processes in the rooms' own tests (tb/config, tb/workload);
here the whole path to the exit status counts.
"""
import random
import re
import shutil

import pytest

from cli import DEFAULT, DONE, INPUT_ERROR, ROOT, long_form, set_options
from mutate import mutate

PER_BLOCK = 25
BLOCKS = 40 if long_form() else 10  # of configurations, and as many of traces: 500 in the short form
TIMEOUT_S = 30
NEVER = re.compile(r"terminate called|Traceback|Aborted|Segmentation|runtime error|AddressSanitizer|what\(\)")

SMALL = ["geometry.channels=2", "geometry.ways=1", "geometry.dies=1", "geometry.blocks=64"]

TRACES = {
    "spc": "\n".join(f"{i % 3},{i * 8},{512 * (1 + i % 9)},{'rRwW'[i % 4]},{i / 100:.6f}" for i in range(20)),
    "msr": "\n".join(f"{128166372003061629 + i * 10000},hm,{i % 2},{'Read' if i % 2 else 'Write'},{i * 4096},"
                     f"{4096 + 512 * (i % 3)},{100 + i}" for i in range(20)),
    "disksim": "\n".join(f"{i * 0.5:.3f} 0 {i * 16} {8 + i % 5} {i % 2}" for i in range(20)),
    "ssdsim": "\n".join(f"{i * 50000} 0 {i * 16} {8 + i % 5} {i % 2}" for i in range(20)),
    "mqsim": "\n".join(f"{i * 50000} 0 {i * 16} {8 + i % 5} {i % 2}" for i in range(20)),
    "blkparse": "\n".join(f"  8,0    {i % 2}   {i:6d}     0.{i:09d}  4020  D  {'R' if i % 3 else 'WS'} "
                          f"{i * 64} + {8 + i} [java]" for i in range(1, 21)),
}


def judge(done, path, text):
    """The contract of a run with damaged input."""
    story = f"{path.name}:\n{text}\nstatus {done.returncode}\n{done.stderr}"
    assert not NEVER.search(done.stderr), story
    assert done.returncode in (DONE, INPUT_ERROR), story
    if done.returncode == INPUT_ERROR:
        lines = done.stderr.splitlines()
        assert len(lines) == 1, story
        assert path.name in lines[0], story
        assert len(lines[0]) < 2000 and lines[0].isprintable(), story


@pytest.mark.parametrize("block", range(BLOCKS))
def test_damaged_configurations(tlmssd, tmp_path, block):
    configs = shutil.copytree(ROOT / "configs", tmp_path / "configs")
    sources = sorted((ROOT / "configs/ssd").glob("*.yaml")) + sorted((ROOT / "configs/nand").glob("*.yaml"))
    wrong = 0
    for number in range(PER_BLOCK):
        rng = random.Random(f"config {block} {number}")
        source = rng.choice(sources)
        text = mutate(rng, source.read_text(encoding="utf-8"))
        if source.parent.name == "ssd":
            path = configs / "ssd" / f"mutant-{number}.yaml"
            arguments = ["describe", path]
        else:
            path = configs / "nand" / f"mutant-{number}.yaml"
            arguments = ["describe", configs / "ssd/default.yaml", "--set", f"nand={path}",
                         "--set", "onfi.interface=sdr", "--set", "onfi.mode=0"]
        path.write_text(text, encoding="utf-8")
        done = tlmssd(*arguments, timeout=TIMEOUT_S)
        judge(done, path, text)
        wrong += done.returncode == INPUT_ERROR
    assert wrong >= PER_BLOCK // 4, f"only {wrong} of {PER_BLOCK} mutants were refused: is damage noticed?"


@pytest.mark.parametrize("block", range(BLOCKS))
def test_damaged_traces(tlmssd, tmp_path, block):
    wrong = 0
    for number in range(PER_BLOCK):
        rng = random.Random(f"trace {block} {number}")
        form = rng.choice(sorted(TRACES))
        text = mutate(rng, TRACES[form])
        path = tmp_path / f"mutant-{number}.trace"
        path.write_text(text, encoding="utf-8")
        options = rng.choice([["--format", form], ["--format", form], [], ["--format", form, "--lenient"]])
        mode = rng.choice(["open", "closed"])
        done = tlmssd("run", DEFAULT, *set_options([*SMALL, f"workload.mode={mode}"]), "--trace", path,
                      *options, "--quiet", timeout=TIMEOUT_S)
        judge(done, path, text)
        wrong += done.returncode == INPUT_ERROR
    assert wrong >= PER_BLOCK // 5, f"only {wrong} of {PER_BLOCK} mutants were refused: is damage noticed?"


def test_undamaged_traces_run(tlmssd, tmp_path):
    for form, text in TRACES.items():
        path = tmp_path / f"sound.{form}"
        path.write_text(text, encoding="utf-8")
        done = tlmssd("run", DEFAULT, *set_options(SMALL), "--trace", path, "--format", form, "--quiet")
        assert done.returncode == DONE, f"{form}: {done.stderr}"
