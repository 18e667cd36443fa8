"""Progress of long fits: reported to a function you give, to scikit-learn's callbacks, and to the log.

::

    from truepath.adapters import on_progress

    def show(done, total, what):
        print(f"{done / total:.0%} {what}")

    with on_progress(show):
        model.fit(X, y)

The function is called with ``(0, total, what)`` when the work begins and after each part, in the thread that called
``fit``; while a part is made of parts itself, such as the members of a blend, ``done`` has a fraction. It is not a
parameter of any estimator, so clones, pickles and model files do not keep it. Under scikit-learn 1.9 or later
``model.set_callbacks(ProgressBar())`` works as well. Estimators with ``verbose=True`` print a line for each part, with
the time that it took and an estimate of what is left, in terminals and notebooks.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn below 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method: Method) -> Method:
        """Return the method as it is."""
        return method


def without_callbacks(estimator: Any) -> Any:
    """Return the estimator, or a shallow copy without the callbacks that were set on it."""
    if not hasattr(estimator, "_skl_callbacks"):
        return estimator
    bare = copy(estimator)
    del bare._skl_callbacks
    return bare


logger = logging.getLogger(__name__)


Listener = Callable[[float, int, str], None]

#: What counts little beside the fit of a learner, such as a decoder's
SHORT = 0.05

_LISTENER: ContextVar[Listener | None] = ContextVar("truepath_progress", default=None)


@contextmanager
def on_progress(listener: Listener) -> Iterator[None]:
    """Within the block, call ``listener(done, total, what)`` as fits of classifiers and stacks move on.

    Parameters
    ----------
    listener : callable
        ``done`` parts of ``total`` are finished; ``what`` says in words which was the last. Fits inside a part move
        ``done`` on by a fraction, unless they run in other processes or threads.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from truepath import HierarchicalClassifier, load_dataset
    >>> from truepath.adapters import on_progress
    >>> from truepath.learners import BinaryRelevance
    >>> ds = load_dataset("toy")
    >>> model = HierarchicalClassifier(BinaryRelevance(LogisticRegression()), hierarchy=ds.hierarchy, cv=2)
    >>> with on_progress(lambda done, total, what: print(f"{done / total:.0%} {what}")):
    ...     model = model.fit(ds.train.X, ds.train.y)
    0% fitting BinaryRelevance of LogisticRegression on 8 rows, 5 labels
    33% held-out part 1 of 2 scored
    67% held-out part 2 of 2 scored
    68% decoder fitted
    100% learner fitted on all rows
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def print_progress(name: str) -> Listener:
    """Return a listener that prints each part of a fit, the time since the beginning, and how long it may still take.

    Examples
    --------
    >>> show = print_progress("HierarchicalClassifier")
    >>> show(0, 2, "fitting PCTree on 8 rows, 5 labels")
    HierarchicalClassifier: fitting PCTree on 8 rows, 5 labels
    >>> show(1, 2, "learner fitted")
       50 %  learner fitted (0 s, about 0 s left)
    >>> show(2, 2, "decoder fitted")
      100 %  decoder fitted (0 s)
    """
    begun = time.perf_counter()

    def show(done: float, total: int, what: str) -> None:
        if done:
            times = format_times(time.perf_counter() - begun, done, total)
            print(f"  {100 * done / total:3.0f} %  {what} ({times})", flush=True)
        else:
            print(f"{name}: {what}", flush=True)

    return show


def format_times(taken: float, done: float, total: float | None) -> str:
    """Return the time that parts took and, as far as can be told, what is left.

    Examples
    --------
    >>> format_times(30.2, 1, 4), format_times(30.2, 4, 4)
    ('30 s, about 91 s left', '30 s')
    """
    left = format_left(taken, done, total)
    return f"{_format_seconds(taken)}, {left}" if left else _format_seconds(taken)


def format_left(taken: float, done: float, total: float | None) -> str:
    """Return an estimate of the time that is left; empty where nothing can be told."""
    return f"about {_format_seconds(taken / done * (total - done))} left" if total and 0 < done < total else ""


def _format_seconds(seconds: float) -> str:
    """Return a time in seconds, minutes or hours."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


class Progress:
    """The parts of one fit as they are finished; made by :func:`tracked`."""

    def __init__(self, estimator: Any, total: int, listener: Listener | None, begun: str, n_steps: int):
        self.estimator, self.total, self.listener = estimator, total, listener
        self.done = self._within = 0.0
        begin = getattr(estimator, "_init_callback_context", None)  # of scikit-learn's callbacks
        self.context = begin and begin(max_subtasks=n_steps).call_on_fit_task_begin(estimator=estimator)
        self._report(begun)

    def step(self, what: str, size: float = 1.0) -> None:
        """Say that one more part is finished, or one that counts less."""
        self.done, self._within = self.done + size, 0.0
        if abs(self.done - round(self.done)) < SHORT / 2:  # .95 and .05 are not quite 1
            self.done = round(self.done)
        if self.context is not None:
            task = self.context.subcontext(task_name=what)
            task.call_on_fit_task_begin(estimator=self.estimator)
            task.call_on_fit_task_end(estimator=self.estimator)
        self._report(what)

    def hear(self, done: float, total: int, what: str) -> None:
        """Hear from a fit inside the part that is under way; of several, what is furthest counts."""
        if 0 < done < total:  # its beginning is no news, and its end is that of the part
            self._within = max(self._within, done / total)
            self._report(what)

    def end(self) -> None:
        """Say that all is done."""
        if self.context is not None:
            self.context.call_on_fit_task_end(estimator=self.estimator)

    def _report(self, what: str) -> None:
        logger.info("%s: %s", type(self.estimator).__name__, what)
        if self.listener is not None:
            self.listener(min(self.done + self._within, self.total), self.total, what)


@contextmanager
def tracked(estimator: Any, total: int, begun: str = "begun", *, n_steps: int | None = None) -> Iterator[Progress]:
    """Yield the progress of a fit with ``total`` parts; fits inside it report fractions of the part they belong to.

    Parameters
    ----------
    estimator : estimator
        With ``verbose`` it prints its parts, unless another listens already.
    total : int
    begun : str, default="begun"
        What is said at the beginning.
    n_steps : int, optional
        How often :meth:`Progress.step` is called, if some parts have several.
    """
    listener = _LISTENER.get()
    if listener is None and getattr(estimator, "verbose", False):
        listener = print_progress(type(estimator).__name__)
    progress = Progress(estimator, total, listener, begun, n_steps or total)
    token = _LISTENER.set(None if listener is None else progress.hear)
    try:
        yield progress
        progress.end()
    finally:
        _LISTENER.reset(token)
