"""What ``fit`` tried before it settled: a record for each of the members, for people who ask why."""

from __future__ import annotations

from dataclasses import dataclass

from truepath.records import Record

__all__ = ["Tried"]


@dataclass(frozen=True)
class Tried(Record, home="truepath.classifier"):
    """One of several things that were fitted: how good it was on rows held out, and how much it counts in the end.

    A fitted classifier lists them as ``tried_``; ``truepath fit`` prints the list.

    Attributes
    ----------
    name : str
        What was fitted, in a word or two, such as ``"forest"``.
    score : float
        Its value on rows that it did not see.
    measure : str
        The measure of the score: a name that :func:`truepath.metrics.get_metric` knows.
    weight : float
        Its share in the final scores, from 0 (left out) to 1 (all of it).
    seconds : float
        How long it took.

    Examples
    --------
    >>> from truepath.classifier import Tried
    >>> Tried("forest", 0.61, "auprc", weight=0.7, seconds=2.5)
    Tried(name='forest', score=0.61, measure='auprc', weight=0.7, seconds=2.5)
    """

    name: str
    score: float
    measure: str
    weight: float = 1.0
    seconds: float = 0.0
