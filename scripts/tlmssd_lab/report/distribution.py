# SPDX-License-Identifier: BSD-3-Clause
"""Latency against percentile. The axis counts nines: 90 % is 1, 99 % is 2, 99.9 % is 3."""
import math

import numpy as np

from tlmssd_lab.report.runs import Run

_REPORTED = (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p999", 0.999), ("p9999", 0.9999))


def nines(fraction: float) -> float:
    return round(-math.log10(1 - fraction), 9)


def curve(run: Run) -> tuple[list[tuple[float, float]], bool]:
    """(nines, microseconds) points and whether they are drawn from every request (a log), else
    the percentiles of results.json. No point where a run is too short for its percentile."""
    if run.log is not None:
        return _of_log(run), True
    count = run.get("host.all.count", 0)
    points = [(nines(fraction), run.get(f"host.all.latency_us.{key}"))
              for key, fraction in _REPORTED if count * (1 - fraction) >= 1 - 1e-9]
    if count > 1:
        points.append((round(math.log10(count), 9), run.get("host.all.latency_us.max")))
    points = sorted({nine: latency for nine, latency in points if latency is not None}.items())
    return points, False


def _of_log(run: Run) -> list[tuple[float, float]]:
    """Rank r of n stands at the fraction r / n; the largest at (n - 1) / n, as `max` above."""
    from tlmssd_lab.run import frames
    log = frames.log(run.log)
    rows = log[log["kind"].astype(str).str.upper().isin(("READ", "WRITE", "R", "W"))
               & (log["status"] == "ok")
               & (log["completion_ns"] >= 1e9 * run.get("warmup.time_s", 0.0))]
    latency = np.sort(rows["latency_us"].to_numpy())
    count = len(latency)
    if count < 2:
        return []
    steps = np.linspace(0, math.log10(count), 400)
    ranks = np.minimum(count, np.maximum(1, np.ceil((1 - 10.0 ** -steps) * count))).astype(int)
    ranks[-1] = count
    keep = np.concatenate((np.diff(ranks) > 0, [True]))
    return [(float(step), float(latency[rank - 1]))
            for step, rank in zip(steps[keep], ranks[keep])]
