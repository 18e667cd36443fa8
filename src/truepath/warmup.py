"""Compile the kernels before anyone waits for them: fit and ask small models of every sort that is in common use.

numba compiles a kernel for the types that it is first called with and keeps the result in a folder. The data made here
have the types that real data have, whatever their size, so that a later process finds everything compiled.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from truepath import metrics
from truepath._kernels.trees import build
from truepath.adapters.parallel import iterate_parallel
from truepath.classifier import HierarchicalClassifier
from truepath.errors import TruePathError
from truepath.hierarchy import Hierarchy
from truepath.registry import DECODERS, LEARNERS

__all__ = ["Warmed", "cache_folder", "warm_up"]

N_ROWS = 60


class Warmed(NamedTuple):
    """What was done: how many functions were compiled, the seconds that took, and where they are kept."""

    n_compiled: int
    seconds: float
    folder: str


class _Made(NamedTuple):
    """Rows with labels, and scores for them, in a tree or a DAG."""

    hierarchy: Hierarchy
    X: np.ndarray
    Y: np.ndarray
    names: list[list[str]]
    S: np.ndarray


def cache_folder() -> str:
    """Return the folder that numba keeps the compiled kernels of trees in, one of several beside each other.

    Raises
    ------
    TruePathError
        If there is no folder that numba may write to.
    """
    kernel: Any = build.build_tree
    folder: str | None = kernel.stats.cache_path
    if folder is None:
        raise TruePathError(
            "compiled kernels cannot be kept: numba may write neither beside the package nor in the user's cache.",
            "Set the environment variable NUMBA_CACHE_DIR to a folder that can be written, here and where models run.",
        )
    return folder


def warm_up(on_progress: Callable[[float, float | None, str], None] | None = None, n_jobs: int | None = None) -> Warmed:
    """Compile what common models need, so that a first fit or prediction does not have to wait for it.

    Parameters
    ----------
    on_progress : callable, optional
        Called with the number of steps done, of all, and what the last one done was about.
    n_jobs : int, optional
        Number of processes that compile at the same time, as in joblib; -1 for all cores. A function that two of them
        need at once is compiled twice, so that two take a bit more than half the time of one.

    Returns
    -------
    Warmed
        A second call in the same environment compiles nothing.

    Examples
    --------
    >>> from truepath.warmup import warm_up
    >>> warm_up().n_compiled  # doctest: +SKIP
    229
    """
    folder, start = cache_folder(), time.perf_counter()
    names, n_compiled = list(_steps()), 0
    show = on_progress or (lambda *_: None)
    show(0, len(names), "")
    cases = [(name,) for name in names]
    steps = iterate_parallel(_take_step, cases, n_jobs=n_jobs, prefer="processes", in_order=False)
    for done, (name, n) in enumerate(steps, 1):
        show(done, len(names), name)
        n_compiled += n
    return Warmed(n_compiled, time.perf_counter() - start, folder)


def _take_step(name: str) -> tuple[str, int]:
    """Take a step; return its name and how many functions it compiled."""
    from numba.core import event

    compiled = event.RecordingListener()
    with event.install_listener("numba:compile", compiled), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about data as small as these
        _steps()[name]()
    return name, sum(1 for _, happened in compiled.buffer if happened.is_end and _is_ours(happened))


def _is_ours(happened: Any) -> bool:
    """Say whether a function of truepath was compiled, not one of numba's own that it is made of."""
    return happened.data["dispatcher"].py_func.__module__.startswith("truepath")


def _steps() -> dict[str, Callable[[], Any]]:
    """Return what to do by what it is about: the members that have loops of their own, and what is around them."""
    tree, dag = _make(is_tree=True), _make(is_tree=False)
    learners = {member.name: member for member in LEARNERS.members() if "warm_up" in vars(member)}
    return {
        **{f"learner {name}": partial(member.warm_up, tree) for name, member in learners.items()},
        "decoders": partial(_decode, tree),
        "decoders of DAGs": partial(_decode, dag),
        "texts": partial(_fit, tree, None, _write_texts(tree)),
        "label sets": partial(_walk, tree),
        "measures": partial(_measure, dag),
        "tables with thresholds": partial(_fit, tree, LEARNERS.resolve("pct-forest", n_estimators=2), tree.X),
    }


def _make(is_tree: bool) -> _Made:
    """Return made rows: labels that the first columns tell, every row with two leaves and all labels above them."""
    rng = np.random.default_rng(0)
    edges = [(a, a + b) for a in "abc" for b in "123"] + [(a + b, a + b + c) for a in "abc" for b in "12" for c in "xy"]
    hierarchy = Hierarchy.from_edges([(None, a) for a in "abc"] + edges + ([] if is_tree else [("a1", "b1x")]))
    leaves = [hierarchy.names[v] for v in hierarchy.leaves]
    X = rng.normal(size=(N_ROWS, 6))
    names = [[leaves[i % len(leaves)], leaves[(3 * i + 1) % len(leaves)]] for i in range(N_ROWS)]
    Y = hierarchy.encode(names, sparse_output=False)
    X[:, 0] += Y[:, 0]
    S = hierarchy.close(Y * rng.random(Y.shape))
    return _Made(hierarchy, X, Y, names, np.asarray(S, np.float64))


def _walk(made: _Made) -> None:
    """Close, check and read label sets, dense and sparse, of both kinds of float."""
    h = made.hierarchy
    for Y in (h.encode(made.names, sparse_output=True), made.Y):
        h.decode(h.close(Y))
        h.is_closed(Y)
    for kind in (np.float32, np.float64):
        for S in (made.S.astype(kind), sparse.csr_array(made.S.astype(kind))):
            h.close(S)
            h.is_coherent(S)


def _write_texts(made: _Made) -> list[str]:
    return [" ".join([*labels, f"word{i % 5}", "and"]) for i, labels in enumerate(made.names)]


def _fit(made: _Made, learner: Any, X: Any) -> None:
    model = HierarchicalClassifier(learner, hierarchy=made.hierarchy).fit(X, made.names)
    model.predict(X[:3])
    model.predict_top(X[:3], 2)


def _decode(made: _Made) -> None:
    """Let every decoder fit and label."""
    for member in DECODERS.members():
        member.warm_up(made)


def _measure(made: _Made) -> None:
    """Compute every measure, from dense and from sparse matrices."""
    for kind in (np.asarray, sparse.csr_array):
        predicted = kind(made.S > 0.3), kind(made.S)
        metrics.evaluate(kind(made.Y), *predicted, made.hierarchy, metrics=metrics.list_metrics())
