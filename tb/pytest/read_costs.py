# SPDX-License-Identifier: BSD-3-Clause
"""Firmware cycles of one 4 KiB read, as docs/explanation/latency.md adds them up (R1, R2), in ps at 800 MHz."""
import re

from cli import ROOT

_COSTS = {name: int(cycles) for name, cycles in re.findall(
    r"^COST\((\w+), (\d+),", (ROOT / "firmware/hal/costs.def").read_text(encoding="utf-8"), re.M)}


def _ps(points):
    points = points.replace("WAKE", "STEP EVENT").replace("MESSAGE", "MESSAGE_LOCAL MESSAGE_TAKE")
    return 1250 * sum(_COSTS[point] for point in points.split())


# SCHED_MESSAGE is added by itself: it is a point, not a message.
TO_DOORBELL = _ps(
    "WAKE HIL_COMMAND HIL_ASK HIL_PAGE MESSAGE BUFFER_LOOKUP BUFFER_TAKE BUFFER_SERVE BUFFER_LOAD "
    "BUFFER_OP BUFFER_WAIT MESSAGE FTL_LOOKUP FTL_ADDRESS FTL_ROW MESSAGE SCHED_ENQUEUE SCHED_LOOK "
    "SCHED_PLANE SCHED_SUBMIT") + 1250 * _COSTS["SCHED_MESSAGE"]
TO_HOST_DMA = _ps(
    "WAKE SCHED_COMPLETE SCHED_DONE MESSAGE FTL_DONE MESSAGE BUFFER_OP_DONE BUFFER_LOADED "
    "BUFFER_SETTLE BUFFER_WAITED BUFFER_SERVE BUFFER_READ MESSAGE HIL_READY HIL_DMA")
END = _ps("EVENT_NEXT SLEEP")  # of each step
BEHIND_DOORBELL = _ps("SCHED_SUBMITTED") + END
CLOSING = _ps(
    "WAKE HIL_DMA_DONE HIL_PAGE_DONE HIL_COMPLETE MESSAGE BUFFER_SETTLE BUFFER_GIVE") + END
DIRECT = 75_850_000 + TO_DOORBELL + TO_HOST_DMA
SATA = 83_247_344 + TO_DOORBELL + TO_HOST_DMA
