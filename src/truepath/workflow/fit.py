"""Fit a model on a data set, measured on rows it did not see, and then on all rows that may be learned from."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from truepath.adapters.prepare import final_step
from truepath.classifier import (
    DecoderChoice,
    FittedOn,
    HierarchicalClassifier,
    default_decoder,
    default_learner,
    default_method,
    make_preset,
)
from truepath.data import Dataset, Description, Split
from truepath.hierarchy import Hierarchy
from truepath.report import Evaluated, Run
from truepath.report.run import write_features
from truepath.workflow.training import drop_ids

#: Labels with fewer rows than this are learned badly by anything
FEW_ROWS = 10


@dataclass(frozen=True, eq=False)
class FitResult:
    """A fitted model, what was chosen for it, and how it did on rows it did not see.

    Attributes
    ----------
    model : HierarchicalClassifier
        Fitted on all rows but those of the data's own test part.
    method : str
        The preset, or the class of the learner.
    decoder : DecoderChoice
        The name of the decoder, and why it was chosen.
    description : Description
        Counts of the data.
    n_rows : int
        The rows that the model was fitted on.
    n_train : int
        The rows that the measured model was fitted on.
    seconds : float
        How long the last fit took.
    run : Run or None
        The results on the test rows, for :func:`truepath.report.save_run` and :func:`truepath.report.write_report`;
        None if no rows were held out.
    few_rows : dict of str to int
        The labels that fewer than 10 rows have, and how many do, the fewest first.
    """

    model: HierarchicalClassifier
    method: str
    decoder: DecoderChoice
    description: Description
    n_rows: int
    n_train: int
    seconds: float
    run: Run | None
    few_rows: dict[str, int]

    @property
    def measures(self) -> dict[str, float]:
        """The measures on the test rows by name; empty if no rows were held out."""
        return {} if self.run is None else self.run.measures[self.method]

    @property
    def labels_per_row(self) -> tuple[float, float] | None:
        """The true labels of a test row on average, and the sum of its scores; None if no rows were held out."""
        if self.run is None:
            return None
        n_rows = self.run.n_samples
        return float(self.run.y_true.sum()) / n_rows, float(self.run.results[0].S.sum()) / n_rows

    def __repr__(self) -> str:
        tested = "not measured" if self.run is None else f"measured on {self.run.n_samples} rows"
        return f"FitResult({self.method}, {self.decoder.name}: fitted on {self.n_rows} rows, {tested})"


def fit_dataset(
    ds: Dataset, learner: Any = None, *, test_share: float = 0.2, random_state: Any = 0, **options: Any
) -> FitResult:
    r"""Fit a model on a data set as ``truepath fit`` does: measured on rows held out, then fitted on all.

    Parameters
    ----------
    ds : Dataset
        Such as :func:`open_training` returns. Columns that only name the rows are left out.
    learner : estimator or str, optional
        As for :class:`~truepath.HierarchicalClassifier`; None takes the default for the data.
    test_share : float, default=0.2
        The share of rows to measure on, if the data have no part called ``"test"``; 0 measures nothing.
    random_state : int, RandomState or None, default=0
        Seed of the model and of the rows held out.
    **options
        Other parameters of :class:`~truepath.HierarchicalClassifier`.

    Returns
    -------
    result : FitResult
        Its ``model`` is fitted on all rows; where the data have a test part of their own, on all but these.

    See Also
    --------
    advise : what would make the model better.
    truepath.classifier.predict_file : the labels of new rows.

    Notes
    -----
    The model predicts what ``HierarchicalClassifier(learner, **options)`` predicts after a ``fit`` on the same rows.
    Learner and decoder are chosen once, for the rows of the last fit, and the measured model has the same.

    Examples
    --------
    >>> from truepath import load_dataset
    >>> from truepath.workflow import fit_dataset
    >>> result = fit_dataset(load_dataset("toy"), "linear")
    >>> result
    FitResult(linear, single: fitted on 8 rows, measured on 4 rows)
    >>> round(result.measures["hierarchical_f1"], 2)
    0.95
    """
    if not 0 <= test_share < 1:
        raise ValueError(f"test_share must be at least 0 and below 1, not {test_share:g}.")
    ds = drop_ids(ds)
    described = ds.describe()
    rows = _divide(ds, test_share, random_state)
    options |= {"hierarchy": ds.hierarchy, "random_state": random_state}
    model, method = _make_model(learner, rows.final.X, options, tuple(ds.categories))
    decoder = _choose_decoder(model, learner, "decoder" in options, rows.final.y, ds.hierarchy)
    run = None
    if rows.test is not None:
        seconds = _fit(model, rows.train)
        result = evaluate_model(model, rows.test.X, method, seconds)
        run = _make_run(result, rows.train, rows.test, ds, described)
    if rows.test is None or rows.final is not rows.train:
        seconds = _fit(model, rows.final)
    model.set_fitted_on(replace(FittedOn.of_dataset(ds), n_rows=len(rows.final)))
    sizes = {"n_rows": len(rows.final), "n_train": len(rows.train)}
    few = _few_rows(rows.final.y, ds.hierarchy.names)
    return FitResult(model, method, decoder, described, **sizes, seconds=seconds, run=run, few_rows=few)


class _Rows(NamedTuple):
    """The rows of the measured fit, those it is measured on, and those of the last fit."""

    train: Split
    test: Split | None
    final: Split


def _divide(ds: Dataset, test_share: float, random_state: Any) -> _Rows:
    """Take the data's own test part, or hold out a share of the rows."""
    if "test" in ds:
        train = ds.merge(*(name for name in ds if name != "test"), into="train").train
        return _Rows(train, ds.test, train)
    everything = ds.merge()["all"]
    if test_share == 0:
        return _Rows(everything, None, everything)
    dealt = ds.merge().split((1 - test_share, test_share), random_state=random_state)
    return _Rows(dealt.train, dealt.test if len(dealt.test) else None, everything)


def _make_model(
    learner: Any, X: Any, options: dict[str, Any], categories: tuple[int, ...]
) -> tuple[HierarchicalClassifier, str]:
    """Return the unfitted model, given the categorical columns that the file declares, and what it is called."""
    if isinstance(learner, str):
        model, name = make_preset(learner, **options), learner
    elif learner is None:
        name = default_method(X)
        model = HierarchicalClassifier(default_learner(X, options["random_state"]), **options)
    else:
        model = HierarchicalClassifier(learner, **options)
        name = type(final_step(learner)).__name__
    declared = "learner__features__categorical_features"
    if categories and declared in model.get_params():
        model.set_params(**{declared: categories})
    return model, name


def _choose_decoder(
    model: HierarchicalClassifier, learner: Any, is_given: bool, Y: Any, hierarchy: Hierarchy
) -> DecoderChoice:
    """Set the decoder for the data, unless it was given or comes with a preset; return its name and the reason."""
    if isinstance(model.decoder, str) and model.decoder == "auto":
        chosen = default_decoder(Y, hierarchy)
        model.decoder = chosen.name
        return chosen
    name = getattr(model.decoder, "name", model.decoder) or "learner"
    return DecoderChoice(name, "it was asked for" if is_given else f"it belongs to the preset {learner}")


def _fit(model: HierarchicalClassifier, rows: Split) -> float:
    """Fit a model; return the seconds it took."""
    start = time.perf_counter()
    model.fit(rows.X, rows.y)
    return time.perf_counter() - start


def evaluate_model(model: HierarchicalClassifier, X: Any, name: str, seconds: float | None = None) -> Evaluated:
    """Predict test rows; return what a report shows about the method.

    Parameters
    ----------
    model : HierarchicalClassifier
        Fitted, on other rows.
    X : as for its ``predict``
    name : str
        What the report calls the method.
    seconds : float, optional
        How long its fit took.
    """
    settings = {"learner": model.learner_, "combiner": model.combiner_, "decoder": model.decoder_}
    return Evaluated(
        name,
        model.predict(X),
        model.predict_proba(X),
        getattr(model.decoder_, "thresholds_", None),
        None if seconds is None else round(seconds, 3),
        {key: " ".join(repr(value).split()) for key, value in settings.items()},
        coverage=getattr(model.decoder_, "coverage", None),
    )


def _make_run(result: Evaluated, train: Split, test: Split, ds: Dataset, described: Description) -> Run:
    """Return the results on the test rows, with what a report shows of the rows."""
    texts = test.X.tolist() if getattr(test.X, "ndim", 2) == 1 else write_features(test.X, ds.feature_names)
    about: dict[str, Any] = {"ids": test.ids, "texts": texts, "y_train": train.y, "description": described}
    return Run(ds.hierarchy, test.y, result, title=f"{ds.name}: {result.name}", **about)


def _few_rows(y: Any, names: Any) -> dict[str, int]:
    """Return the labels that too few rows have to be learned from, and how many have them, the fewest first."""
    counts = np.asarray(y.sum(axis=0), np.int64).ravel()
    order = [v for v in np.argsort(counts, kind="stable").tolist() if counts[v] < FEW_ROWS]
    return {str(names[v]): int(counts[v]) for v in order}
