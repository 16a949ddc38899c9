# SPDX-License-Identifier: BSD-3-Clause
"""Options that several subcommands have. Each has one meaning, the same as in tlmssd."""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from tlmssd_lab.errors import LabInputError, nearest
from tlmssd_lab.run import named

MOST_JOBS, MOST_SEEDS = 1024, 1_000_000


class Parser(argparse.ArgumentParser):
    """Wrong arguments are one line and status 2, as in tlmssd."""

    def error(self, message: str) -> NoReturn:
        for pattern, words in _MESSAGES:
            message = re.sub(pattern, words, message)
        unknown = re.fullmatch(r"unknown option (--?\w[\w-]*).*", message)
        if unknown:
            message += nearest(unknown[1], [o for o in self._option_string_actions if len(o) > 2])
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


# What argparse says, and the words for it that tlmssd uses.
_MESSAGES = (
    (r"^argument (\S+): not allowed with argument (\S+)$", r"\1 conflicts with \2"),
    (r"^argument (\S+): expected (?:one argument|at least one argument)$", r"\1 requires a value"),
    (r"^argument (\S+): ignored explicit argument '(.*)'$", r"\1 takes no value, but '\2' is given"),
    (r"^argument (\S+): ", r"\1: "),
    (r"-\w/(--[\w-]+)", r"\1"),
    (r"^the following arguments are required: (.*)$", r"\1 is missing"),
    (r"^one of the arguments (.*) is required$", r"one of \1 is missing"),
    (r"^unrecognized arguments: (-.*)$", r"unknown option \1"),
    (r"^unrecognized arguments: (.*)$", r"'\1' is one argument too many"),
)


class Replaced(argparse.Action):
    """An old spelling that ends with one line: `const` is the text after its name."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        space: argparse.Namespace,
        values: Any,
        option: str | None = None,
    ) -> None:
        parser.error(f"{option} {self.const}")


def add_command(commands: Any, name: str, help: str, description: str, epilog: str) -> Any:
    """A subcommand's parser; `help` is its line in the list of all."""
    parser = commands.add_parser(
        name,
        help=help,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(parser=parser)
    return parser


def whole(low: int, high: int | None = None) -> Any:
    """The type of an option whose value is a whole number."""

    def number(text: str) -> int:
        value = int(text) if re.fullmatch(r"[0-9]{1,18}", text) else -1
        if value < low or (high is not None and value > high):
            limits = f"from {low}" if high is None else f"from {low} to {high}"
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number {limits}")
        return value

    return number


def add_out(group: Any, metavar: str, help: str, **more: Any) -> None:
    group.add_argument("-o", "--out", metavar=metavar, help=help, **more)


def add_set(group: Any, help: str) -> None:
    group.add_argument(
        "-s", "--set", action="append", default=[], metavar="KEY=V", dest="sets", help=help
    )


def add_jobs(group: Any, what: str = "runs") -> None:
    group.add_argument(
        "-j",
        "--jobs",
        type=whole(1, MOST_JOBS),
        metavar="N",
        help=f"{what} at a time (default: one per processor)",
    )


def add_quiet(group: Any) -> None:
    group.add_argument("-q", "--quiet", action="store_true", help="show no progress and no notes")


def add_json(group: Any, what: str) -> None:
    group.add_argument(
        "--json", action="store_true", help=f"print JSON on standard output: {what}"
    )


def add_list(group: Any, help: str) -> None:
    group.add_argument("--list", action="store_true", help=help)


def listed(texts: list[str]) -> list[str]:
    """The values of an option that takes A,B and is repeatable."""
    return [value for text in texts for value in text.split(",")]


def refuse_together(words: argparse.Namespace, *names: str) -> None:
    """LabInputError where two of the options (such as "list", "json") are given."""
    given = [name for name in names if getattr(words, name)]
    if len(given) > 1:
        raise LabInputError(f"--{given[1]} conflicts with --{given[0]}")


def list_files(
    words: argparse.Namespace, kind: str, title: Callable[[pathlib.Path], str]
) -> int:
    """For --list without a file: names and titles of what configs/KIND holds."""
    if not words.list:
        words.parser.error("FILE is missing; --list lists the files in configs/" + kind)
    for name in named.names(kind):
        path = named.find(kind, name)
        assert path is not None
        try:
            text = title(path)
        except LabInputError as error:  # the others can still be listed
            text = f"cannot run: {error}"
        print(f"{name:18} {text}")
    return 0


def print_json(document: Any) -> None:
    import json

    json.dump(document, sys.stdout, indent=1, ensure_ascii=False)
    print(flush=True)
