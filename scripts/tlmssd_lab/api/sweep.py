# SPDX-License-Identifier: BSD-3-Clause
"""lab.sweep and lab.query: many points of a configuration's parameters, and their table."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.files import held
from tlmssd_lab.html_text import number, plain_table
from tlmssd_lab.progress import Progress
from tlmssd_lab.run import named
from tlmssd_lab.run.errors import raise_for
from tlmssd_lab.run.result import TemporaryFolder
from tlmssd_lab.sweep import plan as sweep_plan
from tlmssd_lab.sweep.plan import Plan
from tlmssd_lab.sweep.worker import DONE, Ended

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

PathLike = str | os.PathLike[str]
_ROWS = 20  # in a notebook
_SHOWN = ("host.all.iops", "host.all.latency_us.p99")  # of a sweep without objectives


@dataclass(frozen=True)
class SweepResult:
    """The runs of a sweep.

    Attributes:
        title: title of the sweep.
        folder: folder of points/ID/results.json, points.parquet and report.html.
        frame: the table, one row per run in the order of the points. Columns: `point` (ID), `status`
            ("done", "refused", "failed", "timeout" or "interrupted"), `message`, one column per
            parameter, every number of results.json by its dotted key, `seed`, and with two or more
            objectives `pareto` (bool).
        parameters: names of the parameters, which are columns of `frame`.
        objectives: key of results.json and "max" or "min".
        status: 0 done; 2 full disk, or all points refused; 3 a point failed or took too long, or the
            Dask scheduler went away; 130 interrupted.
        message: why `status` is not 0; empty where it is 0.
        spent: real time of the runs; empty where all results were kept from an earlier call.
        page: path of report.html; None where it could not be written.
    """

    title: str
    folder: pathlib.Path
    frame: pandas.DataFrame = field(repr=False)
    parameters: tuple[str, ...]
    objectives: Mapping[str, str]
    status: int
    message: str
    spent: str
    page: pathlib.Path | None
    _plan: Plan = field(repr=False, compare=False)
    _kept: TemporaryFolder | None = field(default=None, repr=False, compare=False)

    def raise_for_status(self) -> None:
        """Raise the error of `status`: LabInputError (2), LabModelError (3) or LabInterrupted (130).
        Does nothing where it is 0."""
        raise_for(self.status, self.message)

    @cached_property
    def means(self) -> pandas.DataFrame:
        """Means of the objectives over the seeds: one row per combination of parameters that all
        seeds have run. Columns: the parameters, the objectives, `point` (of the first seed), `runs`
        (number of seeds). Without objectives the frame is empty."""
        from tlmssd_lab.sweep import table

        if not self.objectives or self.frame.empty:
            return self.frame.head(0)
        return table.means(self._plan, self.frame).reset_index(drop=True)

    @cached_property
    def front(self) -> pandas.DataFrame:
        """The rows of `means` on the Pareto front, sorted by the first objective: no other
        combination is at least as good in all objectives and better in one. With one objective:
        the best combination."""
        from tlmssd_lab.sweep import table

        means = self.means
        if means.empty:
            return means
        chosen = table.front(self._plan, means.assign(status=DONE)).to_numpy()
        return means[chosen].sort_values(next(iter(self.objectives)), kind="stable").reset_index(drop=True)

    @property
    def failures(self) -> pandas.DataFrame:
        """`point`, `status` and `message` of the runs that are not done."""
        if self.frame.empty:
            return self.frame
        lost = self.frame[self.frame["status"] != DONE]
        return lost[["point", "status", "message"]].reset_index(drop=True)

    def query(self, sql: str) -> pandas.DataFrame:
        """The answer to a question in SQL; see `lab.query`."""
        return query(self.folder, sql)

    def plot_front(self, axes: Axes | None = None) -> Axes:
        """Draw the first two objectives of all combinations, with the Pareto front marked, and
        return the Axes. `axes`: draw there; default: a new figure of pyplot. LabInputError with
        fewer than two objectives."""
        from tlmssd_lab.sweep.report import draw_front

        keys = list(self.objectives)
        if len(keys) < 2:
            raise LabInputError("plot_front: needs a sweep with two objectives")
        if axes is None:
            from matplotlib import pyplot

            _, axes = pyplot.subplots(layout="constrained")
        draw_front(self._plan, self.means, self.front, keys[0], keys[1], axes)
        return axes

    def _repr_html_(self) -> str:
        """The Pareto front, the best combination, or without objectives the first runs, as a table."""
        finished = self.frame if self.frame.empty else self.frame[self.frame["status"] == DONE]
        caption = f"{self.title}: {len(finished)} of {len(self.frame)} runs done"
        caption += f"; {self.message}" if self.message else ""
        shown, keys = self.front, list(self.objectives)
        if not keys:
            shown, keys = finished, [key for key in _SHOWN if key in finished.columns]
        elif not shown.empty:
            what = "best combination" if len(keys) == 1 else "Pareto front"
            caption += f"; {what}, {len(shown)} of {len(self.means)}"
        caption += f" (first {_ROWS})" if len(shown) > _ROWS else ""
        names = list(self.parameters)
        rows = [
            [*(row[name] for name in names), *(number(float(row[key])) for key in keys)]
            for _, row in shown.head(_ROWS).iterrows()
        ]
        return plain_table(caption, [*names, *keys], rows, words=len(names))


def sweep(
    file: PathLike | Mapping[str, Any],
    *,
    out: PathLike | None = None,
    dask: str | None = None,
    cluster: PathLike | None = None,
    jobs: int | None = None,
    binary: PathLike | None = None,
    progress: Progress | None = None,
) -> SweepResult:
    """Run a grid, a list, a Latin hypercube or a search over keys of a configuration.

    A point that the same program has run in `out` before is not run again, so the same call
    continues an interrupted sweep. A point that cannot run is a row of the table with its message.

    Arguments:
        file: the sweep: a file, a name in configs/sweeps, or a map with the keys of such a file
            (docs/guides/sweep.md): {"config": "default", "workload": "randread-4k",
            "parameters": {"host.queue_depth": [1, 32]}}.
        out: folder of points, table and page. Without it a temporary folder is used and removed
            with the result.
        dask: address of a Dask scheduler that runs the points, such as "tcp://10.0.0.1:8786".
        cluster: file of a batch system that starts workers.
        jobs: worker processes on this machine. Default: one per processor. A script must call sweep
            below `if __name__ == "__main__":`, because each worker process imports the script.
        binary: the program. Default: $TLMSSD, the build of the repository, or `tlmssd` on PATH.
        progress: called with a Step after each run.

    Raises:
        LabInputError: before the first run, for a wrong file, key, argument or program. Later
            troubles are in `status` and `message` of the result.
    """
    from tlmssd_lab.sweep import sweep as sweep_runs
    from tlmssd_lab.sweep import table

    if sum(choice is not None for choice in (dask, cluster, jobs)) > 1:
        raise LabInputError("dask, cluster and jobs conflict with each other: use one of them")
    if isinstance(file, Mapping):
        plan = sweep_plan.plan_of(dict(file), pathlib.Path("sweep"), binary)
    else:
        plan = sweep_plan.load(named.file_path(named.SWEEPS, file), binary)
    kept = None
    if out is None:
        kept = TemporaryFolder()
        out = kept.path
    folder = pathlib.Path(out).absolute()
    with held(folder):
        swept = sweep_runs.sweep(
            plan,
            folder,
            dask=dask,
            cluster=None if cluster is None else os.fspath(cluster),
            jobs=jobs,
            binary=binary,
            progress=progress,
        )
        frame = table.table(plan, folder, swept.points, swept.ended)
        page, unwritten = _write(plan, frame, folder)
    status, message = swept.status, swept.message
    if unwritten is not None:
        status, message = status or unwritten.status, message or str(unwritten)
    elif status and not message:
        message = _first_lost(swept.ended)
    return SweepResult(
        title=plan.title,
        folder=folder,
        frame=frame,
        parameters=tuple(table.parameter_names(plan, frame)),
        objectives={key: "max" if up else "min" for key, up in plan.objectives.items()},
        status=status,
        message=message,
        spent=swept.spent,
        page=page,
        _plan=plan,
        _kept=kept,
    )


def _write(
    plan: Plan, frame: pandas.DataFrame, folder: pathlib.Path
) -> tuple[pathlib.Path | None, LabInputError | None]:
    """The page, or the error of the file that could not be written."""
    from tlmssd_lab.sweep import report, table

    try:
        table.write(frame, folder)
        return report.write(plan, frame, folder), None
    except LabInputError as error:
        return None, error


def _first_lost(ended: Mapping[str, Ended]) -> str:
    """The first point that is not done, and the number of the others."""
    lost = [item for item in ended.values() if item.status != DONE]
    if not lost:
        return ""
    more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
    return f"point {lost[0].id}: {(lost[0].message or lost[0].status).splitlines()[0]}{more}"


def query(sweep: PathLike | SweepResult, sql: str) -> pandas.DataFrame:
    """Ask the table of a sweep in DuckDB's SQL.

    Arguments:
        sweep: result of `sweep`, the folder of a sweep, or a Parquet file.
        sql: one statement. The table is called `points` and has one row per run. Its columns are
            those of SweepResult.frame. A column with dots stands in double quotes:
            'select scheduler, max("host.all.iops") from points group by scheduler'.

    Returns:
        The answer, one row per row of the answer.

    Raises:
        LabInputError: the folder has no table, the table is damaged, or the SQL is wrong.
    """
    from tlmssd_lab.sweep import table

    folder = sweep.folder if isinstance(sweep, SweepResult) else pathlib.Path(sweep)
    return table.query(folder, sql)
