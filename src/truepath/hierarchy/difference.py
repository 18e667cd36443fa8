"""What differs between two hierarchies, and what becomes of labels that were given under the old one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.hierarchy.propagation import raise_up

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
        """The labels of the new hierarchy whose rows or parents changed: what a model has to learn again at least."""
        return np.flatnonzero(self.relabeled | self._is_moved)

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
        """Whether each new label has other rows than before.

        True where a label is not one old label, and above a label that moved: labels that are now above it have gained
        its rows, those no longer above it have lost them. Labels that only passed a part of their rows to a new label
        below them still have these rows.
        """
        became, origin = self.became, self.origin
        found = origin < 0
        ways = [(int(origin[v]), int(v)) for v in np.flatnonzero(self._is_moved)]
        for kind in (self.merged.items(), ((part, [old]) for old, parts in self.split.items() for part in parts)):
            ways += [(self.old.index(old), self.new.index(name)) for name, several in kind for old in several]
        for before, after in ways:
            above = became[self.old.ancestors(before)]
            found[np.setxor1d(above[above >= 0], self.new.ancestors(after))] = True
        return found

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

    def relearned(self, depends_on: Callable[[Hierarchy, int], Any]) -> NDArray[np.int64]:
        """Return the labels of the new hierarchy whose training rows changed, and those ``touched``.

        Parameters
        ----------
        depends_on : callable
            ``depends_on(hierarchy, v)`` are the labels other than v whose rows decide which rows train label v: its
            parents, for instance, if it is trained on their rows.

        Examples
        --------
        >>> from truepath import Hierarchy
        >>> diff = Hierarchy.from_paths(["a/1", "b"]).edit().merge(["a", "b"], "a").diff()
        >>> diff.new.names[diff.touched], diff.new.names[diff.relearned(lambda h, v: h.parents(v))]
        (array(['a'], dtype=object), array(['a', 'a/1'], dtype=object))
        """
        became, origin, relabeled = self.became, self.origin, self.relabeled
        found = relabeled | self._is_moved
        for v in np.flatnonzero(~found).tolist():
            before = np.sort(became[np.asarray(depends_on(self.old, int(origin[v])), np.int64)])
            after = np.sort(np.asarray(depends_on(self.new, v), np.int64))
            found[v] = not np.array_equal(before, after) or relabeled[after].any()
        return np.flatnonzero(found)

    @property
    def _is_moved(self) -> NDArray[np.bool_]:
        is_moved = np.zeros(self.new.n_nodes, bool)
        is_moved[self.new.indices(list(self.moved))] = True
        return is_moved

    def transfer(self, Y: Any) -> Any:
        """Return labels that were given under the old hierarchy as labels of the new one, closed.

        Rows with a merged label have the new one; a removed label leaves its ancestors; so does one that was split,
        since the rows do not say which part they belong to. A label that moved leaves its old ancestors too: closed
        rows do not say whether they had these for its sake alone.
        """
        Y = sparse.csr_array(Y, dtype=bool) if sparse.issparse(Y) else np.asarray(Y, bool)
        return raise_up((Y.astype(np.int64) @ self.label_map()).astype(bool), self.new)

    def label_map(self) -> sparse.csr_array:
        """Return the matrix with a 1 where an old label has become a new one."""
        became = self.became
        old = np.flatnonzero(became >= 0)
        entries = (np.ones(old.size, np.int64), (old, became[old]))
        return sparse.csr_array(entries, shape=(self.old.n_nodes, self.new.n_nodes))

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


def compare_hierarchies(
    old: Hierarchy,
    new: Hierarchy,
    origin: Mapping[str, tuple[str, ...]] | None = None,
    split: Mapping[str, tuple[str, ...]] | None = None,
) -> HierarchyDiff:
    """Return what changed; ``origin`` are the old labels that each new one is made of, equal names by default."""
    if origin is None:
        origin = {name: (name,) if name in old.numbers else () for name in new.names.tolist()}
    split = {} if split is None else dict(split)
    parts = {part for several in split.values() for part in several}
    current = {known: name for name, several in origin.items() for known in several}
    # a label that was merged with a part of another one is more than that one label
    merged = {name: several for name, several in origin.items() if len(several) > (name not in parts)}
    single = {name: several[0] for name, several in origin.items() if len(several) == 1 and name not in parts}
    renamed = {before: name for name, before in single.items() if before != name}
    moved = {}
    for name, before in single.items():
        above = tuple(sorted(current.get(u, u) for u in old.names[old.parents(before)]))
        now = tuple(sorted(new.names[new.parents(name)]))
        if above != now:
            moved[name] = (above, now)
    added = tuple(name for name, several in origin.items() if not several and name not in parts)
    removed = tuple(name for name in old.names.tolist() if name not in current and name not in split)
    return HierarchyDiff(old, new, added, removed, renamed, moved, merged, split)
