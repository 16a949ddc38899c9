# SPDX-License-Identifier: BSD-3-Clause
"""Run a tlmssd that counts on the loads of scripts/bench, so that another can be compiled by the counts.

The runs are shorter than those of the bench and have other seeds. Those of models alone are run once more with protocol
checker and stages, as users run them. `scripts/build release-pgo` calls it.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import bench_runs

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHARE = 10  # of the requests of the bench
FIRST_SEED = 1001
WATCHED = ["checker=true", "observe.stages=true"]


def runs():
    """Configuration and settings of each run."""
    for number, (_, _, _, requests, config, sets) in enumerate(bench_runs.CASES):
        trained = [*bench_runs.COMMON, *sets, f"workload.requests={requests // SHARE}", f"seed={FIRST_SEED + number}"]
        yield config, trained
        if sets is not bench_runs.O3:  # there the RTL is nearly all
            yield config, trained + WATCHED


def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/pgo_train.py", description=__doc__)
    parser.add_argument("program", type=pathlib.Path, help="a tlmssd that counts")
    parser.add_argument("profile", type=pathlib.Path, help="the folder that it writes its counts to; emptied first")
    args = parser.parse_args(arguments)
    if args.profile.exists():
        shutil.rmtree(args.profile)  # a program adds to the counts that it finds
    for config, sets in runs():
        with tempfile.TemporaryDirectory() as folder:
            command = [str(args.program.resolve()), "run", config, "--out", folder, "--quiet"]
            for setting in sets:
                command += ["--set", setting]
            done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False,
                                  env={**os.environ, "TLMSSD_CACHE": "off"})
        if done.returncode != 0:
            print(f"pgo_train: status {done.returncode} from: {' '.join(command)}", file=sys.stderr)
            return done.returncode if done.returncode in (2, 3) else 3
    if not any(args.profile.glob("*.gcda")):
        print(f"pgo_train: {args.program} has written no counts to {args.profile}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
