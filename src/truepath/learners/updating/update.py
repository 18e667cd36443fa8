"""update_learner: a fitted learner under a changed hierarchy, without fitting everything again."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from truepath.errors import TruePathError
from truepath.hierarchy import HierarchyDiff
from truepath.learners.base import check_fit_input
from truepath.learners.linear.sparse_linear import SparseLinear
from truepath.learners.local import base as local
from truepath.learners.local.binary_relevance import BinaryRelevance
from truepath.learners.local.per_node import PerNode
from truepath.learners.trees.base import PCTBase
from truepath.learners.updating.forest import update_trees
from truepath.learners.updating.linear import update_linear

__all__ = ["update_learner"]


def update_learner(learner: Any, diff: HierarchyDiff, X: Any, y: Any) -> Any:
    """Return a learner for the new hierarchy; only what the change touches is fitted.

    Parameters
    ----------
    learner : fitted SparseLinear, PerNode, BinaryRelevance, PCTree or PCTForest
        It stays as it is.
    diff : HierarchyDiff
        From the hierarchy of the learner to the new one: ``old.diff(new)``, or that of the editor.
    X : array-like or sparse matrix, shape (n_samples, n_features)
        All rows to learn from, old and new.
    y : labels of the new hierarchy
        ``diff.transfer(Y)`` turns labels of the old one into them.

    Returns
    -------
    new : learner of the same class
        One classifier per label: those of labels that were added, merged, moved or split off are fitted; all others are
        the ones that were, renamed where their labels were. Trees keep their questions, and all leaves are counted
        again.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.learners import SparseLinear, update_learner
    >>> h = Hierarchy.flat(["a", "b"])
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> learner = SparseLinear(hierarchy=h, C=100, max_iter=100).fit(X, h.encode([["a"], ["a"], ["b"], ["b"]]))
    >>> diff = h.edit().add("c").diff()
    >>> new = update_learner(learner, diff, X, diff.new.encode([["a"], ["a", "c"], ["b"], ["b", "c"]]))
    >>> diff.new.decode(new.predict([[1.0, 1.0]])), bool((new.coef_[:, [0]] != learner.coef_[:, [0]]).nnz)
    ([('b', 'c')], False)
    """
    if diff.old != learner.hierarchy_:
        raise TruePathError("the change does not start from the hierarchy that the learner was fitted with.")
    new = clone(learner).set_params(hierarchy=diff.new)
    before = _names_before(diff)
    try:
        if isinstance(learner, SparseLinear):
            return update_linear(new, learner, diff, X, y, before)
        if isinstance(learner, PCTBase):
            return update_trees(new, learner, diff, X, y)
        if isinstance(learner, (PerNode, BinaryRelevance)) and not learner.estimators:
            return _update_local(new, learner, diff, X, y, before)
    except TruePathError as error:
        raise TruePathError(f"{type(learner).__name__} cannot be updated: {error.problem}", error.remedy) from None
    raise TruePathError(
        f"{type(learner).__name__} cannot be updated; SparseLinear, PerNode, BinaryRelevance and trees can.",
        "Fit it again under the new hierarchy.",
    )


def _names_before(diff: HierarchyDiff) -> dict[str, str]:
    """Return the old name of each label that is one label of the old hierarchy."""
    back = {new: old for old, new in diff.renamed.items()}
    known, fresh = set(diff.old.names.tolist()), {*diff.added, *diff.merged}
    pairs = {name: back.get(name, name) for name in diff.new.names.tolist() if name not in fresh}
    return {name: old for name, old in pairs.items() if old in known and old not in diff.split}


def _update_local(new: Any, fitted: Any, diff: HierarchyDiff, X: Any, y: Any, before: dict[str, str]) -> Any:
    """Fit the classifiers of touched labels, and take all others over."""
    X, Y, _, hierarchy = check_fit_input(new, X, y, None, **new._how_to_check())
    names = fitted.hierarchy_.names
    known = {names[columns[0]]: fitted.models_[m] for columns, m in zip(fitted._columns, fitted._model_of)}
    touched = set(hierarchy.names[diff.touched])
    problems = new._pose(local.LabelView(Y, hierarchy))
    kept = {p.key: known[before[p.key]] for p in problems if p.key not in touched and before.get(p.key) in known}
    todo = [p for p in problems if p.key not in kept]
    models = kept | {p.key: model for p, model in zip(todo, new._fit_models(X, None, todo, {}))}
    new.models_ = [models[p.key] for p in problems]
    new._columns, new._model_of = [p.columns for p in problems], list(range(len(problems)))
    return new
