# SPDX-License-Identifier: BSD-3-Clause
"""Progress of many runs, with the time that the rest will take."""

from __future__ import annotations

import threading
from collections.abc import Callable

Progress = Callable[[str], None]


class Teller:
    """A line for each run that has ended, from any thread. `jobs` runs go on at a time."""

    def __init__(self, total: int, jobs: int, progress: Progress | None) -> None:
        self._total, self._jobs, self._progress = total, jobs, progress
        self._done = self._ran = 0
        self._seconds = 0.0
        self._lock = threading.Lock()

    def ended(self, name: str, seconds: float | None, error: BaseException | None) -> None:
        """`seconds` is None where nothing was run."""
        with self._lock:
            self._done += 1
            if seconds is not None:
                self._ran += 1
                self._seconds += seconds
            text = f"{self._done}/{self._total} {name}"
            if error is not None:
                text += f": failed: {str(error).splitlines()[0]}"
            elif seconds is None:
                text += ": was there"
            else:
                left = (self._total - self._done) * self._seconds / self._ran / self._jobs
                text += f": {seconds:.1f} s" + (f", about {span(left)} left" if left >= 1 else "")
            self.say(text)

    def say(self, text: str) -> None:
        if self._progress is not None:
            self._progress(text)


def span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
