# SPDX-License-Identifier: BSD-3-Clause
"""Finds and runs the tlmssd program, one or many at a time."""

from __future__ import annotations

import functools
import os
import pathlib
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.run.pool import run_threads

ROOT = pathlib.Path(__file__).resolve().parents[3]
_GRACE_S = 20  # for an interrupted run to write what it has

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


def find_binary(named: str | os.PathLike | None = None) -> pathlib.Path:
    """The program: `named`, else $TLMSSD, else the release build of the repository that this package
    is in, else `tlmssd` on PATH. LabInputError where none of them exists."""
    for origin, choice in (("binary", named), ("$TLMSSD", os.environ.get("TLMSSD"))):
        if choice:
            path = pathlib.Path(choice)
            if not _is_program(path):
                raise LabInputError(f"{origin}: {path} is not a program that can be run")
            return path.absolute()
    built = ROOT / "build/release/bin/tlmssd"
    if _is_program(built):
        return built.absolute()
    on_path = shutil.which("tlmssd")
    if on_path is not None:
        return pathlib.Path(on_path).absolute()
    if (ROOT / "configs/schema.json").is_file():  # the package of a clone
        raise LabInputError(f"{built} is missing: run scripts/build, or set TLMSSD to the program")
    raise LabInputError("no program tlmssd: set TLMSSD to it, or add its folder to PATH")


def _is_program(path: pathlib.Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


class Runner:
    """Runs programs and can interrupt all outstanding ones, from another thread.

    timeout_s   a program that takes longer is killed, its status is TIMED_OUT
    bound       a program is killed when the thread that started it goes, with a process that was
                killed itself (setpriv of util-linux; without it the program runs on)
    """

    TIMED_OUT = -1000

    def __init__(self, timeout_s: float | None = None, bound: bool = False) -> None:
        self._timeout_s = timeout_s
        setpriv = shutil.which("setpriv") if bound else None
        self._before = [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen] = set()
        self._interrupted = False

    def run(self, words: Sequence[str]) -> tuple[int, str]:
        """Exit status (negative: the signal that ended it, or TIMED_OUT) and standard error.

        A KeyboardInterrupt in here interrupts the program, waits until it has written what it has,
        and goes on.
        """
        with self._lock:
            if self._interrupted:
                return 130, ""
            # A group of its own: Ctrl-C reaches it once, through interrupt(); a second one would
            # end it before its results are written.
            process = subprocess.Popen(
                [*self._before, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                process_group=0,
            )
            self._running.add(process)
        try:
            _, messages = process.communicate(timeout=self._timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            return self.TIMED_OUT, process.communicate()[1]
        except BaseException:
            self.interrupt()
            _end(process)
            raise
        finally:
            with self._lock:
                self._running.discard(process)
        if self._interrupted and process.returncode < 0:
            return 130, messages
        return process.returncode, messages

    def interrupt(self) -> None:
        """Ask every program to stop and write its results, the second time end it; start none."""
        with self._lock:
            for process in self._running:
                process.send_signal(signal.SIGKILL if self._interrupted else signal.SIGINT)
            self._interrupted = True

    @property
    def interrupted(self) -> bool:
        return self._interrupted


def _end(process: subprocess.Popen) -> None:
    try:
        process.communicate(timeout=_GRACE_S)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        process.communicate()


def default_jobs() -> int:
    """As many programs at a time as there are processors for this one."""
    return len(os.sched_getaffinity(0))


def in_pool(
    work: Callable[[Item, Runner], Outcome], items: Sequence[Item], jobs: int, runner: Runner
) -> list[Outcome]:
    """work(item, runner) of each item, at most `jobs` at a time, outcomes in the items' order.

    Ctrl-C interrupts the runner and lets `work` see that of what is left (status 130); the caller
    looks at runner.interrupted. An exception of `work` interrupts the others and is raised.
    """

    def ended(_index: int, future: Future[Outcome]) -> None:
        future.result()

    calls = [functools.partial(work, item, runner) for item in items]
    return [future.result() for future in run_threads(calls, jobs, runner.interrupt, ended)]
