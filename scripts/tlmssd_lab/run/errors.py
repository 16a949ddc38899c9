# SPDX-License-Identifier: BSD-3-Clause
"""Errors of a run; each carries the result that the run had written until then."""

from __future__ import annotations

from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.run.result import Result


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


def raise_for(status: int, message: str) -> None:
    """Raise the error that an exit status stands for; nothing for 0."""
    kinds: dict[int, type[LabError]] = {2: LabInputError, 3: LabModelError, 130: LabInterrupted}
    if status:
        raise kinds[status](message)
