"""Drawing a cutset network: its OR tree, and on request the label tree of one leaf with the features hanging from it.

Needs matplotlib (``pip install "truepath[report]"``), imported on first use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from truepath.extras import import_extra
from truepath.learners.cutset.structure import Leaf, LeafTree, OrNode, list_leaves

_BOX = {"boxstyle": "round,pad=0.35", "linewidth": 1.0}
_OR = {**_BOX, "facecolor": "#dbe9f6", "edgecolor": "#3b6ea5"}
_LEAF = {**_BOX, "facecolor": "#f4f1e8", "edgecolor": "#8a7f63"}
_LABEL = {**_BOX, "facecolor": "#e2f0e0", "edgecolor": "#4f8a4b"}
_FEATURE = {**_BOX, "facecolor": "#dbe9f6", "edgecolor": "#3b6ea5", "pad": 0.2}


def plot_cutset_network(
    model: Any, leaf: int | None = None, *, feature_names: Sequence[str] = (), max_features: int = 3, ax: Any = None
) -> Any:
    """Draw the OR tree of a fitted network, or the tree inside one of its leaves.

    Parameters
    ----------
    model : fitted ChowLiuTree, CutsetNetwork or RestrictedCutsetNetwork
    leaf : int, optional
        Draw the label tree of this leaf (numbered from the left, 0 first) instead of the OR tree.
    feature_names : sequence of str, optional
        Otherwise ``model.feature_names_in_``, or "x0", "x1", ...
    max_features : int, default=3
        In a leaf: how many of a label's features are named below it, those that depend on it most.
    ax : matplotlib axes, optional

    Returns
    -------
    ax : matplotlib axes
    """
    plt = import_extra("matplotlib.pyplot", "Drawing a network", "report")

    ax = plt.subplots(figsize=(8, 4.5))[1] if ax is None else ax
    names = _variable_names(model, feature_names)
    leaves = list(list_leaves(model.network_))
    if leaf is None:
        _draw_or_tree(ax, model.network_, names)
    elif 0 <= leaf < len(leaves):
        _draw_leaf(ax, leaves[leaf], names, model.hierarchy_.n_nodes, max_features)
    else:
        raise ValueError(f"leaf must be between 0 and {len(leaves) - 1}, the network has {len(leaves)}; got {leaf}.")
    ax.set_axis_off()
    ax.margins(0.12)
    return ax


def _variable_names(model: Any, feature_names: Sequence[str]) -> list[str]:
    """Return the names of all variables, labels first."""
    given = feature_names if len(feature_names) else getattr(model, "feature_names_in_", ())
    features = list(map(str, given)) if len(given) else [f"x{j}" for j in range(model.n_features_in_)]
    return [*map(str, model.hierarchy_.names), *features]


def _write(ax: Any, x: float, y: float, text: str, box: Mapping[str, Any], size: float = 9) -> None:
    ax.text(x, y, text, ha="center", va="center", fontsize=size, bbox=box, zorder=2)


def _draw_or_tree(ax: Any, root: OrNode | LeafTree, names: Sequence[str]) -> None:
    """Place leaves side by side and every OR node above the middle of its children."""
    next_leaf = 0

    def place(node: OrNode | LeafTree, depth: int) -> float:
        nonlocal next_leaf
        if isinstance(node, LeafTree):
            x, next_leaf = float(next_leaf), next_leaf + 1
            _write(ax, x, -depth, f"leaf {next_leaf - 1}\n{node.n_samples} rows", _LEAF)
            return x
        places = [place(child, depth + 1) for child in node.children]
        x = float(np.mean(places))
        for state, below in enumerate(places):
            ax.plot([x, below], [-depth, -depth - 1], color="0.6", zorder=1)
            share = f"{state}: {np.exp(node.log_weights[state]):.2f}"
            ax.text((x + below) / 2, -depth - 0.5, share, fontsize=8, ha="center", backgroundcolor="white")
        _write(ax, x, -depth, names[node.variable], _OR)
        return x

    place(root, 0)


def _draw_leaf(ax: Any, leaf: Leaf, names: Sequence[str], n_labels: int, max_features: int) -> None:
    """Draw the tree over the labels; under each label its most dependent features in one box."""
    tree = leaf.tree
    is_label = tree.variables < n_labels
    below = {int(v): [int(w) for w in np.flatnonzero(tree.parent == v)] for v in range(tree.variables.size)}
    strength = _dependence(tree)
    next_place = 0.0

    def place(v: int, depth: int) -> float:
        nonlocal next_place
        inner = [w for w in below[v] if is_label[w] or below[w]]
        features = sorted((w for w in below[v] if w not in inner), key=lambda w: -strength[w])
        places = [place(w, depth + 1) for w in inner]
        if not places:
            next_place += 1.0
        x = float(np.mean(places)) if places else next_place
        for w in places:
            ax.plot([x, w], [-depth, -depth - 1], color="0.6", zorder=1)
        text = names[tree.variables[v]]
        if features and max_features:
            shown = [names[tree.variables[w]] for w in features[:max_features]]
            more = len(features) - len(shown)
            text += "\n" + "\n".join(f"· {name}" for name in shown) + (f"\n… {more} more" if more else "")
        _write(ax, x, -depth, text, _LABEL if is_label[v] else _FEATURE, size=8)
        return x

    place(int(tree.order[0]), 0)
    given = ", ".join(f"{names[variable]} = {state}" for variable, state in leaf.path) or "all rows"
    ax.set_title(f"leaf: {given} ({tree.n_samples} rows)", fontsize=10)


def _dependence(tree: LeafTree) -> np.ndarray:
    """Return how far each variable's tables differ between its parent's states (total variation of first and last)."""
    tables = np.exp(tree.factors)
    last = np.where(tree.parent >= 0, tree.n_states[np.maximum(tree.parent, 0)] - 1, 0)
    return np.abs(tables[np.arange(last.size), last] - tables[:, 0]).sum(axis=1) / 2
