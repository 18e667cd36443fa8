"""Take a fitted model over to a changed hierarchy, on data opened as its training data were."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from truepath.classifier import HierarchicalClassifier
from truepath.data import Dataset
from truepath.errors import TruePathError
from truepath.hierarchy import HierarchyDiff


def update_model(
    model: HierarchicalClassifier, change: HierarchyDiff, ds: Dataset, *, old_labels: bool = False
) -> HierarchicalClassifier:
    """Update a fitted model on all rows of a data set, and return it.

    Parameters
    ----------
    model : HierarchicalClassifier
        Fitted; it is changed.
    change : HierarchyDiff
        From the model's hierarchy to the new one.
    ds : Dataset
        All rows to learn from, old and new; columns that the model was not fitted on are left out.
    old_labels : bool, default=False
        Whether the labels of the data are those of the old hierarchy; they are then carried over.

    See Also
    --------
    truepath.HierarchicalClassifier.update : the same for rows in memory.
    """
    rows = ds.merge()["all"]
    X = _same_columns(rows.X, tuple(map(str, ds.feature_names)), model.fitted_on_.columns)
    before = model.fitted_on_
    model.update(change, X, change.transfer(rows.y) if old_labels else rows.y)
    return model.set_fitted_on(replace(before, n_rows=len(rows)))


def _same_columns(X: Any, names: tuple[str, ...], wanted: tuple[str, ...]) -> Any:
    """Return the feature columns that the model knows, in its order."""
    if not wanted or names == wanted or getattr(X, "ndim", 1) == 1:
        return X
    missing = [name for name in wanted if name not in names]
    if missing:
        raise TruePathError(f"the data lack columns that the model was fitted on: {', '.join(map(repr, missing[:5]))}.")
    return X[:, [names.index(name) for name in wanted]]
