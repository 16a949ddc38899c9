# SPDX-License-Identifier: BSD-3-Clause
"""OLD and NEW of scripts/same-results: checkouts with a release build, or revisions that are built in the cache."""
import contextlib
import dataclasses
import fcntl
import hashlib
import os
import pathlib
import signal
import subprocess
import sys
import time

from tlmssd_lab.run.pool import counted_signals

from .renames import Problem

BIN = "build/release/bin"
IMAGE = "build/release/firmware/tlmssd_fw_rv32.elf"
SOURCES = (".c", ".cpp", ".def", ".h", ".S", ".sv")
TARGETS = ("tlmssd", "tlmssd-keys")  # tlmssd brings the ISS, the RV32 image and tlmssd-costs along


@dataclasses.dataclass(frozen=True)
class Side:
    """One of the two. `fingerprint` is over everything that can change a run's outputs."""

    label: str
    root: pathlib.Path
    fingerprint: str

    def program(self, name):
        return self.root / BIN / name


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "tlmssd/same-results"


def find(label, text, repository, programs):
    """The side that the user has named: a folder, else a revision of `repository`, which is built."""
    folder = pathlib.Path(text)
    root = folder.resolve() if folder.is_dir() else _revision(label, text, repository)
    for program in sorted(programs):
        if not os.access(root / BIN / program, os.X_OK):
            raise Problem(f"{label}: no {root / BIN / program}: build it with scripts/build")
    if not (root / IMAGE).is_file():
        raise Problem(f"{label}: no {root / IMAGE}: build it with scripts/build")
    if not (root / "configs").is_dir():
        raise Problem(f"{label}: no {root / 'configs'}: not a checkout of tlmssd")
    return Side(label, root, _fingerprint(root))


def newer_source(side):
    """A source file that is younger than the program, or None: the build may not be that of the sources."""
    built = side.program("tlmssd").stat().st_mtime
    sources = (path for folder in ("models", "firmware", "rtl") for path in (side.root / folder).rglob("*")
               if path.suffix in SOURCES)
    return next((path for path in sources if path.stat().st_mtime > built), None)


def _git(repository, *words):
    return subprocess.run(["git", "-C", str(repository), *words], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)


def _revision(label, text, repository):
    """The worktree of a revision in the cache, built with its own scripts/build."""
    done = _git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", text + "^{commit}")
    if done.returncode != 0:
        raise Problem(f"{label} {text}: neither a folder nor a revision")
    commit = done.stdout.strip()
    tree = cache_folder() / commit
    tree.parent.mkdir(parents=True, exist_ok=True)
    with open(tree.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another same-results may be at the same revision
        built = tree.with_suffix(".built")
        if built.is_file() and tree.is_dir():
            return tree
        if not tree.is_dir():
            _git(repository, "worktree", "prune")
            done = _git(repository, "worktree", "add", "--detach", str(tree), commit)
            if done.returncode != 0:
                raise Problem(f"{label} {text}: git worktree: {done.stderr.strip().splitlines()[-1]}")
        print(f"same-results: building {text} in {tree}", file=sys.stderr)
        log = tree.with_suffix(".log")
        if _build(tree, log) != 0:
            raise Problem(f"{label} {text}: scripts/build failed: see {log}")
        built.touch()
    return tree


def _build(tree, log):
    """The exit status of scripts/build. An interrupt ends its compilers too."""
    with open(log, "w", encoding="utf-8") as output, counted_signals() as signals, subprocess.Popen(
            [tree / "scripts/build", "release", *TARGETS], cwd=tree, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True) as process:
        while process.poll() is None and not signals():  # an exception inside Popen would lose the process
            time.sleep(0.1)
        if signals():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)  # ninja removes what is half written
            raise KeyboardInterrupt
        return process.returncode


def _fingerprint(root):
    """Programs, ISS, RV32 image and configurations. Programs that are links count with what they point to."""
    total = hashlib.sha256()
    places = [path for pattern in (f"{BIN}/tlmssd*", "build/release/lib/*.so", "build/release/firmware/*.elf",
                                   "configs/**/*") for path in sorted(root.glob(pattern))]
    for path in places:
        if path.is_file():
            total.update(f"{path.relative_to(root)}\n".encode())
            with open(path, "rb") as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()[:32]
