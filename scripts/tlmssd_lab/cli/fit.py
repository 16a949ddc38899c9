# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab fit."""

from __future__ import annotations

import argparse
import pathlib
import sys
from typing import TYPE_CHECKING, Any

from tlmssd_lab.cli import options
from tlmssd_lab.cli.status_line import StatusLine
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.run import named

if TYPE_CHECKING:
    from tlmssd_lab.api.fit import FitResult

_EPILOG = """\
FILE names the keys to fit, their bounds, and the measurements: docs/guides/fit.md. The results are
fit.txt, fit.json and preset.yaml in a folder. Each run is in a folder of its own below points/. A run
that the same program has made there before is not made again.

examples:
  tlmssd-lab fit --list
  tlmssd-lab fit configs/fits/example.yaml
  tlmssd-lab fit configs/fits/example.yaml --list
  tlmssd-lab fit my.yaml -o configs/ssd/my-drive.yaml

exit status: 0 done, 2 wrong input or a point was refused, 3 the model failed, 130 interrupted (the
best parameters so far are shown and kept)
"""


def add_to(commands: Any) -> None:
    command = options.add_command(
        commands,
        "fit",
        "fit keys of a device to measurements of a real drive",
        "Fits keys of a configuration to a table of measurements or to fio's results.",
        _EPILOG,
    )
    command.set_defaults(call=call)
    command.add_argument(
        "file", nargs="?", metavar="FILE", help="the fit: a file, or a name in configs/fits"
    )
    options.add_out(
        command,
        "PATH",
        "with .yaml: write the fitted device to this file; otherwise: folder of runs and results "
        "(default out/fits/NAME); both may be given",
        action="append",
        default=[],
    )
    command.add_argument("--write", metavar="PRESET", help=argparse.SUPPRESS)  # now --out
    command.add_argument(
        "--force", action="store_true", help="overwrite the file that --out names"
    )
    options.add_list(command, "run nothing; list the rows of FILE, or without FILE all fits")
    options.add_json(command, "the result")
    options.add_jobs(command)
    options.add_quiet(command)


def call(words: argparse.Namespace) -> int:
    from tlmssd_lab.fit import plan as fit_plan

    options.refuse_together(words, "list", "json")
    if words.file is None:
        return options.list_files(words, named.FITS, lambda path: fit_plan.load(path).title)
    plan = fit_plan.load(named.file_path(named.FITS, words.file))
    if words.list:
        return _list(plan)
    folder, device = _places(words)
    if words.force and device is None:
        raise LabInputError("--force requires --out FILE.yaml")
    if device is not None and device.exists() and not words.force:
        raise LabInputError(f"{device}: already exists; --force overwrites it")
    return _fit(words, folder or pathlib.Path("out/fits", plan.path.stem), device)


def _places(words: argparse.Namespace) -> tuple[pathlib.Path | None, pathlib.Path | None]:
    """The folder and the device's file that --out and the older --write name."""
    paths = [pathlib.Path(text) for text in words.out]
    folders = [path for path in paths if path.suffix not in (".yaml", ".yml")]
    files = [path for path in paths if path not in folders]
    files += [pathlib.Path(words.write)] if words.write else []
    for found, what in ((folders, "folder"), (files, "file")):
        if len(found) > 1:
            raise LabInputError(f"--out: '{found[1]}' is a second {what}, after '{found[0]}'")
    return (folders[0] if folders else None), (files[0] if files else None)


def _fit(words: argparse.Namespace, out: pathlib.Path, device: pathlib.Path | None) -> int:
    from tlmssd_lab.api.fit import LabFitNotWritten, fit

    try:
        with StatusLine(words.quiet) as line:
            found = fit(
                words.file,
                out=out,
                device=device,
                overwrite=words.force,
                jobs=words.jobs,
                progress=line,
            )
    except LabFitNotWritten as error:
        _show(error.result, words.json)
        raise
    _show(found, words.json)
    print(f"tlmssd-lab: written: {', '.join(map(str, found.files))}", file=sys.stderr)
    if found.status:
        print(f"tlmssd-lab: {found.message}", file=sys.stderr)
    return found.status


def _show(found: FitResult, as_json: bool) -> None:
    if as_json:
        options.print_json(found.document)
    else:
        print(found.text, end="", flush=True)


def _list(plan: Any) -> int:
    for row in plan.rows:
        keys = " ".join(f"{key}={value}" for key, value in row.settings.items())
        load = f"{row.preset} {keys}".strip() if row.preset else keys
        print(
            f"{row.use:8} {row.name}: {row.shown(row.measured):g} {row.unit} ({row.metric}), {load}"
        )
    return 0
