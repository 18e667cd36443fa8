"""Pictures of boosting: loss by round, margins, accuracy by level (Figures 4 to 6 of Chelmis & Qi 2021).

Each function draws on given axes, or on new ones, and returns them. matplotlib is imported when first needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from truepath.adapters import encode_labels
from truepath.extras import import_extra
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.metrics import level_accuracy, precision_at_k


def plot_losses(boosters: Mapping[str, Any], X: Any, y: Any, *, ax: Any = None) -> Any:
    """Draw the hierarchy-aware Hamming loss on (X, Y) after every round (Figure 4).

    Parameters
    ----------
    boosters : mapping of name to fitted AdaBoostMH or HAdaBoostMH
    X, Y : rows and their labels, usually those kept for testing
    ax : matplotlib axes, optional

    Returns
    -------
    ax : matplotlib axes
    """
    ax = _axes(ax)
    for name, booster in boosters.items():
        losses = list(booster.staged_loss(X, y))
        ax.plot(np.arange(1, len(losses) + 1), losses, label=name)
    ax.set(xlabel="rounds", ylabel="hierarchy-aware Hamming loss")
    ax.legend()
    return ax


def plot_margins(booster: Any, X: Any, y: Any, *, rounds: Iterable[int] | None = None, ax: Any = None) -> Any:
    """Draw the distribution of normalised margins, y F / sum of |alpha|, after some of the rounds.

    Parameters
    ----------
    booster : fitted AdaBoostMH or HAdaBoostMH with discrete votes
        Margins of real votes are divided by the largest absolute margin of the last round instead.
    X, Y : rows and their labels
    rounds : sequence of int, optional
        Which rounds; by default the first, a tenth of them, and all.
    ax : matplotlib axes, optional
    """
    ax = _axes(ax)
    n_rounds = booster.n_estimators_
    rounds = sorted({1, max(1, n_rounds // 10), n_rounds}) if rounds is None else list(rounds)
    y = np.where(as_dense(encode_labels(y, booster.hierarchy_)), 1, -1)
    stages = list(booster.staged_decision_function(X))
    for t in rounds:
        scale = np.abs(booster.alphas_[:t]).sum() if booster.votes == "discrete" else np.abs(stages[-1]).max()
        margins = np.sort((y * stages[t - 1]).ravel() / scale)
        ax.step(margins, np.arange(1, margins.size + 1) / margins.size, where="post", label=f"round {t}")
    ax.axvline(0, color="0.6", linewidth=0.8)
    ax.set(xlabel="margin", ylabel="share of pairs at or below")
    ax.legend()
    return ax


def plot_top_k(
    scores: Mapping[str, Any], y: Any, hierarchy: Hierarchy, *, ks: Iterable[int] | None = None, ax: Any = None
) -> Any:
    """Draw the top-k accuracy of several score matrices (Figure 5).

    Parameters
    ----------
    scores : mapping of name to S, shape (n_samples, n_nodes)
    y : their true labels
    hierarchy : Hierarchy
    ks : sequence of int, optional
        1 to the hierarchy's height by default.
    ax : matplotlib axes, optional
    """
    ax = _axes(ax)
    ks = range(1, hierarchy.height + 1) if ks is None else ks
    for name, S in scores.items():
        ax.plot(list(ks), [precision_at_k(y, S, hierarchy, k=k) for k in ks], marker="o", label=name)
    ax.set(xlabel="k", ylabel="top-k accuracy", xticks=list(ks))
    ax.legend()
    return ax


def plot_level_errors(booster: Any, X: Any, y: Any, *, ax: Any = None) -> Any:
    """Draw, for every level, the share of rows wrong on it after each round (Figure 6 over the rounds).

    Parameters
    ----------
    booster : fitted AdaBoostMH or HAdaBoostMH
    X, Y : rows and their labels
    ax : matplotlib axes, optional
    """
    ax = _axes(ax)
    hierarchy = booster.hierarchy_
    truth = as_dense(encode_labels(y, hierarchy))
    errors = np.array([1 - level_accuracy(truth, found, hierarchy) for found in booster.staged_predict(X)])
    for depth in range(hierarchy.height):
        ax.plot(np.arange(1, len(errors) + 1), errors[:, depth], label=f"level {depth + 1}")
    ax.set(xlabel="rounds", ylabel="share of rows wrong on the level")
    ax.legend()
    return ax


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    plt = import_extra("matplotlib.pyplot", "Drawing rounds", "report")

    return plt.subplots(layout="constrained")[1]
