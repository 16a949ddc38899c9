# SPDX-License-Identifier: BSD-3-Clause
"""`scripts/linux-compare`: one command in a guest under several schedulers and seeds; the seconds that it took there."""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tlmssd_lab.stats import mean_interval

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEDULERS = "inorder,host,sost,hybrid"


@dataclass(frozen=True)
class Run:
    """One run: seconds of the guest's time, and results.json."""

    seconds: float
    results: dict[str, Any]


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/linux-compare",
        usage="%(prog)s [--schedulers LIST] [--seeds N] [options of scripts/linux] (--load NAME | -- COMMAND...)",
        description="Runs COMMAND in a Linux on the SSD under each scheduler and prints a table: its seconds of the "
        "guest's time with their 95 %% interval over the seeds, and what the device did for it. All options of "
        "scripts/linux are passed on: --load, --before, --set, --device, --nvme, --ahci, --rtl, --kernel.",
        epilog="Example: scripts/linux-compare --seeds 3 --before 'mkfs.ext4 -q $DISK && mount $DISK /mnt' -- "
        "cp -r /usr/share/doc/fio /mnt",
        allow_abbrev=False,
    )
    parser.add_argument("--schedulers", default=SCHEDULERS, metavar="LIST", help="(default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="seeds 1 to N (default: %(default)s)")
    parser.add_argument("-o", dest="out", type=pathlib.Path, metavar="DIR", help="folder that keeps all runs")
    own, command = (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, [])
    found, options = parser.parse_known_args(own)
    found.options, found.command = options, command
    if not command and "--load" not in options:
        parser.error("no --load NAME, and no command after --")
    if found.seeds < 1:
        parser.error(f"--seeds is {found.seeds}, but has to be 1 or more")
    found.names = found.schedulers.split(",")
    known = json.loads((ROOT / "configs/schema.json").read_text())["properties"]["scheduler"]["enum"]
    for name in found.names:
        if name not in known:
            parser.error(f"--schedulers: no scheduler '{name}'; there are {', '.join(known)}")
    return found


def _run(arguments: argparse.Namespace, scheduler: str, seed: int, out: pathlib.Path) -> Run:
    done = subprocess.run(
        [ROOT / "scripts/linux", *arguments.options, "--set", f"scheduler={scheduler}", "--set", f"seed={seed}",
         "-o", out, *(["--", *arguments.command] if arguments.command else [])],
        capture_output=True, text=True, check=False,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        sys.stderr.write(f"scripts/linux-compare: {scheduler}, seed {seed}: status {done.returncode}\n")
        sys.exit(done.returncode)
    seconds = json.loads((out / "command.json").read_text())["seconds"]
    return Run(seconds, json.loads((out / "results.json").read_text()))


def table(runs: dict[str, list[Run]]) -> str:
    """Markdown. The change against the first scheduler is seed by seed; device figures are means."""
    first = next(iter(runs.values()))
    lines = [
        "| scheduler | seconds | against the first, % | pages programmed | WAF | blocks erased | busiest core, % |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, of in runs.items():
        time = mean_interval([run.seconds for run in of])
        change = mean_interval([100 * run.seconds / base.seconds - 100 for run, base in zip(of, first, strict=True)])
        programs = _mean(run.results["flash"]["ops"]["program"] for run in of)
        waf = _mean(run.results["ftl"]["waf"] for run in of)
        erases = _mean(run.results["flash"]["ops"]["erase"] for run in of)
        core = _mean(100 * max(run.results["cpu"]["busy_fraction"]) for run in of)
        lines.append(
            f"| {name} | {_with(time.mean, time.half_width, 4)} | "
            f"{'' if of is first else _with(change.mean, change.half_width, 1, '+')} | {programs:,.0f} | "
            f"{waf:.2f} | {erases:,.0f} | {core:.0f} |"
        )
    return "\n".join(lines) + "\n"


def _mean(values: Iterable[float | None]) -> float:
    """Of those that are known; NaN without one."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else math.nan


def _with(mean: float, half: float | None, digits: int, sign: str = "") -> str:
    return f"{mean:{sign}.{digits}f}" + (f" ± {half:.{digits}f}" if half else "")


def main(words: list[str] | None = None) -> None:
    """The program."""
    arguments = _arguments(sys.argv[1:] if words is None else words)
    with tempfile.TemporaryDirectory() as place:
        folder = arguments.out or pathlib.Path(place)
        runs = {
            name: [_run(arguments, name, seed, folder / f"{name}-{seed}") for seed in range(1, arguments.seeds + 1)]
            for name in arguments.names
        }
    print(table(runs), end="")


if __name__ == "__main__":
    main()
