"""The registries of names: filled by defining members, with clear errors for unknown names."""

from __future__ import annotations

import pytest

from truepath.errors import TruePathError
from truepath.registry import Member, Registry


def family():
    class Base(Member):
        registry = Registry("thing", "truepath.errors")

    return Base


def test_a_class_with_a_name_is_a_member():
    base = family()

    class First(base):
        name = "first"
        summary = "comes first"

    class Hidden(First):
        """A subclass without a name of its own is no new member."""

    assert list(base.registry) == ["first"]
    assert base.registry["first"] is First
    assert isinstance(base.registry.resolve("first"), First)
    given = Hidden()
    assert base.registry.resolve(given) is given


def test_an_unknown_name_is_answered_with_the_nearest():
    base = family()
    type("Third", (base,), {"name": "third"})
    with pytest.raises(TruePathError, match=r"no thing is called 'thrid'\. Did you mean 'third'\?") as caught:
        base.registry["thrid"]
    assert caught.value.remedy == "Did you mean 'third'?"
    with pytest.raises(TruePathError, match="Available: third"):
        base.registry["x"]


def test_two_classes_cannot_share_a_name():
    base = family()
    type("One", (base,), {"name": "same"})
    with pytest.raises(TruePathError, match="two things are called 'same'"):
        type("Two", (base,), {"name": "same"})


def test_a_module_can_be_loaded_again_after_its_names_were_published():
    base = family()
    first = type("One", (base,), {"name": "same", "__module__": "package.private"})
    first.__module__ = "package"
    again = type("One", (base,), {"name": "same", "__module__": "package.private"})
    assert base.registry["same"] is again
