# SPDX-License-Identifier: BSD-3-Clause
"""The line on a terminal that shows the progress of many runs."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Self, TextIO

from tlmssd_lab.progress import Step, span
from tlmssd_lab.terminal import columns, is_terminal, printable

_PERIOD_S = 1.0
_CLEAR = "\r\x1b[K"


class StatusLine:
    """Pass it as `progress` inside a `with`. A terminal has one line, rewritten at each run's end
    and each second, and cleared at the end; a pipe or file has none. Notes are lines of their own
    on both, unless `notes` is false. `quiet`: nothing at all."""

    def __init__(
        self, quiet: bool, stream: TextIO | None = None, title: str = "", notes: bool = True
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._notes, self._title = notes and not quiet, title
        self._live = not quiet and is_terminal(self._stream)
        self._step: Step | None = None
        self._started = time.monotonic()
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        if self._live:
            self._thread = threading.Thread(target=self._renew, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        step, self._step = self._step, None
        self._clear()
        if step is not None and step.kept:
            self.note(f"{step.kept} of {step.done} are kept from an earlier run")

    def __call__(self, step: Step) -> None:
        with self._lock:
            self._step = step
        if step.note:
            self.note(step.note)
        self._draw()

    def note(self, text: str) -> None:
        """A line that stays."""
        if not self._notes:
            return
        with self._lock:
            self._write(f"{_CLEAR if self._live else ''}  {printable(text)}\n")

    def _renew(self) -> None:
        while not self._over.wait(_PERIOD_S):
            self._draw()

    def _draw(self) -> None:
        with self._lock:
            step = self._step
            shown = self._live and step is not None and step.total > 0
            if step is not None and shown and not self._over.is_set():
                text = line_of(step, time.monotonic() - self._started, self._title)
                self._write(_CLEAR + printable(text)[: max(1, columns(self._stream) - 1)])

    def _clear(self) -> None:
        with self._lock:
            if self._live:
                self._write(_CLEAR)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def line_of(step: Step, elapsed_s: float, title: str = "") -> str:
    """Such as "  3/12, 40 s, about 2 min left: inorder, seed 3"."""
    total = f" of at most {step.total}" if step.at_most else f"/{step.total}"
    words = [f"{step.done}{total}", span(elapsed_s)]
    if step.left_s is not None and step.done < step.total:
        words.append(f"{'at most' if step.at_most else 'about'} {span(step.left_s)} left")
    name = f": {step.name}" if step.name else ""
    return f"  {title + ': ' if title else ''}{', '.join(words)}{name}"
