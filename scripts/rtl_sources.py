#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd: the sources that a file list of rtl/ names. As a program, `rtl_sources.py FILE.f` prints them in one line."""
import os
import pathlib
import sys


def sources(path):
    """Paths of the sources in the order of list `path`. A line of a list is a file, `-F` and another list, or a
    comment (//); paths are relative to the list's folder. Verilator reads the same with -F, and CMake with
    cmake/TlmssdRtlSources.cmake."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("//"):
            continue
        name = pathlib.Path(os.path.normpath(path.parent / line.removeprefix("-F ")))
        found += sources(name) if line.startswith("-F ") else [name]
    return found


if __name__ == "__main__":
    print(*sources(pathlib.Path(sys.argv[1])))
