"""A tree to read: as indented text, as rules, as a picture, with the most probable labels of each node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from truepath import _kernels
from truepath.extras import import_extra
from truepath.learners.trees.vectors import node_vectors, parents_of

__all__ = ["export_rules", "export_text", "plot_tree"]


class _Reader:
    """Words for the nodes of one fitted tree."""

    def __init__(self, learner: Any, n_labels: int, feature_names: Any, decimals: int):
        self.tree = learner.tree_
        self.categories = learner.categories_
        self.strings = getattr(learner, "strings_", {})
        self.labels = learner.hierarchy_.names
        self.vectors = node_vectors(self.tree, len(self.labels))
        self.n_labels, self.decimals = n_labels, decimals
        if feature_names is None:
            feature_names = getattr(learner, "feature_names_in_", None)
        if feature_names is None:
            feature_names = [f"x{j}" for j in range(learner.n_features_in_)]
        if len(feature_names) != learner.n_features_in_:
            raise ValueError(f"feature_names has {len(feature_names)} names for {learner.n_features_in_} features.")
        self.names = feature_names

    def link(self, t: int, field: str) -> int:
        """Return one field of node t."""
        return int(self.tree.link[t, getattr(_kernels.trees.tree, field)])

    def is_leaf(self, t: int) -> bool:
        """Say whether node t is a leaf."""
        return self.link(t, "FEATURE") < 0

    def test(self, t: int) -> str:
        """Return the question of node t; the left child is for yes."""
        j = self.link(t, "FEATURE")
        if j in self.categories:
            inside = [self._category(j, value) for code, value in enumerate(self.categories[j]) if self._has(t, code)]
            return f"{self.names[j]} in {{{', '.join(inside)}}}"
        threshold = self.tree.number[t, _kernels.trees.tree.THRESHOLD]
        if np.isinf(threshold):
            return f"{self.names[j]} is {'missing' if threshold < 0 else 'known'}"
        return f"{self.names[j]} <= {threshold:.6g}"

    def _category(self, j: int, value: float) -> str:
        """Return a category as it was given: a word, or a number."""
        return self.strings[j][int(value)] if j in self.strings else f"{value:g}"

    def _has(self, t: int, code: int) -> bool:
        word = int(self.tree.categories[self.link(t, "CATEGORY_START") + code // 64])
        return bool(word >> (code % 64) & 1)

    def summary(self, t: int) -> str:
        """Return the weight of node t and its most probable labels; ties go to the smaller node number."""
        row = self.vectors[[t]].toarray()[0]
        best = [v for v in np.argsort(-row, kind="stable")[: self.n_labels].tolist() if row[v] > 0]
        labels = ", ".join(f"{self.labels[v]} {row[v]:.{self.decimals}f}" for v in best) or "no label"
        return f"weight {self.tree.number[t, _kernels.trees.tree.WEIGHT]:g}: {labels}"


def export_text(
    learner: Any,
    *,
    n_labels: int = 3,
    feature_names: Sequence[str] | None = None,
    max_depth: int | None = None,
    decimals: int = 2,
) -> str:
    """Return the tree as indented text, each leaf with its ``n_labels`` most probable labels."""
    reader = _Reader(learner, n_labels, feature_names, decimals)
    return "\n".join(_lines(reader, 0, 0, "", max_depth))


def _lines(reader: _Reader, t: int, depth: int, answer: str, max_depth: int | None) -> Iterator[str]:
    indent = "|   " * depth + answer
    if reader.is_leaf(t):
        yield indent + reader.summary(t)
    elif max_depth is not None and depth >= max_depth:
        yield f"{indent}... {reader.summary(t)}"
    else:
        yield indent + reader.test(t)
        yield from _lines(reader, reader.link(t, "LEFT"), depth + 1, "yes: ", max_depth)
        yield from _lines(reader, reader.link(t, "RIGHT"), depth + 1, "no: ", max_depth)


def export_rules(
    learner: Any, *, n_labels: int = 3, feature_names: Sequence[str] | None = None, decimals: int = 2
) -> list[str]:
    """Return one rule per leaf, heaviest leaf first."""
    reader = _Reader(learner, n_labels, feature_names, decimals)
    parent = parents_of(reader.tree)
    leaves = [t for t in range(len(parent)) if reader.is_leaf(t)]
    leaves.sort(key=lambda t: -reader.tree.number[t, _kernels.trees.tree.WEIGHT])
    return [f"if {_conditions(reader, parent, t)} then {reader.summary(t)}" for t in leaves]


def _conditions(reader: _Reader, parent: np.ndarray, t: int) -> str:
    """Return the conditions from the root to node t."""
    found = []
    while parent[t] >= 0:
        above = int(parent[t])
        is_yes = reader.link(above, "LEFT") == t
        found.append(reader.test(above) if is_yes else f"not ({reader.test(above)})")
        t = above
    return " and ".join(reversed(found)) or "true"


def plot_tree(
    learner: Any,
    *,
    n_labels: int = 3,
    feature_names: Sequence[str] | None = None,
    max_depth: int = 3,
    decimals: int = 2,
    ax: Any = None,
) -> Any:
    """Draw the tree down to ``max_depth`` with matplotlib; return the axes."""
    plt = import_extra("matplotlib.pyplot", "Drawing a tree", "report")

    reader = _Reader(learner, n_labels, feature_names, decimals)
    ax = plt.gca() if ax is None else ax
    places: dict[int, tuple[float, int]] = {}
    _place(reader, 0, 0, max_depth, places, [0.0])
    for t, (x, depth) in places.items():
        is_shown_inner = not reader.is_leaf(t) and reader.link(t, "LEFT") in places
        text = reader.summary(t).replace(": ", "\n").replace(", ", "\n")
        text = f"{reader.test(t)}\n{text}" if is_shown_inner else text
        ax.text(x, -depth, text, ha="center", va="center", fontsize=8, bbox={"boxstyle": "round", "fc": "white"})
        for side in ("LEFT", "RIGHT") if is_shown_inner else ():
            below = places[reader.link(t, side)]
            ax.plot([x, below[0]], [-depth, -below[1]], color="grey", zorder=0)
    ax.set_axis_off()
    return ax


def _place(reader: _Reader, t: int, depth: int, max_depth: int, places: dict, next_x: list[float]) -> None:
    """Set the leaves shown side by side and every inner node above the middle of its children."""
    if reader.is_leaf(t) or depth >= max_depth:
        places[t] = (next_x[0], depth)
        next_x[0] += 1.0
        return
    below = [reader.link(t, "LEFT"), reader.link(t, "RIGHT")]
    for child in below:
        _place(reader, child, depth + 1, max_depth, places, next_x)
    places[t] = (sum(places[child][0] for child in below) / 2, depth)
