"""Take a fitted model over to a changed hierarchy, on data opened as its training data were."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from truepath.adapters.capabilities import reach
from truepath.classifier import HierarchicalClassifier
from truepath.data import Dataset, Split
from truepath.errors import TruePathError
from truepath.hierarchy import HierarchyDiff
from truepath.parameters import PART, check_in
from truepath.report import Run
from truepath.workflow.fit import divide_rows, evaluate_model


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
    _update(model, change, ds, rows, old_labels)
    return model


@dataclass(frozen=True, eq=False)
class UpdateMeasured:
    """How an update does on rows that it did not learn from.

    Attributes
    ----------
    measures : dict of str to float
        The measures on these rows by name.
    n_rows : int
    all_unseen : bool
        Whether no label was learned from these rows before the update: they are a test part of the data, or all
        labels were learned anew. Otherwise labels that the update left as they were may know them.
    """

    measures: dict[str, float]
    n_rows: int
    all_unseen: bool


def measure_update(
    model: HierarchicalClassifier,
    change: HierarchyDiff,
    ds: Dataset,
    *,
    old_labels: bool = False,
    test_share: float = 0.2,
    random_state: Any = 0,
) -> UpdateMeasured | None:
    """Update a copy of a model on some rows of a data set, and measure it on the others.

    Parameters
    ----------
    model, change, ds, old_labels
        As for :func:`update_model`; the model is left as it is.
    test_share : float, default=0.2
        The share of rows to measure on, if the data have no part called ``"test"``; 0 measures nothing.
    random_state : int, RandomState or None, default=0
        Deals the rows.

    Returns
    -------
    measured : UpdateMeasured or None
        None if there are no rows to measure on.
    """
    check_in("test_share", test_share, PART)
    rows = divide_rows(ds, test_share, random_state)
    if rows.test is None:
        return None
    copy = deepcopy(model)
    X = _update(copy, change, ds, rows.train, old_labels, rows.test.X)
    y_true = change.transfer(rows.test.y) if old_labels else rows.test.y
    run = Run(copy.hierarchy_, y_true, [evaluate_model(copy, X, "update")])
    learned = getattr(reach(copy.learner_).member, "relearned_", change.touched)
    is_new = "test" in ds or len(learned) == change.new.n_nodes
    return UpdateMeasured(run.measures["update"], len(rows.test), is_new)


def _update(
    model: HierarchicalClassifier, change: HierarchyDiff, ds: Dataset, rows: Split, old_labels: bool, X_test: Any = None
) -> Any:
    """Update a model on some rows; return others as the model takes them."""
    names, before = tuple(map(str, ds.feature_names)), model.fitted_on_
    wanted = () if before.texts else before.columns
    X = _same_columns(rows.X, names, wanted)
    model.update(change, X, change.transfer(rows.y) if old_labels else rows.y)
    model.set_fitted_on(replace(before, n_rows=len(rows)))
    return None if X_test is None else _same_columns(X_test, names, wanted)


def _same_columns(X: Any, names: tuple[str, ...], wanted: tuple[str, ...]) -> Any:
    """Return the feature columns that the model knows, in its order."""
    if not wanted or names == wanted or getattr(X, "ndim", 1) == 1:
        return X
    missing = [name for name in wanted if name not in names]
    if missing:
        raise TruePathError(f"the data lack columns that the model was fitted on: {', '.join(map(repr, missing[:5]))}.")
    return X[:, [names.index(name) for name in wanted]]
