"""All labelling strategies side by side: Tables 3 and 4, Figure 6 and Table 6 of Triguero & Vens for any data."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn.base import clone

from truepath.decoders.thresholds.multi import MultiThreshold
from truepath.decoders.thresholds.single import SingleThreshold
from truepath.decoders.thresholds.threshold import ThresholdDecoder
from truepath.metrics.inputs import has_any

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy

MEASURES = ("h_loss", "hmc_loss", "micro_f1")


class StrategyResult(NamedTuple):
    """One strategy judged by one measure."""

    measure: str
    strategy: str
    valid: float
    test: float
    unlabeled_valid: float
    unlabeled_test: float
    seconds: float


class StrategyComparison(list[StrategyResult]):
    """A list of :class:`StrategyResult` that prints as a table; pandas makes a data frame of it."""

    def __str__(self) -> str:
        head = f"{'measure':<9} {'strategy':<18} {'valid':>7} {'test':>7} {'unlabelled %':>13} {'ms':>8}"
        lines = [
            f"{row.measure:<9} {row.strategy:<18} {row.valid:7.4f} {row.test:7.4f} "
            f"{100 * row.unlabeled_valid:6.1f}{100 * row.unlabeled_test:7.1f} {1000 * row.seconds:8.1f}"
            for row in self
        ]
        return "\n".join([head, *lines])


def compare_strategies(
    S_val: Any,
    Y_val: Any,
    S_test: Any,
    Y_test: Any,
    hierarchy: Hierarchy | None = None,
    *,
    coherent: str = "check",
) -> StrategyComparison:
    """Fit every strategy on validation scores and judge it on both parts by three measures.

    Parameters
    ----------
    S_val, S_test : array-like or sparse matrix of float, shape (n_samples, n_nodes)
        Coherent scores.
    Y_val, Y_test : array-like or sparse matrix of 0 and 1, of the same shapes
        True labels, closed.
    hierarchy : Hierarchy, optional
        None takes the labels as flat.
    coherent : {"check", "max-up"}, default="check"
        As in :class:`SingleThreshold`.

    Returns
    -------
    comparison : StrategyComparison
        One :class:`StrategyResult` for each measure (normalised H-loss, HMC-loss with one lambda per class, micro-F1)
        and strategy: EM is the measure itself made best on the validation part, CD the class distribution, LC the label
        cardinality; STS has one threshold, MTS one per class, by the paper's algorithms or optimal. It also
        holds the shares of instances without labels and the seconds that fitting took.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.papers.triguero2016.strategies import compare_strategies
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.9, 0.6, 0.3, 0.4, 0.2], [0.5, 0.2, 0.4, 0.5, 0.3]]
    >>> Y = h.encode([["a/1"], ["a/2", "b/1"]])
    >>> rows = [row for row in compare_strategies(S, Y, S, Y, h) if row.measure == "micro_f1"]
    >>> max(rows, key=lambda row: row.valid).strategy
    'EM(MTS, optimal)'
    """
    from truepath import metrics

    fitted: dict[str, Any] = {}
    results = StrategyComparison()
    for measure in MEASURES:
        for name, decoder in _strategies(measure, hierarchy, coherent).items():
            key = name if name.startswith(("CD", "LC")) else f"{measure} {name}"
            if key not in fitted:
                fitted[key] = _label_both(decoder, S_val, Y_val, S_test)
            (valid, test), shares, seconds = fitted[key]
            metric = getattr(metrics, measure)
            values = metric(Y_val, valid, hierarchy), metric(Y_test, test, hierarchy)
            results.append(StrategyResult(measure, name, *values, shares[0], shares[1], seconds))
    return results


def _strategies(measure: str, hierarchy: Hierarchy | None, coherent: str) -> dict[str, ThresholdDecoder]:
    """Return the strategies of the paper's tables for a measure, and the exact one where it exists."""
    common: dict[str, Any] = {"hierarchy": hierarchy, "coherent": coherent, "ties": "published"}
    strategies: dict[str, ThresholdDecoder] = {
        "EM(STS)": SingleThreshold(measure, **common),
        "EM(MTS, greedy)": MultiThreshold(measure, "greedy", **common),
    }
    if measure != "h_loss" or hierarchy is None or hierarchy.is_tree:
        strategies["EM(MTS, optimal)"] = MultiThreshold(measure, "optimal", **common)
    return strategies | {
        "CD(STS)": SingleThreshold("class_distribution", **common),
        "CD(MTS)": MultiThreshold("class_distribution", **common),
        "LC(STS)": SingleThreshold("label_cardinality", **common),
    }


def _label_both(decoder: ThresholdDecoder, S_val: Any, Y_val: Any, S_test: Any) -> tuple[Any, Any, float]:
    """Fit on the validation part; return labels and shares of unlabelled rows of both parts, and the fit's seconds."""
    clone(decoder).fit(S_val[:2], Y_val[:2])  # kernels compile at their first call, which is not the strategy's time
    start = perf_counter()
    decoder.fit(S_val, Y_val)
    seconds = perf_counter() - start
    labels = decoder.predict(S_val), decoder.predict(S_test)
    return labels, [float((~has_any(found)).mean()) for found in labels], seconds
