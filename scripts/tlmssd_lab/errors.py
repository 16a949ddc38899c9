# SPDX-License-Identifier: BSD-3-Clause
"""Errors that any file may raise; `status` is the exit status of the command. The errors that carry
a result are in run/errors.py."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class LabError(Exception):
    """The message is one line a person can act on."""

    status = 3


class LabInputError(LabError):
    """A configuration, trace, file or argument is wrong."""

    status = 2


class LabFull(LabInputError):
    """The disk is full: a run cannot write its results."""


def nearest(word: str, choices: Iterable[str]) -> str:
    """A hint for a message about a word that is none of `choices`; empty where none is like it."""
    close = difflib.get_close_matches(word, list(choices), 1, 0.5)
    return f"; did you mean '{close[0]}'?" if close else ""
