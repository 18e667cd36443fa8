"""What is known of the place of use: labels that rows may get there, and the shares of labels there."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.adapters.blocks import is_lazy, known_rows
from truepath.combiners import LabelShares
from truepath.combiners.conditioning import SetWeights, restrict_scores
from truepath.combiners.priors import shift_by, weigh_sets
from truepath.english import counted, did_you_mean
from truepath.errors import TruePathError
from truepath.hierarchy import HierarchyDiff
from truepath.hierarchy.allowed import AllowedLabels, AllowedSets
from truepath.hierarchy.matrices import as_dense
from truepath.preprocessing.auto_features import is_frame

if TYPE_CHECKING:
    from truepath.classifier.hierarchical_classifier import HierarchicalClassifier


class Place:
    """The labels that rows may get, and their shares: what follows for scores and label sets.

    Parameters
    ----------
    model : HierarchicalClassifier
    X : the rows
    allowed : names, flags or AllowedLabels, optional
    priors : shares or LabelShares, optional
        Both as :meth:`HierarchicalClassifier.predict_proba` takes them.
    """

    def __init__(self, model: HierarchicalClassifier, X: Any, allowed: Any = None, priors: Any = None):
        self.hierarchy, self.decoder, self.paths = model.hierarchy_, model.decoder_, paths_of(model)
        self.sets = None if allowed is None else _find_sets(model, X, allowed)
        self.shares = None if priors is None else _find_shares(model, X, priors)

    @property
    def is_everywhere(self) -> bool:
        """Whether nothing is known, and the model's own scores are the final ones."""
        return self.sets is None and self.shares is None

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Which labels the first row may have."""
        if self.sets is None:
            return np.ones(self.hierarchy.n_nodes, bool)
        sets, _ = self.sets.distinct(slice(0, 1), 1)
        flags: NDArray[np.bool_] = as_dense(self.sets.possible[sets])[0]
        return flags

    def score(self, S: Any, start: int = 0) -> Any:
        """Return the final scores of rows, the first of which is this one; re-weighed ones in double precision."""
        S = self._shift(S, start)
        return S if self.sets is None else restrict_scores(S, self.hierarchy, self.sets.take(start, S.shape[0]))

    def _shift(self, S: Any, start: int) -> Any:
        """Return scores as the shares of labels re-weigh them."""
        if self.is_everywhere:
            return S
        S = S.astype(np.float64, copy=False)  # the same bits, whoever asks for them
        if self.shares is None:
            return S
        ways = self.shares.of_row
        ways = np.zeros(S.shape[0], np.int64) if ways is None else ways[start : start + S.shape[0]]
        return shift_by(S, self.hierarchy, self.shares.weights, ways, self.paths)

    def decide(self, S: Any, start: int = 0, **options: Any) -> Any:
        """Return what the decoder makes of the model's scores."""
        S, options = self._shift(S, start), options if self.shares is None else {}  # they are those of training
        if self.sets is None:
            return self.decoder.predict(S, **options)
        sets = self.sets.take(start, S.shape[0])
        if "allowed" in signature(self.decoder.predict).parameters:
            return self.decoder.predict(S, allowed=sets, **options)
        return sets.keep_possible(self.decoder.predict(restrict_scores(S, self.hierarchy, sets)))

    def keep(self, Y: Any, start: int = 0) -> Any:
        """Return label sets that were found without scores, possible labels alone."""
        return Y if self.sets is None else self.sets.take(start, Y.shape[0]).keep_possible(Y)


class _Shares(NamedTuple):
    """How label sets are weighed, and by which of the ways each row."""

    weights: SetWeights
    of_row: NDArray[np.int64] | None  # None if there is one way


def _find_shares(model: HierarchicalClassifier, X: Any, priors: Any) -> _Shares:
    """Return how shares of labels weigh label sets; refuse models whose scores they cannot re-weigh."""
    trained = trained_shares(model)
    if model.decoder_ is None:
        raise TruePathError("priors re-weigh scores, and this model decides without them.", "Fit it with a decoder.")
    given = LabelShares.of(priors)
    if isinstance(given.by, str):
        given = LabelShares(given.shares, by=column_of(X, given.by))
    shares, of_row = given.resolve(model.hierarchy_, trained)
    n_rows = None if is_lazy(X) else known_rows(X)
    if of_row is not None and of_row.size != n_rows:
        there = "an unknown number of rows" if n_rows is None else counted(n_rows, "row")
        raise ValueError(f"priors has keys for {counted(of_row.size, 'row')}, but X has {there}.")
    return _Shares(weigh_sets(trained, shares, model.hierarchy_, paths_of(model)), of_row)


def trained_shares(model: HierarchicalClassifier) -> NDArray[np.float64]:
    """Return the shares of labels in training; refuse models whose scores are not known to be probabilities."""
    if model.calibrator_ is None:
        raise TruePathError(
            "priors re-weigh probabilities, and the scores of this model are not calibrated.",
            "Fit it with calibrate='auto', or calibrate its scores and call truepath.combiners.shift_scores.",
        )
    if not hasattr(model, "shares_"):
        raise TruePathError("the model does not know the shares of its labels in training.", "Fit it anew.")
    return np.asarray(model.shares_, np.float64)


def paths_of(model: HierarchicalClassifier) -> str:
    """Say whether rows have one path or many, by what the decoder assumes."""
    return "one" if getattr(model.decoder_, "is_single_path", False) else "many"


def _find_sets(model: HierarchicalClassifier, X: Any, allowed: Any) -> AllowedSets:
    """Return the sets of possible labels of rows; one path or many follows from the decoder, unless it is said."""
    given, h = AllowedLabels.of(allowed), model.hierarchy_
    if isinstance(given.by, str):
        given = given.with_keys(column_of(X, given.by))
    n_rows = None if is_lazy(X) else known_rows(X)
    sets = given.resolve(h, n_rows, saved_sets(model)).on(one_path=paths_of(model) == "one")
    if n_rows is None and sets.of_row is not None:
        raise TruePathError(
            "allowed has a set for each row, and the number of rows of X is unknown.", "Give X in blocks."
        )
    return sets


def check_allowed(model: HierarchicalClassifier, given: AllowedLabels) -> None:
    """Refuse unknown labels before any row is read, those of all keys where rows have keys."""
    keys = (
        given
        if given.by is None
        else given.with_keys(list(saved_sets(model) if given.labels is None else given.labels))
    )
    keys.resolve(model.hierarchy_, saved=saved_sets(model))


def column_of(X: Any, name: str) -> NDArray[Any]:
    """Return a column of a data frame by its name."""
    if not is_frame(X) or not hasattr(X, "shape"):
        raise TypeError(f"by={name!r} names a column, but X is not a data frame; give the keys themselves.")
    import narwhals.stable.v1 as nw

    frame = nw.from_native(X, eager_only=True)
    if name not in frame.columns:
        raise TruePathError(f"by={name!r} is not a column of X.", did_you_mean(name, frame.columns))
    return np.asarray(frame[name].to_numpy(), object)


def label_shares(Y: Any, weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the share of rows that have each label, by weight."""
    weight = np.ones(Y.shape[0]) if weight is None else weight
    total = float(weight.sum())
    return np.clip(np.asarray(Y.T @ weight, np.float64).ravel() / total, 0.0, 1.0) if total else np.zeros(Y.shape[1])


def saved_sets(model: HierarchicalClassifier) -> dict[str, tuple[str, ...]]:
    """Return the sets of labels that are kept with a model, by name."""
    return dict(getattr(model, "allowed_sets_", {}))


def change_saved_sets(
    model: HierarchicalClassifier, name: str, labels: Iterable[str] | None
) -> dict[str, tuple[str, ...]]:
    """Return the sets that are kept with a model after one was set, or dropped by None."""
    found, h = saved_sets(model), model.hierarchy_
    if labels is None:
        if name not in found:
            raise TruePathError(f"there is no set of labels called {name!r}.", did_you_mean(name, found))
        del found[name]
        return found
    if name in h:
        raise TruePathError(f"{name!r} is a label; a set needs a name of its own.")
    names = [labels] if isinstance(labels, str) else list(labels)
    if not all(isinstance(each, str) for each in names):
        raise TypeError(f"labels of the set {name!r} must be names; got {names[0]!r}.")
    AllowedLabels(names).resolve(h, saved=found)
    return found | {name: tuple(dict.fromkeys(label for each in names for label in found.get(each, [each])))}


def carry_sets_over(model: HierarchicalClassifier, diff: HierarchyDiff) -> dict[str, tuple[str, ...]]:
    """Return the sets that are kept with a model under a changed hierarchy: labels that went are left out."""
    became = diff.became

    def follow(name: str) -> list[str]:
        v = diff.old.index(name)
        whole = [str(diff.new.names[became[v]])] if became[v] >= 0 else []
        return whole + list(diff.split.get(str(diff.old.names[v]), ()))

    carried = {
        key: tuple(dict.fromkeys(new for name in names for new in follow(name)))
        for key, names in saved_sets(model).items()
    }
    return {key: names for key, names in carried.items() if names}
