"""What the decoders share that learn their thresholds: an objective, its prices, and the best single threshold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truepath.decoders.base import FitInput
from truepath.decoders.thresholds.curves import Curve, single_curves
from truepath.decoders.thresholds.threshold import ThresholdDecoder, count_unlabelled

__all__ = ["LearnedThresholds"]


class LearnedThresholds(ThresholdDecoder):
    """Base of the decoders that make an objective best on held-out scores."""

    learns_from = "held-out scores and labels"

    objective: str | Callable[..., float]
    alpha: ArrayLike | None
    beta: ArrayLike | None
    lambda_: str | ArrayLike | None
    objective_value_: float
    n_unlabelled_: int

    def _price_options(self) -> dict[str, Any]:
        """Return the parameters that set the prices of the HMC-loss."""
        return {"alpha": self.alpha, "beta": self.beta, "lambda_": self.lambda_}

    def _single_curve(self, given: FitInput) -> Curve:
        """Return the curve of a named objective as a function of one threshold for all classes."""
        assert isinstance(self.objective, str)
        return single_curves(given, [self.objective], **self._price_options())[self.objective]

    def _keep(self, thresholds: NDArray[np.float64], value: float, given: FitInput) -> None:
        """Set what every search ends with: thresholds, their value, and how many rows get no label."""
        self.thresholds_ = thresholds
        self.objective_value_ = value
        self.n_unlabelled_ = count_unlabelled(given.S, thresholds, given.hierarchy)
