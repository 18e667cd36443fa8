"""Made-up hierarchical problems of any size and shape, the same bits for the same seed.

A hierarchy is grown at random; every node has a prototype, a Gaussian vector; an instance is the mean of its most
specific labels' path sums (prototype of the label plus those of its ancestors, weighted down with depth so that top
levels are easier than deep ones) plus noise. So the features depend on the labels, and siblings are alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import NDArray
from scipy import sparse as sp

from truepath.data.dataset import Dataset
from truepath.data.readers.base import make_dataset, split_of_labels
from truepath.data.split import Split
from truepath.hierarchy import Hierarchy
from truepath.resampling import as_generator


def make_hmc(
    n_samples: int = 500,
    n_features: int = 20,
    n_nodes: int = 30,
    *,
    depth: int = 4,
    branching: int = 4,
    dag: bool | float = False,
    labels_per_sample: float = 1.5,
    partial: float = 0.2,
    unlabeled: float = 0.0,
    noise: float = 1.0,
    missing: float = 0.0,
    sparse: bool | float = False,
    fractions: tuple[float, float, float] = (0.6, 0.2, 0.2),
    hierarchy: Hierarchy | None = None,
    random_state: int | RandomState | Generator | None = None,
) -> Dataset:
    """Make a random hierarchical multi-label problem whose features depend on its labels.

    Parameters
    ----------
    n_samples, n_features, n_nodes : int
        Sizes of the whole data set and of the hierarchy.
    depth : int, default=4
        The longest path from the top; reached if ``n_nodes`` and ``branching`` allow.
    branching : int, default=4
        The largest number of children a node gets when the tree is grown; the top level takes what is left over.
    dag : bool or float, default=False
        The share of the nodes below the top that get a second parent; True means 0.3.
    labels_per_sample : float, default=1.5
        The mean number of most specific labels of an instance (one at least, the rest Poisson).
    partial : float, default=0.2
        The share of the labels drawn that stop at an inner node instead of a leaf.
    unlabeled : float, default=0.0
        The share of instances without any label.
    noise : float, default=1.0
        The standard deviation of the Gaussian noise on the features; a node's prototype has 1 per feature.
    missing : float, default=0.0
        The share of feature values replaced by NaN (dense features only).
    sparse : bool or float, default=False
        Make ``X`` a CSR matrix of non-negative values in which this share is not zero; True means 0.1.
    fractions : tuple of three floats, default=(0.6, 0.2, 0.2)
        The shares of train, valid and test (in the order of generation: the rows are independent).
    hierarchy : Hierarchy, optional
        Use this one; ``n_nodes``, ``depth``, ``branching`` and ``dag`` are then not used.
    random_state : int, RandomState, Generator or None
        The same int gives the same bits.

    Returns
    -------
    ds : Dataset
        With the splits train, valid and test.

    Examples
    --------
    >>> ds = make_hmc(n_samples=100, n_nodes=12, random_state=0)
    >>> ds
    Dataset('made': train 60, valid 20, test 20; 20 features, 12 labels)
    >>> ds.hierarchy.is_closed(ds.train.y)
    True
    """
    _check_sizes(n_samples=n_samples, n_features=n_features, n_nodes=n_nodes, depth=depth, branching=branching)
    _check_shares(partial=partial, unlabeled=unlabeled, missing=missing, dag=dag, sparse=sparse)
    rng = as_generator(random_state)
    if hierarchy is None:
        hierarchy = make_hierarchy(n_nodes, depth=depth, branching=branching, dag=dag, random_state=rng)
    written = _draw_labels(hierarchy, n_samples, labels_per_sample, partial, unlabeled, rng)
    X: Any = _draw_features(hierarchy, written, n_features, noise, rng)
    if sparse:
        X = _sparsify(X, 0.1 if sparse is True else sparse)
    elif missing:
        X[rng.random(X.shape) < missing] = np.nan
    whole = split_of_labels(X, written, hierarchy)
    names = [f"x{j}" for j in range(n_features)]
    return make_dataset("made", hierarchy, _cut(whole, fractions), names, provenance={"made by": "make_hmc"})


def make_hierarchy(
    n_nodes: int,
    *,
    depth: int = 4,
    branching: int = 4,
    dag: bool | float = False,
    random_state: int | RandomState | Generator | None = None,
) -> Hierarchy:
    """Grow a random tree of ``n_nodes`` nodes, or a DAG if ``dag`` asks for second parents.

    Examples
    --------
    >>> make_hierarchy(20, depth=3, random_state=0).height
    3
    """
    _check_sizes(n_nodes=n_nodes, depth=depth, branching=branching)
    rng = as_generator(random_state)
    parents, levels = _grow_tree(n_nodes, depth, branching, rng)
    level = np.array(levels)
    share = 0.3 if dag is True else float(dag)
    nodes_of_level = [np.flatnonzero(level == j) for j in range(depth + 1)]
    for v in range(n_nodes):
        above = nodes_of_level[level[v] - 1]
        above = above[above != (parents[v] or [-1])[0]]
        if parents[v] and above.size and rng.random() < share:
            parents[v].append(int(rng.choice(above)))  # from the level above, so no cycle and the same depth
    return Hierarchy.from_parents([p or -1 for p in parents], names=[f"n{v}" for v in range(n_nodes)])


def _grow_tree(n_nodes: int, depth: int, branching: int, rng: Generator) -> tuple[list[list[int]], list[int]]:
    """Lay one path of full depth, then hang each further node below a node that may have more, or at the top.

    Returns the parents of each node, one or none, and its level.
    """
    spine = min(depth, n_nodes)
    parents: list[list[int]] = [[v - 1] if v else [] for v in range(spine)]
    level, n_children = list(range(1, spine + 1)), [1] * (spine - 1) + [0]
    room = [u for u in range(spine) if level[u] < depth and n_children[u] < branching]
    for v in range(spine, n_nodes):
        choice = int(rng.integers(-max(1, len(room) // 4), len(room)))
        parents.append([room[choice]] if choice >= 0 else [])
        level.append(level[room[choice]] + 1 if choice >= 0 else 1)
        n_children.append(0)
        if choice >= 0:
            n_children[room[choice]] += 1
            if n_children[room[choice]] == branching:
                del room[choice]
        if level[v] < depth:
            room.append(v)
    return parents, level


def _draw_labels(
    hierarchy: Hierarchy, n_samples: int, labels_per_sample: float, partial: float, unlabeled: float, rng: Generator
) -> sp.csr_array[Any]:
    if labels_per_sample < 1:
        raise ValueError(f"labels_per_sample must be at least 1, not {labels_per_sample}; use unlabeled= for none.")
    inner, leaves = np.flatnonzero(~hierarchy.is_leaf), np.flatnonzero(hierarchy.is_leaf)
    counts = 1 + rng.poisson(labels_per_sample - 1, n_samples)
    counts[rng.random(n_samples) < unlabeled] = 0
    total = int(counts.sum())
    stops = rng.random(total) < (partial if inner.size else 0.0)
    chosen = leaves[rng.integers(0, leaves.size, total)]
    if inner.size:
        chosen = np.where(stops, inner[rng.integers(0, inner.size, total)], chosen)
    rows = np.repeat(np.arange(n_samples), counts)
    keys = np.unique(rows * hierarchy.n_nodes + chosen)  # a label drawn twice counts once
    cells = (keys // hierarchy.n_nodes, keys % hierarchy.n_nodes)
    return sp.csr_array((np.ones(keys.size, bool), cells), shape=(n_samples, hierarchy.n_nodes))


def _draw_features(
    hierarchy: Hierarchy, written: sp.csr_array[Any], n_features: int, noise: float, rng: Generator
) -> NDArray[np.float64]:
    prototypes = rng.standard_normal((hierarchy.n_nodes, n_features))
    prototypes /= np.sqrt(hierarchy.depth)[:, None]  # deeper labels shift the features less
    paths = prototypes.copy()
    for v in range(hierarchy.n_nodes):  # parents come first: the sum of a path grows downwards
        for u in hierarchy.parents(v):
            paths[v] += paths[u] / len(hierarchy.parents(v))
    counts = np.maximum(np.diff(written.indptr), 1)
    means = np.zeros((written.shape[0], n_features))
    np.add.at(means, np.repeat(np.arange(written.shape[0]), np.diff(written.indptr)), paths[written.indices])
    return means / counts[:, None] + noise * rng.standard_normal(means.shape)


def _sparsify(X: NDArray[np.float64], share: float) -> sp.csr_array[Any]:
    """Keep the largest values, as their distance above the cut."""
    cut = np.quantile(X, 1 - share)
    return sp.csr_array(np.maximum(X - cut, 0.0))


def _cut(whole: Split, fractions: tuple[float, float, float]) -> Mapping[str, Split]:
    if len(fractions) != 3 or min(fractions) < 0 or abs(sum(fractions) - 1) > 1e-6:
        raise ValueError(f"fractions must be three shares that add up to 1, not {fractions}.")
    ends = np.round(np.cumsum((0.0, *fractions)) * len(whole)).astype(int)
    rows = np.arange(len(whole))
    parts = zip(("train", "valid", "test"), ends[:-1], ends[1:])
    return {name: whole.take(rows[start:end]) for name, start, end in parts if end > start}


def _check_sizes(**sizes: int) -> None:
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} must be at least 1, not {size}.")


def _check_shares(**shares: float) -> None:
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise ValueError(f"{name} must be between 0 and 1, not {share}.")
