# SPDX-License-Identifier: BSD-3-Clause
"""Files that exist as a whole or not at all, names of folders, and full disks."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import pathlib
import re
import tempfile
from collections.abc import Iterator, Sequence

from tlmssd_lab.errors import LabError, LabFull, LabInputError


def write_whole(path: pathlib.Path, content: str | bytes, keep: bool = False) -> None:
    """The whole file or nothing; its folder is made. `keep`: an existing file stays.
    LabInputError where it cannot be written."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():  # a rename would put a file in its place
            raise LabInputError(f"{path}: cannot be written: not a regular file")
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, 0o666 & ~mask)  # mkstemp's own mode is private
            if keep and path.exists():
                raise LabInputError(f"{path}: cannot be written: already exists")
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise LabInputError(f"{path}: cannot be written: {error.strerror}") from None


@contextlib.contextmanager
def held(folder: pathlib.Path) -> Iterator[None]:
    """Make the folder and keep it for this process alone: two processes that write into one folder
    would mix their files. The lock is on the folder itself, so that no lock file remains and a dead
    process holds nothing. On a file system without locks nothing is locked."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise LabInputError(f"{folder}: cannot be written: {error.strerror}") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LabInputError(
                f"{folder}: another tlmssd-lab writes there now: wait for it, or take another folder"
            ) from None
        except OSError:
            pass
        yield
    finally:
        os.close(handle)


def folder_name(text: str) -> str:
    """`text` as the name of a folder."""
    return re.sub(r"[^A-Za-z0-9._=+-]+", "-", text).strip("-.") or "run"


def folder_names(names: Sequence[str]) -> list[str]:
    """A folder name each, all different."""
    folders: list[str] = []
    for name in names:
        folder, number = folder_name(name), 2
        while folder in folders:
            folder, number = f"{folder_name(name)}-{number}", number + 1
        folders.append(folder)
    return folders


class FullDisk:
    """Remembers that the disk is full: further runs would only lose their time."""

    def __init__(self) -> None:
        self.error: LabFull | None = None

    def of(self, error: LabError) -> LabError:
        """The error itself, or LabFull where it reports a full disk."""
        if not isinstance(error, LabInputError) or os.strerror(errno.ENOSPC) not in str(error):
            return error
        self.error = self.error or LabFull(str(error))
        return self.error
