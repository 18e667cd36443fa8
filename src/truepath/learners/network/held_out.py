"""How long to train: members leave out different parts of the rows, and are judged together on what each did not see.

With k parts, member e leaves out part e mod k. Once there are k members or more, every row is scored by members that
did not learn from it, in one training: the number of epochs is chosen on all rows, and the scores serve whatever is
fitted on top.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from truepath.adapters.progress import Progress
from truepath.hierarchy import Hierarchy, raise_up
from truepath.learners.network.training import Training
from truepath.metrics import auprc
from truepath.resampling import deal_folds, split_folds

if TYPE_CHECKING:
    from truepath.learners.network.coherent_network import CoherentNetwork


class Chosen(NamedTuple):
    """Members trained apart, as they were after the best epoch."""

    n_epochs: int
    S: np.ndarray  # scores of the rows that were left out, NaN elsewhere
    layers: list[Any]  # empty if they are not wanted
    areas: list[float]  # AU(PRC) after each epoch


def draw_parts(Y: Any, n_members: int, fraction: float, seed: int, groups: Any = None) -> list[np.ndarray]:
    """Return for every member the rows that it leaves out; whole groups, where there are groups.

    Examples
    --------
    >>> [part.size for part in draw_parts(np.eye(10, dtype=bool), 3, 0.5, 0)]
    [5, 5, 5]
    """
    n_parts = min(max(2, round(1 / fraction)), Y.shape[0])
    parts = [rows for _, rows in split_folds(deal_folds(Y, n_parts, seed, groups))]
    return [parts[e % len(parts)] for e in range(n_members)]


def score_left_out(training: Training, left_out: list[np.ndarray], raised_by: Hierarchy | None) -> np.ndarray:
    """Return the mean scores of each row by the members that left it out; NaN for rows that all have seen."""
    n_rows, n_nodes = training.rows.Y.shape
    S, times = np.zeros((n_rows, n_nodes), np.float32), np.zeros((n_rows, 1), np.float32)
    for e, rows in enumerate(left_out):
        part = training.scores(e, rows)
        S[rows] += part if raised_by is None else raise_up(part, raised_by, out=part)
        times[rows] += 1
    times[times == 0] = np.nan
    return S / times


def train_apart(
    network: CoherentNetwork,
    training: Training,
    left_out: list[np.ndarray],
    to_scores: Callable[[np.ndarray], np.ndarray],
    raised_by: Hierarchy | None,
    n_epochs: int | None,
    progress: Progress,
) -> Chosen:
    """Train every member on the rows it does not leave out.

    Parameters
    ----------
    network : CoherentNetwork
        Whose parameters say when to stop; the members are returned unless it will be fitted again on all rows.
    training : Training
    left_out : list of ndarray of int
        Row numbers, one array for each member.
    to_scores : callable
        Makes final scores of mean ones.
    raised_by : Hierarchy or None
        Raises each member's scores before the mean is taken.
    n_epochs : int or None
        How many; None trains until the AU(PRC) of the rows left out has not risen for ``n_iter_no_change`` epochs.
    progress : Progress
    """
    rows, n_rows = training.rows, training.rows.Y.shape[0]
    inside = [np.setdiff1d(np.arange(n_rows), out) for out in left_out]
    judged = np.unique(np.concatenate(left_out))
    best, areas = Chosen(0, np.empty(0), [], []), []
    highest = -np.inf
    for epoch in range(1, (n_epochs or network.max_epochs) + 1):
        training.epoch(epoch, inside)
        if n_epochs is not None and epoch < n_epochs:
            progress.step(f"epoch {epoch} of {n_epochs}, rows left out")
            continue
        S = score_left_out(training, left_out, raised_by)
        S[judged] = to_scores(S[judged])
        area = auprc(rows.Y[judged], S[judged], sample_weight=None if rows.weight is None else rows.weight[judged])
        areas.append(float(area))
        if best.n_epochs == 0 or area > highest:
            best, highest = Chosen(epoch, S, [] if network.refit else training.arrays(), areas), area
        progress.step(f"epoch {epoch}, AU(PRC) of rows left out {area:.4f}")
        if epoch >= best.n_epochs + network.n_iter_no_change:
            break
    return best
