"""Groups of rows as users give them, checked and numbered; and the way they reach a learner that holds out rows."""

from __future__ import annotations

import warnings
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import Pipeline

from truepath.adapters.capabilities import is_search
from truepath.adapters.prepare import final_step, is_of_truepath
from truepath.english import counted
from truepath.errors import RelatedRowsWarning
from truepath.hierarchy.build import is_missing
from truepath.resampling import count_groups

Rows = NDArray[np.int64]


def check_groups(groups: Any, n_rows: int) -> Rows | None:
    """Return the number of each row's group, from 0 on; None if there are no groups.

    Parameters
    ----------
    groups : array-like of shape (n_samples,), or None
        Numbers, texts or anything that can be a key of a dict; a column of a data frame is taken in its order.
    n_rows : int

    Examples
    --------
    >>> check_groups(["ann", "bob", "ann"], 3).tolist()
    [0, 1, 0]
    """
    if groups is None:
        return None
    if isinstance(groups, (str, bytes)):
        raise ValueError(
            f"groups must hold one value per row; got the one value {str(groups)[:40]!r}. For a column of a data frame "
            f"give the column itself, groups=X[{str(groups)[:40]!r}], and X without it."
        )
    values = groups.to_pylist() if hasattr(groups, "to_pylist") else groups
    found = np.asarray(values) if getattr(values, "dtype", None) is not None else _as_objects(values)
    if found.ndim != 1 or found.size != n_rows:
        raise ValueError(f"groups must hold one value per row, shape ({n_rows},); got the shape {found.shape}.")
    if found.dtype.kind in "iub":
        return np.unique(found, return_inverse=True)[1].astype(np.int64)
    cells = found.tolist()
    missing = [i for i, cell in enumerate(cells) if is_missing(cell) or cell == ""]
    if missing:
        raise ValueError(
            f"groups has no value in {counted(len(missing), 'row')} (first: row {missing[0]}). Give a row that belongs "
            "to no other a group of its own."
        )
    if (several := next((cell for cell in cells if isinstance(cell, (list, dict, set, np.ndarray))), None)) is not None:
        raise ValueError(f"groups must hold one value per row; got {str(several)[:40]} in one of them.")
    places: dict[Any, int] = {}
    return np.fromiter((places.setdefault(cell, len(places)) for cell in cells), np.int64, n_rows)


def check_number_of_groups(groups: Rows | None, n_folds: int, name: str) -> None:
    """Refuse more folds than there are groups; ``name`` is the argument that asks for the folds."""
    if groups is not None and (n_groups := count_groups(groups)) < n_folds:
        raise ValueError(
            f"{name}={n_folds} folds need as many groups; groups holds {n_groups} of them. Give fewer folds."
        )


def _as_objects(values: Any) -> NDArray[np.object_]:
    """Return a list as an array whose cells are what they were: numbers and texts side by side stay apart."""
    cells = list(values)
    found = np.empty(len(cells), object)
    found[:] = cells
    return found


def groups_argument(learner: Any, groups: Rows | None) -> dict[str, Any]:
    """Return the keyword argument that hands groups to ``fit``, through pipelines; {} for a learner that takes none.

    A learner whose ``fit`` does not name ``groups`` holds out no rows, as far as is known. A search that is given a
    number of folds, or none, is made to deal groups; one with a splitter of its own hands the groups to that.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from truepath.adapters.groups import groups_argument
    >>> from truepath.learners import PCTForest, SparseLinear
    >>> groups_argument(make_pipeline(StandardScaler(), PCTForest()), [0, 0, 1])
    {'pctforest__groups': [0, 0, 1]}
    >>> groups_argument(SparseLinear(), [0, 0, 1])
    {}
    """
    if groups is None:
        return {}
    search = final_step(learner)
    if is_search(search) and (search.cv is None or isinstance(search.cv, int)):
        search.set_params(cv=GroupKFold(min(search.cv or 5, int(np.unique(groups).size))))
    key = _groups_key(learner)
    return {} if key is None else {key: groups}


def _groups_key(learner: Any) -> str | None:
    """Return the keyword of ``fit`` under which groups reach what holds out rows; None if nothing does."""
    if isinstance(learner, Pipeline):
        name, last = learner.steps[-1]
        key = _groups_key(last)
        return None if key is None else f"{name}__{key}"
    return "groups" if takes_groups(learner) else None


def takes_groups(part: Any) -> bool:
    """Say whether a learner, combiner or decoder takes groups in ``fit``; searches do, for their splits."""
    return is_search(part) or "groups" in signature(part.fit).parameters


def warn_about_groups(learner: Any, groups: Rows) -> None:
    """Warn where one group holds most rows, and where a part of another library holds out rows without asking."""
    largest = int(np.bincount(groups).argmax())
    n_rows = int(np.count_nonzero(groups == largest))
    if 2 * n_rows > groups.size:
        warnings.warn(
            f"groups: one group holds {n_rows:,} of {groups.size:,} rows (first: row {np.argmax(groups == largest)}), "
            "so they are scored by a model of fewer than half of the rows. Divide it, if that is possible.",
            RelatedRowsWarning,
            stacklevel=3,
        )
    if blind := _blind_parts(learner):
        warnings.warn(
            f"groups do not reach {' and '.join(blind)}, which may hold out rows: rows of one group can be on both "
            "sides there. Switch that off, or use a learner of truepath.",
            RelatedRowsWarning,
            stacklevel=3,
        )


def _blind_parts(learner: Any) -> list[str]:
    """Name the estimators of other libraries within a learner that hold out rows on their own."""
    search = final_step(learner)
    inside = list(learner.get_params(deep=True).values()) if hasattr(learner, "get_params") else []
    found = [part for part in [search, *inside] if hasattr(part, "fit") and not isinstance(part, (type, Pipeline))]
    blind = [part for part in found if part is not search and is_search(part)]
    blind += [part for part in found if not is_search(part) and not is_of_truepath(part) and _holds_out(part)]
    return list(dict.fromkeys(type(part).__name__ for part in blind))


def _holds_out(part: Any) -> bool:
    """Say whether parameters of an estimator ask for folds, early stopping or out-of-bag scores."""
    stops_early = getattr(part, "early_stopping", False) or (
        hasattr(part, "validation_fraction") and getattr(part, "n_iter_no_change", None) is not None
    )
    return hasattr(part, "cv") or bool(stops_early) or getattr(part, "oob_score", False) is True
