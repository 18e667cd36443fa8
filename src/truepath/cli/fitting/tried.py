"""What a fit tried before it settled, as lines for people."""

from __future__ import annotations

from typing import Any


def list_tried(tried: list[dict[str, Any]]) -> list[str]:
    """List what was fitted to choose from or to weigh, the best first; records as :class:`Tried` has them.

    Examples
    --------
    >>> for line in list_tried([{"name": "forest", "score": 0.75, "measure": "auprc", "weight": 1.0, "seconds": 2.0}]):
    ...     print(line)
    Tried, with AU(PRC) on rows held out in training:
      forest  0.750  weight 1.00  2.0 s
    """
    from truepath.metrics import get_metric

    metric = get_metric(tried[0]["measure"])
    width = max(len(one["name"]) for one in tried)
    order = sorted(tried, key=lambda one: float(one["score"]), reverse=metric.greater_is_better)
    lines = [
        f"  {one['name']:<{width}}  {metric.show(one['score'])}  weight {one['weight']:.2f}  {one['seconds']:.1f} s"
        for one in order
    ]
    return [f"Tried, with {metric.label} on rows held out in training:", *lines]
