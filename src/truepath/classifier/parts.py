"""The parts of a classifier: names, presets and defaults resolved, which of them learn, and which rows are held out.

The learner for users who did not choose one is linear for words and a blend within a budget of time for tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from truepath.adapters import adapt, check_learner, count_rows, final_step, is_of_truepath, scores_own_rows
from truepath.classifier.presets import PRESETS
from truepath.classifier.tried import Tried
from truepath.combiners import Calibrator
from truepath.data.split import share_rows, stratified_folds
from truepath.hierarchy.matrices import as_dense
from truepath.learners import PCTForest, SparseLinear, TableBlend
from truepath.learners.table_blend import check_budget
from truepath.preprocessing import AutoFeatures
from truepath.preprocessing.auto_features import is_frame
from truepath.preprocessing.column_kinds import is_mostly_text
from truepath.records import Record
from truepath.registry import COMBINERS, DECODERS

__all__ = [
    "FittedOn",
    "Parts",
    "blend_learner",
    "combines_by_learning",
    "decides_by_learning",
    "default_learner",
    "default_method",
    "forest_learner",
    "give_budget",
    "linear_learner",
    "make_splits",
    "records_of_blend",
    "resolve_calibrator",
    "resolve_cv",
    "resolve_parts",
    "takes_conditional",
]


#: The decoder of a classifier if neither the user nor a preset names one
USUAL_DECODER = "single"


class Parts(NamedTuple):
    """Learner, combiner, decoder and where held-out scores come from; None for a part that is not there."""

    learner: Any
    combiner: Any
    decoder: Any
    cv: Any


def resolve_parts(learner: Any, combiner: Any, decoder: Any, cv: Any, X: Any, random_state: Any) -> Parts:
    """Return the parts that the parameters of a classifier mean.

    The name of a preset as ``learner`` brings its combiner, decoder and ``cv`` too, wherever these are left at their
    defaults (None, "auto" and "auto").
    """
    chosen: dict[str, Any] = {}
    if isinstance(learner, str):
        chosen = PRESETS[learner].parts(random_state)
    elif learner is None:
        chosen = {"learner": default_learner(X, random_state)}
    learner = chosen.get("learner", learner)
    check_learner(learner)
    learner = adapt(learner)
    combiner = chosen.get("combiner") if combiner is None else combiner
    decoder = chosen.get("decoder", USUAL_DECODER) if _is(decoder, "auto") else decoder
    cv = chosen.get("cv", cv) if _is(cv, "auto") else cv
    return Parts(learner, _resolve_combiner(combiner, learner), _resolve_decoder(decoder), cv)


def give_budget(learner: Any, budget: Any, n_jobs: int | None) -> Any:
    """Hand the classifier's budget and workers to a blend for tables that leaves them open; return the learner."""
    if budget != "seconds":  # the default
        check_budget(budget)
    last = final_step(learner)
    if isinstance(last, TableBlend):
        given = {"budget": budget, "n_jobs": n_jobs}
        last.set_params(**{name: value for name, value in given.items() if getattr(last, name) is None})
    return learner


def records_of_blend(learner: Any) -> list[Tried]:
    """Return what a fitted blend for tables tried; nothing for other learners."""
    rows = final_step(learner).tried_ if isinstance(final_step(learner), TableBlend) else []
    return [Tried(name, score, "auprc", weight, seconds) for name, score, weight, seconds in rows]


def _is(value: Any, word: str) -> bool:
    return isinstance(value, str) and value == word


def _resolve_decoder(decoder: Any) -> Any:
    """Return a decoder for its name, the decoder given, or None for the learner's own decision."""
    return None if _is(decoder, "learner") else DECODERS.resolve(decoder)


def _resolve_combiner(combiner: Any, learner: Any) -> Any:
    """Return a combiner for its name or the one given; by default none for coherent learners, MaxUp for others."""
    if combiner is None and not is_of_truepath(learner):
        combiner = "max-up"
    return COMBINERS.resolve(combiner)


def resolve_calibrator(calibrate: Any) -> Any:
    """Return a calibrator for the name of its method, the one given, or None."""
    return Calibrator(calibrate) if isinstance(calibrate, str) else calibrate


def takes_conditional(decoder: Any) -> bool:
    """Return whether a decoder can use conditional scores."""
    return "conditional" in signature(decoder.predict).parameters


def combines_by_learning(combiner: Any) -> bool:
    """Return whether a combiner has to be fitted on scores and labels."""
    return combiner is not None and bool(get_tags(combiner).requires_fit)


def decides_by_learning(decoder: Any) -> bool:
    """Return whether a decoder has to be fitted on scores and labels."""
    return decoder is not None and bool(getattr(decoder, "learns", True))


#: Number of folds by default
N_FOLDS = 5

#: Beyond so many rows, this share of them is held out once by default instead
ROWS_FOR_ONE_PART = 20_000
SHARE_HELD_OUT = 0.2


Rows = NDArray[np.int64]


def resolve_cv(cv: Any, learner: Any, n_rows: int = 0) -> Any:
    """Return ``"oob"``, a number of folds, a share of rows, or a splitter."""
    if isinstance(cv, str):
        if cv not in ("auto", "oob"):
            raise ValueError(f"cv must be 'auto', 'oob', a number or a splitter; got {cv!r}.")
        draws = scores_own_rows(learner)
        if cv == "oob" and not draws:
            raise ValueError(
                "cv='oob' needs a learner of truepath that scores rows it did not see, such as PCTForest; "
                f"{type(final_step(learner)).__name__} is not one. Give a number of folds."
            )
        if draws:
            return "oob"
        return SHARE_HELD_OUT if n_rows > ROWS_FOR_ONE_PART else N_FOLDS
    if hasattr(cv, "split"):
        return cv
    if isinstance(cv, (bool, np.bool_)) or not isinstance(cv, (int, float, np.integer, np.floating)):
        raise ValueError(f"cv must be 'auto', 'oob', a number or a splitter; got {cv!r}.")
    if not (0 < cv < 1 or (cv >= 2 and cv == int(cv))):
        raise ValueError(f"cv must be a number of folds >= 2, or a share between 0 and 1; got {cv!r}.")
    return float(cv) if cv < 1 else int(cv)


def make_splits(cv: Any, X: Any, Y: Any, random_state: Any) -> list[tuple[Rows, Rows]] | None:
    """Return the row numbers (train, held out) of each split; None where rows are scored out of bag."""
    if count_rows(X) < 2:
        raise ValueError("no row can be held out of n_samples=1; give more rows, or a decoder that learns nothing.")
    return None if isinstance(cv, str) else list(_splits(cv, X, Y, random_state))


def _splits(cv: Any, X: Any, Y: Any, random_state: Any) -> Iterator[tuple[Rows, Rows]]:
    n_samples = count_rows(X)
    if hasattr(cv, "split"):
        found = [(np.asarray(a), np.asarray(b)) for a, b in cv.split(np.zeros((n_samples, 1)), as_dense(Y))]
        if not found or any(a.size == 0 or b.size == 0 for a, b in found):
            raise ValueError("cv gives a split without training or without held-out rows.")
        yield from found
    elif isinstance(cv, float):
        part = share_rows(Y, [1 - cv, cv], random_state)
        if part.min() == part.max():
            raise ValueError(f"cv={cv} of {n_samples} rows leaves one part empty; give more rows.")
        yield np.flatnonzero(part == 0), np.flatnonzero(part == 1)
    else:
        if n_samples < cv:
            raise ValueError(
                f"cv={cv} folds need as many rows; X has n_samples={n_samples}. Give fewer folds, or a "
                "decoder that learns nothing, such as truepath.decoders.Threshold."
            )
        yield from stratified_folds(Y, cv, random_state)


#: Words of fewer rows, or more, are learned by linear models alone
LEAST_ROWS_TO_BLEND, MOST_ROWS_TO_BLEND = 100, 8_000


def default_method(X: Any) -> str:
    """Return the default preset for X: ``"words"`` or ``"linear"`` for words, ``"blend"`` for everything else.

    Words are texts, sparse matrices, and tables with as many columns of texts as others, or with one of texts and
    more than 5,000 rows. Of fewer than 100 rows or more than 8,000 they are learned by linear models alone.

    Examples
    --------
    >>> from truepath.classifier import default_method
    >>> words = ["some words", "and others"]
    >>> default_method(words), default_method(words * 200), default_method([[0.5, 1.0]])
    ('linear', 'words', 'blend')
    """
    is_text = not hasattr(X, "shape") and len(X) > 0 and isinstance(next(iter(X)), str)
    is_text = is_text or (hasattr(X, "ndim") and X.ndim == 1 and not is_frame(X))
    if not (is_text or sparse.issparse(X) or is_mostly_text(X)):
        return "blend"
    return "words" if LEAST_ROWS_TO_BLEND <= count_rows(X) <= MOST_ROWS_TO_BLEND else "linear"


def default_learner(X: Any, random_state: Any = None) -> Pipeline:
    """Return the unfitted learner of :func:`default_method`."""
    method = default_method(X)
    if method == "linear":
        return linear_learner()
    return words_learner(random_state) if method == "words" else blend_learner(random_state)


def words_learner(random_state: Any = None) -> Pipeline:
    """Return linear models, a kernel ridge regression and FAEL on TF-IDF weights, weighed on held-out rows."""
    return Pipeline([("features", AutoFeatures(scale=True)), ("learner", TableBlend(None, random_state=random_state))])


def blend_learner(random_state: Any = None) -> Pipeline:
    """Return forests, kernel ridge regressions and FAEL, weighed on held-out rows within a budget of time."""
    return Pipeline(
        [("features", AutoFeatures(impute=False)), ("learner", TableBlend(None, random_state=random_state))]
    )


def linear_learner() -> Pipeline:
    """Return one linear classifier per label on TF-IDF weights."""
    return Pipeline([("features", AutoFeatures(scale=True)), ("learner", SparseLinear())])


def forest_learner(random_state: Any = None) -> Pipeline:
    """Return 100 extra-randomised predictive clustering trees, which handle missing values."""
    forest = PCTForest(
        n_estimators=100,
        splitter="random",
        bootstrap=False,
        max_features=1 / 3,
        min_leaf_weight=2,
        random_state=random_state,
    )
    return Pipeline([("features", AutoFeatures(impute=False)), ("learner", forest)])


@dataclass(frozen=True)
class FittedOn(Record, home="truepath.classifier"):
    """A record of the training data, kept by a fitted classifier as ``fitted_on_`` and saved with it.

    ``fit`` records what X shows. Code that read the data from a file, such as the command line, replaces the record
    with :meth:`HierarchicalClassifier.set_fitted_on`.

    Attributes
    ----------
    kind : {"array", "frame", "texts", "table", "dataset"}
        The kind of X; "table" and "dataset" if it was read from a file with columns, or opened as a data set.
    name : str
        The name of the data; empty if unknown.
    columns : tuple of str
        The feature columns by name; empty if they have none.
    text : str or None
        The column of texts that was learned from, if there was one.
    ids : str or None
        The column of row ids.
    n_rows : int
        The number of rows learned from.
    """

    kind: str
    name: str = ""
    columns: tuple[str, ...] = ()
    text: str | None = None
    ids: str | None = None
    n_rows: int = 0

    @classmethod
    def of(cls, X: Any) -> FittedOn:
        """Return the record that X alone gives.

        Examples
        --------
        >>> from truepath.classifier import FittedOn
        >>> FittedOn.of(["a text", "another"])
        FittedOn(kind='texts', name='', columns=(), text=None, ids=None, n_rows=2)
        """
        if hasattr(X, "columns"):
            return cls("frame", columns=tuple(map(str, X.columns)), n_rows=count_rows(X))
        is_text = not hasattr(X, "shape") and len(X) > 0 and isinstance(next(iter(X)), str)
        return cls("texts" if is_text or getattr(X, "ndim", 2) == 1 else "array", n_rows=count_rows(X))
