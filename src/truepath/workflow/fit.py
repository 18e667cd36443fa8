"""Fit a model on a data set, measured on rows it did not see, and then on all rows that may be learned from."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from truepath.adapters.groups import check_groups
from truepath.adapters.kinds import is_embedding
from truepath.adapters.prepare import final_step
from truepath.adapters.progress import SHORT, tracked
from truepath.classifier import (
    DecoderChoice,
    FittedOn,
    HierarchicalClassifier,
    default_decoder,
    default_learner,
    default_method,
    list_refused,
    make_preset,
)
from truepath.classifier.repeats import warn_about_repeats
from truepath.data import Dataset, Description, Split
from truepath.data.parts import NAMES, list_values
from truepath.data.split import stack_rows
from truepath.dates import seconds_since
from truepath.decoders import Kept, Promise
from truepath.english import counted
from truepath.errors import RelatedRowsWarning, TruePathError
from truepath.hierarchy import Hierarchy
from truepath.parameters import PART, check_in
from truepath.report import Evaluated, Run
from truepath.report.run import write_features
from truepath.workflow.training import describe_training, drop_ids

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
    as_embeddings : bool, default=False
        Whether the rows were taken as embeddings: dense, 64 columns or more, float32 or of length 1.
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
    as_embeddings: bool = False

    @property
    def measures(self) -> dict[str, float]:
        """The measures on the test rows by name; empty if no rows were held out."""
        return {} if self.run is None else self.run.measures[self.method]

    @property
    def promise(self) -> Promise | None:
        """What the decoder promises of label sets; None if it promises nothing."""
        return getattr(self.model.decoder_, "promise", None)

    @property
    def kept(self) -> Kept | None:
        """What came of the promise on the test rows; None without a promise or test rows."""
        if self.run is None or self.promise is None:
            return None
        return self.promise.check(self.run.y_true, self.run.results[0].y_pred, self.run.hierarchy)

    @property
    def refused(self) -> dict[str, str]:
        """What the model cannot do, each with the part that cannot; see :func:`truepath.classifier.list_refused`."""
        return list_refused(self.model)

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
        Such as :func:`open_training` returns. Columns that only name the rows are left out. Where its rows have
        ``groups``, whole groups are held out, to measure on and in every part of the model.
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
    check_in("test_share", test_share, PART)
    ds = drop_ids(ds)
    described = describe_training(ds)
    rows = divide_rows(ds, test_share, random_state)
    _warn_about_related(rows)
    options |= {"hierarchy": ds.hierarchy, "random_state": random_state}
    model, method = _make_model(learner, rows.final.X, options, tuple(ds.categories))
    decoder = _choose_decoder(model, learner, "decoder" in options, rows.final.y, ds.hierarchy)
    run, is_last = None, rows.test is not None and rows.final is rows.train
    n_fits = 1 if rows.test is None or is_last else 2
    with tracked(ds, n_fits, f"{method} on {counted(len(rows.train), 'row')}", n_steps=n_fits + 1) as progress:
        if rows.test is not None:
            seconds = _fit(model, rows.train, is_told=rows.final.groups is None)
            progress.step(f"fitted on {counted(len(rows.train), 'row')}", 1 - SHORT)
            result = evaluate_model(model, rows.test.X, method, seconds)
            run = _make_run(result, rows.train, rows.test, ds, described)
            progress.step(f"measured on {counted(len(rows.test), 'row')}", SHORT)
        if not is_last:
            seconds = _fit(model, rows.final, is_told=rows.final.groups is None or run is not None)
            progress.step(f"fitted on {counted(len(rows.final), 'row')}")
    model.set_fitted_on(replace(FittedOn.of_dataset(ds), n_rows=len(rows.final)))
    rest: dict[str, Any] = {"n_rows": len(rows.final), "n_train": len(rows.train), "seconds": seconds, "run": run}
    rest |= {"few_rows": _few_rows(rows.final.y, ds.hierarchy.names), "as_embeddings": is_embedding(rows.final.X)}
    return FitResult(model, method, decoder, described, **rest)


class _Rows(NamedTuple):
    """The rows of the measured fit, those it is measured on, and those of the last fit."""

    train: Split
    test: Split | None
    final: Split


def divide_rows(ds: Dataset, test_share: float, random_state: Any) -> _Rows:
    """Take the data's own test part, or hold out a share of the rows."""
    _check_parts(ds, test_share)
    if "test" in ds:
        train = ds.merge(*(name for name in ds if name != "test"), into="train").train
        return _Rows(train, ds.test, train)
    everything = ds.merge()["all"]
    if test_share == 0:
        return _Rows(everything, None, everything)
    dealt = ds.merge().split((1 - test_share, test_share), random_state=random_state)
    return _Rows(dealt.train, dealt.test if len(dealt.test) else None, everything)


def _check_parts(ds: Dataset, test_share: float) -> None:
    """Refuse parts that leave open what is learned from and what is measured on."""
    column = ds.provenance.get("columns", {}).get("split")
    if column is None and list(ds) == ["all"]:
        return
    where = "the parts of the data" if column is None else f"split= (--split): column {column!r}"
    found = f"{where} names {list_values(np.repeat(list(ds), list(map(len, ds.splits.values()))).tolist())}"
    way = "Call the parts train, valid and test, or leave split= (--split) out to have some rows held out."
    if [name for name in ds if name not in NAMES]:
        raise TruePathError(f"{found}; a part is train, valid or test.", way)
    if "train" not in ds and "valid" not in ds:
        raise TruePathError(f"{found}: there is nothing to learn from.", way)
    if column is not None and "test" not in ds and test_share:
        raise TruePathError(f"{found}: there is no test part to measure on.", way)


def _warn_about_related(rows: _Rows) -> None:
    """Warn where rows that belong together, or look so, are learned from and measured on; once for both fits."""
    groups = check_groups(rows.final.groups, len(rows.final))
    if groups is None:
        with_test = rows.test is not None and rows.final is rows.train
        parts = [rows.final, rows.test] if with_test else [rows.final]
        warn_about_repeats(stack_rows([part.X for part in parts if part is not None]), None, stacklevel=4)
    elif rows.test is not None and rows.test.groups is not None and rows.train.groups is not None:
        n_known = int(np.isin(rows.test.groups, rows.train.groups).sum())
        if n_known:
            warnings.warn(
                f"{n_known:,} of {len(rows.test):,} test rows belong to groups that are learned from too: the data "
                "have a test part of their own, which divides groups. Leave out split= (--split) to divide by groups.",
                RelatedRowsWarning,
                stacklevel=3,
            )


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


def _fit(model: HierarchicalClassifier, rows: Split, *, is_told: bool) -> float:
    """Fit a model; return the seconds it took. What was told of related rows before is not told again."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        if is_told:
            warnings.simplefilter("ignore", RelatedRowsWarning)
        model.fit(rows.X, rows.y, **({} if rows.groups is None else {"groups": rows.groups}))
    return seconds_since(start)


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
        promise=getattr(model.decoder_, "promise", None),
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
