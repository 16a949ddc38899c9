# SPDX-License-Identifier: BSD-3-Clause
"""The kind of a slice: its look. assets/kinds.js has a colour and a pattern for each kind, in this order."""
import numpy as np

from tlmssd_lab.report.timeline.columns import Column, integers
from tlmssd_lab.report.timeline.pack import MISSING
from tlmssd_lab.report.timeline.timeline import CHANNELS, DIES, FIRMWARE, HOST, LINK, PLANES, Group

KINDS = ("read", "write", "erase", "reset", "gcRead", "gcWrite", "control", "queue", "cache",
         "hil", "buffer", "ftl", "sched")
# For each group: slice name -> kind. A name that is not listed is drawn as `control`.
_KIND_OF = {
    HOST: {"READ": "read", "WRITE": "write", "FLUSH": "reset", "TRIM": "erase"},
    LINK: {"DATA": "write"},
    CHANNELS: {"DATA OUT": "read", "PROGRAM": "write", "ERASE": "erase", "RESET": "reset"},
    DIES: {"READ": "read", "PROGRAM": "write", "ERASE": "erase", "RESET": "reset"},
    PLANES: {"READ": "read", "PROGRAM": "write", "ERASE": "erase", "RESET": "reset",
             "QUEUE": "queue", "CACHE": "cache"}}


def kinds_of(group: Group) -> np.ndarray:
    """Kind of each slice, as an index into KINDS."""
    if group.name == FIRMWARE:
        return _most(group)
    known = _KIND_OF.get(group.name, {})
    names = group.columns.get("name")
    if names is None:
        return np.empty(0, np.uint8)
    texts = integers(names).texts or []
    kinds = np.array([KINDS.index(known.get(text or "", "control")) for text in texts],
                     dtype=np.uint8)[integers(names).values]
    streams = group.columns.get("stream")
    if group.name == DIES and isinstance(streams, Column):
        collected = streams.values == 1
        for kind, other in (("read", "gcRead"), ("write", "gcWrite")):
            kinds[collected & (kinds == KINDS.index(kind))] = KINDS.index(other)
    return kinds


def _most(group: Group) -> np.ndarray:
    """The module with the most cycles, the first of equals, colours a step; `core` and what is not known
    are drawn as `control`."""
    kinds = np.full(len(group.start), KINDS.index("control"), dtype=np.uint8)
    best = np.full(len(group.start), MISSING)
    for module, column in group.columns.items():
        if not isinstance(column, Column) or column.texts is not None:
            continue
        better = column.values > best
        kinds[better] = KINDS.index(module if module in KINDS else "control")
        best[better] = column.values[better]
    return kinds
