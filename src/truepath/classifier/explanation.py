"""Why these labels: one row's scores, thresholds, margins and causes along the paths of the hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from truepath.adapters import Contributions, ScorePart, node_scores
from truepath.adapters.capabilities import reach
from truepath.adapters.contributions import ask_contributions, combine_contributions
from truepath.adapters.prepare import final_step
from truepath.classifier.blocks import fitted_rows, is_table_as_frame
from truepath.classifier.html import explanation_table
from truepath.classifier.parts import takes_conditional
from truepath.classifier.place import Place
from truepath.extras import import_extra
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.hierarchy.names import short_name
from truepath.preprocessing.auto_features import is_frame

if TYPE_CHECKING:
    from truepath.classifier.hierarchical_classifier import HierarchicalClassifier

#: What the local vote of mandatory leaves is called
GIVEN_PARENTS = "given its parents"


@dataclass(frozen=True)
class NodeReason:
    """The reasons for and against one label.

    Attributes
    ----------
    node : int
    name : str
    depth : int
    predicted : bool
    learner_score : float
        The learner's score, before the combiner.
    score : float
        The final score.
    given_parent : float
        The final score divided by the smallest of the parents' scores: how likely the label is, given its parents.
    threshold : float
        The value that the final score had to exceed; NaN if the decoder has no thresholds.
    margin : float
        Score minus threshold; NaN if the decoder has no thresholds.
    causes : tuple of (str, float)
        The features that matter most to the final score, each with what it adds; empty unless asked for.
    votes : tuple of (str, float)
        The local votes, if causes are asked for: for FAEL the labels whose local scores add most to the final score or
        take most from it; for the decoders of mandatory leaves, MAS for instance, how likely the label is given its
        parents. Empty for all others.
    """

    node: int
    name: str
    depth: int
    predicted: bool
    learner_score: float
    score: float
    given_parent: float
    threshold: float
    margin: float
    causes: tuple[tuple[str, float], ...] = ()
    votes: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Explanation:
    """One row's labels with their reasons; printed as a tree.

    Attributes
    ----------
    records : tuple of NodeReason
        The predicted labels and the closest others, with all their ancestors, parents before children.
    decoder : str
        The decoder that turned the scores into labels.
    hierarchy : Hierarchy
    method : str
        How causes were found, see :class:`truepath.adapters.Contributions`; empty if they were not asked for.
    """

    records: tuple[NodeReason, ...]
    decoder: str
    hierarchy: Hierarchy
    method: str = ""

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the table as dictionaries, for JSON or a data frame of any library."""
        titles = self.hierarchy.titles
        return [
            {
                **vars(record),
                **({"title": titles.get(record.name, "")} if titles else {}),
                "causes": dict(record.causes),
                "votes": dict(record.votes),
            }
            for record in self.records
        ]

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        return explanation_table(self.records, self.decoder, self.method)

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        return import_extra("pandas", "A data frame", "report").DataFrame(self.to_dicts())

    def __str__(self) -> str:
        shown = {record.node: record for record in self.records}
        lines = [f"{'':2}{'score':>6} {'threshold':>10} {'margin':>8}   label (decided by {self.decoder})"]
        seen: set[int] = set()
        for record in self.records:
            parents = [int(u) for u in self.hierarchy.parents(record.node) if int(u) in shown]
            if not parents:
                lines += self._branch(record, shown, "", seen)
        return "\n".join(lines)

    def _branch(self, record: NodeReason, shown: dict[int, NodeReason], indent: str, seen: set[int]) -> list[str]:
        """Return the lines of a label and what is below it; a label with two parents is unfolded once."""
        again = record.node in seen
        seen.add(record.node)
        mark = "✓" if record.predicted else "·"
        title = self.hierarchy.titles.get(record.name, "")
        name = f"{short_name(self.hierarchy, record.node) if indent else record.name} {title}".rstrip()
        numbers = f"{record.score:6.3f} {_number(record.threshold):>10} {_signed(record.margin):>8}"
        lines = [f"{mark} {numbers}   {indent}{name}{' (see above)' if again else ''}"]
        if again:
            return lines
        if record.causes:
            because = ", ".join(f"{cause} {value:+.3f}" for cause, value in record.causes)
            lines.append(f"{'':29}{indent}  because of {because}")
        if record.votes:
            lines.append(f"{'':29}{indent}  votes: {', '.join(f'{name} {value:+.3f}' for name, value in record.votes)}")
        for child in self.hierarchy.children(record.node).tolist():
            if child in shown:
                lines += self._branch(shown[child], shown, indent + "  ", seen)
        return lines


def _number(value: float) -> str:
    return "–" if np.isnan(value) else "always" if value == -np.inf else f"{value:.3f}"


def _signed(value: float) -> str:
    return "–" if not np.isfinite(value) else f"{value:+.3f}"


def explain_row(
    model: HierarchicalClassifier, x: Any, n_others: int, n_causes: int = 0, allowed: Any = None, priors: Any = None
) -> Explanation:
    """Explain the prediction of one row."""
    X = _one_row(model, x)
    hierarchy = model.hierarchy_
    raw = node_scores(model.learner_, X, hierarchy.n_nodes, hierarchy=hierarchy)
    predicted, S = (values[0] for values in model.label_and_score(X, allowed=allowed, priors=priors))
    thresholds = getattr(model.decoder_, "thresholds_", None)
    t = np.full(hierarchy.n_nodes, np.nan) if thresholds is None else np.asarray(thresholds, np.float64)
    possible = Place(model, X, allowed).possible
    nodes = _shown(hierarchy, predicted, S - (0.0 if thresholds is None else t), n_others, possible)
    found = _pass_on(model, X, nodes, raw[0]) if n_causes and nodes.size else None
    votes = local_votes(model, raw[0], nodes, n_causes)
    is_local = bool(n_causes) and model.decoder_ is not None and takes_conditional(model.decoder_)
    records = []
    for k, v in enumerate(nodes.tolist()):
        parents = hierarchy.parents(v)
        least = float(S[parents].min()) if parents.size else 1.0
        given = float(S[v]) / least if least > 0 else 0.0
        numbers = (float(raw[0, v]), float(S[v]), given, float(t[v]), float(S[v] - t[v]))
        causes = () if found is None else tuple(found.of(v, n_causes))
        about = (v, str(hierarchy.names[v]), int(hierarchy.depth[v]), bool(predicted[v]))
        records.append(NodeReason(*about, *numbers, causes, ((GIVEN_PARENTS, given),) if is_local else votes[k]))
    decoder = type(final_step(model.learner_) if model.decoder_ is None else model.decoder_).__name__
    return Explanation(tuple(records), decoder, hierarchy, "" if found is None else found.method)


def contributions_of_row(model: HierarchicalClassifier, x: Any, nodes: Any) -> Contributions:
    """Return what each feature of one row, as it reaches the learner, adds to the final scores of some labels."""
    X, hierarchy = _one_row(model, x), model.hierarchy_
    raw = node_scores(model.learner_, X, hierarchy.n_nodes, hierarchy=hierarchy)[0]
    return _pass_on(model, X, nodes, raw)


def _pass_on(model: HierarchicalClassifier, X: Any, nodes: Any, raw: np.ndarray) -> Contributions:
    """Return the contributions to final scores, given the learner's scores of the row."""
    learner, scores = model.learner_, np.asarray(raw, np.float64)
    part = ScorePart(scores, lambda wanted: ask_contributions(learner, X, wanted, scores, own_features=True))
    for step in (model.combiner_, model.calibrator_):
        if step is not None:
            part = _passed_on(step, part)
    found = part.contributions(np.asarray(nodes, np.int64))
    return found.named(reach(learner).names(model.fitted_on_.columns))


def _passed_on(combiner: Any, part: ScorePart) -> ScorePart:
    """Return a row's scores after a combiner, with their contributions."""
    scores = np.asarray(combiner.transform(part.scores[None, :]), np.float64)[0]
    return ScorePart(scores, lambda wanted: combine_contributions(combiner, [part], wanted).settled(scores[wanted]))


def local_votes(model: HierarchicalClassifier, raw: np.ndarray, nodes: np.ndarray, n: int) -> list[Any]:
    """Return for each of some labels the n labels whose local scores matter most to it, if the combiner says so."""
    if not n or not nodes.size or not hasattr(model.combiner_, "votes"):
        return [()] * nodes.size
    found, names = model.combiner_.votes(raw, nodes), model.hierarchy_.names
    order = np.argsort(-np.abs(found), axis=0, kind="stable")[:n]
    return [
        tuple((str(names[u]), float(found[u, k])) for u in order[:, k] if found[u, k] != 0) for k in range(nodes.size)
    ]


def _shown(
    hierarchy: Hierarchy, predicted: np.ndarray, closeness: np.ndarray, n_others: int, possible: np.ndarray
) -> np.ndarray:
    """Return the predicted nodes and the closest possible others, ancestors included, parents first."""
    order = np.argsort(-closeness, kind="stable")
    others = order[(~predicted & possible)[order]][: max(0, n_others)]
    chosen = predicted.copy()
    chosen[others] = True
    return np.flatnonzero(as_dense(hierarchy.close(chosen[None, :]))[0])


def _one_row(model: HierarchicalClassifier, x: Any) -> Any:
    """Return x as a batch of one row."""
    if isinstance(x, str):
        return [x]
    columns = model.fitted_on_.columns
    if hasattr(x, "to_frame") and hasattr(x, "index") and columns and all(name in x.index for name in columns):
        x = x.to_frame().T.infer_objects()  # a row of a pandas frame
    if is_table_as_frame(x, model.fitted_on_):
        x = fitted_rows(x, model.fitted_on_)
    elif not (is_frame(x) or sparse.issparse(x)):
        x = np.asarray(x)
        is_text = x.dtype.kind in "UT" and not hasattr(model, "n_features_in_")
        x = x[None, :] if x.ndim == 1 and not is_text else x
    n_rows = 1 if sparse.issparse(x) and x.ndim == 1 else x.shape[0]
    if n_rows != 1:
        raise ValueError(f"x must be one row; got {n_rows}. Call explain for one row at a time.")
    return x
