"""What is known of the place of use: which labels may be predicted there, in all rows or row by row."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truepath.adapters.blocks import is_lazy, known_rows
from truepath.combiners.conditioning import restrict_scores
from truepath.english import did_you_mean
from truepath.errors import TruePathError
from truepath.hierarchy import HierarchyDiff
from truepath.hierarchy.allowed import AllowedLabels, AllowedSets
from truepath.preprocessing.auto_features import is_frame

if TYPE_CHECKING:
    from truepath.classifier.hierarchical_classifier import HierarchicalClassifier


class Place:
    """The labels that rows may get, and what follows for their scores and label sets.

    Parameters
    ----------
    model : HierarchicalClassifier
    X : the rows
    allowed : names, flags or AllowedLabels, optional
        As :meth:`HierarchicalClassifier.predict` takes it.
    """

    def __init__(self, model: HierarchicalClassifier, X: Any, allowed: Any = None):
        self.hierarchy, self.decoder = model.hierarchy_, model.decoder_
        self.sets = None if allowed is None else _find_sets(model, X, allowed)

    @property
    def is_everywhere(self) -> bool:
        """Whether nothing is known, and the model's own scores are the final ones."""
        return self.sets is None

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Which labels the first row may have."""
        if self.sets is None:
            return np.ones(self.hierarchy.n_nodes, bool)
        masks, which = self.sets.masks(slice(0, 1), 1)
        flags: NDArray[np.bool_] = masks[which[0]]
        return flags

    def score(self, S: Any, start: int = 0) -> Any:
        """Return the final scores of rows, the first of which is this one."""
        return S if self.sets is None else restrict_scores(S, self.hierarchy, self.sets.take(start, S.shape[0]))

    def decide(self, S: Any, start: int = 0, **options: Any) -> Any:
        """Return what the decoder makes of the model's scores."""
        if self.sets is None:
            return self.decoder.predict(S, **options)
        sets = self.sets.take(start, S.shape[0])
        if "allowed" in signature(self.decoder.predict).parameters:
            return self.decoder.predict(S, allowed=sets, **options)
        return sets.keep_possible(self.decoder.predict(restrict_scores(S, self.hierarchy, sets)))

    def keep(self, Y: Any, start: int = 0) -> Any:
        """Return label sets that were found without scores, possible labels alone."""
        return Y if self.sets is None else self.sets.take(start, Y.shape[0]).keep_possible(Y)


def _find_sets(model: HierarchicalClassifier, X: Any, allowed: Any) -> AllowedSets:
    """Return the sets of possible labels of rows; one path or many follows from the decoder, unless it is said."""
    given, h = AllowedLabels.of(allowed), model.hierarchy_
    if isinstance(given.by, str):
        given = given.with_keys(column_of(X, given.by))
    n_rows = None if is_lazy(X) else known_rows(X)
    sets = given.resolve(h, n_rows, saved_sets(model)).on(one_path=getattr(model.decoder_, "is_single_path", False))
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
