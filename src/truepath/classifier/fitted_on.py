"""What a classifier was fitted on: enough to read new rows the same way, long after the data are gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from truepath.adapters import count_rows
from truepath.records import Record

__all__ = ["FittedOn"]


@dataclass(frozen=True)
class FittedOn(Record, home="truepath.classifier"):
    """A record of the training data, kept by a fitted classifier as ``fitted_on_`` and saved with it.

    ``fit`` writes what it can see. Who read the data from somewhere, as the command line does, replaces it by
    :meth:`HierarchicalClassifier.set_fitted_on`.

    Attributes
    ----------
    kind : {"array", "frame", "texts", "table", "dataset"}
        What X was; "table" and "dataset" if it was read from a file with columns, or opened as a data set.
    name : str
        What the data are called; empty if unknown.
    columns : tuple of str
        The feature columns by name; empty if they have none.
    text : str or None
        The column of texts that was learned from, if it was one.
    ids : str or None
        The column that names the rows.
    n_rows : int
        How many rows were learned from.
    """

    kind: str
    name: str = ""
    columns: tuple[str, ...] = ()
    text: str | None = None
    ids: str | None = None
    n_rows: int = 0

    @classmethod
    def of(cls, X: Any) -> FittedOn:
        """Return what can be seen of X itself.

        Examples
        --------
        >>> from truepath.classifier import FittedOn
        >>> FittedOn.of(["a text", "another"])
        FittedOn(kind='texts', name='', columns=(), text=None, ids=None, n_rows=2)
        """
        if hasattr(X, "columns"):
            return cls("frame", columns=tuple(map(str, X.columns)), n_rows=count_rows(X))
        is_text = not hasattr(X, "shape") and len(X) > 0 and isinstance(next(iter(X)), str)
        return cls("texts" if is_text or getattr(X, "ndim", 2) == 1 else "array", n_rows=count_rows(X))
