"""What ``fit`` tried before it settled, for people who ask why: every ``tried_`` is a list of these records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from truepath.records import Record


@dataclass(frozen=True)
class Tried(Record, home="truepath.metrics"):
    """One of several things that were fitted: how good it was on rows held out, and how much it counts in the end.

    A fitted classifier, blend, calibrator or kernel regression lists them as ``tried_``; ``truepath fit`` prints the
    list of the classifier.

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
    details : dict of str to float
        What else is known of it by name: parameters, or another measure.

    Examples
    --------
    >>> from truepath.metrics import Tried
    >>> Tried("forest", 0.61, "auprc", weight=0.7, seconds=2.5)
    Tried(name='forest', score=0.61, measure='auprc', weight=0.7, seconds=2.5, details={})
    """

    name: str
    score: float
    measure: str
    weight: float = 1.0
    seconds: float = 0.0
    details: dict[str, Any] = field(default_factory=dict)
