"""What differs between two hierarchies, and what becomes of labels that were given under the old one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.hierarchy.propagation import raise_up

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

__all__ = ["HierarchyDiff", "compare_hierarchies"]


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
        """The labels of the new hierarchy whose examples or neighbours changed: what a model has to learn again."""
        names = {*self.added, *self.merged, *self.moved, *(new for several in self.split.values() for new in several)}
        return np.sort(self.new.indices(sorted(names))) if names else np.empty(0, np.int64)

    def transfer(self, Y: Any) -> Any:
        """Return labels that were given under the old hierarchy as labels of the new one, closed.

        Rows with a merged label have the new one; a removed label leaves its ancestors; so does one that was split,
        since the rows do not say which part they belong to.
        """
        Y = sparse.csr_array(Y, dtype=bool) if sparse.issparse(Y) else np.asarray(Y, bool)
        change = self.label_map()
        found = sparse.csr_array(Y.astype(np.int64) @ change) if sparse.issparse(Y) else Y @ change.toarray()
        return raise_up(found.astype(bool), self.new)

    def label_map(self) -> sparse.csr_array:
        """Return the matrix with a 1 where an old label has become a new one."""
        back = {old: new for new, several in self.merged.items() for old in several} | self.renamed
        gone = {*self.removed, *self.split}
        pairs = [(v, back.get(name, name)) for v, name in enumerate(self.old.names.tolist()) if name not in gone]
        rows, columns = [v for v, _ in pairs], self.new.indices([name for _, name in pairs])
        shape = (self.old.n_nodes, self.new.n_nodes)
        return sparse.csr_array((np.ones(len(rows), np.int64), (rows, columns)), shape=shape)

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
        origin = {name: (name,) if name in old._index else () for name in new.names.tolist()}
    split = {} if split is None else dict(split)
    parts = {part for several in split.values() for part in several}
    current = {known: name for name, several in origin.items() for known in several}
    merged = {name: several for name, several in origin.items() if len(several) > 1}
    single = {name: several[0] for name, several in origin.items() if len(several) == 1}
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
