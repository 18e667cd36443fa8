"""Training an ensemble of networks as one: its members side by side on a device, each with its own rows and dropout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from truepath.hierarchy.matrices import as_dense, row_blocks
from truepath.learners.network.backend import import_torch
from truepath.learners.network.layers import apply_layers, sigmoid
from truepath.learners.network.losses import make_loss

if TYPE_CHECKING:
    from truepath.learners.network.coherent_network import CoherentNetwork


class TrainingRows(NamedTuple):
    """What is learned from, checked and scaled."""

    X: Any  # ndarray of float32, or csr_array
    Y: Any  # ndarray or csr_array of bool
    weight: np.ndarray | None


class Training:
    """Members in training.

    Parameters
    ----------
    network : CoherentNetwork
        Whose parameters say how to train; its seed, device and hierarchy are set.
    layers : list of pairs of ndarray
        What they start from.
    rows : TrainingRows
    only_last : bool, default=False
        Whether the last layer alone learns.

    Notes
    -----
    Everything drawn in an epoch comes from the seed and the number of the epoch, nothing from PyTorch's global
    generator.
    """

    def __init__(self, network: CoherentNetwork, layers: Sequence[Any], rows: TrainingRows, *, only_last: bool = False):
        self.torch = torch = import_torch()
        self.network, self.rows, self.device = network, rows, network.device_
        self.layers = [
            tuple(torch.tensor(part, device=self.device, requires_grad=learns) for part in pair)
            for learns, pair in zip([*[not only_last] * (len(layers) - 1), True], layers)
        ]
        self.n_members = len(layers[0][0])
        self.optimizer = torch.optim.AdamW(
            [part for pair in self.layers for part in pair if part.requires_grad],
            lr=network.learning_rate,
            weight_decay=network.weight_decay,
            fused=self.device.partition(":")[0] in ("cpu", "cuda"),
        )
        self.loss = make_loss(network.loss, network.hierarchy_, self.device)
        self.X, self.Y = self._to_device(rows.X), self._to_device(rows.Y)

    def _to_device(self, M: Any) -> Any:
        """Return a dense matrix as a tensor on the device; sparse ones stay, their batches are made dense."""
        if not isinstance(M, np.ndarray):
            return M
        own = M if M.flags.writeable else M.copy()  # PyTorch warns of arrays that workers share
        return self.torch.as_tensor(own, device=self.device)

    def _take(self, M: Any, rows: np.ndarray) -> Any:
        """Return some rows as float32 on the device, in the shape of the row numbers."""
        torch = self.torch
        if isinstance(M, torch.Tensor):
            return M[torch.as_tensor(rows, device=self.device)].to(torch.float32)
        block = as_dense(M[rows.ravel()]).astype(np.float32)
        return torch.as_tensor(block, device=self.device).reshape(*rows.shape, -1)

    def epoch(self, number: int, rows_of: Sequence[np.ndarray]) -> None:
        """Go once through the rows of every member, each in its own order.

        Members take equally many rows: one with more leaves out some, others every time.
        """
        seed = np.random.SeedSequence([self.network.seed_, number])
        rng = np.random.default_rng(seed)
        generator = self.torch.Generator(self.device).manual_seed(int(seed.generate_state(1)[0]))
        n_rows = min(rows.size for rows in rows_of)
        order = np.stack([rng.permutation(rows)[:n_rows] for rows in rows_of])
        for batch in gen_batches(n_rows, self.network.batch_size):
            self._step(order[:, batch], generator)

    def _step(self, rows: np.ndarray, generator: Any) -> None:
        """Take one step on a batch of each member, shape (n_members, batch)."""
        torch = self.torch
        x, y = self._take(self.X, rows), self._take(self.Y, rows)
        kind = self.device.partition(":")[0]
        with torch.autocast(kind, torch.bfloat16, enabled=kind == "cuda"):
            Z = apply_layers(x, self.layers, lambda x: self._drop(torch.relu(x), generator))
        weight = None
        if self.rows.weight is not None:
            weight = torch.as_tensor(self.rows.weight[rows].astype(np.float32), device=self.device)[:, :, None]
        self.optimizer.zero_grad()
        (self.loss(Z.float(), y, weight) / (rows.shape[1] * y.shape[-1])).backward()
        self.optimizer.step()

    def _drop(self, x: Any, generator: Any) -> Any:
        """Set a share of the cells to zero, and scale the others up."""
        keep = 1.0 - self.network.dropout
        if keep == 1.0:
            return x
        return x * self.torch.empty_like(x).bernoulli_(keep, generator=generator).div_(keep)

    def scores(self, member: int, rows: np.ndarray) -> np.ndarray:
        """Return one member's scores of some rows, without dropout."""
        torch = self.torch
        own = [(W[member], b[member]) for W, b in self.layers]
        parts = []
        with torch.no_grad():
            for block in row_blocks(rows.size, self.layers[-1][1].shape[-1]):
                Z = apply_layers(self._take(self.X, rows[block]), own, torch.relu)
                parts.append(sigmoid(Z, torch.exp).cpu().numpy())
        return np.concatenate(parts)

    def arrays(self) -> list[tuple[np.ndarray, ...]]:
        """Return a copy of weights and biases."""
        return [tuple(part.detach().cpu().numpy().copy() for part in pair) for pair in self.layers]

    def moments(self) -> list[dict[str, np.ndarray]]:
        """Return a copy of what the optimiser remembers of every array."""
        state = self.optimizer.state_dict()["state"]
        return [{key: value.cpu().numpy().copy() for key, value in state[k].items()} for k in sorted(state)]

    def restore_moments(self, moments: list[dict[str, np.ndarray]]) -> None:
        """Go on from what :meth:`moments` returned."""
        state = self.optimizer.state_dict()
        tensors = [{key: self.torch.tensor(value) for key, value in entry.items()} for entry in moments]
        self.optimizer.load_state_dict({**state, "state": dict(enumerate(tensors))})
