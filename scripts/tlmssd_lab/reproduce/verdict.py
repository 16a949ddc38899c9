# SPDX-License-Identifier: BSD-3-Clause
"""A verdict on a published figure: from what the paper claims, a tolerance fixed before the run, and an interval.

reproduced       the whole interval lies within the tolerance of what the paper states
direction only   it does not, but the whole interval of a gain or a loss is on the paper's side of 0
not reproduced   neither; `cause shown` where a run shows why, `cause unknown` where none does
not judged       no run of this row with five seeds: what a page once said has no interval
input            the figure was given to the model, so nothing was tested
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Judge = Literal["number", "level", "factor", "sign", "name", "input"]
JUDGES: tuple[Judge, ...] = ("number", "level", "factor", "sign", "name", "input")
LEAST_SEEDS = 5

REPRODUCED = "reproduced"
DIRECTION = "direction only"
SHOWN = "not reproduced, cause shown by a run"
UNKNOWN = "not reproduced, cause unknown"
NOT_JUDGED = "not judged"
INPUT = "input"
VERDICTS = (REPRODUCED, DIRECTION, SHOWN, UNKNOWN, NOT_JUDGED, INPUT)


@dataclass(frozen=True)
class Claim:
    """A paper's statement of a figure.

    number: from `low` to `high`, both alike for a single number; `tolerance` is a share of the end that is
        left, below 1, so that no tolerance is as large as the value itself.
    level: the same, for figures that are positive by nature (a share, a depth, a quotient): they have no direction.
    factor: the same, for figures that are right in their order of magnitude; `tolerance` is a factor above 1.
    sign: `low` and `high` are 1 (rises, is better) or -1.
    name: `name` is the answer, such as the best of 24 orders.
    """

    judge: Judge
    low: float = 0.0
    high: float = 0.0
    tolerance: float = 0.0
    name: str = ""

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest value that count as reproduced (number, factor)."""
        if self.judge == "factor":
            return self.low / self.tolerance, self.high * self.tolerance
        return self.low - self.tolerance * abs(self.low), self.high + self.tolerance * abs(self.high)

    @property
    def side(self) -> int:
        """1 or -1 where all that the paper states has this sign, else 0."""
        return 1 if self.low > 0 else -1 if self.high < 0 else 0


@dataclass(frozen=True)
class Found:
    """The result of runs: a mean with its interval, or a name. `seeds`: how many; 0 where nothing is drawn.

    Of a range `value` is the least, `most` the greatest, from `low` of the one's interval to `high` of the other's.
    """

    value: float = 0.0
    low: float = 0.0
    high: float = 0.0
    name: str = ""
    seeds: int = 0
    most: float | None = None


def judge(claim: Claim, found: Found | None, cause_shown: bool) -> str:
    """`cause_shown`: a run that shows the cause of a difference is named."""
    if claim.judge == "input":
        return INPUT
    if found is None or 0 < found.seeds < LEAST_SEEDS:
        return NOT_JUDGED
    missed = SHOWN if cause_shown else UNKNOWN
    if claim.judge == "name":
        return REPRODUCED if found.name == claim.name else missed
    same_side = claim.side != 0 and (found.low > 0 if claim.side > 0 else found.high < 0)
    if claim.judge == "sign":
        return REPRODUCED if same_side else missed
    least, greatest = claim.limits
    if least <= found.low and found.high <= greatest:
        return REPRODUCED
    return DIRECTION if same_side and claim.judge == "number" else missed
