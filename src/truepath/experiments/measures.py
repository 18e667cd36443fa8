"""The measures of a plan: a metric's name and options, and what the table calls it.

In the table a measure is ``name`` or ``name[label]``, so that whoever reads the table knows from the name which way
is better.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from truepath.errors import TruePathError

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy
    from truepath.metrics import Metric

__all__ = ["Measure", "direction_of", "make_measures"]

#: What ``nodes`` may be besides names and numbers, resolved for each data set
NODE_GROUPS = ("leaves", "inner", "top")


@dataclass(frozen=True)
class Measure:
    """A metric with its options.

    Attributes
    ----------
    name : str
        A name of :func:`truepath.metrics.list_metrics`.
    options : dict
        What the metric is called with. ``nodes`` may be ``"leaves"``, ``"inner"`` or ``"top"``.
    label : str
        What it is called in the table: ``name`` or ``name[...]``.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""

    @property
    def metric(self) -> Metric:
        """The registered metric."""
        from truepath.metrics import get_metric

        return get_metric(self.name)

    def options_for(self, hierarchy: Hierarchy) -> dict[str, Any]:
        """Return the options with a group of nodes replaced by its members."""
        import numpy as np

        options = dict(self.options)
        if isinstance(nodes := options.get("nodes"), str) and nodes in NODE_GROUPS:
            groups = {"leaves": hierarchy.is_leaf, "inner": ~hierarchy.is_leaf, "top": hierarchy.depth == 1}
            options["nodes"] = np.flatnonzero(groups[nodes])
        return options

    def check(self, hierarchy: Hierarchy, dataset: str) -> None:
        """Refuse nodes that the data set does not have."""
        from truepath.metrics.inputs import check_nodes

        try:
            check_nodes(self.options_for(hierarchy).get("nodes"), hierarchy, hierarchy.n_nodes)
        except ValueError as problem:
            raise TruePathError(f"measures: {self.label!r} cannot be used on {dataset!r}: {problem}") from None


def make_measures(given: Any, where: str = "plan") -> tuple[Measure, ...]:
    """Return the measures of a plan: names, or tables with ``name``, options and perhaps ``label``.

    Examples
    --------
    >>> [m.label for m in make_measures(["h_loss", {"name": "hierarchical_f1", "average": "samples"}])]
    ['h_loss', 'hierarchical_f1[average=samples]']
    """
    members = [given] if isinstance(given, str | Mapping | Measure) else list(given)
    if not members:
        raise TruePathError(f"{where}: measures is empty; name at least one, or leave the key out.")
    measures = tuple(_make(member, where) for member in members)
    labels = [measure.label for measure in measures]
    for label in labels:
        if labels.count(label) > 1:
            raise TruePathError(f"{where}: measures has {label!r} twice; give one of them a label.")
    return measures


def _make(member: Any, where: str) -> Measure:
    if isinstance(member, Measure):
        return member
    table = {"name": member} if isinstance(member, str) else dict(member)
    if "name" not in table:
        raise TruePathError(f"{where}: measures has a table without a name: {table!r:.80}.")
    name, label = str(table.pop("name")), table.pop("label", None)
    _check_options(name, table, where)
    if label is None and table:
        label = ", ".join(f"{key}={value}" for key, value in table.items())
    return Measure(name, table, name if label is None else f"{name}[{label}]")


def _check_options(name: str, options: Mapping[str, Any], where: str) -> None:
    from truepath.experiments.plan import close_match
    from truepath.metrics import get_metric, list_metrics

    if name not in list_metrics():
        raise TruePathError(f"{where}: measures: no metric {name!r}. {close_match(name, list_metrics())}")
    parameters = signature(get_metric(name).function).parameters.values()
    known = [p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY and p.name != "sample_weight"]
    for option in options:
        if option not in known:
            raise TruePathError(f"{where}: measures: {name} has no option {option!r}. {close_match(option, known)}")


def direction_of(label: str) -> bool | None:
    """Say whether greater is better for a measure of a table; None if its name is not a metric's.

    Examples
    --------
    >>> direction_of("h_loss"), direction_of("hierarchical_f1[average=samples]"), direction_of("AUC")
    (False, True, None)
    """
    from truepath.metrics import get_metric, list_metrics

    name = label.partition("[")[0]
    return get_metric(name).greater_is_better if name in list_metrics() else None
