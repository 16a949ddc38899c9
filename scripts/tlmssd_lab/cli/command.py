# SPDX-License-Identifier: BSD-3-Clause
"""The command tlmssd-lab."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from tlmssd_lab import __version__
from tlmssd_lab.cli import (
    calibrate,
    compare,
    complete,
    figure,
    fit,
    fit_workload,
    fsync,
    query,
    report,
    reproduce,
    sweep,
)
from tlmssd_lab.cli.options import Parser
from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.run.errors import LabInterrupted
from tlmssd_lab.terminal import printable

_EXAMPLES = """\
examples:
  tlmssd-lab compare default -w mixed-70-30-4k --scheduler inorder,vaq
  tlmssd-lab figure paq-schemes --quick
  tlmssd-lab sweep configs/sweeps/depth-and-clock.yaml
  tlmssd-lab query out/sweeps/depth-and-clock 'select max("host.all.iops") from points'
  tlmssd-lab fit configs/fits/example.yaml
  tlmssd-lab fit-workload web.csv.xz --format msr -o web.yaml
  tlmssd-lab diff out/a out/b
  tlmssd-lab report out/a out/b -o report.html
  tlmssd-lab calibrate --check

`tlmssd-lab COMMAND --help` shows the options of a command. docs/guides/compare.md explains the
statistics.

Options that several commands have mean the same in all of them and in tlmssd: -o/--out names where
output goes, -s/--set sets a key, -w/--workload names a workload, -j/--jobs limits the runs at a
time, -q/--quiet stops progress and notes, --json prints JSON on standard output.

environment:
  TLMSSD       the program tlmssd to use (default: build/release/bin/tlmssd)
  NO_COLOR     not empty: no colour
  FORCE_COLOR  not empty and not 0: colour even without a terminal

exit status: 0 done, 2 wrong input, 3 the model or the device is wrong, 130 interrupted
"""


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="tlmssd-lab",
        description="Runs tlmssd many times: compares, sweeps, reproduces figures, fits devices.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"tlmssd-lab {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    compare.add_to(commands)
    figure.add_to(commands)
    reproduce.add_to(commands)
    sweep.add_to(commands)
    query.add_to(commands)
    fit.add_to(commands)
    fit_workload.add_to(commands)
    report.add_diff(commands)
    report.add_report(commands)
    fsync.add_to(commands)
    calibrate.add_to(commands)
    return top


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """An argument that is one too many is an error of the subcommand, which knows its options."""
    words, extra = parser().parse_known_args(arguments)
    if extra and extra[0][0:1] != "-" and words.call is compare.call and words.json:
        words.parser.error(f"--json {extra[0]} was replaced by --json > {extra[0]}")
    if extra:
        words.parser.error(f"unrecognized arguments: {' '.join(extra)}")
    return words


def main(arguments: Sequence[str] | None = None) -> int:
    def terminated(_signal: int, _frame: object) -> NoReturn:
        raise KeyboardInterrupt  # so that outstanding runs are ended too

    signal.signal(signal.SIGTERM, terminated)
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["complete"]:  # for the completion of shells
        return complete.complete(parser(), given[1:])
    words = _parsed(arguments)
    try:
        status = words.call(words)
        sys.stdout.flush()
        return status
    except LabError as error:
        print(f"tlmssd-lab: {printable(str(error))}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        print("tlmssd-lab: interrupted", file=sys.stderr)
        return LabInterrupted.status
    except BrokenPipeError:
        # The reader of our output has gone. Python flushes at its end, and that must not fail again.
        _mute()
        return 0
    except OSError as error:  # a full disk: of a file, or of standard output
        where = "" if error.filename is None else f"{error.filename}: "
        print(f"tlmssd-lab: {printable(where)}{error.strerror or error}", file=sys.stderr)
        _mute()
        return LabInputError.status


def _mute() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
