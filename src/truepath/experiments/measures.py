"""The measures of a plan: metrics by name, with options where a plan gives any.

In the table of results a measure is ``name`` or ``name[label]``, so that a reader of the table finds the
metric and its description: which values are better, how many digits count, what it means.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from truepath.english import suggest
from truepath.errors import TruePathError, explain

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy
    from truepath.metrics import Metric

#: What ``nodes`` may be besides names and numbers, resolved per data set
NODE_GROUPS = ("leaves", "inner", "top")


@dataclass(frozen=True)
class MetricWithOptions:
    """A metric with the options it is called with.

    Attributes
    ----------
    name : str
        A name of :func:`truepath.metrics.list_metrics`.
    options : dict
        What the metric is called with. ``nodes`` may be ``"leaves"``, ``"inner"`` or ``"top"``.
    label : str
        Its name in the table: ``name`` or ``name[...]``.
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
        except ValueError as error:
            problem, remedy = explain(error)
            raise TruePathError(f"measures: {self.label!r} cannot be used on {dataset!r}: {problem}", remedy) from None


def make_measures(given: Any, where: str = "plan") -> tuple[MetricWithOptions, ...]:
    """Return the measures of a plan: names, or tables with ``name``, options and perhaps ``label``.

    Options may also stand behind a name as they do in tables: ``"auprc[average=macro]"``.

    Examples
    --------
    >>> make_measures("auprc[average=macro]")
    (MetricWithOptions(name='auprc', options={'average': 'macro'}, label='auprc[average=macro]'),)
    >>> [m.label for m in make_measures(["h_loss", {"name": "hierarchical_f1", "average": "samples"}])]
    ['h_loss', 'hierarchical_f1[average=samples]']
    """
    is_one = isinstance(given, str | Mapping | MetricWithOptions) or not isinstance(given, Iterable)
    members = [given] if is_one else list(given)
    if not members:
        raise TruePathError(f"{where}: measures is empty.", "Name at least one, or leave the key out.")
    measures = tuple(_make(member, where) for member in members)
    labels = [measure.label for measure in measures]
    for label in labels:
        if labels.count(label) > 1:
            raise TruePathError(f"{where}: measures has {label!r} twice.", "Give one of them a label.")
    return measures


def _make(member: Any, where: str) -> MetricWithOptions:
    if isinstance(member, MetricWithOptions):
        return member
    if not isinstance(member, str | Mapping):
        kinds = "names of metrics, or tables with a name and options"
        raise TruePathError(f"{where}: measures must be {kinds}; got {member!r:.60}.")
    table = _read_text(member) if isinstance(member, str) else dict(member)
    if "name" not in table:
        raise TruePathError(f"{where}: measures has a table without a name: {table!r:.80}.")
    name, label = str(table.pop("name")), table.pop("label", None)
    _check_options(name, table, where)
    if label is None and table:
        label = ", ".join(f"{key}={value}" for key, value in table.items())
    return MetricWithOptions(name, table, name if label is None else f"{name}[{label}]")


def _read_text(text: str) -> dict[str, Any]:
    """Read a measure as tables write it: a name, perhaps with options in brackets."""
    name, _, options = text.strip().removesuffix("]").partition("[")
    pairs = (option.partition("=") for option in options.split(",") if option.strip())
    return {"name": name} | {key.strip(): _read_value(value.strip()) for key, _, value in pairs}


def _read_value(text: str) -> Any:
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _check_options(name: str, options: Mapping[str, Any], where: str) -> None:
    from truepath.metrics import get_metric

    try:
        metric = get_metric(name)
    except TruePathError as error:
        raise TruePathError(f"{where}: measures: {error.problem}", error.remedy) from None
    parameters = signature(metric.function).parameters.values()
    known = [p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY and p.name != "sample_weight"]
    for option in options:
        if option not in known:
            raise TruePathError(f"{where}: measures: {name} has no option {option!r}.", suggest(option, known))


def metric_of(label: str) -> Metric | None:
    """Return the metric of a measure in a table of results; None if its name is not a metric's.

    Examples
    --------
    >>> metric_of("hierarchical_f1[average=samples]").label, metric_of("AUC")
    ('hF1', None)
    """
    from truepath.registry import METRICS

    name = label.partition("[")[0]
    if name not in METRICS:
        return None
    metric: Metric = METRICS[name]
    return metric


def direction_of(label: str) -> bool | None:
    """Return whether greater is better for a measure of a table; None if its name is not a metric's.

    Examples
    --------
    >>> direction_of("h_loss"), direction_of("hierarchical_f1[average=samples]"), direction_of("AUC")
    (False, True, None)
    """
    metric = metric_of(label)
    return None if metric is None else metric.greater_is_better
