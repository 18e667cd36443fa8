"""Labels one may use: names, flags or one set for each row, held as the distinct sets and which of them a row has.

A label is *possible* if it is allowed or an ancestor of an allowed one; the others are forbidden, and with a label all
below it. A name allows the label and all below it: ``"Animals"`` means every animal. Flags, one for each node, are
taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.english import counted, did_you_mean
from truepath.errors import TruePathError, UnknownLabelError
from truepath.hierarchy.matrices import as_bool, as_dense, from_rows
from truepath.hierarchy.names import look_up
from truepath.hierarchy.propagation import drop_ancestors, raise_up

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

#: Whether a row has one path of labels, any number of paths, or what the decoder assumes
PATHS = ("auto", "one", "many")
WAYS_TO_ALLOW = "Give names, one list of names for each row, flags of shape (n_nodes,) or (n_samples, n_nodes)."


class AllowedLabels:
    """Which labels may be predicted, and what happens to the scores of the others.

    Wherever ``allowed=`` is taken, names or flags alone do; this says more.

    Parameters
    ----------
    labels : str, collection of str, list of collections, flags, mapping or None
        A label, which stands for itself and all below it, or several, for all rows; a list with a collection of labels
        for each row; flags of shape (n_nodes,) or (n_samples, n_nodes), dense or sparse, which are taken as they are.
        With ``by``: a mapping from each key to labels, or None if keys are names of sets that were saved with a model.
    by : str or array-like, shape (n_samples,), optional
        The key of each row in the mapping: the name of a column of X, or the keys themselves.
    renormalize : bool, default=True
        Whether scores become those given that no forbidden label is true; False only sets those of forbidden labels
        to 0.
    paths : {"auto", "one", "many"}, default="auto"
        Whether a row has exactly one path of labels, or any number of paths; "auto" follows the decoder, see
        :func:`truepath.combiners.condition_scores`.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import BestPath
    >>> from truepath.hierarchy import AllowedLabels
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.7, 0.4, 0.3, 0.3, 0.3], [0.7, 0.4, 0.3, 0.3, 0.3]]
    >>> shops = {"north": ["a/2", "b"], "south": ["b"]}
    >>> h.decode(BestPath(hierarchy=h).predict(S, allowed=AllowedLabels(shops, by=["north", "south"])))
    [('a/2',), ('b/1',)]
    """

    def __init__(self, labels: Any, *, by: Any = None, renormalize: bool = True, paths: str = "auto"):
        if paths not in PATHS:
            raise ValueError(f"paths must be one of {', '.join(map(repr, PATHS))}; got {paths!r}.")
        if by is None and (labels is None or isinstance(labels, Mapping)):
            raise TypeError("allowed: a mapping from keys to labels needs by, the key of each row.")
        self.labels, self.by, self.renormalize, self.paths = labels, by, renormalize, paths

    @classmethod
    def of(cls, allowed: Any) -> AllowedLabels:
        """Return what was given as ``allowed=`` with its options."""
        return allowed if isinstance(allowed, cls) else cls(allowed)

    def with_keys(self, keys: Any) -> AllowedLabels:
        """Return the same with the keys of the rows instead of the name of their column."""
        return AllowedLabels(self.labels, by=keys, renormalize=self.renormalize, paths=self.paths)

    def resolve(
        self, hierarchy: Hierarchy, n_samples: int | None = None, saved: Mapping[str, Iterable[str]] | None = None
    ) -> AllowedSets:
        """Return the sets of possible labels; unknown names are refused, with the nearest known ones.

        Parameters
        ----------
        hierarchy : Hierarchy
        n_samples : int, optional
            The number of rows, if it is known.
        saved : mapping of str to names, optional
            Sets that may be named instead of labels.
        """
        finder = _Finder(hierarchy, saved or {})
        of_row: NDArray[np.int64] | None
        if self.by is not None:
            flags, of_row = finder.find_keys(self.labels, self.by)
        elif sparse.issparse(self.labels) or getattr(self.labels, "ndim", 0) == 2:
            flags, of_row = _distinct(self.labels, hierarchy)
        else:
            flags, of_row = finder.find(self.labels)
        if n_samples is not None and of_row is not None and of_row.size != n_samples:
            raise ValueError(f"allowed has labels for {counted(of_row.size, 'row')}, but there are {n_samples}.")
        return AllowedSets.of(raise_up(flags, hierarchy), hierarchy, of_row)._replace(
            renormalize=self.renormalize, paths=self.paths
        )


class AllowedSets(NamedTuple):
    """Sets of possible labels, each held once, and which of them each row has.

    Attributes
    ----------
    possible : csr_array of bool, shape (n_sets, n_nodes)
        Closed: the allowed labels and all above them.
    ends : csr_array of bool, shape (n_sets, n_nodes)
        The most specific of the possible labels.
    nearest : csr_array of bool, shape (n_sets, n_nodes)
        The forbidden labels whose parents all are possible: no other forbidden one matters.
    of_row : ndarray of int, shape (n_samples,), or None
        The set of each row; None if all rows have the first.
    renormalize, paths
        As in :class:`AllowedLabels`.
    """

    possible: sparse.csr_array
    ends: sparse.csr_array
    nearest: sparse.csr_array
    of_row: NDArray[np.int64] | None
    renormalize: bool = True
    paths: str = "auto"

    @classmethod
    def of(
        cls, possible: sparse.csr_array, hierarchy: Hierarchy, of_row: NDArray[np.int64] | None = None
    ) -> AllowedSets:
        """Return the sets of closed flags; refuse sets without a label."""
        empty = np.flatnonzero(np.diff(possible.indptr) == 0)
        if empty.size:
            row = "" if of_row is None else f" for row {int(np.flatnonzero(of_row == empty[0])[0])}"
            raise TruePathError(f"allowed has no label{row}.", "Allow one at least, or leave such rows out.")
        n, edges = hierarchy.n_nodes, hierarchy.edges
        down = sparse.csr_array((np.ones(len(edges), np.int32), (edges[:, 0], edges[:, 1])), shape=(n, n))
        below = sparse.csr_array(possible.astype(np.int32) @ down)  # how many parents are possible
        below.data *= below.data == np.diff(hierarchy.parent_ptr)[below.indices]
        nearest = as_bool(below - below.multiply(possible))
        return cls(possible, drop_ancestors(possible, hierarchy), nearest, of_row)

    def on(self, *, one_path: bool) -> AllowedSets:
        """Return the same sets for a decoder that predicts one path, or any number; what was asked for stays."""
        paths = self.paths if self.paths != "auto" else "one" if one_path else "many"
        return self._replace(paths=paths)

    def take(self, start: int, n_rows: int) -> AllowedSets:
        """Return the sets of some rows that follow each other."""
        if self.of_row is None:
            return self
        of_row = self.of_row[start : start + n_rows]
        if of_row.size != n_rows:
            raise ValueError(f"allowed has labels for {counted(self.of_row.size, 'row')}, but there are more.")
        return self._replace(of_row=of_row)

    def distinct(self, rows: slice, n_rows: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the distinct sets of some rows, and which of these each row has."""
        if self.of_row is None:
            return np.zeros(1, np.int64), np.zeros(len(range(n_rows)[rows]), np.int64)
        sets, which = np.unique(self.of_row[rows], return_inverse=True)
        return sets, which

    def groups(self, n_rows: int) -> Iterator[tuple[NDArray[Any], NDArray[np.int64]]]:
        """Yield the possible labels of each distinct set, and the rows that have it."""
        of_row = np.zeros(n_rows, np.int64) if self.of_row is None else self.of_row
        order = np.argsort(of_row, kind="stable").astype(np.int64)
        ends = np.searchsorted(of_row[order], np.arange(self.possible.shape[0] + 1))
        for k in np.flatnonzero(np.diff(ends)):
            own = slice(self.possible.indptr[k], self.possible.indptr[k + 1])
            yield np.sort(self.possible.indices[own]).astype(np.int64), order[ends[k] : ends[k + 1]]

    def keep_possible(self, M: Any) -> Any:
        """Return labels or scores with those of forbidden labels set to 0; closed and coherent ones stay so."""
        if sparse.issparse(M):
            flags = self.possible[np.zeros(M.shape[0], np.int64) if self.of_row is None else self.of_row]
            return sparse.csr_array(M.multiply(flags), dtype=M.dtype)
        if self.of_row is None:
            return M * as_dense(self.possible)[0]
        sets, which = self.distinct(slice(None), M.shape[0])
        flags, kept = as_dense(self.possible[sets]), np.empty_like(M)
        for start in range(0, M.shape[0], 1024):
            rows = slice(start, start + 1024)
            np.multiply(M[rows], flags[which[rows]], out=kept[rows])
        return kept


def find_allowed(allowed: Any, hierarchy: Hierarchy, n_samples: int) -> AllowedSets:
    """Return the sets of rows from what was given as ``allowed=``, or from what was found before."""
    if isinstance(allowed, AllowedSets):
        return allowed
    return AllowedLabels.of(allowed).resolve(hierarchy, n_samples)


class _Finder:
    """Finds the flags of names; a set that comes again is looked up once."""

    def __init__(self, hierarchy: Hierarchy, saved: Mapping[str, Iterable[str]]):
        self.hierarchy, self.saved = hierarchy, saved
        self.below: dict[str, set[int]] = {}

    def find(self, given: Any) -> tuple[sparse.csr_array, NDArray[np.int64] | None]:
        """Return the flags of each distinct set, and the set of each row: None if there is one for all."""
        if isinstance(given, str):
            return self._flags([[given]]), None
        items = given.tolist() if isinstance(given, np.ndarray) else list(given) if _is_collection(given) else None
        if items is None:
            raise TypeError(f"allowed must be names or flags; got {given!r}. {WAYS_TO_ALLOW}")
        if items and all(isinstance(item, (bool, np.bool_)) for item in items):
            return _distinct(np.array([items]), self.hierarchy)[0], None
        if all(isinstance(item, str) for item in items):
            return self._flags([items]), None
        known: dict[tuple[Any, ...], int] = {}
        of_row = [known.setdefault(self._key(item, i), len(known)) for i, item in enumerate(items)]
        return self._flags(known), np.array(of_row, np.int64)

    def find_keys(self, table: Any, keys: Any) -> tuple[sparse.csr_array, NDArray[np.int64]]:
        """Return the same for rows whose sets a table says."""
        if isinstance(keys, str):
            raise TypeError(f"by={keys!r} is a column of X, which is not here; give the keys themselves.")
        table = self.saved if table is None else table
        known: dict[Any, int] = {}
        of_row = [known.setdefault(key, len(known)) for key in np.asarray(keys, object).tolist()]
        for key in known:
            if key not in table:
                problem = f"allowed has no labels for {key!r}, only for {counted(len(table), 'other key')}."
                raise TruePathError(problem, did_you_mean(key, list(map(str, table))))
        sets = [[table[key]] if isinstance(table[key], str) else list(table[key]) for key in known]
        return self._flags(sets), np.array(of_row, np.int64)

    def _key(self, item: Any, row: int) -> tuple[Any, ...]:
        if isinstance(item, str) or not _is_collection(item):
            raise TypeError(f"allowed, row {row}: expected a collection of names; got {item!r}. {WAYS_TO_ALLOW}")
        return tuple(item)

    def _flags(self, sets: Iterable[Iterable[Any]]) -> sparse.csr_array:
        found = [sorted(set().union(*(self._look_up(name) for name in names))) for names in sets]
        ends = np.concatenate([[0], np.cumsum([len(nodes) for nodes in found])])
        columns = np.array([v for nodes in found for v in nodes], np.int64)
        return from_rows(columns, ends, (len(found), self.hierarchy.n_nodes))

    def _look_up(self, name: Any) -> set[int]:
        """Return a label with all below it, or the labels of a saved set."""
        if name not in self.below:
            self.below[name] = self._find_below(name)
        return self.below[name]

    def _find_below(self, name: Any) -> set[int]:
        if not isinstance(name, str):
            raise TypeError(f"allowed: a label is a name; got {name!r}. {WAYS_TO_ALLOW}")
        if name in self.saved:
            return set().union(*(self._find_label(each) for each in self.saved[name]))
        return self._find_label(name)

    def _find_label(self, name: str) -> set[int]:
        if name not in self.hierarchy:
            n = f"the hierarchy of {self.hierarchy.n_nodes} labels"
            known = [*self.saved, *self.hierarchy.numbers]
            sets = f", nor among the saved sets {', '.join(map(repr, self.saved))}" if self.saved else ""
            raise UnknownLabelError(
                f"allowed has {name!r}, which is not in {n}{sets}.", [name], did_you_mean(name, known)
            )
        v = look_up(self.hierarchy, name)
        return {v, *self.hierarchy.descendants(v).tolist()}


def _is_collection(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping, Integral))


def _distinct(flags: Any, hierarchy: Hierarchy) -> tuple[sparse.csr_array, NDArray[np.int64]]:
    """Return the distinct rows of a matrix of flags, and which of them each row is."""
    if flags.shape[1] != hierarchy.n_nodes:
        raise ValueError(f"allowed has {flags.shape[1]} flags; the hierarchy has {hierarchy.n_nodes} nodes.")
    if flags.dtype != bool and not np.isin(flags.data if sparse.issparse(flags) else flags, (0, 1)).all():
        raise ValueError("allowed: flags must be 0 or 1, or True or False.")
    rows = as_bool(sparse.csr_array(flags))
    rows.sort_indices()
    known: dict[bytes, int] = {}
    first: list[int] = []
    of_row = np.empty(rows.shape[0], np.int64)
    for i in range(rows.shape[0]):
        key = rows.indices[rows.indptr[i] : rows.indptr[i + 1]].tobytes()
        of_row[i] = known.setdefault(key, len(known))
        if of_row[i] == len(first):
            first.append(i)
    return as_bool(rows[first]), of_row
