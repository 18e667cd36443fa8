"""Scikit-learn's transformers inside a graph: the one module that knows them.

A transformer of others that has ``export_rows(graph, rows)`` writes itself; these are the ones that cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    QuantileTransformer,
    StandardScaler,
)

from truepath.errors import CapabilityError
from truepath.graph.graph import Graph
from truepath.graph.lookups import interpolate
from truepath.graph.texts import count_pieces

#: Shares are kept this far from 0 and 1 before they become normal deviates, as scikit-learn does
BOUNDS_THRESHOLD = 1e-7
#: Counts up to here have their logarithms looked up: a table has the bits that NumPy gives
LARGEST_COUNT = 4096

# Wichura's algorithm AS241 (1988) for the normal quantile: coefficients of numerator and denominator, ascending
_MIDDLE = [
    (3.3871328727963666080e0, 1.0),
    (1.3314166789178437745e2, 4.2313330701600911252e1),
    (1.9715909503065514427e3, 6.8718700749205790830e2),
    (1.3731693765509461125e4, 5.3941960214247511077e3),
    (4.5921953931549871457e4, 2.1213794301586595867e4),
    (6.7265770927008700853e4, 3.9307895800092710610e4),
    (3.3430575583588128105e4, 2.8729085735721942674e4),
    (2.5090809287301226727e3, 5.2264952788528545610e3),
]
_TAIL = [
    (1.42343711074968357734e0, 1.0),
    (4.63033784615654529590e0, 2.05319162663775882187e0),
    (5.76949722146069140550e0, 1.67638483018380384940e0),
    (3.64784832476320460504e0, 6.89767334985100004550e-1),
    (1.27045825245236838258e0, 1.48103976427480074590e-1),
    (2.41780725177450611770e-1, 1.51986665636164571966e-2),
    (2.27238449892691845833e-2, 5.47593808499534494600e-4),
    (7.74545014278341407640e-4, 1.05075007164441684324e-9),
]


def export_transformer(graph: Graph, step: Any, rows: Any) -> str:
    """Add a fitted transformer, which writes itself or is one of scikit-learn's; return what it makes of the rows."""
    if hasattr(step, "export_rows"):
        return str(step.export_rows(graph, rows))
    write = next((write for kind, write in WRITERS.items() if isinstance(step, kind)), None)
    if write is None:
        raise _refusal(step)
    return write(graph, step, rows)


def _refusal(step: Any, why: str = "") -> CapabilityError:
    others = sorted({kind.__name__ for kind in WRITERS})
    what = f"{type(step).__name__}{' ' if why else ''}{why}"
    return CapabilityError(
        f"the step {what} cannot be exported to ONNX.",
        "export of rows",
        others,
        f"{', '.join(others)} can; or take from_features=True (--from-features): the graph then starts at the matrix "
        "that the learner gets.",
    )


def _add_pipeline(graph: Graph, pipeline: Pipeline, rows: Any) -> str:
    for _, step in pipeline.steps:
        if step is not None and step != "passthrough":
            rows = export_transformer(graph, step, rows)
    return str(rows)


def _add_function(graph: Graph, step: FunctionTransformer, rows: str) -> str:
    if step.func is not None:
        raise _refusal(step, "with a function")
    return rows


def _add_standard(graph: Graph, step: StandardScaler, rows: str) -> str:
    """Subtract and divide, rounded in between as scikit-learn does, which works in place."""
    if step.with_mean:
        rows = _compute(graph, "Sub", rows, step.mean_)
    return _compute(graph, "Div", rows, step.scale_) if step.with_std else rows


def _add_min_max(graph: Graph, step: MinMaxScaler, rows: str) -> str:
    scaled = graph.add("Mul", graph.double(rows), graph.constant(step.scale_, float))
    moved = graph.like(graph.add("Add", scaled, graph.constant(step.min_, float)), rows)
    return graph.clip(moved, *step.feature_range) if step.clip else moved


def _add_max_abs(graph: Graph, step: MaxAbsScaler, rows: str) -> str:
    return _compute(graph, "Div", rows, step.scale_)


def _compute(graph: Graph, operator: str, rows: str, values: Any) -> str:
    """Apply an operator to rows and one number per column in float64; round as the rows are."""
    return graph.like(graph.add(operator, graph.double(rows), graph.constant(values, float)), rows)


def _add_imputer(graph: Graph, step: SimpleImputer, rows: str) -> str:
    fillers = np.asarray(step.statistics_)
    is_gap = isinstance(step.missing_values, float) and np.isnan(step.missing_values)
    if not is_gap or step.add_indicator or fillers.dtype.kind != "f" or not np.isfinite(fillers).all():
        raise _refusal(step, "that does more than put one number per column in place of NaN")
    known = graph.like(graph.constant(fillers, float), rows)
    return graph.add("Where", graph.add("IsNaN", rows), known, rows)


def _add_normalizer(graph: Graph, step: Normalizer, rows: str) -> str:
    x = graph.double(rows)
    if step.norm == "l2":
        length = graph.add("Sqrt", graph.total(graph.double(graph.add("Mul", rows, rows))))
    elif step.norm == "l1":
        length = graph.total(graph.add("Abs", x))
    else:
        length = graph.add("ReduceMax", graph.add("Abs", x), graph.constant([1], np.int64))
    nonzero = graph.add("Where", graph.add("Equal", length, graph.constant(0.0)), graph.constant(1.0), length)
    return graph.like(graph.add("Div", x, nonzero), rows)


def _add_quantiles(graph: Graph, step: QuantileTransformer, rows: str) -> str:
    """Look up the share of training values below, and turn it into a normal deviate if asked for."""
    x = graph.double(rows)
    knots = step.quantiles_
    heights = np.repeat(step.references_[:, None], knots.shape[1], axis=1)
    both = graph.add("Add", interpolate(graph, x, knots, heights), interpolate(graph, x, knots, heights, side="left"))
    share = graph.add("Mul", both, graph.constant(0.5))
    edge = BOUNDS_THRESHOLD if step.output_distribution == "normal" else 0.0
    high = graph.constant(knots[-1] - edge, float)
    low = graph.constant(knots[0] + edge, float)
    share = graph.add("Where", graph.add("Greater", x, high), graph.constant(1.0), share)
    share = graph.add("Where", graph.add("Less", x, low), graph.constant(0.0), share)
    if step.output_distribution == "normal":
        share = _normal_quantile(graph, share)
    return graph.like(graph.add("Where", graph.add("IsNaN", x), x, share), rows)


def _normal_quantile(graph: Graph, share: str) -> str:
    """Return the normal deviates of shares, to the last digits but one."""
    p = graph.clip(share, BOUNDS_THRESHOLD, 1 - BOUNDS_THRESHOLD)
    q = graph.add("Sub", p, graph.constant(0.5))
    inner = graph.add("Sub", graph.constant(0.180625), graph.add("Mul", q, q))
    middle = graph.add("Mul", q, _ratio(graph, inner, _MIDDLE))
    outer = graph.add("Min", p, graph.add("Sub", graph.constant(1.0), p))
    r = graph.add("Sub", graph.add("Sqrt", graph.add("Neg", graph.add("Log", outer))), graph.constant(1.6))
    tail = graph.add("Mul", graph.add("Sign", q), _ratio(graph, r, _TAIL))
    is_middle = graph.add("Less", graph.add("Abs", q), graph.constant(0.425))
    return graph.add("Where", is_middle, middle, tail)


def _ratio(graph: Graph, x: str, coefficients: list[tuple[float, float]]) -> str:
    """Return the ratio of two polynomials."""
    return graph.add("Div", *(_polynomial(graph, x, own) for own in zip(*coefficients)))


def _polynomial(graph: Graph, x: str, coefficients: Sequence[float]) -> str:
    *rest, made = [graph.constant(c) for c in coefficients]
    for c in reversed(rest):
        made = graph.add("Add", graph.add("Mul", made, x), c)
    return made


def _add_one_hot(graph: Graph, step: OneHotEncoder, rows: Any) -> str:
    """Set one column per category; ``rows`` are names of columns of strings, or one matrix of numbers."""
    if step.drop is not None:
        raise _refusal(step, "with drop")
    rare = getattr(step, "infrequent_categories_", None) or [None] * len(step.categories_)
    parts = []
    for j, (known, infrequent) in enumerate(zip(step.categories_, rare)):
        table = _one_hot_table(known, infrequent, step.handle_unknown)
        if isinstance(rows, list):
            at = graph.encode(rows[j], {str(word): k for k, word in enumerate(known)}, len(known))
        else:
            at = _place_of_number(graph, graph.columns(rows, [j]), known)
        parts.append(graph.add("Gather", graph.constant(table), at, axis=0))
    return parts[0] if len(parts) == 1 else graph.add("Concat", *parts, axis=1)


def _one_hot_table(known: np.ndarray, infrequent: Any, unknown: str) -> np.ndarray:
    """Return one row per category, and a last one for those never seen."""
    is_rare = np.zeros(len(known), bool) if infrequent is None else np.isin(known, infrequent)
    table = np.zeros((len(known) + 1, int((~is_rare).sum()) + bool(is_rare.any())))
    table[np.flatnonzero(~is_rare), np.arange((~is_rare).sum())] = 1.0
    if is_rare.any():
        table[np.flatnonzero(is_rare), -1] = 1.0
        table[-1, -1] = float(unknown == "infrequent_if_exist")
    return table


def _place_of_number(graph: Graph, column: str, known: np.ndarray) -> str:
    """Return the place of a number among those known, or the one after the last."""
    values = graph.constant(np.asarray(known, float)[None, :])
    same = graph.add("Equal", graph.double(column), values)
    if np.isnan(np.asarray(known, float)).any():
        gap = graph.constant(np.isnan(np.asarray(known, float))[None, :])
        same = graph.add("Or", same, graph.add("And", graph.add("IsNaN", column), gap))
    hits = graph.cast(same, "INT64")
    none = graph.add("Sub", graph.constant(1, np.int64), graph.total(hits))
    return graph.add("ArgMax", graph.add("Concat", hits, none, axis=1), axis=1, keepdims=0)


def _add_counts(graph: Graph, step: CountVectorizer, texts: str) -> str:
    """Count words or pieces of texts; ``TfidfVectorizer`` weighs them as well."""
    counts = count_pieces(graph, step, texts)
    if isinstance(step, TfidfVectorizer):
        made = graph.cast(counts, "DOUBLE" if step.dtype == np.float64 else "FLOAT")
        idf = step.idf_ if step.use_idf else None
        return _weigh(graph, made, idf, step.sublinear_tf, step.norm)
    if step.binary:
        counts = graph.clip(counts, 0.0, 1.0)
    return graph.double(counts)


def _add_tfidf(graph: Graph, step: TfidfTransformer, rows: str) -> str:
    return _weigh(graph, rows, step.idf_ if step.use_idf else None, step.sublinear_tf, step.norm)


def _weigh(graph: Graph, counts: str, idf: Any, sublinear: bool, norm: str | None) -> str:
    """Weigh counts of words, rounding where scikit-learn rounds."""
    made = _one_plus_log(graph, counts) if sublinear else counts
    if idf is not None:
        made = graph.add("Mul", made, graph.like(graph.constant(idf, float), counts))
    return made if norm is None else _add_normalizer(graph, Normalizer(norm), made)


def _one_plus_log(graph: Graph, counts: str) -> str:
    """Return 1 + log of counts, 0 for 0; whole numbers by a table with NumPy's own bits."""
    dtype = np.float32 if graph.kind(counts) == "FLOAT" else np.float64
    table = np.zeros(LARGEST_COUNT + 1, dtype)
    table[1:] = np.log(np.arange(1, LARGEST_COUNT + 1).astype(dtype)) + dtype(1)
    at = graph.cast(graph.clip(counts, 0.0, LARGEST_COUNT), "INT64")
    known = graph.add("Gather", graph.constant(table), at)
    is_known = graph.add("Equal", graph.cast(at, graph.kind(counts)), counts)
    positive = graph.add("Max", counts, graph.number(float(np.finfo(dtype).tiny), counts))
    other = graph.add("Add", graph.add("Log", positive), graph.number(1.0, counts))
    return graph.add("Where", is_known, known, other)


#: How each transformer is added
WRITERS: dict[type, Callable[[Graph, Any, Any], str]] = {
    Pipeline: _add_pipeline,
    FunctionTransformer: _add_function,
    StandardScaler: _add_standard,
    MinMaxScaler: _add_min_max,
    MaxAbsScaler: _add_max_abs,
    SimpleImputer: _add_imputer,
    Normalizer: _add_normalizer,
    QuantileTransformer: _add_quantiles,
    OneHotEncoder: _add_one_hot,
    CountVectorizer: _add_counts,
    TfidfTransformer: _add_tfidf,
}
