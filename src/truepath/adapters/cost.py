"""What the time of a fit depends on, and how much of it there is.

A member that says by ``fit_seconds(shape)`` what a fit costs, on one core and roughly, can be chosen by a budget: see
:class:`truepath.learners.TableBlend`. Such a rule is about sizes, not a clock: the same data give the same model on any
machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from truepath.adapters.kinds import is_embedding
from truepath.parameters import SECONDS

#: Seconds on one core, by name
BUDGETS = {"seconds": 90.0, "minutes": 600.0}


class TableShape(NamedTuple):
    """What the time of a fit depends on.

    Attributes
    ----------
    n_rows, n_columns, n_nodes : int
    n_set : int
        How many labels are set, in all rows together.
    is_sparse, has_missing, is_embedding : bool
        What kind of rows they are.
    """

    n_rows: int
    n_columns: int
    n_nodes: int
    n_set: int
    is_sparse: bool = False
    has_missing: bool = False
    is_embedding: bool = False

    @classmethod
    def of(cls, X: Any, Y: Any) -> TableShape:
        """Return the shape of rows and their labels; gaps are looked for in sparse rows alone.

        Examples
        --------
        >>> TableShape.of(np.zeros((2, 3)), np.eye(2, dtype=bool))[:4]
        (2, 3, 2, 2)
        """
        is_sparse = sparse.issparse(X)
        n_set = Y.nnz if sparse.issparse(Y) else int(np.count_nonzero(Y))
        has_missing = is_sparse and bool(np.isnan(X.data).any())
        n_rows, n_columns = X.shape
        return cls(n_rows, n_columns, Y.shape[1], n_set, is_sparse, has_missing, is_embedding(X))


def check_budget(budget: Any) -> float:
    """Return the seconds that a budget means.

    Examples
    --------
    >>> check_budget("minutes"), check_budget(5)
    (600.0, 5.0)
    """
    if isinstance(budget, str) and budget in BUDGETS:
        return BUDGETS[budget]
    if SECONDS.holds(budget):
        return float(budget)
    raise ValueError(f"budget must be one of {', '.join(map(repr, BUDGETS))} or a number of seconds; got {budget!r}.")
