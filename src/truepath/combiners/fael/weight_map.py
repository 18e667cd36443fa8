"""The heat map of FAEL's weights among the nodes of a sub-hierarchy (Figure 1 of the paper)."""

from __future__ import annotations

from typing import Any

import numpy as np

from truepath.combiners.fael.weights import Weights
from truepath.extras import import_extra
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.names import short_name

# Up to this many nodes the numbers fit into the cells, and the names beside them
READABLE_CELLS, READABLE_NAMES = 12, 60
# Longer names are cut; what may separate a parent's name from the rest of a path
LONGEST_NAME = 28
# Where a cell is darker than this share of the scale its number is written in white
DARK = 0.6


def draw_weights(
    weights: Weights, hierarchy: Hierarchy, nodes: Any, source: int, ax: Any, annotate: bool | None
) -> Any:
    """Draw W[nodes, nodes] and return the Axes."""
    plt = import_extra("matplotlib.pyplot", "Drawing weights", "report")

    chosen = _resolve(hierarchy, nodes)
    offset = source * hierarchy.n_nodes
    if not 0 <= offset < weights.shape[0]:
        raise ValueError(f"source must be below {weights.shape[0] // hierarchy.n_nodes}; got {source}.")
    W = weights.block(chosen + offset, chosen)
    if ax is None:
        side = float(np.clip(2.6 + 0.42 * chosen.size, 4.0, 12.0))
        _, ax = plt.subplots(figsize=(side + 1.4, side), layout="constrained")
    limit = float(np.abs(W).max()) or 1.0
    image = ax.imshow(W, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="equal")
    ax.figure.colorbar(image, ax=ax, shrink=0.8, label="weight")
    _label(ax, hierarchy, chosen)
    if chosen.size <= READABLE_CELLS if annotate is None else annotate:
        for (p, k), value in np.ndenumerate(W):
            color = "white" if abs(value) > DARK * limit else "black"
            ax.text(k, p, f"{round(float(value), 2) + 0.0:.2f}", ha="center", va="center", color=color, fontsize=7)
    return ax


def _resolve(hierarchy: Hierarchy, nodes: Any) -> np.ndarray:
    """Return node numbers: all, a node with its descendants, or those listed, in the order of a walk down."""
    if nodes is None:
        listed = set(range(hierarchy.n_nodes))
    elif isinstance(nodes, str):
        listed = {hierarchy.index(nodes), *hierarchy.descendants(nodes).tolist()}
    else:
        return np.array([hierarchy.index(v) if isinstance(v, str) else int(v) for v in nodes], np.int64)
    order: list[int] = []
    stack = [v for v in sorted(listed, reverse=True) if not listed & set(hierarchy.parents(v).tolist())]
    while stack:  # depth first, so that a node's subtree is next to it
        v = stack.pop()
        if v in listed:
            listed.discard(v)
            order.append(v)
            stack += [c for c in hierarchy.children(v)[::-1].tolist() if c in listed]
    return np.array(order, np.int64)


def _label(ax: Any, hierarchy: Hierarchy, nodes: np.ndarray) -> None:
    """Name rows and columns where the names fit."""
    ax.set_xlabel("global score of")
    ax.set_ylabel("local score of")
    if nodes.size > READABLE_NAMES:
        ax.set_xticks([])
        ax.set_yticks([])
        return
    names = _short_names(hierarchy, nodes)
    size = 9 if nodes.size <= 30 else 6
    ax.set_xticks(range(nodes.size), names, rotation=60, ha="left", rotation_mode="anchor", fontsize=size)
    ax.set_yticks(range(nodes.size), names, fontsize=size)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")


def _short_names(hierarchy: Hierarchy, nodes: np.ndarray) -> list[str]:
    """Return names without their parents' in front, a dot for each level below the highest shown; long ones are cut."""
    top = hierarchy.depth[nodes].min() if nodes.size else 0
    names = []
    for v in nodes:
        name, level = str(hierarchy.names[v]), int(hierarchy.depth[v] - top)
        name = short_name(hierarchy, int(v)) if level else name
        names.append("· " * level + (name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"))
    return names
