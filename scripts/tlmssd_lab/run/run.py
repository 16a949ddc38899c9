# SPDX-License-Identifier: BSD-3-Clause
"""lab.run and lab.run_many: one `tlmssd run`, or many at a time."""

from __future__ import annotations

import os
import pathlib
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.run import result
from tlmssd_lab.run.errors import LabInterrupted, LabModelError, LabTimeout
from tlmssd_lab.run.named import config_path
from tlmssd_lab.run.process import Runner, default_jobs, find_binary, in_pool
from tlmssd_lab.run.result import LOG, RESULTS, TIMELINE, Result, TemporaryFolder
from tlmssd_lab.run.settings import settings_of

PathLike = str | os.PathLike


@dataclass(frozen=True)
class Trace:
    """A block trace; `format` and `columns` as --format and --trace-columns."""

    path: PathLike
    format: str | None = None
    columns: str | None = None


def run(
    config: PathLike,
    *,
    workload: PathLike | Mapping[str, Any] | Sequence[PathLike] | None = None,
    trace: PathLike | Trace | Sequence[PathLike | Trace] | None = None,
    format: str | None = None,
    out: PathLike | None = None,
    timeline: bool = False,
    timeline_from: str | None = None,
    timeline_to: str | None = None,
    log: bool = False,
    lenient: bool = False,
    overrides: Mapping[str, Any] | None = None,
    options: Sequence[str] = (),
    binary: PathLike | None = None,
    runner: Runner | None = None,
    **settings: Any,
) -> Result:
    """Run tlmssd once and wait for its end.

    config     device file, or a name as "default"; a relative path is tried from the working
               directory, then from the repository's root
    workload   name or path of a preset, a map of workload keys, or several names (a job each)
    trace      a block trace, or several (a job each); Trace(path, format, columns) names its format
    format     format of the one trace, where the file does not show it
    out        folder for results.json; without it a temporary one, removed with the result
    timeline   also write timeline.json.gz, of the simulated time from timeline_from ("1.5ms") to
               timeline_to where these are given
    log        also write log.csv.zst, read by result.log
    lenient    leave out broken trace lines and count them
    overrides  keys by map: {"host": {"queue_depth": 8}} or {"host.queue_depth": 8}
    options    further words for the command line, such as ["--waves", "a.fst"]
    settings   keys by keyword, double underscore for the dot: host__queue_depth=8

    Raises LabInputError (exit status 2), LabModelError (3, or the program died), LabInterrupted
    (130), each with the program's message.
    """
    kept = None
    if out is None:
        kept = TemporaryFolder()
        out = kept.path
    folder = pathlib.Path(out).absolute()
    keys: dict[str, Any] = {}
    if isinstance(workload, Mapping):
        keys, workload = {"workload": workload}, None
    maps = [settings_of(part) for part in (keys, overrides or {}, settings)]
    words = [str(find_binary(binary)), "run", "--quiet", "--out", str(folder)]
    if timeline:
        words += ["--timeline", str(folder / TIMELINE)]
    words += ["--timeline-from", timeline_from] if timeline_from is not None else []
    words += ["--timeline-to", timeline_to] if timeline_to is not None else []
    if log:
        words += ["--log", str(folder / LOG)]
    words += input_words(
        config, workload=workload, trace=trace, format=format, lenient=lenient, settings=maps
    )
    words += [str(word) for word in options]
    _forget(folder)
    status, messages = (runner or Runner()).run(words)
    return _outcome(status, messages, folder, kept)


def input_words(
    config: PathLike,
    *,
    workload: PathLike | Sequence[PathLike] | None = None,
    trace: PathLike | Trace | Sequence[PathLike | Trace] | None = None,
    format: str | None = None,
    lenient: bool = False,
    settings: Sequence[Mapping[str, str]] = (),
) -> list[str]:
    """The part of a command line that says what is simulated: the same for run and describe.
    `settings`: maps of keys, one after the other."""
    words = [str(config_path(config))]
    for name in _several(workload):
        words += ["--workload", os.fspath(name)]
    words += _trace_words(trace, format)
    if lenient:
        words.append("--lenient")
    for part in settings:
        for key, text in part.items():
            words += ["--set", f"{key}={text}"]
    return words


def run_many(runs: Sequence[Mapping[str, Any]], jobs: int | None = None) -> list[Result | LabError]:
    """run(**arguments) of each map, at most `jobs` at a time (default: a run a processor).

    In the order given; a run that failed is its LabError, not raised. Ctrl-C interrupts all and
    raises KeyboardInterrupt.
    """
    runner = Runner()
    outcomes = in_pool(_attempt, list(runs), jobs or default_jobs(), runner)
    if runner.interrupted:
        raise KeyboardInterrupt
    return outcomes


def _attempt(arguments: Mapping[str, Any], runner: Runner) -> Result | LabError:
    try:
        return run(**arguments, runner=runner)
    except LabError as error:
        return error


def _several(value: Any) -> list[Any]:
    if value is None:
        return []
    return [value] if isinstance(value, (str, os.PathLike, Trace)) else list(value)


def _trace_words(trace: Any, format: str | None) -> list[str]:
    traces = [item if isinstance(item, Trace) else Trace(item) for item in _several(trace)]
    if format is not None:
        if len(traces) != 1 or traces[0].format is not None:
            raise LabInputError("format conflicts with several traces; use Trace(path, format)")
        traces = [Trace(traces[0].path, format, traces[0].columns)]
    words: list[str] = []
    for item in traces:
        words += ["--trace", os.fspath(item.path)]
        words += ["--format", item.format] if item.format is not None else []
        words += ["--trace-columns", item.columns] if item.columns is not None else []
    return words


def _forget(folder: pathlib.Path) -> None:
    """Remove what an earlier run left there: a run that fails must not show another's results."""
    for name in (RESULTS, TIMELINE, LOG):
        try:
            (folder / name).unlink(missing_ok=True)
        except NotADirectoryError:
            return  # the program will say so
        except OSError as error:
            raise LabInputError(f"{folder / name}: {error.strerror}") from None


def _outcome(
    status: int, messages: str, folder: pathlib.Path, kept: TemporaryFolder | None
) -> Result:
    lines = tuple(line.removeprefix("tlmssd: ") for line in messages.splitlines() if line.strip())
    text = "\n".join(lines)
    if status == 2:
        raise LabInputError(text or "tlmssd refused its input and did not say why")
    partial = result.load(folder, lines, kept) if (folder / RESULTS).is_file() else None
    if status == Runner.TIMED_OUT:
        raise LabTimeout("took longer than it may", partial)
    if status in (130, -signal.SIGINT):
        raise LabInterrupted("interrupted", partial)
    if status == 3:
        raise LabModelError(text or "the model found an error in itself", partial)
    if status != 0:
        raise LabModelError(f"tlmssd ended {_how(status)}" + (f": {text}" if text else ""), partial)
    if partial is None:
        raise LabModelError(f"{folder}: tlmssd ended well and wrote no {RESULTS}")
    return partial


def _how(status: int) -> str:
    if status > 0:
        return f"with status {status}"
    try:
        return f"by signal {signal.Signals(-status).name}"
    except ValueError:
        return f"by signal {-status}"
