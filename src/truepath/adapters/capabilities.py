"""What a member can do besides ``fit`` and ``predict_proba``, and the one way to ask for it. Read this first.

A capability is a method. A learner, combiner or decoder that has the method has the capability; nothing else lists it.
Pipelines and searches of scikit-learn are walked through by :func:`reach`, which also carries rows through the steps
before a learner. Stacks, blends and the classifier *pass on*: they ask their own members, again through :func:`ask`,
and combine the answers. What a member does not offer is refused by one kind of error, ``CapabilityError``, which names
the members that do.

==================  ==========================================  ====================================================
capability          method of a learner                         what it returns
==================  ==========================================  ====================================================
held-out scores     ``fit_held_out(X, y, sample_weight=None)``  fits itself; each training row's scores by what did
                                                                not see it, NaN for rows that everything saw; with
                                                                ``groups=None`` too: by what saw none of its group
contributions       ``contributions(x, nodes)``                 what each feature of one row adds to some scores
features            ``feature_weights(by="label")``             which features matter, one column per label or level
likeness            ``likeness(x, X)``                          how similar each row of X is to one row
update              ``update(diff, X, y)``                      a fitted copy under a changed hierarchy
export              ``export_scores(graph, rows)``              adds itself to an ONNX graph; the name of its scores
cost                ``fit_seconds(shape)``                      the seconds a fit takes on one core, roughly
warming up          ``warm_up(made)``, a class method           nothing; compiles its loops on small made data
best labels         ``predict_top(X, k, leaves=False)``         a CSR matrix of the k best labels of each row
more rows           ``partial_fit(X, y)``                       itself, having learned from more rows
==================  ==========================================  ====================================================

Contributions are :class:`~truepath.adapters.Contributions`: base and values that add up to the score, checked by who
asks. Likeness is :class:`~truepath.adapters.Likeness`. A member without either is not refused: features are left out
one after the other, and rows are compared by the cosine (:mod:`truepath.adapters.contributions`, ``.likeness``).

A combiner may offer ``fit_held_out(S, y, sample_weight=None)``, ``contributions(parts, nodes)``, with a
:class:`~truepath.adapters.ScorePart` for each score matrix (a row's scores, and on request what features add to some of
them), ``source_weights()`` (what each score matrix counts in each label's score, for ``feature_weights`` and
``likeness`` of a stack), ``take_sources(places)`` (the combiner of some score matrices, where the others count nothing;
a stack then drops their learners), ``votes(S, nodes)``, ``update(diff)``, ``fit_seconds(shape, n_sources)`` and
``export_scores(graph, parts)``; a decoder ``update(diff)``, ``warm_up(made)`` and ``export_labels(graph, scores)``; a
transformer of rows ``export_rows(graph, rows)``. ``diff`` is a :class:`~truepath.hierarchy.HierarchyDiff`, ``shape`` a
:class:`~truepath.adapters.cost.TableShape`. A capability that depends on a parameter (a forest scores its own rows only
if it draws them) is hidden by scikit-learn's ``available_if``. A member whose answer is not exact says so in
``approximates``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from sklearn.pipeline import Pipeline

from truepath.errors import CapabilityError
from truepath.hierarchy import HierarchyDiff
from truepath.registry import COMBINERS, DECODERS, LEARNERS

Grade = Literal["exact", "approximate", "as its members", "no"]


class Capability(NamedTuple):
    """Something that a member may offer by having a method."""

    method: str
    verb: str  # as in "PCTree cannot <verb>"


#: What may be offered, by name
CAPABILITIES = {
    "held-out scores": Capability("fit_held_out", "score its own training rows out of sample"),
    "contributions": Capability("contributions", "compute what each feature adds to a score"),
    "features": Capability("feature_weights", "list the features that matter to each label"),
    "likeness": Capability("likeness", "compare rows"),
    "update": Capability("update", "be updated to a changed hierarchy"),
    "export": Capability("export_scores", "be exported to ONNX"),
    "export of labels": Capability("export_labels", "be exported to ONNX"),
    "export of rows": Capability("export_rows", "be exported to ONNX"),
    "cost": Capability("fit_seconds", "estimate the cost of a fit"),
    "warming up": Capability("warm_up", "warm up"),
    "best labels": Capability("predict_top", "find the best labels without scoring all"),
    "more rows": Capability("partial_fit", "learn from more rows"),
}


class Reached(NamedTuple):
    """A member at the end of pipelines and searches, and the fitted steps before it."""

    steps: tuple[Any, ...]
    member: Any

    def rows(self, X: Any) -> Any:
        """Return rows as they reach the member."""
        for step in self.steps:
            X = step.transform(X)
        return X

    def names(self, columns: Sequence[str] = ()) -> Any:
        """Return what the features that reach the member are called, or None; a data frame's own names come first."""
        if self.steps and not hasattr(self.steps[-1], "get_feature_names_out"):
            return None
        first = self.steps[0] if self.steps else self.member
        has_names = hasattr(first, "feature_names_in_") or len(columns) != getattr(first, "n_features_in_", -1)
        if not self.steps and has_names:
            return getattr(first, "feature_names_in_", None)
        names: Any = None if has_names else list(columns)
        for step in self.steps:
            names = step.get_feature_names_out(names)
        return names


def is_search(estimator: Any) -> bool:
    """Say whether an estimator tries settings of another one, as GridSearchCV does, and then acts as the best."""
    return hasattr(estimator, "estimator") and hasattr(estimator, "refit") and hasattr(estimator, "scoring")


def reach(estimator: Any) -> Reached:
    """Walk down pipelines and searches to the member that learns.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from truepath.learners import PCTree
    >>> found = reach(make_pipeline(StandardScaler(), PCTree()))
    >>> found.steps, found.member
    ((StandardScaler(),), PCTree())
    """
    steps: list[Any] = []
    while True:
        if isinstance(estimator, Pipeline):
            *before, (_, last) = estimator.steps
            steps += [step for _, step in before if step not in (None, "passthrough")]
            estimator = last
        elif is_search(estimator):
            estimator = getattr(estimator, "best_estimator_", estimator.estimator)
        else:
            return Reached(tuple(steps), estimator)


def replace_member(estimator: Any, member: Any) -> Any:
    """Return a copy of pipelines and searches with another member at their end; the steps before it are shared."""
    if isinstance(estimator, Pipeline):
        *before, (name, last) = estimator.steps
        return Pipeline([*before, (name, replace_member(last, member))])
    found = reach(estimator)
    return member if found.member is estimator else replace_member(estimator.best_estimator_, member)


def offers(estimator: Any, capability: str) -> bool:
    """Say whether the member at the end of pipelines and searches has a capability.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from truepath.learners import SparseLinear
    >>> offers(SparseLinear(), "best labels"), offers(LogisticRegression(), "best labels")
    (True, False)
    """
    return hasattr(reach(estimator).member, CAPABILITIES[capability].method)


def ask(estimator: Any, capability: str) -> Reached:
    """Return the member that has a capability, with the steps before it; refuse if it does not."""
    found = reach(estimator)
    if not hasattr(found.member, CAPABILITIES[capability].method):
        raise refusal(found.member, capability)
    return found


def update_learner(estimator: Any, diff: HierarchyDiff, X: Any, y: Any) -> Any:
    """Return a fitted learner for a changed hierarchy: its member updated, the steps before it as they were fitted.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from truepath import Hierarchy
    >>> from truepath.learners import SparseLinear
    >>> h = Hierarchy.flat(["a", "b"])
    >>> model = make_pipeline(StandardScaler(), SparseLinear(hierarchy=h)).fit([[0.0], [1.0]], [[1, 0], [0, 1]])
    >>> diff = h.edit().add("c").diff()
    >>> update_learner(model, diff, [[0.0], [1.0]], [["a"], ["b", "c"]]).predict([[1.0]]).tolist()
    [[False, True, True]]
    """
    found = ask(estimator, "update")
    return replace_member(estimator, found.member.update(diff, found.rows(X), y))


def learn_more_rows(estimator: Any, X: Any, y: Any) -> None:
    """Let the member of a fitted learner learn from more rows; the steps before it stay as they were fitted."""
    found = ask(estimator, "more rows")
    found.member.partial_fit(found.rows(X), y)


def refusal(member: Any, capability: str, why: str = "") -> CapabilityError:
    """Return the error that says what a member does not offer, and which members do."""
    wanted = CAPABILITIES[capability]
    registry = getattr(member, "registry", LEARNERS)
    can = {other.__name__ for other in registry.members() if hasattr(other, wanted.method)}
    others = sorted(can - {type(member).__name__})  # the same class with other parameters or members may
    if not why and hasattr(type(member), wanted.method):
        why = "not with the parameters and members that it has here."
    because = f": {why}" if why else "."
    return CapabilityError(f"{type(member).__name__} cannot {wanted.verb}{because}", capability, others)


def grade(estimator: Any, capability: str) -> Grade:
    """Say whether a member, or a class of members, answers exactly, approximately or not at all.

    A member lists in ``approximates`` the capabilities that it does not answer exactly: a property, where that depends
    on the members within. The grade of such a class is "as its members".
    """
    if not offers(estimator, capability):
        return "no"
    stated = getattr(reach(estimator).member, "approximates", ())
    if isinstance(stated, property):
        return "as its members"
    return "approximate" if capability in stated else "exact"


def capability_table() -> list[dict[str, str]]:
    """Return one record per member: its name and its grade of each capability; made from the classes."""
    rows = []
    for family in (LEARNERS, COMBINERS, DECODERS):
        for member in family.members():
            grades = {name: grade(member, name) for name in CAPABILITIES}
            rows.append({"kind": family.kind, "name": member.name, "class": member.__name__, **grades})
    return rows
