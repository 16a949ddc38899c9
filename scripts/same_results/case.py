# SPDX-License-Identifier: BSD-3-Clause
"""A case of scripts/same-results: command lines that run one after the other in a folder of their own.

Each command runs in the work folder of its case. The folder `configs` there is that of the checkout, so
that no command line holds an absolute path. All files that the commands leave in the folder are compared.
"""
import dataclasses

DEFAULT = "configs/ssd/default.yaml"


@dataclasses.dataclass(frozen=True)
class Command:
    """A program of build/release/bin, its arguments, and the exit status that it must have."""

    words: tuple
    status: int = 0
    program: str = "tlmssd"


@dataclasses.dataclass(frozen=True)
class Case:
    """`files`: name -> text, or a mapping of dotted keys of the configuration, written as YAML."""

    name: str
    commands: tuple
    files: dict = dataclasses.field(default_factory=dict)

    @property
    def has_waves(self):
        return any(word == "--waves" for command in self.commands for word in command.words)


def set_options(sets):
    """"a.b=c d=e" -> --set a.b=c --set d=e; a value that holds blanks comes in a list instead."""
    settings = sets.split() if isinstance(sets, str) else list(sets)
    return tuple(word for setting in settings for word in ("--set", setting))


def run(sets="", options=(), config=DEFAULT, status=0, out="out"):
    """`tlmssd run` with results.json in the folder `out`."""
    return Command(("run", config, *set_options(sets), *options, "--out", out), status)


def run_case(name, sets="", options=(), config=DEFAULT, status=0, files=None):
    """A case of one run."""
    return Case(name, (run(sets, options, config, status),), files or {})


def tool_case(name, *words, status=0, files=None, program="tlmssd"):
    """A case of one command of any kind."""
    return Case(name, (Command(words, status, program),), files or {})
