"""What a metric is: a function of truth and prediction, registered once with everything needed to use it.

A metric's function takes ``(y_true, y_pred or y_score, hierarchy=None, *, ...)``. Its decorator says which of the two
predictions it wants, which values are better, its bounds, its name in tables, what it means and how many digits
to show. Scorers, :func:`evaluate`, reports, experiments, the command line and the common tests read that record and
nothing else; they list metrics by name only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import getdoc, signature
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from truepath.metrics.docstrings import complete
from truepath.registry import METRICS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from truepath.hierarchy import Hierarchy
    from truepath.metrics.rows import RowTerms


class MetricFunction(Protocol):
    """A metric to call: the truth, what is compared with it, then the hierarchy and options.

    A metric of the prediction alone has no truth: the prediction comes first, then the hierarchy.
    """

    __name__: str

    def __call__(self, y_true: Any, predicted: Any, /, *args: Any, **options: Any) -> Any:
        """Return a number, or what :attr:`Metric.number` turns into one."""


F = TypeVar("F", bound=MetricFunction)


@dataclass(frozen=True)
class Metric:
    """One measure and everything needed to use it.

    Attributes
    ----------
    name : str
        The function's name, as typed on the command line.
    function : callable
        ``function(y_true, y_pred or y_score, hierarchy=None, *, ...)``.
    needs : {"labels", "scores"}
        What it is compared with: a label matrix or a score matrix.
    label : str
        Its name in tables, such as ``"hF1"`` or ``"AU(PRC)"``.
    meaning : str
        What it measures, in one plain sentence without a full stop.
    digits : int
        How many decimals tables show.
    greater_is_better : bool
    bounds : tuple of float
        Smallest and largest value.
    needs_hierarchy : bool
        Whether the hierarchy enters the value. Without one the labels are taken as flat.
    uses_truth : bool
        False for measures of the prediction alone, such as the share of rows without labels.
    number : callable or None
        For results that are arrays or records: how to get the one number from them.
    row_terms : callable or None
        For measures known from sums over rows: ``row_terms(metric, y_true, predicted, hierarchy, **options)`` gives
        what each row adds to the sums (:class:`truepath.metrics.rows.RowTerms`), or None if options forbid it.
    """

    name: str
    function: MetricFunction
    needs: Literal["labels", "scores"]
    label: str
    meaning: str
    digits: int = 3
    greater_is_better: bool = True
    bounds: tuple[float, float] = (0.0, 1.0)
    needs_hierarchy: bool = False
    uses_truth: bool = True
    number: Callable[[Any], float] | None = None
    row_terms: Callable[..., RowTerms | None] | None = None

    @property
    def best(self) -> float:
        """The value of a perfect prediction."""
        return self.bounds[1] if self.greater_is_better else self.bounds[0]

    @property
    def summary(self) -> str:
        """The meaning, under the name that members of every registry have."""
        return self.meaning

    @property
    def arrow(self) -> str:
        """An arrow in the direction of better values."""
        return "↑" if self.greater_is_better else "↓"

    @property
    def direction(self) -> str:
        """Which values are better, in words."""
        return "higher is better" if self.greater_is_better else "lower is better"

    @property
    def heading(self) -> str:
        """The label with its arrow, for the head of a column."""
        return f"{self.label} {self.arrow}"

    def show(self, value: float | None) -> str:
        """Write a value with the metric's digits; a dash where there is none."""
        return "–" if value is None or value != value else f"{value:.{self.digits}f}"

    def __call__(self, y_true: Any, predicted: Any, hierarchy: Hierarchy | None = None, **options: Any) -> float:
        """Return the metric as one number, for any signature and result of its function."""
        if self.takes("hierarchy"):
            options["hierarchy"] = hierarchy
        given = (y_true, predicted) if self.uses_truth else (predicted,)
        result = self.function(*given, **options)
        return float(result if self.number is None else self.number(result))

    def takes(self, option: str) -> bool:
        """Return whether the function has an argument called ``option``."""
        return option in signature(self.function).parameters

    def __reduce__(self) -> tuple[Callable[[str], Metric], tuple[str]]:
        return get_metric, (self.name,)  # records hold functions: pickled by name


def register(
    *,
    needs: Literal["labels", "scores"],
    label: str | None = None,
    meaning: str | None = None,
    digits: int = 3,
    greater_is_better: bool = True,
    bounds: tuple[float, float] = (0.0, 1.0),
    needs_hierarchy: bool = False,
    uses_truth: bool = True,
    number: Callable[[Any], float] | None = None,
    row_terms: Callable[..., RowTerms | None] | None = None,
    like: Callable[..., Any] | None = None,
) -> Callable[[F], F]:
    """Decorate a metric's function to enter it in the registry; of the function only the docstring is changed.

    Parameters that its docstring leaves out and that all metrics share (``y_true``, ``y_pred``, ``y_score``,
    ``hierarchy``, ``nodes``, ``sample_weight``) are described there.

    Parameters
    ----------
    needs, digits, greater_is_better, bounds, needs_hierarchy, uses_truth, number, row_terms
        As in :class:`Metric`.
    label : str, optional
        Its name in tables; the function's name by default.
    meaning : str, optional
        What it measures; the first line of the docstring by default.
    like : callable, optional
        A function whose descriptions of parameters hold for this one too.

    Examples
    --------
    A metric of your own is known to scorers, reports and the command line as soon as its file is imported::

        @register(needs="labels", label="first label", meaning="share of rows whose first label is right")
        def first_label_accuracy(y_true, y_pred, hierarchy=None, *, nodes=None, sample_weight=None):
            return np.average(np.equal(y_true, y_pred)[:, 0], weights=sample_weight)
    """

    def enter(function: F) -> F:
        complete(function, needs_hierarchy=needs_hierarchy, like=like)
        METRICS.add(
            Metric(
                function.__name__,
                function,
                needs,
                function.__name__ if label is None else label,
                _first_line(function) if meaning is None else meaning,
                digits,
                greater_is_better,
                bounds,
                needs_hierarchy,
                uses_truth,
                number,
                row_terms,
            )
        )
        return function

    return enter


def _first_line(function: MetricFunction) -> str:
    """Return the first line of a docstring without its full stop; empty without a docstring."""
    return next(iter((getdoc(function) or "").splitlines()), "").rstrip(".")


def list_metrics(needs: Literal["labels", "scores"] | None = None) -> list[str]:
    """Return the names of all metrics, or of those that need ``"labels"`` or ``"scores"``.

    Examples
    --------
    >>> from truepath.metrics import list_metrics
    >>> "h_loss" in list_metrics("labels"), "auprc" in list_metrics("scores")
    (True, True)
    """
    return [metric.name for metric in METRICS.members() if needs in (None, metric.needs)]


def get_metric(name: str) -> Metric:
    """Return the record of a metric.

    Examples
    --------
    >>> from truepath.metrics import get_metric
    >>> loss = get_metric("h_loss")
    >>> loss.needs, loss.heading, loss.direction, loss.best
    ('labels', 'H-loss ↓', 'lower is better', 0.0)
    """
    metric: Metric = METRICS[name]
    return metric


def evaluate(
    y_true: Any,
    y_pred: Any = None,
    y_score: Any = None,
    hierarchy: Hierarchy | None = None,
    *,
    metrics: Iterable[str] | Mapping[str, Any] | None = None,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> dict[str, float]:
    """Compute several metrics at once.

    Parameters
    ----------
    y_true : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
    y_pred, y_score : array-like or sparse matrix, shape (n_samples, n_nodes), optional
        Predicted labels for the metrics that need labels, scores for those that need scores.
    hierarchy : Hierarchy, optional
    metrics : iterable of names, or mapping, optional
        A mapping has the keys wanted in the result; its values are names or pairs ``(name, options)``. By default
        every metric that is a single number and can be computed from what is given.
    nodes, sample_weight : optional
        Passed on to every metric.

    Returns
    -------
    values : dict of str to float
        As the metrics return them: losses are not negated.

    Examples
    --------
    >>> from truepath.metrics import evaluate
    >>> wanted = {"exact": "exact_match", "hF (samples)": ("hierarchical_f1", {"average": "samples"})}
    >>> evaluate([[1, 0], [1, 1]], [[1, 0], [1, 0]], metrics=wanted)
    {'exact': 0.5, 'hF (samples)': 0.8333333333333333}
    """
    given = {"labels": y_pred, "scores": y_score}
    values = {}
    for key, (name, options) in _requested(metrics, given).items():
        metric = get_metric(name)
        if given[metric.needs] is None:
            argument = "y_pred" if metric.needs == "labels" else "y_score"
            raise ValueError(f"metrics asks for {name!r}, which needs {metric.needs}; pass {argument}.")
        common = {"nodes": nodes, "sample_weight": sample_weight}
        values[key] = metric(y_true, given[metric.needs], hierarchy, **common, **options)
    return values


def _requested(metrics: Any, given: Mapping[str, Any]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the metrics asked for as key -> (name, options)."""
    if metrics is None:
        all_metrics = map(get_metric, list_metrics())
        metrics = [m.name for m in all_metrics if m.number is None and given[m.needs] is not None]
    if isinstance(metrics, str):
        metrics = [metrics]
    pairs = metrics.items() if isinstance(metrics, Mapping) else ((name, name) for name in metrics)
    return {key: (value, {}) if isinstance(value, str) else (value[0], dict(value[1])) for key, value in pairs}
