# SPDX-License-Identifier: BSD-3-Clause
"""The work of a sweep's worker. Arguments and values are plain, so that they travel; files are on
a file system that workers and client share. Every call may happen twice: both leave the same."""

from __future__ import annotations

import os
import pathlib
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.run.errors import LabInterrupted, LabModelError, LabTimeout
from tlmssd_lab.run.point import PointRun, program_hash, run_point
from tlmssd_lab.run.process import Runner
from tlmssd_lab.run.run import Trace

DONE, REFUSED, FAILED, TIMEOUT, INTERRUPTED = "done", "refused", "failed", "timeout", "interrupted"


@dataclass(frozen=True)
class Task:
    """One point."""

    id: str
    place: str
    config: str
    settings: Mapping[str, str]
    preset: str | None
    trace: Trace | None
    labels: Mapping[str, object]
    program: str
    version: str
    timeout_s: float | None


@dataclass(frozen=True)
class SnapshotTask:
    """The device that points begin from."""

    file: str
    config: str
    settings: Mapping[str, str]
    program: str
    timeout_s: float | None


@dataclass(frozen=True)
class Ended:
    """The outcome of a task. `seconds` is None where nothing was run."""

    id: str
    status: str
    message: str = ""
    seconds: float | None = None
    took_s: float = 0.0
    worker: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}")


def status_of(error: LabError) -> str:
    if isinstance(error, LabTimeout):
        return TIMEOUT
    if isinstance(error, LabInterrupted):
        return INTERRUPTED
    return REFUSED if isinstance(error, LabInputError) else FAILED


def run_task(task: Task, snapshot: Ended | str | None = None) -> Ended:
    """`snapshot`: the file to begin from, or what came of making it."""
    started = time.monotonic()
    try:
        if isinstance(snapshot, Ended):
            if snapshot.status != DONE:
                raise _again(snapshot)
            snapshot = snapshot.id
        point = PointRun(
            pathlib.Path(task.place),
            task.config,
            task.settings,
            preset=task.preset,
            trace=task.trace,
            snapshot=pathlib.Path(snapshot) if snapshot else None,
            labels=task.labels,
        )
        runner = Runner(timeout_s=task.timeout_s, bound=True)
        _, seconds = run_point(point, pathlib.Path(task.program), task.version, runner)
        return Ended(task.id, DONE, "", seconds, time.monotonic() - started)
    except LabError as error:
        return Ended(task.id, status_of(error), str(error), None, time.monotonic() - started)


def _again(ended: Ended) -> LabError:
    """The error of a snapshot, for each point that needed it."""
    kind = {REFUSED: LabInputError, TIMEOUT: LabTimeout, INTERRUPTED: LabInterrupted}
    return kind.get(ended.status, LabModelError)(f"its snapshot: {ended.message}")


def save_snapshot(task: SnapshotTask) -> Ended:
    """Make the file unless it exists: `tlmssd snapshot save` writes it whole or not at all."""
    started = time.monotonic()
    file = pathlib.Path(task.file)
    if file.is_file():
        return Ended(task.file, DONE)
    words = [task.program, "snapshot", "save", task.config]
    for key, text in task.settings.items():
        words += ["--set", f"{key}={text}"]
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        status, messages = Runner(task.timeout_s, bound=True).run([*words, "-o", str(file)])
    except OSError as error:
        return Ended(task.file, REFUSED, f"{error.filename or file}: {error.strerror}")
    message = messages.strip().removeprefix("tlmssd: ")
    seconds = time.monotonic() - started
    if status == 0:
        return Ended(task.file, DONE, message, seconds, seconds)
    if status == Runner.TIMED_OUT:
        return Ended(task.file, TIMEOUT, "took longer than it may")
    return Ended(task.file, REFUSED if status == 2 else FAILED, message or f"status {status}")


def greet(program: str, marker: str) -> tuple[str, bool]:
    """The hash of the worker's program ("" where it has none), and whether it sees the folder."""
    path = pathlib.Path(program)
    return program_hash(path) if path.is_file() else "", pathlib.Path(marker).is_file()
