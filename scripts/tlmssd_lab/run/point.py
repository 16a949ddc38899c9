# SPDX-License-Identifier: BSD-3-Clause
"""One run in a folder of its own: resolved configuration, results, log. A run that the same program
has made there with the same configuration and trace is not made again."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.files import write_whole
from tlmssd_lab.run import result
from tlmssd_lab.run.errors import LabInterrupted, LabModelError
from tlmssd_lab.run.process import Runner
from tlmssd_lab.run.result import LOG, RESULTS, Result
from tlmssd_lab.run.run import PathLike, Trace, input_words, run

POINT, CONFIG, MESSAGES = "point.json", "config.yaml", "log.txt"
_SCHEMA = "tlmssd-point-1"


@dataclass(frozen=True)
class PointRun:
    """One run, and the entries of point.json beside it (`labels`)."""

    place: pathlib.Path
    config: PathLike
    settings: Mapping[str, str]
    preset: str | Sequence[str] | None = None
    trace: Trace | None = None
    log: bool = False
    snapshot: pathlib.Path | None = None
    labels: Mapping[str, Any] = field(default_factory=dict)

    @property
    def input_words(self) -> list[str]:
        return input_words(
            self.config, workload=self.preset, trace=self.trace, settings=[self.settings]
        )

    @property
    def options(self) -> list[str]:
        return [] if self.snapshot is None else ["--snapshot", str(self.snapshot)]


def program_hash(binary: pathlib.Path) -> str:
    """Of the program and of the firmware image beside it, which the ISS executes."""
    digest = hashlib.sha256(binary.read_bytes())
    for place in ("firmware", "lib/tlmssd"):  # in a build folder, in an installation
        image = binary.parent.parent / place / "tlmssd_fw_rv32.elf"
        if image.is_file():
            digest.update(image.read_bytes())
    return digest.hexdigest()[:16]


def run_point(
    point: PointRun, program: pathlib.Path, version: str, runner: Runner
) -> tuple[Result, float | None]:
    """Its result and the real seconds that it took, None where it was there. `version` is the
    program's `program_hash`. Raises LabError; the folder's log then also has the message."""
    started = time.monotonic()
    if runner.interrupted:
        raise LabInterrupted("interrupted")
    try:
        config = describe(point, program)
        key = _key(config, point, version)
        found = _reuse(point, key)
        if found is not None:
            return found, None
        (point.place / POINT).unlink(missing_ok=True)
        write_whole(point.place / CONFIG, config)
        outcome = run(
            point.config,
            workload=point.preset,
            trace=point.trace,
            out=point.place,
            log=point.log,
            overrides=point.settings,
            options=point.options,
            binary=program,
            runner=runner,
        )
        seconds = time.monotonic() - started
        _note(point, program, outcome.warnings)
        # Last and as a whole: it says that all else is there.
        write_whole(point.place / POINT, _document(point, key, seconds))
        return outcome, seconds
    except LabInterrupted:
        raise
    except LabError as error:
        _note(point, program, str(error).splitlines())
        raise
    except OSError as error:  # a full disk, a folder in the way
        raise LabInputError(f"{point.place}: {error.strerror or error}") from None


def describe(point: PointRun, program: pathlib.Path) -> str:
    """The resolved configuration, which ends with its hash."""
    done = subprocess.run(
        [str(program), "describe", *point.input_words],
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


def config_hash(config: str) -> str:
    return "\n".join(line for line in config.splitlines() if line.startswith("# config_hash"))


def _key(config: str, point: PointRun, version: str) -> str:
    """Of all that can change the results: the hash of the configuration (which knows a trace by its
    name only), the program, the files of trace and snapshot."""
    parts = [config_hash(config), version, f"log {point.log}"]
    for file in (point.trace.path if point.trace else None, point.snapshot):
        if file is not None:
            status = _stat(file)
            parts.append(f"{status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _stat(file: PathLike) -> os.stat_result:
    try:
        return os.stat(file)
    except OSError as error:
        raise LabInputError(f"{file}: {error.strerror}") from None


def _reuse(point: PointRun, key: str) -> Result | None:
    try:
        document = json.loads((point.place / POINT).read_text(encoding="utf-8"))
        if document.get("schema") != _SCHEMA or document.get("key") != key:
            return None
        if point.log and not (point.place / LOG).is_file():
            return None
        found = result.load(point.place / RESULTS)
    except (OSError, ValueError, AttributeError, LabError):
        return None
    return found if found.status == "done" else None


def _document(point: PointRun, key: str, seconds: float) -> str:
    document = {
        "schema": _SCHEMA,
        "key": key,
        **point.labels,
        "settings": dict(point.settings),
        "wall_seconds": round(seconds, 3),
    }
    return json.dumps(document, indent=1) + "\n"


def _note(point: PointRun, program: pathlib.Path, lines: Sequence[str]) -> None:
    """The command that repeats the point, and what the program said."""
    words = [str(program), "run", *point.input_words, *point.options, "--out", str(point.place)]
    try:
        write_whole(point.place / MESSAGES, "\n".join([shlex.join(words), *lines]) + "\n")
    except LabInputError:
        pass  # the point's own error matters more
