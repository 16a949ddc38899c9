# SPDX-License-Identifier: BSD-3-Clause
"""Runs the cases of scripts/same-results and keeps what they leave, for the next comparison with that build."""
import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time

from .compare import WALL

FORMAT = "1"  # of the cache; changes with the meaning of a kept outcome
LIMIT = 300  # seconds of a command; then it counts as hanging
KEPT = 6  # builds whose outcomes are kept
TIMEOUT = "timeout"


class Interrupted(Exception):
    """The user has ended the comparison."""


@dataclasses.dataclass
class Outcome:
    """What one side has left of a case: the folder `work`, and N.stdout and N.stderr of each command beside it."""

    folder: pathlib.Path
    inputs: frozenset
    statuses: list
    seconds: float
    paths: list  # absolute paths, longest first, and what they become
    cached: bool = False

    def files(self):
        """Name -> path of all that is compared."""
        found = {path.name: path for path in sorted(self.folder.glob("*.std*"))}
        work = self.folder / "work"
        for path in sorted(work.rglob("*")):
            name = path.relative_to(work).as_posix()
            if path.is_file() and name not in self.inputs:
                found[name] = path
        return found

    def plain(self, text):
        """A text without what depends on the machine."""
        for path, word in self.paths:
            text = text.replace(path, word)
        for pattern, word in WALL:
            text = pattern.sub(word, text)
        return text

    def plain_tree(self, node):
        """The same for the strings of a JSON document."""
        if isinstance(node, dict):
            return {name: self.plain_tree(value) for name, value in node.items()}
        if isinstance(node, list):
            return [self.plain_tree(item) for item in node]
        return self.plain(node) if type(node) is str else node  # pylint: disable=unidiomatic-typecheck


class Runner:
    """Runs cases, several at a time; `stop()` ends all that run."""

    def __init__(self, cache, fresh):
        self.cache, self.fresh = cache, fresh
        self._live, self._lock, self._stopped = set(), threading.Lock(), False

    def stop(self):
        with self._lock:
            self._stopped = True
            for process in self._live:
                _end(process)

    @property
    def stopped(self):
        return self._stopped

    def outcome(self, case, side, names, folder, use_cache):
        """The outcome of a case, kept or new; a new one is made in `folder`."""
        new = side.label == "NEW"
        commands = [(command.program, names.words(command.words, new)) for command in case.commands]
        files = {name: names.file(content, new) for name, content in case.files.items()}
        kept = self.cache / side.fingerprint / _key(case.name, commands, files)
        if use_cache and not self.fresh:
            found = _load(kept)
            if found is not None:
                return found
        done = self._run(commands, files, side, folder)
        if TIMEOUT not in done.statuses:
            _store(done, kept)
        return done

    def _run(self, commands, files, side, folder):
        work = folder / "work"
        work.mkdir(parents=True)
        (work / "configs").symlink_to(side.root / "configs")
        for name, text in files.items():
            (work / name).write_text(text, encoding="utf-8")
        begin = time.monotonic()
        statuses = []
        for number, (program, words) in enumerate(commands, 1):
            with open(folder / f"{number}.stdout", "wb") as out, open(folder / f"{number}.stderr", "wb") as err:
                statuses.append(self._command([str(side.program(program)), *words], work, out, err))
        (work / "configs").unlink()
        paths = sorted([(str(work), "<work>"), (str(folder), "<folder>"), (str(side.root), "<checkout>")],
                       key=lambda pair: -len(pair[0]))
        return Outcome(folder, frozenset(files), statuses, time.monotonic() - begin, paths)

    def _command(self, words, work, out, err):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TLMSSD_")}
        with self._lock:
            if self._stopped:
                raise Interrupted
            process = subprocess.Popen(words, cwd=work, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       env={**kept, "LC_ALL": "C", "TLMSSD_CACHE": "off"}, start_new_session=True)
            self._live.add(process)
        try:
            return process.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            _end(process)
            process.wait()
            return TIMEOUT
        finally:
            with self._lock:
                self._live.discard(process)
                stopped = self._stopped
            if stopped:
                raise Interrupted


def _end(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _key(name, commands, files):
    text = json.dumps([FORMAT, name, commands, files], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _load(kept):
    try:
        facts = json.loads((kept / "outcome.json").read_text(encoding="utf-8"))
        os.utime(kept.parent)  # builds that are used stay
        return Outcome(kept, frozenset(facts["inputs"]), facts["statuses"], facts["seconds"],
                       [tuple(pair) for pair in facts["paths"]], cached=True)
    except (OSError, ValueError, KeyError):
        return None


def _store(done, kept):
    """Keep an outcome: whole, or not at all."""
    if kept.exists():
        return
    kept.parent.mkdir(parents=True, exist_ok=True)
    partial = kept.with_name(f".{kept.name}.{os.getpid()}")
    shutil.copytree(done.folder, partial)
    facts = {"inputs": sorted(done.inputs), "statuses": done.statuses, "seconds": done.seconds, "paths": done.paths}
    (partial / "outcome.json").write_text(json.dumps(facts), encoding="utf-8")
    try:
        partial.rename(kept)
    except OSError:  # another comparison was first
        shutil.rmtree(partial)


def prune(cache):
    """Forget the outcomes of all builds but those used last."""
    builds = sorted((path for path in cache.glob("*") if path.is_dir()), key=lambda path: -path.stat().st_mtime)
    for path in builds[KEPT:]:
        shutil.rmtree(path, ignore_errors=True)
