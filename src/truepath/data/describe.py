"""Counts of what a data set holds: the columns of the usual tables of benchmark data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.data.split import Split, stack_rows
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.propagation import drop_ancestors


@dataclass(frozen=True)
class Description:
    """Counts of a data set; ``print`` shows them as a table, :meth:`to_dict` gives them as plain values.

    Attributes
    ----------
    name, kind : str
        ``kind`` is ``"flat"``, ``"tree"`` or ``"DAG"``.
    sizes : dict
        Rows of each split.
    n_numeric, n_categorical, n_text : int
        Feature columns of each kind.
    missing_percent : float
        Share of the feature cells that are missing (text not counted).
    n_classes, n_leaves, n_roots, depth, n_multi_parent : int
        Nodes; nodes without children; top-level nodes; longest path (top = 1); nodes with more than one parent.
    labels_written : float
        Mean number of labels per row as written in the file; of the most specific ones if that is not known.
    labels_closed : float
        The same after adding all ancestors (the *cardinality*).
    density : float
        ``labels_closed / n_classes``.
    partial_percent : float
        Rows with at least one most specific label that is not a leaf.
    n_label_sets, n_unlabeled, n_duplicates, n_unused_classes, most_labels : int
        Distinct label sets; rows without any label; rows whose features and labels another row before them has;
        classes without any row; labels of the row that has most, ancestors not counted.
    """

    name: str
    kind: str
    sizes: dict[str, int]
    n_numeric: int
    n_categorical: int
    n_text: int
    missing_percent: float
    n_classes: int
    n_leaves: int
    n_roots: int
    depth: int
    n_multi_parent: int
    labels_written: float
    labels_closed: float
    density: float
    partial_percent: float
    n_label_sets: int
    n_unlabeled: int
    n_duplicates: int
    n_unused_classes: int
    most_labels: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Give the counts as a plain dictionary, ready for JSON."""
        return asdict(self)

    def rows(self) -> list[tuple[str, str]]:
        """Give the lines of the printed table as pairs (what, value)."""
        sizes = ", ".join(f"{name} {size}" for name, size in self.sizes.items())
        text = f" + {self.n_text} text" if self.n_text else ""
        return [
            ("data set", f"{self.name} ({self.kind})"),
            ("rows", f"{sum(self.sizes.values())} ({sizes})"),
            ("features", f"{self.n_numeric} numeric + {self.n_categorical} categorical{text}"),
            ("missing values", f"{self.missing_percent:.1f} %"),
            ("classes", f"{self.n_classes} ({self.n_leaves} leaves, {self.n_roots} at the top)"),
            ("depth", str(self.depth)),
            ("nodes with >1 parent", str(self.n_multi_parent)),
            ("labels per row", f"{self.labels_written:.2f} as written, {self.labels_closed:.2f} with ancestors"),
            ("density", f"{self.density:.4f}"),
            ("partial paths", f"{self.partial_percent:.0f} % of the rows"),
            ("distinct label sets", str(self.n_label_sets)),
            ("rows without label", str(self.n_unlabeled)),
            ("repeated rows", str(self.n_duplicates)),
            ("classes without row", str(self.n_unused_classes)),
        ]

    def __str__(self) -> str:
        return "\n".join(f"{what:<21} {value}" for what, value in self.rows())

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        rows = "".join(f"<tr><th>{escape(what)}</th><td>{escape(value)}</td></tr>" for what, value in self.rows())
        return f"<table>{rows}</table>"


def describe(
    name: str, hierarchy: Hierarchy, splits: Mapping[str, Split], n_features: int, n_categorical: int
) -> Description:
    """Count what the splits hold; see :class:`Description`."""
    Y = sparse.csr_array(stack_rows([split.y for split in splits.values()]), dtype=bool)
    Y.sort_indices()
    n_samples, closed = Y.shape[0], np.diff(Y.indptr)
    specific = drop_ancestors(Y, hierarchy)
    is_partial = specific[:, np.flatnonzero(~hierarchy.is_leaf)].sum(axis=1) > 0
    n_categorical += _count_text_columns(splits)
    is_text = any(split.X.ndim == 1 for split in splits.values())
    kind = ("flat" if hierarchy.n_edges == 0 else "tree") if hierarchy.is_tree else "DAG"
    return Description(
        name=name,
        kind=kind,
        sizes={part: len(split) for part, split in splits.items()},
        n_numeric=0 if is_text else n_features - n_categorical,
        n_categorical=n_categorical,
        n_text=n_features if is_text else 0,
        missing_percent=_missing_percent(splits),
        n_classes=hierarchy.n_nodes,
        n_leaves=len(hierarchy.leaves),
        n_roots=len(hierarchy.roots),
        depth=int(hierarchy.height),
        n_multi_parent=int(np.sum(np.diff(hierarchy.parent_ptr) > 1)),
        labels_written=_written(splits, specific) / max(n_samples, 1),
        labels_closed=float(closed.sum() / max(n_samples, 1)),
        density=float(closed.sum() / max(n_samples * hierarchy.n_nodes, 1)),
        partial_percent=100 * float(np.mean(is_partial)) if n_samples else 0.0,
        n_label_sets=len({Y.indices[Y.indptr[i] : Y.indptr[i + 1]].tobytes() for i in range(n_samples)}),
        n_unlabeled=int(np.sum(closed == 0)),
        n_duplicates=_count_duplicates(splits),
        n_unused_classes=int(hierarchy.n_nodes - len(np.unique(Y.indices))),
        most_labels=int(np.diff(specific.indptr).max(initial=0)),
    )


def _count_text_columns(splits: Mapping[str, Split]) -> int:
    """Count the columns of cells kept as written that hold anything but numbers."""
    tables = [split.X for split in splits.values() if split.X.ndim == 2 and split.X.dtype == object]
    if not tables:
        return 0
    return sum(not all(_all_numbers(X[:, j]) for X in tables) for j in range(tables[0].shape[1]))


def _all_numbers(cells: NDArray[Any]) -> bool:
    try:
        cells[cells != ""].astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True


def _count_duplicates(splits: Mapping[str, Split]) -> int:
    """Count rows whose features and labels an earlier row has."""
    seen: set[int] = set()
    n_rows = 0
    for split in splits.values():
        labels = sparse.csr_array(split.y)
        n_rows += len(split)
        seen.update(hash((_row_key(split.X, i), _row_key(labels, i))) for i in range(len(split)))
    return n_rows - len(seen)


def _row_key(X: Any, i: int) -> Any:
    """Return what equal rows have in common, and others have not."""
    if sparse.issparse(X):
        X = X if X.format == "csr" else X.tocsr()
        part = slice(X.indptr[i], X.indptr[i + 1])
        return X.indices[part].tobytes(), X.data[part].tobytes()
    row = X[i]
    return row if isinstance(row, str) else tuple(row.tolist()) if row.dtype == object else row.tobytes()


def _written(splits: Mapping[str, Split], specific: sparse.csr_array[Any]) -> float:
    counts: list[NDArray[np.int64]] = [s.n_written for s in splits.values() if s.n_written is not None]
    return float(sum(c.sum() for c in counts) if len(counts) == len(splits) else specific.nnz)


def _missing_percent(splits: Mapping[str, Split]) -> float:
    missing = cells = 0
    for split in splits.values():
        if split.X.ndim != 2:
            continue
        stored = split.X.data if sparse.issparse(split.X) else split.X
        missing += int((stored == "").sum() if stored.dtype == object else np.isnan(stored).sum())
        cells += int(np.prod(split.X.shape))
    return 100 * missing / max(cells, 1)
