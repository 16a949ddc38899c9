# SPDX-License-Identifier: BSD-3-Clause
"""The search of a fit and what the rows say about its parameters. Pure: `model` gives the values of
the fitted rows for many sets of parameters.

A simulation answers in small steps, so derivatives are taken over wide steps, and a pattern search,
which needs none, has the last word.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import least_squares
from scipy.stats import qmc

from tlmssd_lab.fit.plan import Parameter

Values = tuple[float, ...]
Model = Callable[[Sequence[Values]], list[list[float]]]

_STEP = 0.03  # of a parameter's range, for derivatives
_PATTERN = (0.03, 0.002)  # first and last step of the pattern search
_FLAT = 0.002  # a row that moves by less, relatively, does not depend on the parameter
_ALIKE = 0.03  # smallest singular value, columns of length 1: parameters that cannot be told apart


class Search:
    """The best set of parameters until now; `model` may end the search by an exception."""

    def __init__(
        self,
        parameters: Sequence[Parameter],
        measured: Sequence[float],
        weights: Sequence[float],
        model: Model,
    ) -> None:
        self._parameters, self._model = parameters, model
        self._log = np.log(np.array(measured, dtype=float))
        self._root = np.sqrt(np.array(weights, dtype=float))
        self.best: Values | None = None
        self.cost = math.inf
        self._flat: set[int] = set()  # parameters on which nothing depended when last looked at

    def run(self, start: Values, scan: int) -> None:
        """From the better of `start` and `scan` points spread over the ranges to a minimum."""
        units = [self._units(start)]
        self._residuals(units)  # first alone, so that a wrong configuration is told at once
        if scan:
            spread = qmc.LatinHypercube(d=len(start), rng=1).random(scan)
            self._residuals([np.array(row) for row in spread])
        assert self.best is not None
        least_squares(
            lambda unit: self._residuals([unit])[0],
            np.clip(self._units(self.best), 1e-6, 1 - 1e-6),
            jac=self._jacobian,
            bounds=(0.0, 1.0),
            xtol=1e-3,
            ftol=1e-4,
            gtol=1e-9,
            max_nfev=12,
        )
        self._pattern()

    def _pattern(self) -> None:
        assert self.best is not None
        step, last = _PATTERN
        while step >= last:
            middle, cost = self._units(self.best), self.cost
            around = []
            for number, parameter in enumerate(self._parameters):
                if number in self._flat:
                    continue
                size = parameter.step(middle[number], step)
                if parameter.range.integer and size > 2 * _PATTERN[0] > 4 * step:
                    continue  # its neighbours were tried
                for sign in (-1, 1):
                    unit = middle.copy()
                    unit[number] = min(max(unit[number] + sign * size, 0.0), 1.0)
                    around.append(unit)
            if around:
                self._residuals(around)
            if self.cost >= cost * (1 - 1e-6):
                step /= 3

    def _units(self, values: Values) -> np.ndarray:
        return np.array([p.unit(v) for p, v in zip(self._parameters, values)])

    def values(self, unit: np.ndarray) -> Values:
        return tuple(p.value(float(u)) for p, u in zip(self._parameters, unit))

    def _residuals(self, units: Sequence[np.ndarray]) -> list[np.ndarray]:
        sets = [self.values(unit) for unit in units]
        found = []
        for values, row in zip(sets, self._model(sets), strict=True):
            residual = self._root * (np.log(np.array(row, dtype=float)) - self._log)
            cost = self.cost_of(row)
            if cost < self.cost:
                self.best, self.cost = values, cost
            found.append(residual)
        return found

    def cost_of(self, row: Sequence[float]) -> float:
        """Sum of weight times square of ln(model / measured)."""
        residual = self._root * (np.log(np.array(row, dtype=float)) - self._log)
        return float(residual @ residual)

    def _jacobian(self, unit: np.ndarray) -> np.ndarray:
        pairs = [self._pair(unit, number) for number in range(len(unit))]
        found = self._residuals([side for pair in pairs for side in pair])
        columns = []
        for number, (low, high) in enumerate(pairs):
            change = found[2 * number + 1] - found[2 * number]
            flat = bool(np.max(np.abs(change / self._root)) < _FLAT)
            (self._flat.add if flat else self._flat.discard)(number)
            columns.append(change / (high[number] - low[number]))
        return np.array(columns).T

    def _pair(self, unit: np.ndarray, number: int) -> tuple[np.ndarray, np.ndarray]:
        parameter = self._parameters[number]
        size = parameter.step(float(unit[number]), _STEP)
        low, high = unit.copy(), unit.copy()
        low[number], high[number] = max(unit[number] - size, 0.0), min(unit[number] + size, 1.0)
        for side in (low, high):  # the units of what is really run
            side[number] = parameter.unit(parameter.value(float(side[number])))
        return low, high

    def sensitivity(self) -> Sensitivity:
        """Around the best set."""
        assert self.best is not None
        unit = self._units(self.best)
        pairs = [self._pair(unit, number) for number in range(len(unit))]
        sets = [self.values(side) for pair in pairs for side in pair]
        logs = np.log(np.array(self._model(sets), dtype=float))
        slopes = np.zeros((len(self._log), len(pairs)))  # of ln(row) by the parameter itself
        flat = []
        for number in range(len(pairs)):
            low, high = sets[2 * number][number], sets[2 * number + 1][number]
            change = logs[2 * number + 1] - logs[2 * number]
            flat.append(bool(np.max(np.abs(change)) < _FLAT))
            slopes[:, number] = 0 if flat[-1] else change / (high - low)
        return _sensitivity(self.best, self.cost, slopes, self._root, flat)


@dataclass(frozen=True)
class Sensitivity:
    """elasticity[row][parameter]: change of the row in % for 1 % of the parameter;
    standard_error: None where it is not defined; `alike`: groups of parameters (their numbers) that
    the rows hardly distinguish."""

    elasticity: list[list[float]]
    standard_error: list[float | None]
    flat: list[bool]
    alike: list[list[int]] = field(default_factory=list)


def _sensitivity(
    best: Values, cost: float, slopes: np.ndarray, root: np.ndarray, flat: list[bool]
) -> Sensitivity:
    used = [number for number, is_flat in enumerate(flat) if not is_flat]
    errors: list[float | None] = [None] * len(best)
    alike: list[list[int]] = []
    weighted = slopes[:, used] * root[:, None]
    lengths = np.linalg.norm(weighted, axis=0)
    if used:
        _, sizes, directions = np.linalg.svd(weighted / lengths, full_matrices=True)
        padded = np.concatenate([sizes, np.zeros(len(used) - len(sizes))])
        for size, direction in zip(padded, directions, strict=True):
            if size < _ALIKE:
                alike.append([used[i] for i, part in enumerate(direction) if abs(part) > 0.2])
        spare = len(root) - len(used)
        if spare > 0 and padded.min() > 1e-6:
            variance = cost / spare
            for i, number in enumerate(used):
                share = float(np.sum((directions[:, i] / padded) ** 2))
                errors[number] = math.sqrt(variance * share) / float(lengths[i])
    elasticity = slopes * np.array(best, dtype=float)[None, :]
    return Sensitivity(elasticity.tolist(), errors, flat, alike)
