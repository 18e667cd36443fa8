"""Scores of a forest in the setting of Triguero & Vens: what the labelling strategies are fitted on and judged by.

A forest of 50 predictive clustering trees is grown on the training part and scores the validation part; another, grown
on both, scores the test part. Minimal leaf weight 2 and log2(d) + 1 features a split are what the authors' log of
ImCLEF07A shows. Where a data set has no validation part, a random third of the training rows is set aside, as in the
paper (section 4.1); which rows they took is not known.
"""

from __future__ import annotations

import lzma
from functools import lru_cache
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from truepath.data import Dataset
    from truepath.decoders import StrategyResult
    from truepath.hierarchy import Hierarchy
    from truepath.papers.base import Settings

__all__ = ["ScoredParts", "judge_strategies", "read_authors_scores", "score_by_forest"]


class ScoredParts(NamedTuple):
    """Scores and labels of a validation and a test part."""

    S_valid: Any
    Y_valid: Any
    S_test: Any
    Y_test: Any
    hierarchy: Hierarchy


def score_by_forest(name: str, settings: Settings) -> ScoredParts:
    """Score the validation and the test part of a data set as the paper does."""
    from truepath.data import load_dataset

    ds = load_dataset(f"hmc/{name}", home=settings.data)
    if "valid" not in ds:
        ds = ds.split({"train": 2 / 3, "valid": 1 / 3}, of="train", random_state=settings.random_state)
    both = ds.merge("train", "valid", into="train")
    first = _fit_forest(ds, settings).predict_proba(ds.valid.X)
    final = _fit_forest(both, settings).predict_proba(ds.test.X)
    return ScoredParts(first, ds.valid.y, final, ds.test.y, ds.hierarchy)


def _fit_forest(ds: Dataset, settings: Settings) -> Any:
    from truepath.learners import PCTForest

    forest = PCTForest(
        hierarchy=ds.hierarchy,
        n_estimators=50,
        min_leaf_weight=2,
        max_features=int(log2(ds.n_features)) + 1,
        categorical_features=list(ds.categories),
        random_state=settings.random_state,
        n_jobs=settings.n_jobs,
    )
    return forest.fit(ds.train.X, ds.train.y)


def judge_strategies(name: str, settings: Settings) -> dict[str, list[StrategyResult]]:
    """Return all labelling strategies on forest scores, with the data set's hierarchy and, if it is a DAG, without.

    The keys are ``"true"`` and ``"flat"``. Results are kept in memory, as the ranks need them once more.
    """
    return _judge(name, str(settings.data), settings.random_state, settings.n_jobs)


@lru_cache(maxsize=16)
def _judge(name: str, data: str, random_state: int, n_jobs: int | None) -> dict[str, list[StrategyResult]]:
    from truepath.decoders import compare_strategies
    from truepath.hierarchy import Hierarchy
    from truepath.papers.base import Settings

    parts = score_by_forest(name, Settings(Path(data), random_state, n_jobs))
    found = {"true": list(compare_strategies(*parts))}
    if not parts.hierarchy.is_tree:
        found["flat"] = list(compare_strategies(*parts[:4], Hierarchy.flat(list(parts.hierarchy.names))))
    return found


def read_authors_scores(folder: Path) -> ScoredParts:
    """Read the scores of Clus-HMC-Ens on ImCLEF07A that the authors published."""
    S_valid, Y_valid, hierarchy = _read_scores(folder / "val.pred.arff.xz")
    S_test, Y_test, _ = _read_scores(folder / "test.pred.arff.xz")
    return ScoredParts(S_valid, Y_valid, S_test, Y_test, hierarchy)


def _read_scores(path: Path) -> tuple[Any, Any, Hierarchy]:
    """Read columns ``class-a-<node>`` (0 or 1) and ``Original-p-<node>`` (scores) of a CLUS prediction file."""
    import numpy as np

    from truepath.hierarchy import Hierarchy

    with lzma.open(path, "rt") as file:
        lines = [line.strip() for line in file if line.strip()]
    names = [line.split()[1] for line in lines if line.lower().startswith("@attribute")]
    start = next(k for k, line in enumerate(lines) if line.lower().startswith("@data")) + 1
    rows = [line.split(",") for line in lines[start:]]
    nodes = {name.removeprefix("class-a-"): k for k, name in enumerate(names) if name.startswith("class-a-")}
    scores = {name.removeprefix("Original-p-"): k for k, name in enumerate(names) if name.startswith("Original-p-")}
    hierarchy = Hierarchy.from_paths(list(nodes))
    truth, score = [nodes[v] for v in hierarchy.names], [scores[v] for v in hierarchy.names]
    Y = np.array([[float(row[k]) > 0 for k in truth] for row in rows])
    return np.array([[float(row[k]) for k in score] for row in rows]), Y, hierarchy
