# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab fit-workload."""

from __future__ import annotations

import argparse
import pathlib
import sys
from typing import Any

from tlmssd_lab.cli import options
from tlmssd_lab.errors import LabInputError

_EPILOG = """\
TRACE is read as `tlmssd run --trace` reads it. The preset has its reuse distances, runs, sizes, mix of
reads and writes, footprint and bursts of arrivals. The first half of the trace is fitted and compared
with the second, as hit ratios of LRU caches; the preset is then fitted to all of it. Nothing is
simulated. docs/explanation/locality.md explains the model and what it leaves out.

examples:
  tlmssd-lab fit-workload web.csv.xz --format msr
  tlmssd-lab fit-workload mail.blkparse -o configs/workloads/mail.yaml
  tlmssd run default --workload configs/workloads/mail.yaml

exit status: 0 done, also where the halves differ; 2 wrong input, 3 the program failed
"""


def add_to(commands: Any) -> None:
    command = options.add_command(
        commands,
        "fit-workload",
        "make a workload preset with the locality of a block trace",
        "Fits a workload with locality to a block trace and checks it on the half that was not fitted.",
        _EPILOG,
    )
    command.set_defaults(call=call)
    command.add_argument("trace", metavar="TRACE", help="a block trace; plain, gz, xz, zst or bz2")
    options.add_out(command, "FILE", "write the preset to this file")
    command.add_argument("--force", action="store_true", help="overwrite the file that --out names")
    command.add_argument("--format", metavar="NAME", help="format of the trace")
    command.add_argument("--trace-columns", metavar="TEXT", help="columns of a delimited text")
    command.add_argument("--lenient", action="store_true", help="leave broken rows of the trace out")
    command.add_argument("--about", metavar="TEXT", default="", help="first comment of the preset")
    command.add_argument(
        "--block",
        type=options.whole(512, 1 << 20),
        default=4096,
        metavar="BYTES",
        help="unit of distances, a power of two (default 4096)",
    )
    command.add_argument(
        "--device",
        metavar="NAME",
        default="device_256g",
        help="its size is the range of addresses (default device_256g)",
    )
    options.add_set(command, "set a key of the trace: workload.dedup_us=500 (repeatable)")
    options.add_json(command, "the curves")
    options.add_quiet(command)


def call(words: argparse.Namespace) -> int:
    from tlmssd_lab.api.fit_workload import fit_workload
    from tlmssd_lab.run.run import Trace

    out = pathlib.Path(words.out) if words.out else None
    if words.force and out is None:
        raise LabInputError("--force requires --out FILE")
    if out is not None and out.suffix not in (".yaml", ".yml"):
        raise LabInputError(f"--out: '{out}' does not end in .yaml")
    if out is not None and out.exists() and not words.force:
        raise LabInputError(f"{out}: already exists; --force overwrites it")
    found = fit_workload(
        Trace(words.trace, words.format, words.trace_columns),
        out=out,
        device=words.device,
        block=words.block,
        lenient=words.lenient,
        settings=_settings(words.sets),
        about=words.about,
    )
    if not words.quiet:
        for message in found.messages:
            print(f"tlmssd-lab: {message}", file=sys.stderr)
    if words.json:
        options.print_json(found.document)
    else:
        print(found.text, end="", flush=True)
    if out is not None and not words.quiet:
        print(f"tlmssd-lab: written: {out}", file=sys.stderr)
    return 0


def _settings(texts: list[str]) -> dict[str, str]:
    settings = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise LabInputError(f"--set: '{text}' is not KEY=VALUE")
        settings[key] = value
    return settings
