"""A tree to read: as indented text, as rules, as a picture, with the most probable labels of each node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from truepath._kernels.trees.arrays import CATEGORY_START, FEATURE, LEFT, RIGHT, THRESHOLD, WEIGHT, Tree
from truepath.extras import import_extra
from truepath.learners.trees.vectors import node_vectors, parents_of


class ReadableTree:
    """Mixed into a learner of one tree."""

    tree_: Tree

    def export_text(
        self,
        *,
        n_labels: int = 3,
        feature_names: Sequence[str] | None = None,
        max_depth: int | None = None,
        decimals: int = 2,
    ) -> str:
        """Return the tree as indented text, each leaf with its ``n_labels`` most probable labels."""
        reader = _Reader(self, n_labels, feature_names, decimals)
        return "\n".join(_lines(reader, 0, 0, "", np.inf if max_depth is None else max_depth))

    def export_rules(
        self, *, n_labels: int = 3, feature_names: Sequence[str] | None = None, decimals: int = 2
    ) -> list[str]:
        """Return one rule per leaf, heaviest first: the conditions on the way to it, and its most probable labels."""
        reader = _Reader(self, n_labels, feature_names, decimals)
        parent = parents_of(self.tree_)
        leaves = [t for t in range(len(parent)) if reader.is_leaf(t)]
        leaves.sort(key=lambda t: -self.tree_.number[t, WEIGHT])
        return [f"if {_conditions(reader, parent, t)} then {reader.summary(t)}" for t in leaves]

    def plot_tree(
        self, *, n_labels: int = 3, feature_names: Sequence[str] | None = None, max_depth: int = 3, ax: Any = None
    ) -> Any:
        """Draw the tree down to ``max_depth`` with the most probable labels of each node; return matplotlib's axes."""
        plt = import_extra("matplotlib.pyplot", "Drawing a tree", "report")

        reader = _Reader(self, n_labels, feature_names, decimals=2)
        ax = plt.gca() if ax is None else ax
        places: dict[int, tuple[float, int]] = {}
        _place(reader, 0, 0, max_depth, places, [0.0])
        for t, (x, depth) in places.items():
            shown = [places[child] for child in reader.children(t) if child in places]
            text = reader.summary(t).replace(": ", "\n").replace(", ", "\n")
            text = f"{reader.test(t)}\n{text}" if shown else text
            ax.text(x, -depth, text, ha="center", va="center", fontsize=8, bbox={"boxstyle": "round", "fc": "white"})
            for below in shown:
                ax.plot([x, below[0]], [-depth, -below[1]], color="grey", zorder=0)
        ax.set_axis_off()
        return ax


class _Reader:
    """Words for the nodes of one fitted tree."""

    def __init__(self, learner: Any, n_labels: int, feature_names: Any, decimals: int):
        check_is_fitted(learner, "tree_")
        self.tree = learner.tree_
        self.categories = learner.categories_
        self.strings = getattr(learner, "strings_", {})
        self.labels = learner.hierarchy_.names
        self.vectors = node_vectors(self.tree, len(self.labels))
        self.n_labels, self.decimals = n_labels, decimals
        if feature_names is None:
            unnamed = [f"x{j}" for j in range(learner.n_features_in_)]
            feature_names = getattr(learner, "feature_names_in_", unnamed)
        if len(feature_names) != learner.n_features_in_:
            raise ValueError(f"feature_names has {len(feature_names)} names for {learner.n_features_in_} features.")
        self.names = feature_names

    def is_leaf(self, t: int) -> bool:
        """Say whether node t is a leaf."""
        return bool(self.tree.link[t, FEATURE] < 0)

    def children(self, t: int) -> list[int]:
        """Return the children of node t, that for yes first."""
        return self.tree.link[t, [LEFT, RIGHT]].tolist()

    def test(self, t: int) -> str:
        """Return the question of node t; the left child is for yes."""
        j = int(self.tree.link[t, FEATURE])
        if j in self.categories:
            inside = [self._category(j, value) for code, value in enumerate(self.categories[j]) if self._has(t, code)]
            return f"{self.names[j]} in {{{', '.join(inside)}}}"
        threshold = self.tree.number[t, THRESHOLD]
        if np.isinf(threshold):
            return f"{self.names[j]} is {'missing' if threshold < 0 else 'known'}"
        return f"{self.names[j]} <= {threshold:.6g}"

    def _category(self, j: int, value: float) -> str:
        """Return a category as it was given: a word, or a number."""
        return self.strings[j][int(value)] if j in self.strings else f"{value:g}"

    def _has(self, t: int, code: int) -> bool:
        word = int(self.tree.categories[self.tree.link[t, CATEGORY_START] + code // 64])
        return bool(word >> (code % 64) & 1)

    def summary(self, t: int) -> str:
        """Return the weight of node t and its most probable labels; ties go to the smaller node number."""
        row = self.vectors[[t]].toarray()[0]
        best = [v for v in np.argsort(-row, kind="stable")[: self.n_labels].tolist() if row[v] > 0]
        labels = ", ".join(f"{self.labels[v]} {row[v]:.{self.decimals}f}" for v in best) or "no label"
        return f"weight {self.tree.number[t, WEIGHT]:g}: {labels}"


def _lines(reader: _Reader, t: int, depth: int, answer: str, max_depth: float) -> Iterator[str]:
    indent = "|   " * depth + answer
    if reader.is_leaf(t):
        yield indent + reader.summary(t)
    elif depth >= max_depth:
        yield f"{indent}... {reader.summary(t)}"
    else:
        yield indent + reader.test(t)
        for child, own_answer in zip(reader.children(t), ("yes: ", "no: ")):
            yield from _lines(reader, child, depth + 1, own_answer, max_depth)


def _conditions(reader: _Reader, parent: np.ndarray, t: int) -> str:
    """Return the conditions from the root to node t."""
    found = []
    while parent[t] >= 0:
        above = int(parent[t])
        is_yes = reader.children(above)[0] == t
        found.append(reader.test(above) if is_yes else f"not ({reader.test(above)})")
        t = above
    return " and ".join(reversed(found)) or "true"


def _place(reader: _Reader, t: int, depth: int, max_depth: int, places: dict, next_x: list[float]) -> None:
    """Set the leaves shown side by side and every inner node above the middle of its children."""
    if reader.is_leaf(t) or depth >= max_depth:
        places[t] = (next_x[0], depth)
        next_x[0] += 1.0
        return
    below = reader.children(t)
    for child in below:
        _place(reader, child, depth + 1, max_depth, places, next_x)
    places[t] = (sum(places[child][0] for child in below) / 2, depth)
