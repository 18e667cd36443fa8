"""The best labels of each row with their probabilities: of the whole row, of each level, leaves, or most specific."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.classifier.html import top_table
from truepath.extras import import_extra
from truepath.hierarchy import Hierarchy


@dataclass(frozen=True)
class TopLabels:
    """The best labels of some rows, best first.

    Attributes
    ----------
    nodes : ndarray of int, shape (n_samples, n_places)
        The labels by number; -1 where a row has fewer. One place for each of the k best, or k for each level.
    probabilities : ndarray of float, shape (n_samples, n_places)
        Their probabilities; NaN where a row has fewer.
    levels : ndarray of int, shape (n_places,)
        The level of each place, 1 for the top; 0 where places are those of the whole row.
    hierarchy : Hierarchy

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.classifier import TopLabels
    >>> h = Hierarchy.from_paths(["a/1", "b"])
    >>> top = TopLabels(np.array([[0, 1], [2, -1]]), np.array([[0.9, 0.7], [0.6, np.nan]]), np.zeros(2, int), h)
    >>> top[0], top[1]
    ([('a', 0.9), ('a/1', 0.7)], [('b', 0.6)])
    """

    nodes: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    levels: NDArray[np.int64]
    hierarchy: Hierarchy

    @property
    def names(self) -> NDArray[np.object_]:
        """The labels by name, shape (n_samples, n_places); the empty string where a row has fewer."""
        names: NDArray[np.object_] = np.append(self.hierarchy.names, "")[self.nodes]  # -1 is the last
        return names

    def __len__(self) -> int:
        return len(self.nodes)

    def __getitem__(self, i: int) -> list[tuple[str, float]]:
        places = np.flatnonzero(self.nodes[i] >= 0)
        names = self.hierarchy.names[self.nodes[i, places]]
        return list(zip(names.tolist(), self.probabilities[i, places].tolist()))

    def __iter__(self) -> Iterator[list[tuple[str, float]]]:
        return (self[i] for i in range(len(self)))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the long table: ``row``, ``level`` (of places per level), ``rank``, ``label`` and ``probability``."""
        ranks, names = self.ranks(), self.names
        found = []
        for i, j in zip(*np.nonzero(self.nodes >= 0)):
            level = {"level": int(self.levels[j])} if self.levels[j] else {}
            value = float(self.probabilities[i, j])
            found.append({"row": int(i), **level, "rank": int(ranks[j]), "label": names[i, j], "probability": value})
        return found

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        return top_table(self)

    def to_frame(self) -> Any:
        """Return the long table as a pandas data frame."""
        return import_extra("pandas", "A data frame", "report").DataFrame(self.to_dicts())

    def ranks(self) -> NDArray[np.int64]:
        """Return the rank of each place: from 1 up, again for each level."""
        return np.arange(1, self.levels.size + 1) - np.searchsorted(self.levels, self.levels)
