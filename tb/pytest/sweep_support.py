# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps of tests: a file, a program to run, and questions to what came out."""

import subprocess
import time

import duckdb

from lab_support import CONFIG, call_lab, crafted, fake_program, traffic
from tlmssd_lab.sweep import plan as sweep_plan

GRID = """
config: CONFIG
parameters:
  scheduler: [inorder, vaq]
  host.queue_depth: [1, 8, 32]
"""


def write(folder, text=GRID, name="mine.yaml"):
    path = folder / name
    path.write_text(text.replace("CONFIG", CONFIG), encoding="utf-8")
    return path


def plan(folder, text):
    return sweep_plan.load(write(folder, text))


def run(tmp_path, program, *words, text=GRID, **options):
    return call_lab("sweep", write(tmp_path, text), "--out", tmp_path / "out", *words,
                    program=program, **options)


def ask(tmp_path, sql):
    view = f"(select * from read_parquet('{tmp_path / 'out/points.parquet'}')) points"
    return duckdb.sql(sql.replace("points", view)).fetchall()


def calls(program):
    path = program.with_suffix(".calls")
    return path.read_text().splitlines() if path.exists() else []


def fast(tmp_path):
    """A program whose vaq has twice the IOPS of its inorder."""
    return fake_program(tmp_path, [
        ["scheduler=vaq", 0, "", crafted(host__all=traffic(100, 2000.0, 40.0, 90.0))],
        ["", 0, "", crafted()],
    ])


def wrapped(tmp_path, program, shell):
    """`program` behind a few lines of shell, `$LINE` being the command line."""
    path = tmp_path / "wrapped"
    path.write_text(f'#!/bin/bash\nLINE="$*"\n{shell}\nexec {program} "$@"\n')
    path.chmod(0o755)
    return path


def wait(true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def running(program):
    found = subprocess.run(["pgrep", "-f", f"{program} run"], capture_output=True, text=True,
                           check=False)
    return found.stdout.split()
