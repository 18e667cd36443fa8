r"""The layers of an ensemble: every array has the members as its first dimension, so that one product serves all.

With :math:`W_k` of shape (members, inputs, outputs) and :math:`b_k` of shape (members, 1, outputs)::

    x <- relu(x W_k + b_k)   for all layers but the last,     z = x W_K + b_K

and the score of a label is the mean over the members of sigmoid(z). The fitted state is plain NumPy arrays; prediction
on a CPU needs nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from truepath.graph import Graph, raise_columns
from truepath.hierarchy import Hierarchy, raise_up
from truepath.hierarchy.matrices import as_dense
from truepath.ridge.rows import map_rows

#: Pairs (weights, biases), one for each layer: arrays, or tensors in training
Layers: TypeAlias = Sequence[tuple[Any, Any]]

#: Logits beyond this say nothing more, and their exponentials are still numbers
FARTHEST_LOGIT = 80.0
#: Below this a unit's slope stands for the ratio of two changes
LEAST_CHANGE = 1e-9


def draw_layers(sizes: Sequence[int], n_members: int, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Draw weights and biases evenly within 1 / sqrt(inputs) of zero, for each member its own.

    Examples
    --------
    >>> layers = draw_layers([4, 3, 2], 5, np.random.default_rng(0))
    >>> [(W.shape, b.shape) for W, b in layers]
    [((5, 4, 3), (5, 1, 3)), ((5, 3, 2), (5, 1, 2))]
    """
    layers = []
    for n_in, n_out in pairwise(sizes):
        bound = 1.0 / np.sqrt(max(n_in, 1))
        drawn = rng.random((n_members, n_in + 1, n_out), dtype=np.float32)
        drawn = (2 * drawn - 1) * np.float32(bound)
        layers.append((np.ascontiguousarray(drawn[:, :-1]), np.ascontiguousarray(drawn[:, -1:])))
    return layers


def apply_layers(x: Any, layers: Layers, activate: Callable[[Any], Any]) -> Any:
    """Return the logits of rows, of arrays and tensors alike."""
    for W, b in layers[:-1]:
        x = activate(x @ W + b)
    W, b = layers[-1]
    return x @ W + b


def sigmoid(Z: Any, exp: Callable[[Any], Any]) -> Any:
    """Return 1 / (1 + exp(-Z)), of arrays and tensors alike."""
    return 1.0 / (1.0 + exp(-Z.clip(-FARTHEST_LOGIT, FARTHEST_LOGIT)))


def ensemble_scores(X: Any, layers: Layers, raised_by: Hierarchy | None, device: str = "cpu") -> np.ndarray:
    """Return the mean over the members of their scores.

    Parameters
    ----------
    X : ndarray of float32 or csr_array, shape (n_samples, n_inputs)
    layers : Layers
        Arrays.
    raised_by : Hierarchy or None
        Raises each member's scores to those of the descendants before the mean is taken.
    device : str, default="cpu"
        The CPU computes with NumPy, other devices with PyTorch.

    Notes
    -----
    A row's scores do not depend on those beside it (:mod:`truepath.ridge.rows`).
    """
    score = _score_on_cpu(layers) if device == "cpu" else _score_on_device(layers, device)
    n_nodes = layers[-1][1].shape[-1]
    return map_rows(lambda block: score(as_dense(block), raised_by), X, n_nodes, np.float32)


def export_ensemble(graph: Graph, rows: str, layers: Layers, raised_by: Hierarchy | None) -> str:
    """Add what :func:`ensemble_scores` returns to an ONNX graph."""
    x, members = graph.double(rows), []
    for e in range(len(layers[0][0])):
        made = x
        for k, (W, b) in enumerate(layers):
            made = graph.add("MatMul", made, graph.double(graph.constant(W[e])))
            made = graph.add("Add", made, graph.constant(b[e], float))
            made = graph.add("Relu", made) if k + 1 < len(layers) else made
        own = graph.add("Sigmoid", graph.clip(made, -FARTHEST_LOGIT, FARTHEST_LOGIT))
        members.append(own if raised_by is None else raise_columns(graph, own, raised_by))
    total = reduce(lambda before, own: graph.add("Add", before, own), members)
    return graph.cast(graph.add("Div", total, graph.constant(float(len(members)))), "FLOAT")


def rescale_members(
    start: np.ndarray, stop: np.ndarray, layers: Layers, nodes: np.ndarray, raised_by: Hierarchy | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return what each input adds to the mean score of some nodes, (n_inputs, n_nodes), and the scores at ``start``.

    A unit passes on what its inputs add times the ratio of its own change, from start to stop, to that of its input
    (the rescale rule of DeepLIFT, Shrikumar et al. 2017). A raised score is that of the descendant that attains it.
    """
    n_members = layers[0][0].shape[0]
    values, base = np.zeros((start.size, nodes.size)), np.zeros(nodes.size)
    for e in range(n_members):
        x, ratios = np.vstack([start, stop]).astype(np.float64), []
        own = [(W[e].astype(np.float64), b[e].astype(np.float64)) for W, b in layers]
        for W, b in own[:-1]:
            z = x @ W + b
            x = np.maximum(z, 0.0)
            ratios.append(_ratio(x, z, z[1] > 0))
        z = x @ own[-1][0] + own[-1][1]
        S = sigmoid(z, np.exp)
        at = nodes if raised_by is None else _attained(S[1], nodes, raised_by)
        back = own[-1][0][:, at] * _ratio(S, z, S[1] * (1 - S[1]))[at]
        for (W, _), ratio in zip(own[-2::-1], ratios[::-1]):
            back = W @ (ratio[:, None] * back)
        values += (stop - start)[:, None] * back
        base += S[0, at]
    return values / n_members, base / n_members


def _ratio(after: np.ndarray, before: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Return the ratio of two changes, from the first row to the second; the slope where there is none."""
    change = before[1] - before[0]
    is_steady = np.abs(change) < LEAST_CHANGE
    return np.where(is_steady, slope, (after[1] - after[0]) / np.where(is_steady, 1.0, change))


def _attained(scores: np.ndarray, nodes: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
    """Return the descendant, or the node itself, whose score is the greatest."""
    below = [np.append(v, hierarchy.descendants(v)) for v in nodes]
    return np.array([own[np.argmax(scores[own])] for own in below], np.int64)


Score: TypeAlias = Callable[[np.ndarray, Hierarchy | None], np.ndarray]


def _score_on_cpu(layers: Layers) -> Score:
    """Return a function that scores a block of rows member by member."""
    members = [[(W[e].astype(float), b[e]) for W, b in layers] for e in range(len(layers[0][0]))]

    def score(block: np.ndarray, raised_by: Hierarchy | None) -> np.ndarray:
        total = np.zeros((block.shape[0], layers[-1][1].shape[-1]))
        for own in members:
            S = sigmoid(apply_layers(block, own, _relu), np.exp)
            total += S if raised_by is None else raise_up(S, raised_by, out=S)
        return total / len(members)

    return score


def _relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0, out=x)


def _score_on_device(layers: Layers, device: str) -> Score:
    """Return a function that scores a block of rows by all members at once."""
    import torch

    there = [(torch.as_tensor(W, device=device), torch.as_tensor(b, device=device)) for W, b in layers]

    def score(block: np.ndarray, raised_by: Hierarchy | None) -> np.ndarray:
        with torch.no_grad():
            x = torch.as_tensor(block.astype(np.float32), device=device).expand(len(layers[0][0]), -1, -1)
            S = sigmoid(apply_layers(x, there, torch.relu), torch.exp)
            if raised_by is None:
                return np.asarray(S.mean(dim=0).cpu().numpy())
        return np.mean([raise_up(part, raised_by, out=part) for part in S.cpu().numpy()], axis=0)

    return score
