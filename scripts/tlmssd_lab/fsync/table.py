# SPDX-License-Identifier: BSD-3-Clause
"""All fsyncs of a run as text and as JSON."""

from __future__ import annotations

from typing import Any

from tlmssd_lab.fsync.fsync import Traced
from tlmssd_lab.fsync.join import PARTS, axis, of_fsync


def listing(traced: Traced) -> str:
    """Microseconds."""
    lines = [f"{'':>5}  {'by':<16}{'us':>12}" + "".join(f"{part:>14}" for part in PARTS)]
    for each in traced.fsyncs:
        parts = traced.parts(each)
        lines.append(f"{each.number:>5}  {each.task:<16}{(each.end - each.begin) / 1e3:>12.3f}"
                     + "".join(f"{parts[part] / 1e6:>14.3f}" for part in PARTS))
    return "\n".join(lines)


def document(traced: Traced) -> list[dict[str, Any]]:
    """Times are picoseconds of simulated time."""
    return [{"fsync": each.number, "task": each.task, "pid": each.pid, "inode": each.inode, "data_only": each.data_only,
             "begin_ps": axis(each.begin, traced.date), "end_ps": axis(each.end, traced.date),
             "requests": len(of_fsync(each, traced.requests, traced.date)), "parts_ps": traced.parts(each)}
            for each in traced.fsyncs]
