"""How strong the lasso's penalty should be: the strength of least loss on rows held out, along a path per fold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from truepath.learners.linear.multitask_lasso import LassoFit, logistic_loss
from truepath.resampling import deal_rows, split_folds

#: X, labels, weights of rows and a path of strengths -> the fit at each of these
Solve = Callable[[Any, np.ndarray, np.ndarray, np.ndarray], Iterator[LassoFit]]

#: Strengths without a smaller held-out loss after which the path is left
PATIENCE = 2


def best_on_held_out(
    solve: Solve,
    X: Any,
    Y: np.ndarray,
    omega: np.ndarray,
    path: np.ndarray,
    cv: int,
    seed: int | None,
    groups: np.ndarray | None = None,
) -> int:
    """Return the place on the path with the least held-out loss; 0, no features, where nothing can be held out.

    The folds' paths run side by side, so that all are left as soon as the loss has stopped falling: the far end of a
    path is its most costly part.
    """
    counts = Y.sum(axis=0)
    if (np.minimum(counts, Y.shape[0] - counts) < 2).all():
        return 0
    if groups is not None and np.unique(groups).size < 2:
        return 0
    # dealt by chance, in this very way: the published comparison (truepath.papers.bi2012) was rerun with these folds
    folds = np.random.default_rng(seed).permutation(Y.shape[0]) % min(cv, Y.shape[0])
    if groups is not None:
        folds = deal_rows(Y.shape[0], cv, seed, groups)
    losses = [_held_out_losses(solve, X, Y, omega, path, split) for split in split_folds(folds)]
    least, best = np.inf, 0
    for place, values in enumerate(zip(*losses)):
        total = sum(values)
        if total < least:
            least, best = total, place
        elif place >= best + PATIENCE:
            break
    return best


def _held_out_losses(
    solve: Solve, X: Any, Y: np.ndarray, omega: np.ndarray, path: np.ndarray, split: tuple[np.ndarray, np.ndarray]
) -> Iterator[float]:
    """Yield, along the path, the loss on the rows held out of the fit to the others."""
    inside, outside = split
    varies = Y[inside].any(axis=0) & ~Y[inside].all(axis=0)
    if not varies.any():
        yield from np.zeros(path.size)
        return
    held_X, held_Y = X[outside], Y[outside][:, varies]
    own = omega[inside] / omega[inside].sum()
    for fit in solve(X[inside], Y[inside][:, varies], own, path):
        yield logistic_loss(held_X @ fit.coef + fit.intercept, held_Y, omega[outside])
