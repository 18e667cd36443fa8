"""What a classifier does where the caller leaves the choice open. It is decided here and nowhere else.

The learner follows from the kind of X and the number of its rows, the decoder from the labels. The class and the
command line both ask this module; :func:`describe_default` writes the rules out, and documents take them from there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from truepath.adapters.kinds import COLUMNS_OF_EMBEDDING
from truepath.adapters.prepare import seed_parts, tags_of
from truepath.adapters.rows import count_rows
from truepath.classifier.fitted_on import are_texts
from truepath.classifier.presets import PRESETS
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.propagation import drop_ancestors
from truepath.preprocessing import AutoFeatures
from truepath.preprocessing.column_kinds import MANY_ROWS, is_mostly_text
from truepath.registry import DECODERS

#: Texts of fewer rows, or more, are learned by linear models alone
LEAST_ROWS_TO_BLEND, MOST_ROWS_TO_BLEND = 100, 8_000
#: Up to this share of the rows (in percent) may end above a leaf where the best path to a leaf is taken
MOST_PARTIAL = 10.0


class DecoderChoice(NamedTuple):
    """The name of the decoder that was chosen, and the reason."""

    name: str
    why: str


def describe_default() -> str:
    """Return the rules of the default learner and decoder as a text.

    Examples
    --------
    >>> from truepath.classifier import describe_default
    >>> print(describe_default())
    Learner, by what X is:
      texts*, fewer than 100 rows    linear      one linear classifier per label
      texts*, 100 to 8,000 rows      text-blend  linear models, kernel ridge and FAEL, weighed on held-out rows
      texts*, more than 8,000 rows   linear      one linear classifier per label
      anything else                  blend       forests, kernel ridge, FAEL, boosted trees, weighed on held-out rows
    Decoder, by what the labels are:
      one label in every row, a leaf in at least 90 % of them   best-path  ...
      anything else                                             single     ...
    * also sparse matrices, and tables with at least as many columns of texts as others, or more than 5,000 rows
      and one column of texts.
    Dense arrays of 64 columns or more, none missing, are taken as embeddings if they are float32 or their rows
    have length 1: the blend then tries a linear model first.
    """
    least, most = LEAST_ROWS_TO_BLEND, MOST_ROWS_TO_BLEND
    learners = [
        (f"texts*, fewer than {least:,} rows", "linear"),
        (f"texts*, {least:,} to {most:,} rows", "text-blend"),
        (f"texts*, more than {most:,} rows", "linear"),
        ("anything else", "blend"),
    ]
    decoders = [
        (f"one label in every row, a leaf in at least {100 - MOST_PARTIAL:.0f} % of them", "best-path"),
        ("anything else", "single"),
    ]
    return "\n".join(
        [
            "Learner, by what X is:",
            *(f"  {when:<30} {name:<11} {PRESETS[name].summary}" for when, name in learners),
            "Decoder, by what the labels are:",
            *(f"  {when:<57} {name:<10} {DECODERS[name].summary}" for when, name in decoders),
            "* also sparse matrices, and tables with at least as many columns of texts as others, or more than "
            f"{MANY_ROWS:,} rows",
            "  and one column of texts.",
            f"Dense arrays of {COLUMNS_OF_EMBEDDING} columns or more, none missing, are taken as embeddings if they "
            "are float32 or their rows",
            "have length 1: the blend then tries a linear model first.",
        ]
    )


def default_method(X: Any) -> str:
    """Return the default preset for X, by the rules that :func:`describe_default` writes out.

    Examples
    --------
    >>> from truepath.classifier import default_method
    >>> texts = ["some words", "and others"]
    >>> default_method(texts), default_method(texts * 200), default_method([[0.5, 1.0]])
    ('linear', 'text-blend', 'blend')
    """
    if not (are_texts(X) or sparse.issparse(X) or is_mostly_text(X)):
        return "blend"
    return "text-blend" if LEAST_ROWS_TO_BLEND <= count_rows(X) <= MOST_ROWS_TO_BLEND else "linear"


def default_learner(X: Any, random_state: Any = 0) -> Pipeline:
    """Return the unfitted learner of :func:`default_method`."""
    learner: Pipeline = PRESETS[default_method(X)].parts(random_state)["learner"]
    return learner


def default_decoder(Y: Any, hierarchy: Hierarchy) -> DecoderChoice:
    """Return the name of the default decoder for labels, and why.

    Parameters
    ----------
    Y : array or CSR matrix of bool, shape (n_samples, n_nodes)
        Labels of the training rows, closed under ancestors.
    hierarchy : Hierarchy

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.classifier import default_decoder
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> default_decoder(h.encode([["a/1"], ["a/2"], ["b"]]), h)
    DecoderChoice(name='best-path', why='every row has one label')
    >>> default_decoder(h.encode([["a/1", "b"], ["a/2"]]), h).name
    'single'
    """
    specific = drop_ancestors(sparse.csr_array(Y, dtype=bool), hierarchy)
    counts, n_rows = np.diff(specific.indptr), specific.shape[0]
    if n_rows == 1 and counts[0] != 1:
        return DecoderChoice("threshold", "one row cannot be held out to choose a threshold on")
    if counts.max(initial=0) > 1:
        return DecoderChoice("single", "rows may have several labels")
    if counts.min(initial=1) == 0:
        return DecoderChoice("single", "rows may have no label")
    partial = 100 * float(np.mean(~hierarchy.is_leaf[specific.indices])) if n_rows else 0.0
    if partial > MOST_PARTIAL:
        return DecoderChoice("single", f"every row has one label, but in {partial:.0f} % of the rows it is not a leaf")
    return DecoderChoice("best-path", "every row has one label")


def with_features(learner: Any, random_state: Any = 0) -> Pipeline:
    """Return a learner behind features that take any table, in the form that it takes, seeded.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from truepath.classifier import with_features
    >>> with_features(LogisticRegression())[0]
    AutoFeatures(scale=True)
    """
    tags = tags_of(learner)
    takes_nan = tags is not None and tags.input_tags.allow_nan
    takes_sparse = tags is not None and tags.input_tags.sparse
    features = AutoFeatures(scale=not takes_nan, impute=not takes_nan, dense=not takes_sparse)
    return Pipeline([("features", features), ("learner", seed_parts(learner, random_state))])
