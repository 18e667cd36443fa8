"""Optional packages that are not installed: all of an extra are named at once."""

from __future__ import annotations

import pytest

from truepath.errors import MissingExtraError
from truepath.extras import import_extra
from truepath.versions import packages_of_extra


def test_all_missing_packages_of_an_extra_are_named_at_once(monkeypatch):
    monkeypatch.setattr("truepath.extras.packages_of_extra", lambda extra: ["missing", "gone", "json", "absent"])
    with pytest.raises(MissingExtraError, match=r"needs missing, which is not installed .*gone.*absent") as caught:
        import_extra("missing.module", "Drawing", "report")
    assert "truepath[report]" in caught.value.remedy


def test_the_packages_of_an_extra_are_those_of_its_name():
    assert set(packages_of_extra("report")) in (set(), {"pandas", "matplotlib", "jinja2"})  # none if run from sources
