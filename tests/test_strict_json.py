"""What is written as JSON is JSON to every parser, whatever the numbers."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.cli.cafa.options import print_table
from truepath.experiments import compare
from truepath.experiments.store import Finished, Store
from truepath.files.strict_json import dump_json, json_values

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def strictly(text):
    """Parse JSON as parsers of other languages do: NaN and Infinity are errors."""

    def refuse(name):
        raise AssertionError(f"{name} in {text!r}")

    return json.loads(text, parse_constant=refuse)


def nulls(value):
    """Return a value with null for what is not finite: the convention, written a second time."""
    if isinstance(value, dict):
        return {key: nulls(member) for key, member in value.items()}
    if isinstance(value, list):
        return [nulls(member) for member in value]
    return None if isinstance(value, float) and math.isnan(value - value) else value


@given(VALUES)
def test_any_values_are_strict_json(value):
    assert strictly(dump_json(value)) == strictly(dump_json(value, indent=1, ensure_ascii=False)) == nulls(value)


@given(st.lists(st.floats(allow_nan=False)))
def test_numbers_by_name_come_back(numbers):
    assert [float(number) for number in strictly(dump_json(np.array(numbers), str))] == numbers


def test_arrays_and_numbers_of_numpy():
    found = json_values({"a": np.array([[1.5, np.nan]]), "b": np.float32(0.5), "c": (np.bool_(True), np.int8(3))})
    assert found == {"a": [[1.5, None]], "b": 0.5, "c": [True, 3]}
    with pytest.raises(TypeError, match="not JSON serializable"):
        dump_json(object())


def test_a_statistic_that_is_infinite():
    found = compare(np.array([[3.0, 2.0, 1.0]] * 4), greater_is_better=True).to_dict()  # all data sets agree
    assert found["friedman"]["f"] is None
    strictly(json.dumps(found))


def test_a_table_of_a_command(capsys):
    print_table([{"aspect": "BPO", "fmax": float("nan")}], as_json=True)
    assert strictly(capsys.readouterr().out) == [{"aspect": "BPO", "fmax": None}]


def test_finished_work_comes_back_as_it_was(tmp_path):
    store, value = Store(tmp_path / "work.jsonl"), {"low": -math.inf, "high": [math.inf, 1.0], "nan": "nan"}
    store.append(Finished("unit", "settings", value=value))
    strictly((tmp_path / "work.jsonl").read_text())
    assert store.read().units[0].value == value
