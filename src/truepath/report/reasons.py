"""Reasons as a report keeps them: for each row the causes of some labels' scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from truepath.errors import TruePathError
from truepath.hierarchy import Hierarchy

#: Node -> pairs (cause, what it adds)
Reasons = dict[int, list[tuple[str, float]]]


def find_reasons(
    model: Any, X: Any, labels: Any, *, n_causes: int = 4, most_rows: int = 1000
) -> tuple[Reasons | None, ...]:
    """Return what in each row speaks for and against its labels, for :class:`Evaluated`.

    Parameters
    ----------
    model : fitted HierarchicalClassifier, or learner
    X : the rows, as the model takes them
    labels : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
        The labels to explain, such as the predicted ones.
    n_causes : int, default=4
        Words or columns for each label.
    most_rows : int, default=1000
        Only the first rows are explained, as each takes one or more milliseconds; the others get None.

    Returns
    -------
    reasons : tuple of dict or None
        For each row node -> pairs (cause, value): what features add to the final score of a classifier, as
        :meth:`truepath.HierarchicalClassifier.contributions` finds them, or to that of a learner.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.learners import PCTree
    >>> from truepath.report import find_reasons
    >>> h = Hierarchy.from_paths(["a", "b"])
    >>> X, Y = [[0.0, 5.0], [1.0, 5.0]], h.encode([["a"], ["b"]])
    >>> tree = PCTree(hierarchy=h, min_leaf_weight=1).fit(X, Y)
    >>> find_reasons(tree, X, Y)
    ({0: [('x0', 0.5)]}, {1: [('x0', 0.5)]})
    """
    from scipy import sparse

    from truepath.adapters.rows import take_rows
    from truepath.learners import contributions

    rows = sparse.csr_array(labels)
    found: list[Reasons | None] = [None] * rows.shape[0]
    for i in range(min(most_rows, rows.shape[0])):
        nodes = np.sort(rows.indices[rows.indptr[i] : rows.indptr[i + 1]])
        if nodes.size:
            causes = contributions(model, take_rows(X, [i]), nodes)
            found[i] = {int(v): causes.of(int(v), n_causes) for v in nodes}
    return tuple(found)


def check_reasons(given: Sequence[Any], hierarchy: Hierarchy, n_samples: int, of: str) -> tuple[Reasons | None, ...]:
    """Return each row's reasons by node; labels may be given by name or number."""
    if len(given) != n_samples:
        raise TruePathError(
            f"reasons {of} has {len(given)} entries for {n_samples} rows.", "Give one per row, or None."
        )
    return tuple(None if of_row is None else _check_row(of_row, hierarchy, of) for of_row in given)


def _check_row(of_row: Any, hierarchy: Hierarchy, of: str) -> Reasons:
    """Return one row's reasons by node, in the order of nodes."""
    if not isinstance(of_row, Mapping):
        raise TypeError(f"reasons {of} must be mappings from labels to pairs (cause, value); got {of_row!r:.80}.")
    found: Reasons = {}
    for label, causes in of_row.items():
        node = hierarchy.index(label) if isinstance(label, str) else int(label)
        if not 0 <= node < hierarchy.n_nodes:
            raise TruePathError(f"reasons {of} name the label {label!r}; there are {hierarchy.n_nodes}.")
        pairs = causes.items() if isinstance(causes, Mapping) else causes
        found[node] = [(str(cause), float(value)) for cause, value in pairs]
    return dict(sorted(found.items()))
