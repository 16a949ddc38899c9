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
    """A block trace. `format` and `columns` mean the same as --format and --trace-columns of
    `tlmssd run`; None: the program recognises the format by itself."""

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
    settings: Mapping[str, Any] | None = None,
    overrides: Mapping[str, Any] | None = None,
    options: Sequence[str] = (),
    binary: PathLike | None = None,
    runner: Runner | None = None,
    **keys: Any,
) -> Result:
    """Run one workload on one device and wait for the end.

    Arguments:
        config: a device's name ("default") or a device file. A relative path is looked up in the
            working directory, then in the repository.
        workload: a workload's name ("randread-4k"), a file, or a map of keys such as
            {"rw": "randread", "bs": 4096}. A list of names gives one job per name.
        trace: a block trace: a path, or Trace(path, format, columns). A list gives one job per trace.
        format: format of the trace, where its file does not show it.
        out: folder for results.json. Without it a temporary folder is used and removed with the
            result.
        timeline: also write timeline.json.gz, from `timeline_from` to `timeline_to` (simulated
            times such as "1.5ms") where these are given.
        log: also write the log of requests; Result.log reads it.
        lenient: leave out broken lines of a trace and count them.
        settings: values of configuration keys, {"host.queue_depth": 8}. They replace those of the
            device file and of the workload.
        options: more arguments of `tlmssd run`, such as ["--waves", "a.fst"].
        binary: the program. Default: $TLMSSD, the build of the repository, or `tlmssd` on PATH.
        overrides, keys: older ways to name keys: a second map, and keywords with two underscores
            for the dot (host__queue_depth=8).

    Raises:
        LabInputError: the configuration, workload, trace or an argument is wrong (exit status 2).
        LabModelError: the model found an error in itself, or the program died (3). `result` holds
            the measurements until then, or None.
        LabInterrupted: the run was interrupted (130). `result` as above.
        Each error has the message of the program.
    """
    kept = None
    if out is None:
        kept = TemporaryFolder()
        out = kept.path
    folder = pathlib.Path(out).absolute()
    load: Mapping[str, Any] = {}
    if isinstance(workload, Mapping):
        load, workload = {"workload": workload}, None
    maps = [settings_of(part) for part in (load, settings or {}, overrides or {}, keys)]
    program = find_binary(binary)
    config = config_path(config, program)
    words = [str(program), "run", "--quiet", "--out", str(folder)]
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
    """Call run(**arguments) for each map of arguments, several at a time.

    Arguments:
        runs: maps of the arguments of run: [{"config": "default", "settings": {"seed": 1}}, ...].
        jobs: number of runs at a time. Default: one per processor.

    Returns:
        One outcome per map, in the same order: a Result, or the LabError of a run that failed.

    Raises:
        KeyboardInterrupt: after Ctrl-C, when all runs have stopped.
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
        raise LabInputError(text or "tlmssd refused its input without a message")
    partial = result.read_result(folder, lines, kept) if (folder / RESULTS).is_file() else None
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
