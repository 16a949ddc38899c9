# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab fit."""

from __future__ import annotations

import argparse
import pathlib
import sys
from typing import Any

from tlmssd_lab.cli.figure import number_of_jobs
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.files import held

_EPILOG = """\
FILE says which keys are fitted within which bounds, and what was measured: docs/guides/fit.md. Each run
is in a folder of DIR/points/; what the same program has done there is not run again. fit.txt,
fit.json and preset.yaml in DIR are what was found.

examples:
  tlmssd-lab fit configs/fits/example.yaml
  tlmssd-lab fit configs/fits/example.yaml --list
  tlmssd-lab fit my.yaml --write configs/ssd/my-drive.yaml

exit status: 0 done, 2 wrong input or a point was refused, 3 the model failed, 130 interrupted (the
best so far is shown and kept)
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "fit",
        help="fit keys of a device to what was measured on a real one",
        description="Fits keys of a configuration to a table of measurements or to fio's results.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.set_defaults(call=call)
    command.add_argument("file", metavar="FILE", help="the fit")
    command.add_argument("--out", metavar="DIR", help="where all goes (out/fits/NAME)")
    command.add_argument("--write", metavar="PRESET", help="write the preset here, too")
    command.add_argument("--force", action="store_true", help="overwrite what --write names")
    command.add_argument("--list", action="store_true", help="print the rows and run nothing")
    command.add_argument(
        "--jobs", type=number_of_jobs, metavar="N", help="runs at a time (one a processor)"
    )
    command.add_argument("--quiet", action="store_true", help="no progress")


def call(words: argparse.Namespace) -> int:
    from tlmssd_lab.fit import plan as fit_plan
    from tlmssd_lab.fit import report as fit_report
    from tlmssd_lab.fit.fit import fit

    plan = fit_plan.load(words.file)
    if words.list:
        for row in plan.rows:
            keys = " ".join(f"{key}={value}" for key, value in row.settings.items())
            load = f"{row.preset} {keys}".strip() if row.preset else keys
            print(f"{row.use:8} {row.name}: {row.shown(row.measured):g} {row.unit} "
                  f"({row.metric}), {load}")
        return 0
    if words.force and not words.write:
        raise LabInputError("--force: goes with --write")
    named = pathlib.Path(words.write).absolute() if words.write else None
    if named is not None and named.exists() and not words.force:
        raise LabInputError(f"{words.write}: is there already; --force overwrites it")
    if named is not None and named == plan.config.absolute():
        raise LabInputError(f"{words.write}: is the device that is fitted; take another name")
    out = pathlib.Path(words.out or f"out/fits/{plan.path.stem}").absolute()

    def progress(text: str) -> None:
        print(f"  {text}", file=sys.stderr, flush=True)

    with held(out):
        found = fit(plan, out, jobs=words.jobs, progress=None if words.quiet else progress)
        # What ended early is kept in DIR, but is no preset to be used under a name.
        wanted = named if found.status == 0 else None
        try:
            files = fit_report.write(found, out, wanted, words.force)
        finally:
            print(fit_report.text(found), end="", flush=True)  # whatever became of the files
    print(f"tlmssd-lab: written: {', '.join(map(str, files))}", file=sys.stderr)
    if found.status:
        print(f"tlmssd-lab: {found.message}", file=sys.stderr)
    return found.status
