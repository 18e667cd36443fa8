"""What depends on the version of scikit-learn: callbacks, which come with 1.9."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["CallbackSupportMixin", "begin_callbacks", "with_callbacks"]

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
