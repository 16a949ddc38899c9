# SPDX-License-Identifier: BSD-3-Clause
"""Runs the points of an experiment, each in its own folder. What is done is not run again."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tlmssd_lab import result
from tlmssd_lab.errors import LabError, LabInputError, LabInterrupted, LabModelError
from tlmssd_lab.experiment import CLOSED, OWN, Experiment
from tlmssd_lab.experiment_points import Point, at_rate, base_labels
from tlmssd_lab.process import Runner, default_jobs, find_binary, in_pool
from tlmssd_lab.result import LOG, RESULTS, Result
from tlmssd_lab.run import input_words, run

POINT, CONFIG, MESSAGES = "point.json", "config.yaml", "log.txt"
_SCHEMA = "tlmssd-point-1"

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Done:
    """A point and what came of it."""

    point: Point
    outcome: Result | LabError


def program_hash(binary: pathlib.Path) -> str:
    """Of the program and of the firmware image beside it, which the ISS executes."""
    digest = hashlib.sha256(binary.read_bytes())
    image = binary.parent.parent / "firmware/tlmssd_fw_rv32.elf"
    if image.is_file():
        digest.update(image.read_bytes())
    return digest.hexdigest()[:16]


def run_points(
    experiment: Experiment,
    points: Sequence[Point],
    folder: pathlib.Path,
    *,
    jobs: int | None = None,
    binary: str | os.PathLike | None = None,
    progress: Progress | None = None,
) -> tuple[list[Done], bool]:
    """Every point's outcome, in the order given, and whether Ctrl-C came in between. Points in open
    loop run when their base has its IOPS; where it has none, they say so."""
    program = find_binary(binary)
    runner = Runner()
    teller = _Teller(len(points), jobs or default_jobs(), progress)
    work = functools.partial(
        _outcome, experiment, folder, program, program_hash(program), teller
    )
    first = [point for point in points if point.arrival in (CLOSED, OWN)]
    done = _wave(work, first, jobs, runner)
    saturation = {
        _place(d.point.load.name, d.point.labels, d.point.seed): d.outcome
        for d in done
        if d.point.arrival == CLOSED
    }
    ready: list[Point] = []
    for point in points[len(first) :]:
        labels = base_labels(experiment, point)
        base = saturation.get(_place(point.load.name, labels, point.seed))
        iops = base.all.iops if isinstance(base, Result) else None
        if iops:
            ready.append(at_rate(point, iops))
            continue
        error = LabInputError("its base in closed loop has no IOPS, so there is no saturation")
        if isinstance(base, LabInterrupted) or runner.interrupted:
            error = LabInterrupted("interrupted")
        done.append(Done(point, error))
    done += _wave(work, ready, jobs, runner)
    order = {_name(point): number for number, point in enumerate(points)}
    return sorted(done, key=lambda d: order[_name(d.point)]), runner.interrupted


def _wave(work, points: Sequence[Point], jobs: int | None, runner: Runner) -> list[Done]:
    if not points:
        return []
    outcomes = in_pool(work, points, jobs or default_jobs(), runner)
    return [Done(point, outcome) for point, outcome in zip(points, outcomes, strict=True)]


def _place(load: str, labels: dict[str, str], seed: int) -> tuple:
    return load, tuple(sorted(labels.items())), seed


def _name(point: Point) -> tuple:
    return _place(point.load.name, point.labels, point.seed), point.arrival


class _Teller:
    """Lines of progress, with the time that the rest will take."""

    def __init__(self, total: int, jobs: int, progress: Progress | None) -> None:
        self._total, self._jobs, self._progress = total, jobs, progress
        self._done = self._ran = 0
        self._seconds = 0.0
        self._lock = threading.Lock()

    def ended(self, name: str, seconds: float | None, error: LabError | None) -> None:
        """`seconds` is None where nothing was run."""
        with self._lock:
            self._done += 1
            if seconds is not None:
                self._ran += 1
                self._seconds += seconds
            if self._progress is None:
                return
            text = f"{self._done}/{self._total} {name}"
            if error is not None:
                text += f": failed: {str(error).splitlines()[0]}"
            elif seconds is None:
                text += ": was there"
            else:
                left = (self._total - self._done) * self._seconds / self._ran / self._jobs
                text += f": {seconds:.1f} s" + (f", about {_span(left)} left" if left else "")
            self._progress(text)


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _outcome(
    experiment: Experiment,
    folder: pathlib.Path,
    program: pathlib.Path,
    version: str,
    teller: _Teller,
    point: Point,
    runner: Runner,
) -> Result | LabError:
    place = folder / "points" / point.folder
    started = time.monotonic()
    try:
        if runner.interrupted:
            raise LabInterrupted("interrupted")
        config = _describe(experiment, point, program)
        key = _key(config, point, version, experiment.log)
        found = _reuse(place, key, experiment.log)
        if found is not None:
            teller.ended(point.name, None, None)
            return found
        (place / POINT).unlink(missing_ok=True)
        _write(place / CONFIG, config)
        outcome = run(
            experiment.config,
            workload=point.load.preset,
            trace=point.load.trace,
            out=place,
            log=experiment.log,
            overrides=point.settings,
            binary=program,
            runner=runner,
        )
        seconds = time.monotonic() - started
        _note(place, experiment, point, program, outcome.warnings)
        # Last and as a whole: it says that all else is there.
        _write(place / POINT, _document(point, key, seconds))
        teller.ended(point.name, seconds, None)
        return outcome
    except LabInterrupted as error:
        return error
    except LabError as error:
        _note(place, experiment, point, program, str(error).splitlines())
        teller.ended(point.name, time.monotonic() - started, error)
        return error
    except OSError as error:  # a full disk, a folder in the way
        teller.ended(point.name, None, LabInputError(str(error)))
        return LabInputError(f"{place}: {error.strerror or error}")


def _words(experiment: Experiment, point: Point) -> list[str]:
    return input_words(
        experiment.config,
        workload=point.load.preset,
        trace=point.load.trace,
        settings=[point.settings],
    )


def _describe(experiment: Experiment, point: Point, program: pathlib.Path) -> str:
    """The resolved configuration, which ends with its hash."""
    done = subprocess.run(
        [str(program), "describe", *_words(experiment, point)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        process_group=0,
    )
    if done.returncode != 0:
        message = done.stderr.strip().removeprefix("tlmssd: ") or "describe failed"
        raise (LabInputError if done.returncode == 2 else LabModelError)(message)
    return done.stdout


def _key(config: str, point: Point, version: str, log: bool) -> str:
    """Of all that can change the results: the hash of the configuration (which knows a trace by its
    name only), the program, the trace's file."""
    parts = [line for line in config.splitlines() if line.startswith("# config_hash")]
    parts += [version, f"log {log}"]
    if point.load.trace is not None:
        status = os.stat(point.load.trace.path)
        parts.append(f"{status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _reuse(place: pathlib.Path, key: str, log: bool) -> Result | None:
    try:
        document = json.loads((place / POINT).read_text(encoding="utf-8"))
        if document.get("schema") != _SCHEMA or document.get("key") != key:
            return None
        if log and not (place / LOG).is_file():
            return None
        found = result.load(place / RESULTS)
    except (OSError, ValueError, AttributeError, LabError):
        return None
    return found if found.status == "done" else None


def _document(point: Point, key: str, seconds: float) -> str:
    document = {
        "schema": _SCHEMA,
        "key": key,
        "load": point.load.name,
        "labels": dict(point.labels),
        "arrival": point.arrival,
        "seed": point.seed,
        "settings": dict(point.settings),
        "wall_seconds": round(seconds, 3),
    }
    return json.dumps(document, indent=1) + "\n"


def _note(place, experiment: Experiment, point: Point, program, lines: Sequence[str]) -> None:
    """The command that repeats the point, and what the program said."""
    words = [str(program), "run", *_words(experiment, point), "--out", str(place)]
    try:
        _write(place / MESSAGES, "\n".join([shlex.join(words), *lines]) + "\n")
    except OSError:
        pass  # the point's own error matters more


def _write(path: pathlib.Path, text: str) -> None:
    """As a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)
