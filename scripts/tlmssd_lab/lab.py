# SPDX-License-Identifier: BSD-3-Clause
"""The Python API, in one place. docs/guides/python.md explains it.

from tlmssd_lab import lab
r = lab.run("configs/ssd/default.yaml", scheduler="vaq", host__queue_depth=8,
            workload="randread-4k", workload__requests=10_000)
r.all.iops, r.all.latency_us.p99, r["bound.limiter"]
r.series, r.jobs, r.worst                   # DataFrames
"""

from tlmssd_lab.compare.compare import compare
from tlmssd_lab.compare.diff import Diff, diff
from tlmssd_lab.compare.model import Comparison, LabNotWritten
from tlmssd_lab.compare.stats import Interval, mean_interval, paired_interval
from tlmssd_lab.compare.variants import Load, Variant, product
from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.run.errors import LabInterrupted, LabModelError
from tlmssd_lab.run.result import Percentiles, Result, Traffic, load
from tlmssd_lab.run.run import Trace, run, run_many

__all__ = [
    "Comparison",
    "Diff",
    "Interval",
    "LabError",
    "LabInputError",
    "LabInterrupted",
    "LabModelError",
    "LabNotWritten",
    "Load",
    "Percentiles",
    "Result",
    "Trace",
    "Traffic",
    "Variant",
    "compare",
    "diff",
    "load",
    "mean_interval",
    "paired_interval",
    "product",
    "run",
    "run_many",
]
