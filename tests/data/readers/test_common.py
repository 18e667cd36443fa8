"""What every reader of the registry says of itself; a new one is tested by existing, wherever it is written."""

from __future__ import annotations

from inspect import signature

import pytest

from truepath.data import open_dataset
from truepath.errors import DataFormatError
from truepath.registry import READERS

every_reader = pytest.mark.parametrize("name", list(READERS))


@every_reader
def test_a_member_says_what_it_reads(name):
    member = READERS[name]
    assert name == member.name == name.lower()
    assert member.summary
    assert not member.summary.endswith(".")
    assert "\n" not in member.summary
    assert all(ending.startswith(".") and ending == ending.lower() for ending in member.endings)
    assert member.endings


@every_reader
def test_its_function_takes_a_path_and_named_options(name):
    member = READERS[name]
    first, *others = signature(member.read).parameters
    assert first == "path"
    assert member.options() == [option for option in others if option != "limits"]
    if member.read.__module__.startswith("truepath."):
        assert "limits" in others
    with pytest.raises(ValueError, match=f"the reader {name!r} has no option 'nonsense'"):
        open_dataset(f"x{member.endings[0]}", format=name, nonsense=1)


@every_reader
def test_a_file_that_is_not_there_is_said_to_be_missing(name, tmp_path):
    missing = tmp_path / f"missing{READERS[name].endings[0]}"
    with pytest.raises((FileNotFoundError, DataFormatError), match="missing"):
        open_dataset(missing, format=name)
