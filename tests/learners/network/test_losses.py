"""The max-constraint loss along the arcs, against its definition with a matrix of ancestors; and its memory."""

from __future__ import annotations

import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import dags, label_matrices, trees
from truepath import open_dataset
from truepath.learners.network.losses import arcs_by_level, constrained_logits, make_loss

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def dense_loss(Z, y, is_ancestor):
    """MCLoss as Giunchiglia & Lukasiewicz write it, rows x nodes x nodes: the sum over rows and nodes."""
    h = torch.sigmoid(Z)
    raised = (is_ancestor * h[:, None, :]).max(dim=2).values
    among_true = (is_ancestor * (y * h)[:, None, :]).max(dim=2).values
    return torch.nn.functional.binary_cross_entropy((1 - y) * raised + y * among_true, y, reduction="sum")


def ancestors_of(hierarchy):
    """Row u has ones at u and its descendants."""
    return torch.tensor(hierarchy.ancestor_matrix().toarray().T, dtype=torch.float64)


@pytest.mark.parametrize("shapes", [trees, dags])
def test_equals_the_dense_definition_with_its_gradient(shapes):
    @settings(max_examples=40)
    @given(shapes(max_nodes=9), st.data())
    def check(hierarchy, data):
        Y = data.draw(label_matrices(hierarchy))
        seed = data.draw(st.integers(0, 2**16))
        drawn = np.random.default_rng(seed).normal(0, 2, Y.shape)  # no two logits are equal
        y = torch.tensor(Y, dtype=torch.float64)
        losses, gradients = [], []
        for loss in (
            lambda Z: make_loss("constraint", hierarchy, "cpu")(Z, y, None),
            lambda Z: dense_loss(Z, y, ancestors_of(hierarchy)),
        ):
            Z = torch.tensor(drawn, requires_grad=True)
            value = loss(Z)
            value.backward()
            losses.append(value.item())
            gradients.append(Z.grad.numpy())
        assert losses[0] == pytest.approx(losses[1], abs=1e-6)
        np.testing.assert_allclose(gradients[0], gradients[1], atol=1e-6)

    check()


def test_members_and_rows_may_stand_in_several_dimensions():
    from learners_room import DAG

    rng = np.random.default_rng(0)
    Y = DAG.close(rng.random((6, DAG.n_nodes)) < 0.3)
    Z, y, levels = torch.tensor(rng.normal(size=Y.shape)), torch.tensor(Y), arcs_by_level(DAG)
    together = constrained_logits(Z.reshape(2, 3, -1), y.reshape(2, 3, -1), levels)
    assert torch.equal(together.reshape(6, -1), constrained_logits(Z, y, levels))


class PeakMemory(torch.utils._python_dispatch.TorchDispatchMode):
    """Counts the bytes of all storages made within the block and still alive, and keeps the greatest sum."""

    def __init__(self):
        super().__init__()
        self.alive, self.peak, self.sizes = 0, 0, {}

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        for part in out if isinstance(out, (tuple, list)) else [out]:
            if isinstance(part, torch.Tensor):
                self._enter(part.untyped_storage())
        return out

    def _enter(self, storage):
        key = storage._cdata
        if key not in self.sizes:
            self.sizes[key] = storage.nbytes()
            self.alive += storage.nbytes()
            self.peak = max(self.peak, self.alive)
            weakref.finalize(storage, self._leave, key)

    def _leave(self, key):
        self.alive -= self.sizes.pop(key, 0)


def peak_of_a_step(loss, Z):
    with PeakMemory() as memory:
        loss(Z).backward()
    return memory.peak


def test_a_step_on_the_gene_ontology_takes_less_than_a_twentieth_of_the_dense_memory(shared_data):
    """Batch 64: the dense form is counted on PyTorch's meta device, whose tensors have sizes and no memory."""
    ds = open_dataset(shared_data / "hmc" / "cellcycle_GO")
    n_nodes, batch = ds.hierarchy.n_nodes, 64
    Y = torch.tensor(np.asarray(ds.train.y[:batch]), dtype=torch.float32)
    loss = make_loss("constraint", ds.hierarchy, "cpu")
    along_arcs = peak_of_a_step(lambda Z: loss(Z, Y, None), torch.randn(batch, n_nodes, requires_grad=True))
    nothing = {"device": "meta"}
    dense = peak_of_a_step(
        lambda Z: dense_loss(Z, torch.empty(batch, n_nodes, **nothing), torch.empty(n_nodes, n_nodes, **nothing)),
        torch.empty(batch, n_nodes, requires_grad=True, **nothing),
    )
    print(f"{along_arcs / 2**20:.1f} MiB along arcs, {dense / 2**20:.0f} MiB dense, 1/{dense / along_arcs:.0f}")
    assert n_nodes == 4125
    assert along_arcs * 20 < dense
