"""What differs between two hierarchies, and what becomes of labels that were given under the old one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.hierarchy.matrices import as_bool
from truepath.hierarchy.propagation import drop_ancestors, raise_up

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy


@dataclass(frozen=True)
class HierarchyDiff:
    """The changes from one hierarchy to another; prints as a list.

    Attributes
    ----------
    old, new : Hierarchy
    added, removed : tuple of str
        Labels that are new, and labels that are gone.
    renamed : dict of str to str
        Old names and new ones.
    moved : dict of str to pair of tuples
        By the new name, the parents before and after, both by their new names.
    merged : dict of str to tuple of str
        By the new label, the old ones that it is made of.
    split : dict of str to tuple of str
        By the old label, the new ones in its place.
    """

    old: Hierarchy
    new: Hierarchy
    added: tuple[str, ...]
    removed: tuple[str, ...]
    renamed: dict[str, str]
    moved: dict[str, tuple[tuple[str, ...], tuple[str, ...]]]
    merged: dict[str, tuple[str, ...]]
    split: dict[str, tuple[str, ...]]

    @property
    def touched(self) -> NDArray[np.int64]:
        """The labels of the new hierarchy whose rows, or whose parents' rows, are others than before.

        They are what a model has to learn again at least, by what is known of the change. Rows that come with it may
        train other labels too; a model sees that when it is given the rows.
        """
        relabeled, edges = self.relabeled, self.new.edges
        found = relabeled.copy()
        found[self.new.indices(list(self.moved))] = True
        found[edges[relabeled[edges[:, 0]], 1]] = True
        return np.flatnonzero(found)

    @property
    def became(self) -> NDArray[np.int64]:
        """The new label that each old one has become, by number; -1 where it was removed or split."""
        names = {old: new for new, several in self.merged.items() for old in several} | self.renamed
        gone = {*self.removed, *self.split}
        stays = np.array([name not in gone for name in self.old.names], bool)
        found = np.full(self.old.n_nodes, -1, np.int64)
        found[stays] = self.new.indices([names.get(name, name) for name in self.old.names[stays].tolist()])
        return found

    @property
    def origin(self) -> NDArray[np.int64]:
        """The old label that each new one is, by number; -1 where it is none, several or a part of one."""
        became = self.became
        several = self.new.indices([*self.merged, *(part for parts in self.split.values() for part in parts)])
        found = np.full(self.new.n_nodes, -1, np.int64)
        found[became[became >= 0]] = np.flatnonzero(became >= 0)
        found[several] = -1
        return found

    @property
    def relabeled(self) -> NDArray[np.bool_]:
        """Whether each new label has, or may have, other rows than before.

        True where a label is not one old label; where rows that a label below it brought are no longer the same, since
        it moved, was merged or was split; and above labels that were added, whose rows may be new.
        """
        origin = self.origin
        found = origin < 0
        kept = np.flatnonzero(~found)
        before = raise_up(sparse.eye_array(self.old.n_nodes, dtype=bool, format="csr"), self.old)
        differs = sparse.coo_array(before[:, origin[kept]] != self._closed_map()[:, kept])
        found[kept[differs.col]] = True
        added = np.zeros((1, self.new.n_nodes), bool)
        added[0, self.new.indices(list(self.added))] = True
        return found | np.asarray(raise_up(added, self.new))[0]

    def carry_over(self, values: Any, of_new: Callable[[Any], Any]) -> Any:
        """Return values of the old labels, one each, as values of the new ones.

        Parameters
        ----------
        values : array, shape (n_old, ...)
        of_new : callable
            ``of_new(above)``: the value of a label that is not one old label, from those of its parents, shape
            (n_parents, ...); none at the top.

        Examples
        --------
        >>> from truepath import Hierarchy
        >>> diff = Hierarchy.from_paths(["a/1", "b"]).edit().add("a/2", "a").diff()
        >>> diff.new.names.tolist(), diff.carry_over([0.3, 0.2, 0.5], lambda above: above.max(initial=0.5)).tolist()
        (['a', 'a/1', 'b', 'a/2'], [0.3, 0.2, 0.5, 0.5])
        """
        values, origin = np.asarray(values), self.origin
        found = np.empty((self.new.n_nodes, *values.shape[1:]), values.dtype)
        for v in range(self.new.n_nodes):  # parents come before children
            found[v] = values[origin[v]] if origin[v] >= 0 else of_new(found[self.new.parents(v)])
        return found

    def transfer(self, Y: Any) -> Any:
        """Return labels that were given under the old hierarchy as labels of the new one, closed.

        The most specific labels of each row go over, and bring what is above them now. So a label that moved brings its
        new ancestors, not the old ones. A merged label becomes the new one. One that was removed leaves what was above
        it; one that was split leaves what is above all its parts, since the rows do not say to which they belong.

        Parameters
        ----------
        Y : array or sparse matrix of bool, shape (n_samples, n_old)
            Closed under ancestors.

        Returns
        -------
        Y : ndarray or csr_array of bool, shape (n_samples, n_new)

        Examples
        --------
        >>> from truepath import Hierarchy
        >>> h = Hierarchy.from_edges([(None, "animal"), ("plant", "coral"), ("plant", "oak")])
        >>> diff = h.edit().move("coral", "animal").diff()
        >>> diff.new.decode(diff.transfer(h.encode([["coral"], ["oak"], ["plant"]])), most_specific=False)
        [('animal', 'coral'), ('plant', 'oak'), ('plant',)]
        """
        is_sparse = sparse.issparse(Y)
        if (np.ndim(Y) != 2 and not is_sparse) or Y.shape[1] != self.old.n_nodes:
            raise ValueError(
                f"Y must have two dimensions, with a column for each of the old hierarchy's {self.old.n_nodes} labels; "
                f"got shape {np.shape(Y)}."
            )
        specific = drop_ancestors(sparse.csr_array(Y, dtype=bool), self.old)
        found = as_bool(specific.astype(np.int32) @ self._closed_map().astype(np.int32))
        return found if is_sparse else found.toarray()

    def label_map(self) -> sparse.csr_array:
        """Return the matrix with a 1 where an old label has become a new one."""
        became = self.became
        old = np.flatnonzero(became >= 0)
        entries = (np.ones(old.size, np.int64), (old, became[old]))
        return sparse.csr_array(entries, shape=(self.old.n_nodes, self.new.n_nodes))

    def _closed_map(self) -> sparse.csr_array:
        """Return the new labels, closed, of a row whose most specific label is each old one."""
        found = self.label_map().astype(bool).tolil()
        became = self.became
        for u in np.flatnonzero(became < 0):  # parents come before children
            found.rows[u] = self._left_by(int(u), found.rows)
            found.data[u] = [True] * len(found.rows[u])
        return sparse.csr_array(raise_up(sparse.csr_array(found, dtype=bool), self.new))

    def _left_by(self, u: int, left: Any) -> list[int]:
        """Return the new labels that an old label which is gone leaves: what is above all its parts, or was above it.

        ``left`` are those of the labels before it.
        """
        parts = self.split.get(str(self.old.names[u]))
        if parts:
            return sorted(set.intersection(*(set(self.new.ancestors(part).tolist()) for part in parts)))
        return sorted({v for parent in self.old.parents(u) for v in left[parent]})

    def __bool__(self) -> bool:
        parts = (self.added, self.removed, self.renamed, self.moved, self.merged, self.split)
        return any(map(bool, parts))

    def __str__(self) -> str:
        plain = {"added": self.added, "removed": self.removed}
        lines = [f"{what}: {', '.join(names)}" for what, names in plain.items() if names]
        lines += [f"renamed: {old} -> {new}" for old, new in self.renamed.items()]
        for name, (before, after) in self.moved.items():
            lines.append(f"moved: {name} from {', '.join(before) or 'the top'} to {', '.join(after) or 'the top'}")
        lines += [f"merged: {', '.join(several)} -> {new}" for new, several in self.merged.items()]
        lines += [f"split: {old} -> {', '.join(several)}" for old, several in self.split.items()]
        return "\n".join(lines) or "no change"

    def _repr_html_(self) -> str:
        """Return the list for notebooks."""
        return _table(str(self).splitlines())


def _table(lines: list[str]) -> str:
    """Return lines of "what: which" as a table."""
    cells = (line.partition(": ") for line in lines)
    rows = (
        f"<tr><th>{escape(what)}</th><td style='text-align:left'>{escape(rest)}</td></tr>" for what, _, rest in cells
    )
    return f"<table>{''.join(rows)}</table>"


class Sources(NamedTuple):
    """The old labels that a new one holds: all of some, a part of others."""

    whole: tuple[str, ...] = ()
    partly: tuple[str, ...] = ()


def compare_hierarchies(old: Hierarchy, new: Hierarchy, sources: Mapping[str, Sources] | None = None) -> HierarchyDiff:
    """Return what changed; ``sources`` are the old labels that each new one is made of, equal names by default."""
    if sources is None:
        sources = {name: Sources((name,) if name in old.numbers else ()) for name in new.names.tolist()}
    current = {known: name for name, source in sources.items() for known in source.whole}
    split: dict[str, tuple[str, ...]] = {}
    for name, source in sources.items():
        for known in source.partly:
            split[known] = (*split.get(known, ()), name)
    # a label that was merged with a part of another one is more than that one label
    merged = {name: source.whole for name, source in sources.items() if len(source.whole) > (not source.partly)}
    single = {name: source.whole[0] for name, source in sources.items() if source.whole and name not in merged}
    renamed = {before: name for name, before in single.items() if before != name}
    moved = {}
    for name, before in single.items():
        above = old.names[old.parents(before)].tolist()
        now = tuple(sorted(new.names[new.parents(name)]))
        if not all(u in current for u in above) or tuple(sorted(current[u] for u in above)) != now:
            moved[name] = (tuple(sorted(current.get(u, u) for u in above)), now)
    added = tuple(name for name, source in sources.items() if not (source.whole or source.partly))
    removed = tuple(name for name in old.names.tolist() if name not in current and name not in split)
    return HierarchyDiff(old, new, added, removed, renamed, moved, merged, split)
