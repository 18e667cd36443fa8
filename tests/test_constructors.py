"""One constructor rule for every public estimator, and docstrings in the order of the signature."""

from __future__ import annotations

import importlib
import inspect
import re

import pytest
from sklearn.base import BaseEstimator

from places import ROOT
from truepath.registry import COMBINERS, DECODERS, LEARNERS

MODULES = ("learners", "combiners", "decoders", "classifier", "preprocessing")
#: What comes last, in this order, where a constructor has it
LAST = ["verbose", "random_state", "n_jobs"]


def public_estimators():
    """Yield the classes that the modules export and the registries know, each once, base classes left out."""
    exported = []
    for name in MODULES:
        module = importlib.import_module(f"truepath.{name}")
        exported += [getattr(module, entry) for entry in module.__all__]
    exported += [member for registry in (LEARNERS, COMBINERS, DECODERS) for member in registry.members()]
    estimators = {cls for cls in exported if isinstance(cls, type) and issubclass(cls, BaseEstimator)}
    bases = {cls for cls in estimators if not vars(cls).get("name") and len(estimators & set(cls.__subclasses__()))}
    return sorted(estimators - bases, key=lambda cls: cls.__name__)


def documented(cls) -> list[str]:
    """Return the parameters of a class's docstring, in its order."""
    doc = inspect.cleandoc(vars(cls)["__doc__"]).replace("\\\n", "")
    section = re.search(r"^Parameters\n-+\n(.*?)(?=\n\n[A-Z][A-Za-z ]+\n-+\n|\Z)", doc, re.MULTILINE | re.DOTALL)
    lines = section.group(1).splitlines() if section else []
    heads = [line.split(" : ")[0] for line in lines if line and not line.startswith(" ")]
    return [name.strip() for head in heads for name in head.split(",")]


every_estimator = pytest.mark.parametrize("cls", public_estimators(), ids=lambda cls: cls.__name__)


@every_estimator
def test_documented_in_the_order_of_the_signature(cls):
    assert documented(cls) == list(inspect.signature(cls).parameters)


@every_estimator
def test_the_hierarchy_is_the_first_keyword(cls):
    """What the method is made of comes first, then the hierarchy, then options."""
    parameters = inspect.signature(cls).parameters.values()
    keywords = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    assert keywords[:1] == ["hierarchy"] or "hierarchy" not in {p.name for p in parameters}


@every_estimator
def test_randomness_and_workers_come_last(cls):
    names = list(inspect.signature(cls).parameters)
    last = [name for name in LAST if name in names]
    assert names[len(names) - len(last) :] == last


@every_estimator
def test_options_are_annotated_and_have_defaults(cls):
    for p in inspect.signature(cls).parameters.values():
        assert p.annotation is not p.empty, f"{p.name} has no annotation"
        assert p.kind is not p.KEYWORD_ONLY or p.default is not p.empty, f"{p.name} has no default"


def test_the_glossary_explains_parameters_that_exist():
    text = (ROOT / "docs" / "glossary.rst").read_text(encoding="utf-8")
    explained = {
        name for line in re.findall(r"^   (\w+=(?:, \w+=)*)$", text, re.MULTILINE) for name in line.split(", ")
    }
    taken = {f"{name}=" for cls in public_estimators() for name in inspect.signature(cls).parameters}
    assert {"hierarchy=", "estimator=", "labels=", "categorical_features="} <= explained
    assert explained - {"sample_weight="} <= taken


@every_estimator
def test_the_seed_is_zero_unless_given(cls):
    seed = inspect.signature(cls).parameters.get("random_state")
    assert seed is None or seed.default == 0


@every_estimator
def test_kernel_width_and_penalty_come_in_this_order(cls):
    names = [name for name in inspect.signature(cls).parameters if name in ("kernel", "gamma", "alpha")]
    assert names == [name for name in ("kernel", "gamma", "alpha") if name in names]
