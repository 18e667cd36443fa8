"""What a fitted classifier cannot do is known at the end of its fit."""

from __future__ import annotations

import pytest

from commands import run_command
from truepath import load_dataset
from truepath.classifier import describe_refused, list_refused, make_preset
from truepath.errors import CapabilityError
from truepath.export import to_onnx

DS = load_dataset("toy")


@pytest.mark.parametrize("name", ["ada.mh", "fael", "half", "hbr", "hmc-lp", "lcppn", "linear", "pct", "tpr"])
def test_what_is_listed_is_refused_and_nothing_else(name):
    pytest.importorskip("onnx")
    model = make_preset(name, hierarchy=DS.hierarchy).fit(DS.train.X, DS.train.y)
    diff = DS.hierarchy.edit().rename("b", "c").diff()
    tried = {
        "export": lambda: to_onnx(model, from_features=True),
        "update": lambda: model.update(diff, DS.train.X, diff.transfer(DS.train.y)),
    }
    refused = {}
    for capability, attempt in tried.items():
        try:
            attempt()
        except CapabilityError as error:
            refused[capability] = str(error).split()[0]
    assert list_refused(model) == refused


def test_fit_says_what_its_model_cannot_do(tmp_path):
    out, _ = run_command("fit", "toy", "--method", "hbr", "-o", tmp_path / "m.tp")
    assert "cannot be updated to a changed hierarchy (HBR) or be exported to ONNX (HBR)" in out
    out, _ = run_command("fit", "toy", "--method", "hbr", "-o", tmp_path / "m.tp", "--json")
    assert '"refused"' in out
    assert "cannot" not in run_command("fit", "toy", "--method", "pct", "-o", tmp_path / "m.tp")[0]
    assert describe_refused({}) == ""
