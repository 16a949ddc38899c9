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
from tlmssd_lab.cli import calibrate, compare, figure, fit, report, sweep
from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.run.errors import LabInterrupted

_EXAMPLES = """examples:
  tlmssd-lab compare configs/ssd/default.yaml --workload mixed-70-30-4k --scheduler inorder,vaq
  tlmssd-lab figure paq-schemes --quick
  tlmssd-lab sweep configs/sweeps/depth-and-clock.yaml
  tlmssd-lab fit configs/fits/example.yaml
  tlmssd-lab diff out/a out/b
  tlmssd-lab report out/a out/b -o report.html
  tlmssd-lab calibrate --check

`tlmssd-lab COMMAND --help` shows a command's options. docs/guides/compare.md explains them and the statistics.
Exit status: 0 done, 2 wrong input, 3 the model or the device is wrong, 130 interrupted.
"""


class Parser(argparse.ArgumentParser):
    """One line and status 2 for wrong arguments, as tlmssd does."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="tlmssd-lab",
        description="Runs tlmssd, compares runs, reports on them, fits its cost model.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"tlmssd-lab {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    compare.add_to(commands)
    figure.add_to(commands)
    sweep.add_to(commands)
    fit.add_to(commands)
    report.add_diff(commands)
    report.add_report(commands)
    calibrate.add_to(commands)
    return top


def printable(text: str) -> str:
    """Nothing in a message may steer a terminal."""
    return "".join(c if c == "\n" or c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def main(arguments: Sequence[str] | None = None) -> int:
    def terminated(_signal: int, _frame: object) -> NoReturn:
        raise KeyboardInterrupt  # so that runs under way are ended too

    signal.signal(signal.SIGTERM, terminated)
    words = parser().parse_args(arguments)
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
        # Whoever read our output has gone; what Python flushes at its end must not fail again.
        _mute()
        return 0
    except OSError as error:  # a full disk: a file, or the one that our output goes to
        where = "" if error.filename is None else f"{error.filename}: "
        print(f"tlmssd-lab: {printable(where)}{error.strerror or error}", file=sys.stderr)
        _mute()
        return LabInputError.status


def _mute() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
