# SPDX-License-Identifier: BSD-3-Clause
"""Progress of many runs, with an estimate of the time that the remaining runs take."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """The state after a run has ended, and before the first one.

    done, total   runs; `at_most`: `total` is a limit that may not be reached
    kept          the part of `done` that was not run: its result is from an earlier run
    name          the run that ended last; empty before the first one
    left_s        estimated real time of the remaining runs in seconds; None where it is unknown
    note          a failure, a second attempt or a wait, to be shown even without a terminal
    """

    done: int
    total: int
    kept: int = 0
    name: str = ""
    left_s: float | None = None
    note: str = ""
    at_most: bool = False


Progress = Callable[[Step], None]


class Tracker:
    """Counts runs that end, on any thread, and reports each to `progress`. `jobs` runs are
    outstanding at a time."""

    def __init__(
        self, total: int, jobs: int, progress: Progress | None, at_most: bool = False
    ) -> None:
        self._total, self._jobs, self._progress = total, jobs, progress
        self._at_most = at_most
        self._done = self._ran = self._kept = 0
        self._seconds = 0.0
        self._name = ""
        self._lock = threading.Lock()
        self._report()

    def ended(self, name: str, seconds: float | None, error: BaseException | None = None) -> None:
        """`seconds`: real time of the run; None where an earlier result was kept."""
        with self._lock:
            self._done += 1
            self._total = max(self._total, self._done)
            self._name = name
            if seconds is not None:
                self._ran += 1
                self._seconds += seconds
            elif error is None:
                self._kept += 1
            note = "" if error is None else f"{name}: failed: {str(error).splitlines()[0]}"
            self._report(note)

    def note(self, text: str) -> None:
        """Report an event that ends no run."""
        with self._lock:
            self._report(text)

    def _report(self, note: str = "") -> None:
        if self._progress is None:
            return
        left = None
        if self._ran:
            left = (self._total - self._done) * self._seconds / self._ran / self._jobs
        step = Step(self._done, self._total, self._kept, self._name, left, note, self._at_most)
        self._progress(step)


def span(seconds: float) -> str:
    """A time for people: 12 s, 3 min, 1.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
