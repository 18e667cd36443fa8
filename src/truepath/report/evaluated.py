"""What a report is made of: the truth, and each method's labels and scores on the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truepath.data.describe import Description
    from truepath.hierarchy import Hierarchy

__all__ = ["Evaluated", "Subject", "check_subject"]


@dataclass(frozen=True, eq=False)
class Evaluated:
    """One method's results on the test rows.

    Parameters
    ----------
    name : str
        What the report calls the method.
    y_pred : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
        The labels it predicts.
    S : array-like or sparse matrix of float, shape (n_samples, n_nodes), optional
        The scores it predicts them from. Without scores the report has no curves for the method.
    thresholds : float or array-like of shape (n_nodes,), optional
        Above which score a label is predicted: one number for all labels, or one a label.
    fit_seconds : float, optional
    settings : mapping, optional
        What the footer tells of the method, such as an estimator's ``get_params()``.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath.report import Evaluated
    >>> Evaluated("a forest", np.eye(3, dtype=bool), fit_seconds=1.5)
    Evaluated('a forest': labels of 3 rows)
    """

    name: str
    y_pred: Any
    S: Any = None
    thresholds: Any = None
    fit_seconds: float | None = None
    settings: Mapping[str, Any] | None = None

    def __repr__(self) -> str:
        what = "labels" if self.S is None else "labels and scores"
        n_rows = self.y_pred.shape[0] if hasattr(self.y_pred, "shape") else len(self.y_pred)
        return f"Evaluated({self.name!r}: {what} of {n_rows} rows)"


@dataclass(frozen=True, eq=False)
class Subject:
    """Everything a page tells of, checked: labels boolean and closed, scores finite, one size everywhere."""

    hierarchy: Hierarchy
    y_true: Any
    results: tuple[Evaluated, ...]
    ids: tuple[str, ...] | None = None
    texts: tuple[str, ...] | None = None
    y_train: Any = None
    description: Description | None = None
    repaired: Mapping[str, int] = field(default_factory=dict)
    """Rows of each method's labels that lacked an ancestor, which was then added."""

    @property
    def n_samples(self) -> int:
        return int(self.y_true.shape[0])


def check_subject(
    hierarchy: Hierarchy,
    y_true: Any,
    results: Evaluated | Sequence[Evaluated],
    *,
    ids: Sequence[Any] | None = None,
    texts: Sequence[Any] | None = None,
    y_train: Any = None,
    description: Any = None,
) -> Subject:
    """Check what is to be reported and bring it into one form: labels CSR, names strings."""
    from scipy import sparse

    from truepath.hierarchy.checks import check_labels, resolve_hierarchy

    if hierarchy is None:
        raise TypeError("hierarchy must be a truepath.Hierarchy; for flat labels pass Hierarchy.flat(names).")
    hierarchy = resolve_hierarchy(hierarchy, 0)
    given = (results,) if isinstance(results, Evaluated) else tuple(results)
    _check_names(given)
    truth = sparse.csr_array(check_labels(y_true, hierarchy, name="y_true"))
    if truth.shape[0] == 0:
        raise ValueError("y_true has no rows; a report needs at least one.")
    repaired: dict[str, int] = {}
    checked = tuple(_check_result(result, hierarchy, truth.shape[0], repaired) for result in given)
    if y_train is not None:
        y_train = sparse.csr_array(check_labels(y_train, hierarchy, name="y_train"))
    columns = (_as_strings(ids, "ids", truth.shape[0]), _as_strings(texts, "texts", truth.shape[0]))
    return Subject(hierarchy, truth, checked, *columns, y_train, _as_description(description), repaired)


def _check_names(results: tuple[Any, ...]) -> None:
    """Refuse no results, foreign objects, and two methods of one name."""
    if not results:
        raise ValueError("results is empty; give one Evaluated, or several to compare.")
    for result in results:
        if not isinstance(result, Evaluated):
            raise TypeError(f"results must be Evaluated records; got {type(result).__name__}.")
    names = [result.name for result in results]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"results has two methods called {twice[0]!r}; give each a name of its own.")


def _check_result(result: Evaluated, hierarchy: Hierarchy, n_samples: int, repaired: dict[str, int]) -> Evaluated:
    """Return a result with closed CSR labels, finite scores, and thresholds as one number or one a node."""
    import numpy as np
    from scipy import sparse

    from truepath.hierarchy.checks import check_labels, check_scores

    of = f"of {result.name!r}"
    given = result.y_pred if sparse.issparse(result.y_pred) else np.asarray(result.y_pred)
    closed = sparse.csr_array(check_labels(given, hierarchy, name=f"y_pred {of}", close=True))
    added = closed.sum(axis=1) - np.asarray(given.sum(axis=1)).ravel()
    if (added > 0).any():
        repaired[result.name] = int((added > 0).sum())
    scores = None if result.S is None else check_scores(result.S, hierarchy, name=f"S {of}")
    for name, matrix in (("y_pred", closed), ("S", scores)):
        if matrix is not None and matrix.shape[0] != n_samples:
            raise ValueError(f"{name} {of} has {matrix.shape[0]} rows, y_true {n_samples}; they must be the same rows.")
    thresholds = None if result.thresholds is None else np.asarray(result.thresholds, np.float64)
    if thresholds is not None and (thresholds.shape not in ((), (hierarchy.n_nodes,)) or np.isnan(thresholds).any()):
        n_nodes = hierarchy.n_nodes
        raise ValueError(f"thresholds {of} must be a number or one for each of the {n_nodes} nodes, and never NaN.")
    settings = None if result.settings is None else dict(result.settings)
    seconds = None if result.fit_seconds is None else float(result.fit_seconds)
    return Evaluated(str(result.name), closed, scores, thresholds, seconds, settings)


def _as_strings(column: Sequence[Any] | None, name: str, n_samples: int) -> tuple[str, ...] | None:
    """Return one string a row."""
    if column is None:
        return None
    if len(column) != n_samples:
        raise ValueError(f"{name} has {len(column)} entries for {n_samples} rows; give one a row.")
    return tuple(str(entry) for entry in column)


def _as_description(description: Any) -> Description | None:
    """Return what ``Dataset.describe()`` gave, also from its dictionary."""
    from truepath.data.describe import Description

    if description is None or isinstance(description, Description):
        return description
    if isinstance(description, Mapping):
        return Description(**description)
    raise TypeError(f"description must be what Dataset.describe() returns; got {type(description).__name__}.")
