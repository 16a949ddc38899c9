# SPDX-License-Identifier: BSD-3-Clause
"""The Python API. docs/guides/python.md is the guide to it.

    from tlmssd_lab import lab

    result = lab.run("default", workload="randread-4k", settings={"host.queue_depth": 8})
    result.all.iops, result.all.latency_us.p99, result["bound.limiter"]
    result.series, result.jobs, result.worst      # DataFrames

Units are in the names: `_us` is microseconds, `_s` seconds of simulated time, `mb_s` 10^6 bytes per
second of simulated time. A function prints nothing and never ends the process. It raises LabError
with the message of the program. Keys of a configuration are given by `settings`, a map of dotted
keys such as {"host.queue_depth": 8}.
"""

from tlmssd_lab.api.fit import FitResult, LabFitNotWritten, fit
from tlmssd_lab.api.fit_workload import WorkloadFit, fit_workload
from tlmssd_lab.api.report import report
from tlmssd_lab.api.sweep import SweepResult, query, sweep
from tlmssd_lab.compare.compare import compare
from tlmssd_lab.compare.diff import Change, Diff, diff
from tlmssd_lab.compare.model import Comparison, Group, LabNotWritten, Row, Run
from tlmssd_lab.stats import Interval, mean_interval, paired_interval
from tlmssd_lab.compare.variants import Load, Variant, product
from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.progress import Step
from tlmssd_lab.run.errors import LabInterrupted, LabModelError
from tlmssd_lab.run.result import Percentiles, Result, Traffic, load
from tlmssd_lab.run.run import Trace, run, run_many

__all__ = [
    "Change",
    "Comparison",
    "Diff",
    "FitResult",
    "Group",
    "Interval",
    "LabError",
    "LabFitNotWritten",
    "LabInputError",
    "LabInterrupted",
    "LabModelError",
    "LabNotWritten",
    "Load",
    "Percentiles",
    "Result",
    "Row",
    "Run",
    "Step",
    "SweepResult",
    "Trace",
    "Traffic",
    "Variant",
    "WorkloadFit",
    "compare",
    "diff",
    "fit",
    "fit_workload",
    "load",
    "mean_interval",
    "paired_interval",
    "product",
    "query",
    "report",
    "run",
    "run_many",
    "sweep",
]
