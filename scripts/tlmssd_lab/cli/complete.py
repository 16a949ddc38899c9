# SPDX-License-Identifier: BSD-3-Clause
"""Candidates for the last word of a command line, for the completion of shells (scripts/completion).

Verbs, options and their choices come from the parser. Devices, workloads, keys and their values come from
`tlmssd complete`.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Sequence

from tlmssd_lab.errors import LabError
from tlmssd_lab.run.process import find_binary

_FILES = ":files"
# What a word asks of tlmssd: the words before it there.
_OPTIONS = {
    "--set": ("run", "--set"),
    "--vary": ("run", "--set"),
    "--variant": ("run", "--set"),
    "--workload": ("run", "--workload"),
    "--format": ("run", "--format"),
    "--scheduler": ("run", "--set", "scheduler="),
    "--controller": ("run", "--set", "controller.kind="),
    "--cpu": ("run", "--set", "cpu.model="),
}


def completions(parser: argparse.ArgumentParser, words: Sequence[str]) -> str:
    """Lines "CANDIDATE<tab>SENTENCE", and the line ":files" where a path can stand too.

    `words`: those after the program, the last one as far as it is typed.
    """
    typed = words[-1] if words else ""
    waiting: argparse.Action | None = None
    arguments = 0
    for word in words[:-1]:
        option = _option(parser, word)
        verbs = _verbs(parser)
        if waiting is not None:
            waiting = None
        elif option is not None:
            waiting = option if option.nargs != 0 and "=" not in word else None
        elif word in verbs:
            parser = verbs[word]
        else:
            arguments += not word.startswith("-")
    option = _option(parser, typed)
    if waiting is not None:
        lines = _values(waiting, typed, "")
    elif option is not None and "=" in typed:
        name, _, value = typed.partition("=")
        lines = _values(option, value, f"{name}=")
    elif typed.startswith("-"):
        lines = _options(parser)
    else:
        lines = [(name, _help_of(parser, name)) for name in _verbs(parser)]
        lines += _argument(parser, arguments, typed)
    shown = [f"{text}\t{help}" for text, help in lines if text.startswith(typed) and text != _FILES]
    return "\n".join([*shown, *([_FILES] if (_FILES, "") in lines else []), ""]).lstrip("\n")


def _verbs(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _help_of(parser: argparse.ArgumentParser, verb: str) -> str:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return next((a.help or "" for a in action._choices_actions if a.dest == verb), "")
    return ""


def _option(parser: argparse.ArgumentParser, word: str) -> argparse.Action | None:
    return parser._option_string_actions.get(word.partition("=")[0])


def _options(parser: argparse.ArgumentParser) -> list[tuple[str, str]]:
    return [
        (name, _sentence(action))
        for action in parser._actions
        if action.help != argparse.SUPPRESS
        for name in action.option_strings
    ]


def _sentence(action: argparse.Action) -> str:
    return " ".join((action.help or "").replace("%%", "%").split())


def _values(option: argparse.Action, typed: str, before: str) -> list[tuple[str, str]]:
    """Candidates for the value of an option; `before`: the part of the word before the value."""
    for name in option.option_strings:
        if name in _OPTIONS:
            return _asked(_OPTIONS[name], typed, before)
    if option.choices is not None:
        return [(f"{before}{choice}", "") for choice in option.choices]
    metavar = str(option.metavar or option.dest or "")
    is_file = any(word in metavar.upper() for word in ("FILE", "DIR", "PATH", "OUT"))
    return [(_FILES, "")] if is_file else []


def _argument(parser: argparse.ArgumentParser, number: int, typed: str) -> list[tuple[str, str]]:
    places = [
        action
        for action in parser._actions
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction)
    ]
    if not places:
        return []
    place = places[min(number, len(places) - 1)]
    if number >= len(places) and place.nargs not in ("+", "*"):
        return []
    if place.choices is not None:
        return [(str(choice), "") for choice in place.choices]
    if str(place.metavar) in ("CONFIG", "DEVICE"):
        return _asked(("run",), typed, "")
    if parser.prog.endswith(" figure"):
        from tlmssd_lab.figures import experiment

        return [*((name, "") for name in experiment.names()), (_FILES, "")]
    return [(_FILES, "")]


def _asked(words: Sequence[str], typed: str, before: str) -> list[tuple[str, str]]:
    """The candidates of `tlmssd complete`. A list with commas is completed at its last item."""
    *front, last = words
    fixed = last if last.endswith("=") else ""
    asked = [*front, *([] if fixed else [last])]
    items, comma, item = typed.rpartition(",")
    done = subprocess.run(
        [find_binary(), "complete", *asked, fixed + item], capture_output=True, text=True, check=False
    )
    lines = []
    for line in done.stdout.splitlines():
        text, _, sentence = line.partition("\t")
        is_file = text == _FILES
        lines.append((_FILES, "") if is_file else (before + items + comma + text[len(fixed) :], sentence))
    return lines


def complete(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    """Prints the candidates. Without the program tlmssd its names are missing; that is no error here."""
    try:
        print(completions(parser, words), end="")
    except LabError:
        return 0
    return 0
