"""Networks where PyTorch is not installed, or not yet imported."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from sklearn.base import clone

from learners_room import TREE, make_data
from truepath.errors import MissingExtraError, TruePathError
from truepath.learners import CoherentNetwork
from truepath.learners.network.backend import device_to_predict, has_torch


@pytest.fixture
def without_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)


@pytest.mark.usefixtures("without_torch")
def test_without_torch_it_is_made_and_cloned_and_fit_names_the_extra():
    assert not has_torch()
    X, Y = make_data(TREE)
    model = clone(CoherentNetwork((8,), hierarchy=TREE))
    assert model.get_params()["hidden_layer_sizes"] == (8,)
    for train in (model.fit, model.partial_fit):
        with pytest.raises(MissingExtraError, match=r'pip install "truepath\[torch\]"') as caught:
            train(X, Y)
    assert isinstance(caught.value, TruePathError)
    assert isinstance(caught.value, ImportError)


@pytest.mark.usefixtures("without_torch")
def test_without_torch_the_cpu_predicts():
    assert device_to_predict("cuda") == "cpu"


@pytest.mark.slow
def test_importing_and_making_it_leaves_torch_alone():
    code = "import sys; from truepath.learners import CoherentNetwork; CoherentNetwork(); print('torch' in sys.modules)"
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=here)
    assert done.stdout.strip() == "False"
