# SPDX-License-Identifier: BSD-3-Clause
"""Runs a sweep: hands points to workers, retries lost ones, writes a journal of the outcomes."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import pathlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.progress import Progress, Step, Tracker
from tlmssd_lab.run.errors import LabInterrupted, LabModelError
from tlmssd_lab.run.point import PointRun, config_hash, describe, program_hash
from tlmssd_lab.run.process import default_jobs, find_binary
from tlmssd_lab.sweep import cluster as sweep_cluster
from tlmssd_lab.sweep.plan import SEARCH, Plan, SweepPoint, points
from tlmssd_lab.sweep.search import Search
from tlmssd_lab.sweep.worker import (
    DONE,
    FAILED,
    INTERRUPTED,
    REFUSED,
    TIMEOUT,
    Ended,
    SnapshotTask,
    Task,
    run_task,
    save_snapshot,
)

if TYPE_CHECKING:
    from distributed import Client, Future

JOURNAL, MARKER = "journal.jsonl", ".tlmssd-sweep"
WORKER_DEATHS = 5  # of a point, before it counts as failed
# What the contents of an aged device follow from: sections of the configuration.
DEVICE = ("seed", "data", "geometry", "nand", "onfi", "ftl", "precondition", "inject")


@dataclass
class Swept:
    """`ended` by point's id, the last attempt of each; `status` as an exit status."""

    points: list[SweepPoint] = field(default_factory=list)
    ended: dict[str, Ended] = field(default_factory=dict)
    status: int = 0
    message: str = ""
    spent: str = ""  # how long it took, and how much of that was running


def sweep(
    plan: Plan,
    out: pathlib.Path,
    *,
    dask: str | None = None,
    cluster: str | None = None,
    jobs: int | None = None,
    binary: str | os.PathLike | None = None,
    progress: Progress | None = None,
) -> Swept:
    """Run every point that is not done yet, in `out`/points/ID. `dask`: address of a Dask scheduler;
    `cluster`: file of a batch system; without them `jobs` processes here. Raises LabInputError before
    the first run; later failures are in the result."""
    started = time.monotonic()
    program = find_binary(binary)
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / MARKER).write_text("")
    except OSError as error:
        raise LabInputError(f"{error.filename or out}: {error.strerror}") from None
    if dask is not None:
        connection = sweep_cluster.remote(dask)
    elif cluster is not None:
        connection = sweep_cluster.batch(cluster, out / "jobs")
    else:
        connection = sweep_cluster.local(jobs or default_jobs())
    with connection as client:
        version = program_hash(program)
        tell = None if progress is None else lambda text: progress(Step(0, 0, note=text))
        sweep_cluster.check_workers(client, str(program), version, out / MARKER, tell)
        work = _Sweep(plan, out, client, program, version, progress)
        swept = work.run()
        swept.spent = work.spent(time.monotonic() - started)
        return swept


class _Sweep:
    """One running sweep: on one thread, the workers' answers come in by as_completed."""

    def __init__(self, plan: Plan, out: pathlib.Path, client: Client, program: pathlib.Path,
                 version: str, progress: Progress | None) -> None:
        self._plan, self._out, self._client = plan, out, client
        self._program, self._version = program, version
        self._swept = Swept()
        self._attempts: dict[str, int] = {}
        self._deaths: dict[str, int] = {}
        self._open: dict[Any, SweepPoint] = {}
        self._snapshots: dict[str, Any] = {}
        self._search = Search(plan, out) if plan.method == SEARCH else None
        total = plan.points * plan.seeds if self._search else len(points(plan))
        self._slots = sweep_cluster.slots(client)
        self._tracker = Tracker(total, self._slots, progress)

    def run(self) -> Swept:
        from distributed import as_completed

        self._answers = as_completed(loop=self._client.loop)
        source = self._source()
        with _journal(self._out / JOURNAL) as self._write:
            try:
                self._fill(source)
                while self._open:
                    self._answer(next(self._answers))
                    self._fill(source)
            except KeyboardInterrupt:
                self._drain()
                self._stop(LabInterrupted.status, "interrupted: the same command goes on where it "
                                                  "stopped")
            except StopIteration:
                pass  # as_completed has none left: the scheduler has gone, and _answer said so
            except _Stopped as stopped:
                self._drain()
                self._stop(stopped.status, str(stopped))
        if not self._swept.status:
            self._swept.status = _status([ended.status for ended in self._swept.ended.values()])
        return self._swept

    def spent(self, wall: float) -> str:
        """Empty where nothing was run."""
        ran = [e.seconds for e in self._swept.ended.values() if e.seconds is not None]
        if not ran:
            return ""
        return f"{len(ran)} runs of {sum(ran):.1f} s together took {wall:.1f} s on {self._slots} workers"

    def _source(self) -> Iterator[SweepPoint | None]:
        """The points one after the other; None: nothing to hand out before an answer comes."""
        if self._search is None:
            yield from points(self._plan)
            return
        while (ask := self._search.ask()) is not None:
            yield from ask
            while not self._search.ready(len(self._open), sweep_cluster.slots(self._client)):
                yield None

    def _fill(self, source: Iterator[SweepPoint | None]) -> None:
        """Enough in hand that no worker waits; not all, which may be a million."""
        slots = max(1, sweep_cluster.slots(self._client))
        while len(self._open) < (slots if self._search else 2 * slots + 2):
            point = next(source, None)
            if point is None:
                return
            if point.id not in self._attempts:
                self._swept.points.append(point)
                self._submit(point)

    def _submit(self, point: SweepPoint) -> None:
        self._attempts[point.id] = self._attempts.get(point.id, 0) + 1
        task = Task(
            id=point.id,
            place=str(self._out / "points" / point.id),
            config=str(self._plan.config),
            settings=dict(point.settings),
            preset=point.preset,
            trace=self._plan.trace,
            labels={"values": dict(point.values), "seed": point.seed},
            program=str(self._program),
            version=self._version,
            timeout_s=self._plan.timeout_s,
        )
        future = self._client.submit(run_task, task, self._snapshot(point), pure=False)
        self._open[future] = point
        self._answers.add(future)

    def _snapshot(self, point: SweepPoint) -> Any:
        """None, a file, or the future that makes one: points of one device share it."""
        if not self._plan.snapshot:
            return None
        if isinstance(self._plan.snapshot, pathlib.Path):
            return str(self._plan.snapshot)
        settings = {k: v for k, v in point.settings.items() if k.split(".")[0] in DEVICE}
        known = json.dumps(sorted(settings.items()))
        if known not in self._snapshots:
            like = PointRun(self._out, self._plan.config, settings)
            try:
                text = config_hash(describe(like, self._program)) + self._version
            except (LabInputError, LabModelError) as error:
                return Ended("", REFUSED, str(error))
            name = hashlib.sha256(text.encode()).hexdigest()[:12]
            task = SnapshotTask(str(self._out / "snapshots" / f"{name}.snapshot"),
                                str(self._plan.config), settings, str(self._program),
                                self._plan.timeout_s)
            self._snapshots[known] = self._client.submit(save_snapshot, task, pure=False)
        return self._snapshots[known]

    def _answer(self, future: Future) -> None:
        point = self._open.pop(future)
        ended = self._ended(future, point)
        if ended is None:
            return
        self._record(point, ended)
        if os.strerror(errno.ENOSPC) in ended.message:
            raise _Stopped(LabInputError.status, f"{self._out}: {os.strerror(errno.ENOSPC)}: the "
                           "same command continues once the disk has space")
        again = ended.status in (FAILED, TIMEOUT, INTERRUPTED)
        if again and self._attempts[point.id] <= self._plan.retries:
            self._tracker.note(f"{point.name}: {_first(ended)}: tried again")
            self._submit(point)
            return
        error = None if ended.status == DONE else LabModelError(_first(ended))
        self._tracker.ended(point.name, ended.seconds, error)
        if self._search is not None:
            self._search.tell(point, ended)

    def _ended(self, future: Future, point: SweepPoint) -> Ended | None:
        """The outcome; None where the worker died and the point was handed out again."""
        from distributed import CancelledError, KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            gone = self._deaths[point.id] = self._deaths.get(point.id, 0) + 1
            ended = Ended(point.id, FAILED, f"worker {error.last_worker.address} died",
                          worker=error.last_worker.address)
            if gone > WORKER_DEATHS:
                return ended
            self._record(point, ended)
            self._tracker.note(f"{point.name}: {ended.message}: tried again")
            self._snapshots.clear()  # may have been with the one that died; files are found again
            self._attempts[point.id] -= 1
            self._submit(point)
            return None
        except (CancelledError, OSError) as error:
            raise _Stopped(LabModelError.status, "the Dask scheduler has gone: what was done is "
                           "kept, the same command goes on") from error

    def _record(self, point: SweepPoint, ended: Ended) -> None:
        self._swept.ended[point.id] = ended
        self._write({
            "point": point.id, "values": dict(point.values), "seed": point.seed,
            "status": ended.status, "message": ended.message, "seconds": ended.seconds,
            "worker": ended.worker, "ended": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        })

    def _drain(self) -> None:
        """Take what is done already, wait for nothing."""
        for future, point in list(self._open.items()):
            if future.done() and future.status == "finished":
                with contextlib.suppress(Exception):
                    self._record(point, future.result())
        with contextlib.suppress(Exception):
            self._client.cancel(list(self._open), force=True)

    def _stop(self, status: int, message: str) -> None:
        self._swept.status, self._swept.message = status, message


class _Stopped(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def _status(all_of_them: list[str]) -> int:
    """Combinations that the program refuses are left out of a grid. Where none could run, that is an error."""
    if any(status in (FAILED, TIMEOUT) for status in all_of_them):
        return LabModelError.status
    return LabInputError.status if set(all_of_them) == {REFUSED} else 0


def _first(ended: Ended) -> str:
    return (ended.message or ended.status).splitlines()[0]


@contextlib.contextmanager
def _journal(path: pathlib.Path) -> Iterator[Callable[[dict], None]]:
    """A line for each attempt that has ended, there at once."""
    with open(path, "a", encoding="utf-8") as file:

        def write(line: dict) -> None:
            try:
                file.write(json.dumps(line) + "\n")
                file.flush()
            except OSError as error:
                raise _Stopped(LabInputError.status, f"{path}: {error.strerror}") from None

        yield write


def read_journal(out: pathlib.Path) -> list[dict]:
    """Its lines; a last one that is not whole is left out."""
    lines = []
    with contextlib.suppress(OSError):
        for line in (out / JOURNAL).read_text(encoding="utf-8").splitlines():
            with contextlib.suppress(ValueError):
                lines.append(json.loads(line))
    return lines
