"""Which types of a model file --trust lets in."""

import pytest

from truepath.persistence import trust

HELD = ["builtins.eval", "collections.OrderedDict", "lightgbm.basic.Booster", "os.system"]


@pytest.fixture
def model(monkeypatch, tmp_path):
    monkeypatch.setattr(trust, "_untrusted", lambda path: HELD)
    return tmp_path / "model.tp"


def test_a_package_brings_its_own_types_and_plain_containers(model):
    assert trust.trusted_types_of(model, ["lightgbm"]) == ["collections.OrderedDict", "lightgbm.basic.Booster"]
    assert trust.trusted_types_of(model, []) == []


def test_what_is_no_container_is_named_to_the_user(model):
    assert trust.packages_to_trust(model) == ["builtins", "lightgbm", "os"]
