"""Which rows are held out of training, to fit combiners and decoders on their scores."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.adapters.capabilities import refusal
from truepath.adapters.fitting import scores_own_rows
from truepath.adapters.groups import check_number_of_groups
from truepath.adapters.prepare import final_step
from truepath.adapters.rows import count_rows
from truepath.data.split import stratified_folds
from truepath.hierarchy.matrices import as_dense
from truepath.resampling import count_groups, share_rows, split_folds

#: Number of folds by default
N_FOLDS = 5


#: Beyond this many rows, this share of them is held out once by default instead
ROWS_FOR_ONE_PART = 20_000


SHARE_HELD_OUT = 0.2


Rows = NDArray[np.int64]


def resolve_cv(cv: Any, learner: Any, n_rows: int, groups: Rows | None = None) -> Any:
    """Return ``"own"``, a number of folds, a share of rows, or a splitter."""
    if isinstance(cv, str):
        if cv not in ("auto", "own"):
            raise ValueError(f"cv must be 'auto', 'own', a number or a splitter; got {cv!r}.")
        if scores_own_rows(learner, groups):
            return "own"
        if cv == "own":
            raise refusal(final_step(learner), "held-out scores", "cv='own' needs it; give cv a number of folds.")
        if n_rows > ROWS_FOR_ONE_PART:
            return SHARE_HELD_OUT
        n_apart = n_rows if groups is None else count_groups(groups)
        return max(2, min(N_FOLDS, n_apart))
    if hasattr(cv, "split"):
        return cv
    if isinstance(cv, (bool, np.bool_)) or not isinstance(cv, (int, float, np.integer, np.floating)):
        raise ValueError(f"cv must be 'auto', 'own', a number or a splitter; got {cv!r}.")
    if not (0 < cv < 1 or (cv >= 2 and cv == int(cv))):
        raise ValueError(f"cv must be a number of folds >= 2, or a share between 0 and 1; got {cv!r}.")
    return float(cv) if cv < 1 else int(cv)


def make_splits(
    cv: Any, X: Any, Y: Any, random_state: Any, groups: Rows | None = None
) -> list[tuple[Rows, Rows]] | None:
    """Return the row numbers (train, held out) of each split; None where the learner itself scores its rows."""
    if count_rows(X) < 2:
        raise ValueError(
            f"no row can be held out of n_samples={count_rows(X)}; give more rows, or a decoder that learns nothing."
        )
    return None if isinstance(cv, str) else list(_splits(cv, X, Y, random_state, groups))


def _splits(cv: Any, X: Any, Y: Any, random_state: Any, groups: Rows | None) -> Iterator[tuple[Rows, Rows]]:
    n_samples = count_rows(X)
    if hasattr(cv, "split"):
        with warnings.catch_warnings():  # a splitter that takes no groups may still keep them together, see below
            warnings.filterwarnings("ignore", "The groups parameter is ignored", UserWarning)
            dealt = list(cv.split(np.zeros((n_samples, 1)), as_dense(Y), *([] if groups is None else [groups])))
        found = [(np.asarray(a), np.asarray(b)) for a, b in dealt]
        if not found or any(a.size == 0 or b.size == 0 for a, b in found):
            raise ValueError("cv gives a split without training or without held-out rows.")
        if groups is not None and any(np.isin(groups[a], groups[b]).any() for a, b in found):
            raise ValueError(
                f"cv: {type(cv).__name__} puts rows of one group on both sides of a split. Give a splitter that keeps "
                "groups together, such as sklearn.model_selection.GroupKFold, or a number of folds."
            )
        yield from found
    elif isinstance(cv, float):
        part = share_rows(Y, [1 - cv, cv], random_state, groups)
        if part.min() == part.max():
            raise ValueError(f"cv={cv} of {n_samples} rows leaves one part empty; give more rows.")
        yield split_folds(part)[1]
    else:
        if n_samples < cv:
            raise ValueError(
                f"cv={cv} folds need as many rows; X has n_samples={n_samples}. Give fewer folds, or a "
                "decoder that learns nothing, such as truepath.decoders.Threshold."
            )
        check_number_of_groups(groups, cv, "cv")
        yield from stratified_folds(Y, cv, random_state, groups=groups)
