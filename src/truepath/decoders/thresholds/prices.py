"""What a miss and a false alarm cost in each class, in whole numbers.

The HMC-loss (Triguero & Vens, eq. (2)) charges alpha_v c_v for a miss of class v and beta_v c_v for a false alarm.
Exact searches compare long sums of these, so they are rounded to whole numbers of a tiny unit (2 ** -60 of the
largest loss possible): then sums do not depend on their order, equal losses are equal, and the same data give the same
thresholds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truepath.metrics.hmc_loss import mistake_prices

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy

__all__ = ["Prices", "hmc_prices", "whole_costs"]

LARGEST_LOSS = 2.0**60  # leaves room below 2 ** 63 for sums of either sign


class Prices(NamedTuple):
    """``miss[v]`` and ``alarm[v]`` in units of ``unit``."""

    miss: NDArray[np.int64]
    alarm: NDArray[np.int64]
    unit: float

    def charge(self, misses: NDArray[np.int64], alarms: NDArray[np.int64]) -> float:
        """Return the total price of these numbers of mistakes."""
        total = sum(int(p) * int(k) for p, k in zip(self.miss, misses))
        total += sum(int(p) * int(k) for p, k in zip(self.alarm, alarms))
        return total * self.unit


def hmc_prices(
    positives: NDArray[np.int64],
    negatives: NDArray[np.int64],
    hierarchy: Hierarchy,
    *,
    alpha: ArrayLike | None = None,
    beta: ArrayLike | None = None,
    lambda_: str | ArrayLike | None = None,
) -> Prices:
    """Return the prices of the HMC-loss (:func:`~truepath.metrics.hmc_loss.mistake_prices`) as whole numbers.

    With one lambda for each class, lambda_v = n-_v / n+_v, the prices are c_v n-_v and c_v n+_v times one common
    factor, which keeps ties within a class exact. A class without positives then has free false alarms, one
    without negatives free misses: the limits of the formula.
    """
    total = int(positives[0] + negatives[0])
    if alpha is None and beta is None and (lambda_ is None or (isinstance(lambda_, str) and lambda_ == "per_class")):
        whole, unit = whole_costs(hierarchy.costs, float(total) ** 2)
        return Prices(whole * negatives, whole * positives, 2 * unit / total)
    prices = mistake_prices(positives, total, hierarchy.n_nodes, alpha=alpha, beta=beta, lambda_=lambda_)
    whole, unit = whole_costs(np.concatenate(prices) * np.tile(hierarchy.costs, 2), float(total))
    return Prices(whole[: hierarchy.n_nodes], whole[hierarchy.n_nodes :], unit)


def whole_costs(costs: NDArray[np.float64], n_times: float) -> tuple[NDArray[np.int64], float]:
    """Return costs as whole numbers of a unit, and the unit, so that ``n_times`` their sum stays in range."""
    total = float(costs.sum()) * n_times
    unit = total / LARGEST_LOSS if total > 0 else 1.0
    return np.rint(costs / unit).astype(np.int64), unit
