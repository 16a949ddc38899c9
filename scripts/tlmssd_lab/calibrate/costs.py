# SPDX-License-Identifier: BSD-3-Clause
"""Fitting the cost points of costs.def to cycles of the instruction set simulator.

Data come from tlmssd-costs: a row for each set of charges between two calls of the HAL. Pure: no
program is run here.
"""

from __future__ import annotations

import csv
import hashlib
import pathlib
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.run.errors import LabModelError

_COST = re.compile(r'^COST\((\w+), (\d+), (".*")\)(?: *//.*)?$')
_HEAD_FIRST = "// Fitted by `tlmssd-lab calibrate --write`"
_HEAD_LAST = "// end of the fit's record"

_FLOOR = 50.0  # cycles: a segment's error counts by its square over (its cycles + this)
_TOTALS = 10.0  # weight of a load's total beside all its segments
_LEAST = 4.0  # cycles: a load and a branch; no point costs less
_EVEN = 1e-3  # weight of what shares cycles evenly that no load tells apart


@dataclass(frozen=True)
class Table:
    """Segments of one load: how many there are, their cycles, and the charges of each."""

    label: str
    points: tuple[str, ...]
    times: np.ndarray
    cycles: np.ndarray  # of all of them together
    charges: np.ndarray  # row: segment, column: point

    @property
    def total(self) -> float:
        return float(self.cycles.sum())


def read_table(path: pathlib.Path, label: str) -> Table:
    """The CSV of tlmssd-costs; raises LabInputError."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
    except OSError as error:
        raise LabInputError(f"{path}: {error.strerror}") from None
    if len(rows) < 2 or rows[0][:2] != ["times", "iss_cycles"]:
        raise LabInputError(f"{path}: no table of tlmssd-costs")
    try:
        numbers = np.array(rows[1:], dtype=float)
    except ValueError:
        raise LabInputError(f"{path}: a row that is not whole or has no numbers") from None
    return Table(label, tuple(rows[0][2:]), numbers[:, 0], numbers[:, 1], numbers[:, 2:])


@dataclass(frozen=True)
class Fit:
    cycles: dict[str, int]  # of each point that some load charges
    shares: dict[str, float]  # of all cycles, loads weighted evenly
    uncharged: tuple[str, ...]


def fit(tables: Sequence[Table]) -> Fit:
    """Cycles of each point, whole numbers from 4 on, that explain the tables best.

    Least squares over all segments, each error weighted by 1 / (the segment's cycles + 50), loads
    weighted evenly, with every load's total once more as an equation of its own. Cycles that the
    loads cannot assign (two points that are always charged together) are shared evenly.
    """
    if not tables:
        raise LabInputError("nothing to fit: no load has run")
    points = tables[0].points
    if any(table.points != points for table in tables):
        raise LabInputError("tables of different cost points cannot be fitted together")
    rows, values = [], []
    sums = np.zeros(len(points))
    for table in tables:
        if table.total <= 0:
            raise LabModelError(f"{table.label}: no cycles")
        mean = table.cycles / table.times
        weight = np.sqrt(table.times / (mean + _FLOOR) / table.total)
        rows.append(table.charges * weight[:, None])
        values.append(mean * weight)
        share = table.times @ table.charges / table.total
        rows.append(_TOTALS * share[None, :])
        values.append(np.array([_TOTALS]))
        sums += share
    used = np.flatnonzero(sums)
    even = len(tables) / sums.sum()  # cycles a charge, if all were alike
    weight = _EVEN * np.sqrt(len(tables)) / even
    matrix = np.vstack([*(row[:, used] for row in rows), weight * np.eye(len(used))])
    right = np.concatenate([*values, np.full(len(used), weight * even)])
    right -= matrix @ np.full(len(used), _LEAST)  # what is found is not negative
    orthogonal, triangle = np.linalg.qr(matrix)
    solution, _ = nnls(triangle, orthogonal.T @ right, maxiter=100 * len(used))
    whole = np.rint(solution + _LEAST)
    shares = whole * sums[used] / len(tables)
    return Fit(
        {points[i]: int(whole[k]) for k, i in enumerate(used)},
        {points[i]: float(shares[k]) for k, i in enumerate(used)},
        tuple(point for i, point in enumerate(points) if sums[i] == 0),
    )


@dataclass(frozen=True)
class Residual:
    label: str
    cycles: float
    total: float  # (fitted / executed) - 1
    segments: float  # mean absolute error of a segment, cycles weighted


def residual(table: Table, cycles: Mapping[str, int]) -> Residual:
    costs = np.array([cycles.get(point, 0) for point in table.points], dtype=float)
    fitted = table.charges @ costs * table.times
    return Residual(
        table.label,
        table.total,
        float(fitted.sum() / table.total - 1),
        float(np.abs(fitted - table.cycles).sum() / table.total),
    )


# ---- costs.def ----


def read_costs(text: str) -> dict[str, int]:
    """The points of costs.def in their order."""
    costs = {m[1]: int(m[2]) for line in text.splitlines() if (m := _COST.match(line))}
    if not costs:
        raise LabInputError("costs.def has no line COST(NAME, cycles, \"text\")")
    return costs


def written(text: str, fitted: Fit, record: Sequence[str]) -> str:
    """costs.def with the fitted numbers and the fit's record; points keep order, name and text.

    Points that no load charges keep their estimate; CALIBRATION then says fewer than there are.
    """
    if unknown := set(fitted.cycles) - set(read_costs(text)):
        raise LabInputError(f"costs.def has no point {sorted(unknown)[0]}: build tlmssd-costs again")
    out: list[str] = []
    inside = False
    fitted_points = 0
    for line in text.splitlines():
        if line.startswith(_HEAD_FIRST):
            inside = True
        if inside:
            inside = not line.startswith(_HEAD_LAST)
            continue
        if m := _COST.match(line):
            line = f"COST({m[1]}, {m[2]}, {m[3]})"
            if m[1] in fitted.cycles:
                line = f"COST({m[1]}, {fitted.cycles[m[1]]}, {m[3]})"
                fitted_points += 1
        out.append(line)
    at = next((i for i, line in enumerate(out) if not line.startswith("//")), len(out))
    head = [f"{_HEAD_FIRST} (docs/contributing/calibration.md):",
            *(f"//   {line}" for line in record), _HEAD_LAST]
    out[at:at] = head
    lines = [re.sub(r"^CALIBRATION\(\d+\)$", f"CALIBRATION({fitted_points})", line) for line in out]
    return "\n".join(lines) + "\n"


def recorded(text: str, what: str) -> str | None:
    """A value of the fit's record, such as `image`; None where the file has none."""
    m = re.search(rf"^//   {what} (\S+)$", text, re.MULTILINE)
    return m[1] if m else None


def image_hash(path: pathlib.Path) -> str:
    """Of the code in an ELF file: what is loaded and executable, without symbols."""
    try:
        data = path.read_bytes()
        if data[:5] != b"\x7fELF\x01":
            raise LabInputError(f"{path}: no 32-bit ELF file")
        start, size, count = (
            struct.unpack_from("<I", data, 28)[0],
            *struct.unpack_from("<HH", data, 42),
        )
        code = hashlib.sha256()
        for i in range(count):
            kind, offset, _, _, length, _, flags, _ = struct.unpack_from(
                "<8I", data, start + i * size
            )
            if kind == 1 and flags & 1:
                code.update(data[offset : offset + length])
    except OSError as error:
        raise LabInputError(f"{path}: {error.strerror}") from None
    except struct.error:
        raise LabInputError(f"{path}: a damaged ELF file") from None
    return code.hexdigest()[:16]
