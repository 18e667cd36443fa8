"""What depends on the version of scikit-learn: callbacks, which come with 1.9."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, TypeVar

__all__ = ["CallbackSupportMixin", "begin_callbacks", "with_callbacks", "without_callbacks"]

Method = TypeVar("Method", bound=Callable[..., Any])

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn below 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method: Method) -> Method:
        """Return the method as it is."""
        return method


def begin_callbacks(estimator: Any, n_tasks: int) -> Any:
    """Return scikit-learn's callback context of a fit with so many tasks; None if it has none."""
    begin = getattr(estimator, "_init_callback_context", None)
    return None if begin is None else begin(max_subtasks=n_tasks).call_on_fit_task_begin(estimator=estimator)


def without_callbacks(estimator: Any) -> Any:
    """Return the estimator, or a shallow copy without the callbacks that were set on it."""
    if not hasattr(estimator, "_skl_callbacks"):
        return estimator
    bare = copy(estimator)
    del bare._skl_callbacks
    return bare
