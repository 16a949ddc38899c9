# SPDX-License-Identifier: BSD-3-Clause
"""What can go wrong; `status` is the exit status that tells the same on a command line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tlmssd_lab.run.result import Result


class LabError(Exception):
    """The message is one line a person can act on."""

    status = 3


class LabInputError(LabError):
    """A configuration, trace, file or argument is wrong."""

    status = 2


class LabFull(LabInputError):
    """There is no room for what a run writes."""


class LabModelError(LabError):
    """The model found an error in itself or in the device, or the program died.

    `result` is what it had measured until then, None where it wrote nothing.
    """

    status = 3

    def __init__(self, message: str, result: Result | None = None) -> None:
        super().__init__(message)
        self.result = result


class LabTimeout(LabModelError):
    """The run took longer than it may, and was killed."""


class LabInterrupted(LabError):
    """The run was stopped before its end; `result` as in LabModelError."""

    status = 130

    def __init__(self, message: str, result: Result | None = None) -> None:
        super().__init__(message)
        self.result = result


def nearest(word: str, choices: Iterable[str]) -> str:
    """A hint for a message about a word that is none of `choices`; empty where none is like it."""
    close = difflib.get_close_matches(word, list(choices), 1, 0.5)
    return f"; did you mean '{close[0]}'?" if close else ""
