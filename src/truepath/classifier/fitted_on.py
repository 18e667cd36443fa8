"""What a fitted classifier remembers of its training data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from truepath.adapters.rows import count_rows
from truepath.data import Dataset
from truepath.held import a_text, each, holds, if_there, integer, maybe, one_of
from truepath.records import Record


@holds(
    kind=one_of("array", "frame", "texts", "table", "dataset"),
    name=a_text,
    columns=each(a_text, of=tuple),
    text=maybe(a_text),
    ids=maybe(a_text),
    n_rows=integer(0),
    others=each(a_text, of=tuple),
    more_texts=if_there(each(a_text, of=tuple)),
    labels=if_there(each(a_text, of=tuple)),
    sep=if_there(maybe(a_text)),
    between=if_there(maybe(a_text)),
    prefixes=if_there(one_of(False, True)),
    merge_spellings=if_there(one_of(False, True)),
)
@dataclass(frozen=True)
class FittedOn(Record, home="truepath.classifier"):
    """A record of the training data, kept by a fitted classifier as ``fitted_on_`` and saved with it.

    ``fit`` records what X shows. Code that read the data from a file, such as :func:`truepath.workflow.fit_dataset`,
    replaces the record with :meth:`HierarchicalClassifier.set_fitted_on`.

    Attributes
    ----------
    kind : {"array", "frame", "texts", "table", "dataset"}
        The kind of X; "table" and "dataset" if it was read from a file with columns, or opened as a data set.
    name : str
        The name of the data; empty if unknown.
    columns : tuple of str
        The features by name; empty if they have none, or numbers alone.
    text : str or None
        The column of texts that was learned from, if there was one.
    ids : str or None
        The column of row ids.
    n_rows : int
        The number of rows learned from.
    others : tuple of str
        The columns of a table that are not features: labels, ids, split, groups. Empty if unknown.
    more_texts : tuple of str
        Columns of texts that were joined behind ``text``.
    labels : tuple of str
        The column of label paths, or the columns of the levels.
    sep, between : str or None
        Separators of the parts of a label path, and of the labels in a cell.
    prefixes, merge_spellings : bool
        How labels were read; see :func:`truepath.data.read_paths_csv`.
    """

    kind: str
    name: str = ""
    columns: tuple[str, ...] = ()
    text: str | None = None
    ids: str | None = None
    n_rows: int = 0
    others: tuple[str, ...] = ()
    more_texts: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    sep: str | None = None
    between: str | None = None
    prefixes: bool = False
    merge_spellings: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """All columns of texts that were learned from, if rows are texts."""
        return () if self.text is None else (self.text, *self.more_texts)

    @classmethod
    def of_dataset(cls, ds: Dataset) -> FittedOn:
        """Return the record of a data set; ``n_rows`` is left to whoever fits.

        A table counts as one if its cells were kept as they are written (``cells=True``), or one column of texts was
        read: new rows of a file can be read in the same way.
        """
        columns, numbered = ds.provenance.get("columns"), not isinstance(ds.feature_names, tuple)
        names = () if numbered else tuple(map(str, ds.feature_names))
        if columns is None:
            return cls("dataset", ds.name, names)
        texts = tuple(columns["texts"])
        names = texts or names
        others = tuple(name for name in columns.get("all", ()) if name not in names)
        read = {name: columns[name] for name in ("labels", "sep", "between", "prefixes", "merge_spellings")}
        text = texts[0] if texts else None
        return cls("table", ds.name, names, text, columns["ids"], others=others, more_texts=texts[1:], **read)

    @classmethod
    def of(cls, X: Any) -> FittedOn:
        """Return the record that X alone gives.

        Examples
        --------
        >>> from truepath.classifier import FittedOn
        >>> FittedOn.of(["a text", "another"]).kind
        'texts'
        """
        if hasattr(X, "columns"):
            return cls("frame", columns=tuple(map(str, X.columns)), n_rows=count_rows(X))
        return cls("texts" if are_texts(X) else "array", n_rows=count_rows(X))


def are_texts(X: Any) -> bool:
    """Say whether the rows of X are texts: those of a list that begins with one, or of an array of one dimension.

    Examples
    --------
    >>> are_texts(["a text"]), are_texts([[1.0, 2.0]])
    (True, False)
    """
    if hasattr(X, "shape"):
        return getattr(X, "ndim", 2) == 1
    return len(X) > 0 and isinstance(next(iter(X)), str)
