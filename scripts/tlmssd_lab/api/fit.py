# SPDX-License-Identifier: BSD-3-Clause
"""lab.fit: keys of a device, fitted to measurements of a real drive."""

from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.files import held
from tlmssd_lab.fit import plan as fit_plan
from tlmssd_lab.fit import report as fit_report
from tlmssd_lab.fit.report import Fitted
from tlmssd_lab.html_text import number, plain_table
from tlmssd_lab.progress import Progress
from tlmssd_lab.run import named
from tlmssd_lab.run.errors import raise_for
from tlmssd_lab.run.result import TemporaryFolder

if TYPE_CHECKING:
    import pandas

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class FitResult:
    """The best parameters that a fit has found.

    Attributes:
        folder: folder of the runs, fit.txt, fit.json and preset.yaml.
        best: key of a parameter and its fitted value.
        status: 0 done; 2 a run was refused, or a file cannot be written; 3 the model failed in a
            run; 130 interrupted. The best parameters until then are kept in each case.
        message: why the search ended early; empty where it did not.
        files: paths of the written files.
    """

    folder: pathlib.Path
    best: dict[str, float]
    status: int
    message: str
    files: tuple[pathlib.Path, ...]
    _fitted: Fitted = field(repr=False, compare=False)
    _kept: TemporaryFolder | None = field(default=None, repr=False, compare=False)

    @property
    def document(self) -> dict[str, Any]:
        """The content of fit.json."""
        return fit_report.document(self._fitted)

    @property
    def text(self) -> str:
        """The content of fit.txt: rows, parameters and sensitivities as tables."""
        return fit_report.text(self._fitted)

    @property
    def device(self) -> pathlib.Path:
        """The fitted device, a file that `run` and `compare` take."""
        return self.folder / "preset.yaml"

    @cached_property
    def parameters(self) -> pandas.DataFrame:
        """One row per parameter: `key`, `start`, `fitted`, `from`, `to`, `standard_error` (NaN
        where it is not defined), `identifiable`, `note`."""
        import pandas

        return pandas.DataFrame(self.document["parameters"])

    @cached_property
    def rows(self) -> pandas.DataFrame:
        """One row per measurement: `name`, `metric` (key of results.json), `unit`, `measured` and
        `model` in that unit, `error_percent`, `weight`, `use` ("fit" or "predict"), `workload`,
        `where` (file and line)."""
        import pandas

        frame = pandas.DataFrame(self.document["rows"])
        return frame.drop(columns=["set", "elasticity"])

    def raise_for_status(self) -> None:
        """Raise the error of `status`: LabInputError (2), LabModelError (3) or LabInterrupted (130).
        Does nothing where it is 0."""
        raise_for(self.status, self.message)

    def _repr_html_(self) -> str:
        """The rows and the parameters as two tables."""
        plan, found = self._fitted.plan, self._fitted
        rows = [
            [row.name, row.use, row.unit, number(row.shown(row.measured)),
             number(None if model is None else row.shown(model)),
             "" if error is None else f"{100 * error:+.1f} %"]
            for row, model, error in zip(plan.rows, found.models, found.errors, strict=True)
        ]
        table = plain_table(plan.title, ["row", "use", "unit", "measured", "model", "error"], rows,
                            words=3)
        keys = [[part["key"], number(part["start"]), number(part["fitted"]), part["note"]]
                for part in self.document["parameters"]]
        return table + plain_table("parameters", ["key", "start", "fitted", "note"], keys)


class LabFitNotWritten(LabInputError):
    """A file of a fit cannot be written; `result` is what the fit has found."""

    def __init__(self, message: str, result: FitResult) -> None:
        super().__init__(message)
        self.result = result


def fit(
    file: PathLike,
    *,
    out: PathLike | None = None,
    device: PathLike | None = None,
    overwrite: bool = False,
    jobs: int | None = None,
    binary: PathLike | None = None,
    progress: Progress | None = None,
) -> FitResult:
    """Fit keys of a device to measurements of a real drive.

    Arguments:
        file: the fit: a file (docs/guides/fit.md), or a name in configs/fits.
        out: folder of runs and results; a run that the same program has made there before is not
            made again. Without it a temporary folder is used and removed with the result.
        device: also write the fitted device to this file. A fit that ended early writes none.
        overwrite: replace the file `device` where it exists.
        jobs: number of runs at a time. Default: one per processor.
        binary: the program. Default: $TLMSSD, the build of the repository, or `tlmssd` on PATH.
        progress: called with a Step after each run.

    Returns:
        The best parameters. Where the search ended early, by an interrupt or a run that failed,
        `status` and `message` of the result show it.

    Raises:
        LabInputError: a wrong file, key or argument; before the first run.
        LabFitNotWritten: a file cannot be written; `result` has the fitted values.
        LabError: the first set of parameters could not be run.
    """
    from tlmssd_lab.fit.fit import fit as search

    plan = fit_plan.load(named.file_path(named.FITS, file), binary)
    target = None if device is None else pathlib.Path(device).absolute()
    check_device(plan, target, overwrite)
    kept = None
    if out is None:
        kept = TemporaryFolder()
        out = kept.path
    folder = pathlib.Path(out).absolute()
    with held(folder):
        found = search(plan, folder, jobs=jobs, binary=binary, progress=progress)
        # A result that ended early is kept in the folder. It is no device to be used under a name.
        wanted = target if found.status == 0 else None
        try:
            files = fit_report.write(found, folder, wanted, overwrite)
        except LabInputError as error:
            raise LabFitNotWritten(
                str(error), _result(found, folder, (), kept, error)
            ) from None
    return _result(found, folder, tuple(files), kept)


def check_device(plan: fit_plan.FitPlan, target: pathlib.Path | None, overwrite: bool) -> None:
    """LabInputError where `target` must not be written."""
    if target is None:
        return
    if target.exists() and not overwrite:
        raise LabInputError(f"{target}: already exists; overwrite=True replaces it")
    if target == plan.config.absolute():
        raise LabInputError(f"{target}: is the device to fit; use another name")


def _result(
    found: Fitted,
    folder: pathlib.Path,
    files: tuple[pathlib.Path, ...],
    kept: TemporaryFolder | None,
    error: LabInputError | None = None,
) -> FitResult:
    best = {p.key: value for p, value in zip(found.plan.parameters, found.best, strict=True)}
    status, message = found.status, found.message
    if error is not None:
        status, message = status or error.status, message or str(error)
    return FitResult(folder, best, status, message, files, found, kept)
