"""Training policies: which instances are positive and which negative when one node is learned.

Silla & Freitas (2011, section 4.1) list six, after Eisner et al. (2005) and Fagni & Sebastiani (2007). With exact(v)
the instances for which v is a most specific label, and rows(v) all that carry v:

=====================  =========================  ==========================================  ===================
policy                 positive                   negative                                    its score estimates
=====================  =========================  ==========================================  ===================
exclusive              exact(v)                   all others                                  p(v most specific)
less_exclusive         exact(v)                   all without v                               p(v most specific)
less_inclusive         rows(v)                    all without v                               p(v)
inclusive              rows(v)                    those without v whose labels do not stop    p(v)
                                                  at an ancestor of v
siblings               rows(v)                    rows of siblings, without v                 p(v | parents)
exclusive_siblings     exact(v)                   exact of siblings, not exact(v)             p(v | parents)
parents                rows(v)                    rows of all parents of v, without v         p(v | parents)
=====================  =========================  ==========================================  ===================

The survey speaks of one label per instance; with label sets, an instance is negative only where it is not
positive, and ``inclusive`` leaves out an instance as soon as *one* of its most specific labels is an ancestor of v.
A sibling shares at least one parent. ``parents``, not in the survey, is the set Bi & Kwok (2012) train on; where
every path ends in a leaf it equals ``siblings`` on trees.

References
----------
Silla, C. N. & Freitas, A. A. (2011). A survey of hierarchical classification across different application domains.
Data Mining and Knowledge Discovery 22, 31-72.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from truepath.learners.local.base import LabelView, find_siblings


def _not_stopping_above(view: LabelView, v: int) -> np.ndarray:
    return ~view.rows(v) & ~view.any_exact(view.hierarchy.ancestors(v))


def _of_siblings(view: LabelView, v: int) -> np.ndarray:
    return view.any_of(find_siblings(view.hierarchy, v))


def _exact_of_siblings(view: LabelView, v: int) -> np.ndarray:
    return view.any_exact(find_siblings(view.hierarchy, v))


def _below_all_parents(view: LabelView, v: int) -> np.ndarray:
    mask = ~view.rows(v)
    for u in view.hierarchy.parents(v):
        mask &= view.rows(u)
    return mask


@dataclass(frozen=True)
class Policy:
    """One way to choose positives and negatives; negatives that are positive as well count as positive.

    Attributes
    ----------
    name : str
    positives, negatives : callable
        ``(view, v)`` to a mask of instances.
    estimates : {"conditional", "marginal", "stop"}
        What the score of a node learned this way means: p(v | parents), p(v), or p(v is most specific).
    """

    name: str
    positives: Callable[[LabelView, int], np.ndarray]
    negatives: Callable[[LabelView, int], np.ndarray]
    estimates: Literal["conditional", "marginal", "stop"]

    def __getstate__(self) -> dict[str, Any]:
        """Return the name alone for the policies of :data:`POLICIES`: their rules are not data."""
        return {"name": self.name} if POLICIES.get(self.name) == self else dict(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(POLICIES[state["name"]].__dict__ if set(state) == {"name"} else state)

    def select(self, view: LabelView, v: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of the instances to train on, and which of these are positive."""
        positive = self.positives(view, v)
        rows = np.flatnonzero(positive | self.negatives(view, v))
        return rows, positive[rows]


POLICIES = {
    policy.name: policy
    for policy in (
        Policy("exclusive", LabelView.exact, lambda view, v: ~view.exact(v), "stop"),
        Policy("less_exclusive", LabelView.exact, lambda view, v: ~view.rows(v), "stop"),
        Policy("less_inclusive", LabelView.rows, lambda view, v: ~view.rows(v), "marginal"),
        Policy("inclusive", LabelView.rows, _not_stopping_above, "marginal"),
        Policy("siblings", LabelView.rows, _of_siblings, "conditional"),
        Policy("exclusive_siblings", LabelView.exact, _exact_of_siblings, "conditional"),
        Policy("parents", LabelView.rows, _below_all_parents, "conditional"),
    )
}


def resolve_policy(policy: str | Policy) -> Policy:
    """Return the policy of that name, or the policy itself.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> view = LabelView(h.encode([["a/1"], ["a/2"], ["a"], ["b/1"]]), h)
    >>> for name in ("siblings", "inclusive", "less_inclusive"):
    ...     rows, positive = resolve_policy(name).select(view, h.index("a/1"))
    ...     print(name, rows.tolist(), positive.astype(int).tolist())
    siblings [0, 1] [1, 0]
    inclusive [0, 1, 3] [1, 0, 0]
    less_inclusive [0, 1, 2, 3] [1, 0, 0, 0]
    """
    if isinstance(policy, Policy):
        return policy
    if policy not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(map(repr, POLICIES))} or a Policy; got {policy!r}.")
    return POLICIES[policy]
