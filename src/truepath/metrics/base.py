"""What a metric is: a function of truth and prediction, registered once with what must be known to use it.

A metric's function takes ``(y_true, y_pred or S, hierarchy=None, *, ...)``. Registering it tells which of the two
predictions it wants, which way is better, its bounds and its best value; scorers, :func:`evaluate` and the
room's common tests read that record and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy

__all__ = ["Metric", "get_metric", "list_metrics", "register"]

F = TypeVar("F", bound=Callable[..., Any])

_REGISTRY: dict[str, Metric] = {}


@dataclass(frozen=True)
class Metric:
    """One measure and what must be known to use it.

    Attributes
    ----------
    name : str
        The function's name.
    function : callable
        ``function(y_true, y_pred or S, hierarchy=None, *, ...)``.
    needs : {"labels", "scores"}
        What it is compared with: a label matrix or a score matrix.
    greater_is_better : bool
    bounds : tuple of float
        Smallest and largest value.
    best : float
        The value of a perfect prediction.
    needs_hierarchy : bool
        Whether the hierarchy enters the value. Without one the labels are taken as flat.
    uses_truth : bool
        False for measures of the prediction alone, such as the share of rows without labels.
    number : callable or None
        For results that are arrays or records: how the one number is drawn from them.
    """

    name: str
    function: Callable[..., Any]
    needs: Literal["labels", "scores"]
    greater_is_better: bool
    bounds: tuple[float, float]
    best: float
    needs_hierarchy: bool
    uses_truth: bool = True
    number: Callable[[Any], float] | None = None

    def __call__(self, y_true: Any, predicted: Any, hierarchy: Hierarchy | None = None, **options: Any) -> float:
        """Return the metric as one number, whatever its function's own signature and result."""
        if self.takes("hierarchy"):
            options["hierarchy"] = hierarchy
        given = (y_true, predicted) if self.uses_truth else (predicted,)
        result = self.function(*given, **options)
        return float(result if self.number is None else self.number(result))

    def takes(self, option: str) -> bool:
        """Say whether the function has an argument called ``option``."""
        return option in signature(self.function).parameters

    def __reduce__(self) -> tuple[Callable[[str], Metric], tuple[str]]:
        return get_metric, (self.name,)  # records hold functions: pickled by name


def register(
    *,
    needs: Literal["labels", "scores"],
    greater_is_better: bool = True,
    bounds: tuple[float, float] = (0.0, 1.0),
    needs_hierarchy: bool = False,
    uses_truth: bool = True,
    number: Callable[[Any], float] | None = None,
) -> Callable[[F], F]:
    """Decorate a metric's function to enter it in the registry; the function itself stays as it is."""

    def enter(function: F) -> F:
        name = function.__name__
        best = bounds[1] if greater_is_better else bounds[0]
        _REGISTRY[name] = Metric(
            name, function, needs, greater_is_better, bounds, best, needs_hierarchy, uses_truth, number
        )
        return function

    return enter


def list_metrics(needs: Literal["labels", "scores"] | None = None) -> list[str]:
    """Return the names of all metrics, or of those that need ``"labels"`` or ``"scores"``.

    Examples
    --------
    >>> from truepath.metrics import list_metrics
    >>> "h_loss" in list_metrics("labels"), "auprc" in list_metrics("scores")
    (True, True)
    """
    return sorted(name for name, metric in _REGISTRY.items() if needs in (None, metric.needs))


def get_metric(name: str) -> Metric:
    """Return the record of a metric.

    Examples
    --------
    >>> from truepath.metrics import get_metric
    >>> loss = get_metric("h_loss")
    >>> loss.needs, loss.greater_is_better, loss.best
    ('labels', False, 0.0)
    """
    if name not in _REGISTRY:
        close = get_close_matches(str(name), _REGISTRY, n=3)
        hint = f"Did you mean {' or '.join(map(repr, close))}?" if close else "See truepath.metrics.list_metrics()."
        raise ValueError(f"metric must be the name of a registered metric; got {name!r}. {hint}")
    return _REGISTRY[name]
