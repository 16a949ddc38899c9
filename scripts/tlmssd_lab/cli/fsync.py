# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab fsync."""

from __future__ import annotations

import argparse
import pathlib
from typing import Any

from tlmssd_lab.cli import options
from tlmssd_lab.errors import LabInputError

_EPILOG = """\
DIR is the folder of `scripts/linux --trace -o DIR`. Without --out the command lists the fsyncs of files on ext4 and
the parts of each. A name that ends in .svg gets the picture alone. docs/guides/linux.md explains it.

examples:
  tlmssd-lab fsync out/fsync
  tlmssd-lab fsync out/fsync -o fsync.html
  tlmssd-lab fsync out/fsync --fsync 3 -o third.svg

exit status: 0 done, 2 wrong input
"""


def add_to(commands: Any) -> None:
    command = options.add_command(
        commands,
        "fsync",
        "draw one fsync of a guest, from the system call to the dies",
        "Joins the kernel's trace of a guest with the device's requests and timeline.",
        _EPILOG,
    )
    command.set_defaults(call=call)
    command.add_argument("folder", metavar="DIR", help="folder of scripts/linux --trace")
    command.add_argument("--fsync", type=options.whole(1), metavar="N", help="its ordinal (default: the longest)")
    options.add_out(command, "FILE", "the page, or the picture, to write")
    options.add_json(command, "every fsync and its parts")


def call(words: argparse.Namespace) -> int:
    from tlmssd_lab.files import write_whole
    from tlmssd_lab.fsync.drawing import svg
    from tlmssd_lab.fsync.fsync import one_fsync, read_traced
    from tlmssd_lab.fsync.page import page
    from tlmssd_lab.fsync.table import document, listing

    if words.json and words.out:
        raise LabInputError("--json conflicts with --out")
    if words.fsync and not words.out:
        raise LabInputError("--fsync requires --out FILE")
    traced = read_traced(pathlib.Path(words.folder))
    if words.json:
        options.print_json(document(traced))
    elif words.out is None:
        print(listing(traced))
    else:
        one = one_fsync(traced, traced.chosen(words.fsync))
        out = pathlib.Path(words.out)
        write_whole(out, svg(one) if out.suffix == ".svg" else page(traced, one))
        print(out)
    return 0
