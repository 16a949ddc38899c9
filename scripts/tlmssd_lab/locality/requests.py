# SPDX-License-Identifier: BSD-3-Clause
"""The requests of a trace or a preset, as the program reads or makes them."""

from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Mapping

import numpy as np

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.locality.stack import Requests
from tlmssd_lab.run.errors import LabInterrupted, LabModelError
from tlmssd_lab.run.process import Runner, find_binary
from tlmssd_lab.run.run import Trace, input_words

_SECTOR = 512


def load(
    device: str,
    *,
    trace: Trace | None = None,
    workload: pathlib.Path | None = None,
    settings: Mapping[str, str] | None = None,
    lenient: bool = False,
    binary: str | os.PathLike[str] | None = None,
) -> tuple[Requests, list[str]]:
    """Reads and writes in the order of the trace or preset, and the program's messages."""
    with tempfile.TemporaryDirectory(prefix="tlmssd-lab-") as folder:
        file = pathlib.Path(folder, "requests.csv")
        words = [str(find_binary(binary)), "describe", "--requests", str(file)]
        words += input_words(
            device, trace=trace, workload=workload, lenient=lenient, settings=[settings or {}]
        )
        status, messages = Runner().run(words)
        lines = [line.removeprefix("tlmssd: ") for line in messages.splitlines() if line.strip()]
        if status == 2:
            raise LabInputError("\n".join(lines))
        if status == 130:
            raise LabInterrupted("interrupted")
        if status != 0:
            raise LabModelError("\n".join(lines) or f"tlmssd ended with status {status}")
        return _read(file), lines


def _read(file: pathlib.Path) -> Requests:
    import pandas

    frame = pandas.read_csv(file, usecols=["kind", "lba", "bytes", "arrival_ns"])
    frame = frame[frame["kind"].isin(["read", "write"])]
    return Requests(
        np.asarray(frame["kind"] == "write"),
        frame["lba"].to_numpy(dtype=np.int64),
        frame["bytes"].to_numpy(dtype=np.int64) // _SECTOR,
        frame["arrival_ns"].to_numpy(dtype=np.float64) / 1e9,
    )
