r"""What the networks are trained to lower: cross-entropy, plain or with the constraint of the hierarchy built in.

The max-constraint loss of C-HMCNN(h) (Giunchiglia & Lukasiewicz 2020) compares labels with the scores that hold after
raising, and lets only true descendants count for a true label. With h the scores of the network and D_v the
descendants of v, v among them::

    MCM_v  = max over u in D_v of h_u
    loss_v = -y_v ln(max over u in D_v of y_u h_u) - (1 - y_v) ln(1 - MCM_v)

Label sets are closed, so a false label has false descendants only. Both maxima are therefore one: that over the
descendants whose label *equals* that of v. It is found along the arcs, deepest level first, where an arc between
unequal labels passes nothing on: O(arcs) per row in time and memory. The dense form has rows x nodes x nodes cells.

As the sigmoid grows, the maxima are taken of logits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from truepath.hierarchy import Hierarchy

LOSSES = ("bce", "constraint")

#: Logits of all nodes, their labels (0 and 1) and weights that broadcast to them or None -> sum of the losses
Loss = Callable[[Any, Any, Any], Any]


class Arcs(NamedTuple):
    """The arcs into the nodes of one level: tensors of node numbers."""

    child: Any
    parent: Any  # the parents of these children, each once
    place: Any  # where in ``parent`` the parent of each arc is


def arcs_by_level(hierarchy: Hierarchy, device: str = "cpu") -> list[Arcs]:
    """Return the arcs, those into the deepest level first."""
    import torch

    parent, child = hierarchy.edges.T.astype(np.int64)
    levels = []
    for depth in range(hierarchy.height, 1, -1):
        of_level = hierarchy.depth[child] == depth
        parents, place = np.unique(parent[of_level], return_inverse=True)
        levels.append(Arcs(*(torch.as_tensor(a, device=device) for a in (child[of_level], parents, place.ravel()))))
    return levels


def constrained_logits(Z: Any, y: Any, levels: list[Arcs]) -> Any:
    """Return for every node the greatest logit among its descendants, itself included, that have its label.

    Parameters
    ----------
    Z : tensor of float, shape (..., n_nodes)
    y : tensor of bool, same shape
        Closed label sets.
    levels : list of Arcs

    Notes
    -----
    Gradients go to the descendant that is greatest; among equals to the node with the largest number, or to the label
    itself if it is one of them.
    """
    return Z.gather(-1, _greatest(Z.detach(), y, levels))


def _greatest(Z: Any, y: Any, levels: list[Arcs]) -> Any:
    """Return for every node the number of the descendant whose logit it takes."""
    import torch

    best = Z.clone()
    who = torch.arange(Z.shape[-1], device=Z.device).expand_as(Z).clone()
    for child, parent, place in levels:
        is_open = y[..., child] == y[..., parent[place]]
        sent = torch.where(is_open, best[..., child], -torch.inf)
        before = best[..., parent]
        index = place.expand_as(sent)
        after = before.scatter_reduce(-1, index, sent, "amax")
        sender = torch.where(is_open & (sent == after[..., place]), who[..., child], -1)
        sender = torch.full_like(before, -1, dtype=torch.int64).scatter_reduce(-1, index, sender, "amax")
        best[..., parent] = after
        who[..., parent] = torch.where(after > before, sender, who[..., parent])
    return who


def make_loss(name: str, hierarchy: Hierarchy, device: str) -> Loss:
    """Return the loss of that name."""
    from torch.nn.functional import binary_cross_entropy_with_logits

    def plain(Z: Any, y: Any, weight: Any) -> Any:
        return binary_cross_entropy_with_logits(Z, y, weight=weight, reduction="sum")

    if name == "bce":
        return plain
    levels = arcs_by_level(hierarchy, device)
    return lambda Z, y, weight: plain(constrained_logits(Z, y > 0, levels), y, weight)
