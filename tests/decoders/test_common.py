"""What every decoder of the registry promises, in each variant of its docstring; a new one is tested by existing."""

from __future__ import annotations

import copy
import pickle
from inspect import signature

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

import truepath.decoders as module
from truepath import Hierarchy
from truepath.decoders import MASR, Decoder, ExactLeafMAP, MetaLabeler
from truepath.decoders.base import DecoderLike
from truepath.registry import DECODERS
from variants import variants

TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
S = np.array([[0.9, 0.6, 0.3, 0.4, 0.2], [0.5, 0.2, 0.4, 0.5, 0.3], [0.8, 0.7, 0.6, 0.1, 0.1]])
Y = np.array([[1, 1, 0, 0, 0], [1, 0, 1, 1, 1], [1, 1, 1, 0, 0]], bool)

MEMBERS = [decoder for member in DECODERS.members() for decoder in variants(member)]
LEARNING = [decoder for decoder in MEMBERS if decoder.learns]
READY = [decoder for decoder in MEMBERS if not decoder.learns]
every = pytest.mark.parametrize("decoder", MEMBERS, ids=str)


def on_tree(decoder):
    return clone(decoder).set_params(hierarchy=TREE)


def test_the_registry_holds_what_is_exported():
    exported = [getattr(module, name) for name in module.__all__]
    decoders = {value for value in exported if isinstance(value, type) and issubclass(value, Decoder)}
    assert decoders - {Decoder} == {member for member in DECODERS.members() if member.__module__ == module.__name__}


@pytest.mark.parametrize("member", DECODERS.members(), ids=lambda member: member.name)
def test_a_member_says_what_it_does(member):
    assert member.summary
    assert not member.summary.endswith(".")
    assert "\n" not in member.summary
    assert isinstance(member.needs, tuple)
    assert bool(member.learns_from) or not member().learns
    assert signature(member).parameters["hierarchy"].kind.name == "KEYWORD_ONLY"


@pytest.mark.parametrize("decoder", READY, ids=str)
def test_what_learns_nothing_predicts_unfitted(decoder):
    for hierarchy in (TREE, None):
        new = clone(decoder).set_params(hierarchy=hierarchy)
        found = new.predict(S)
        assert found.dtype == bool
        assert found.shape == S.shape
        assert hierarchy is None or hierarchy.is_closed(found)
        np.testing.assert_array_equal(found, clone(new).fit(S).predict(S))
        np.testing.assert_array_equal(found, clone(new).fit(S, Y).predict(S))
        np.testing.assert_array_equal(found, new.predict(sparse.csr_array(S)).toarray())


@pytest.mark.parametrize("decoder", LEARNING, ids=str)
def test_what_learns_must_be_fitted(decoder):
    with pytest.raises(NotFittedError, match=r"learns from held-out scores and labels.*call fit\(S, y\) first"):
        on_tree(decoder).predict(S)
    with pytest.raises(ValueError, match="requires y to be passed"):
        on_tree(decoder).fit(S)
    for hierarchy in (TREE, None):
        fitted = clone(decoder).set_params(hierarchy=hierarchy).fit(S, Y)
        assert (hierarchy or Hierarchy.flat(5)).is_closed(fitted.predict(S))


@every
def test_tags_say_the_same(decoder):
    tags = get_tags(decoder)
    assert tags.requires_fit == tags.target_tags.required == decoder.learns
    assert isinstance(decoder, DecoderLike)


@every
def test_predict_leaves_the_decoder_alone(decoder):
    fitted = on_tree(decoder).fit(S, Y)
    before = copy.copy(vars(fitted))
    stored = pickle.dumps(fitted)
    fitted.predict(S)
    fitted.predict(sparse.csr_array(S[:1]))
    assert vars(fitted).keys() == before.keys()
    assert all(vars(fitted)[name] is value for name, value in before.items())
    assert pickle.dumps(fitted) == stored


def test_the_parameters_decide_what_must_be_learned():
    assert ExactLeafMAP("risk").learns
    assert not ExactLeafMAP("risk", alpha=2.0).learns
    assert not MASR(alpha=2.0).learns
    assert MASR(alpha=2.0, k=MetaLabeler()).learns
    decoder = ExactLeafMAP(hierarchy=TREE).fit(S)
    assert decoder.predict(S).shape == S.shape
    with pytest.raises(NotFittedError):
        decoder.set_params(weights="risk").predict(S)
    with pytest.raises(NotFittedError):
        decoder.set_params(weights="map", k="metalabeler").predict(S)
