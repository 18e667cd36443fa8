"""Errors have fields: what is wrong, what to do, and the file; they survive pickling, and their text is never cut."""

from __future__ import annotations

import ast
import pickle
import re

import pytest
from joblib import Parallel, delayed

from places import ROOT
from truepath import Hierarchy, errors
from truepath.cli.app import format_error
from truepath.serve.refusals import RefusedError

ERRORS = [
    errors.TruePathError("a is missing.", "Give it."),
    errors.TruePathError("a is\nmissing."),
    errors.HierarchyError("a has no parent.", "Add one."),
    errors.CycleError(["a", "b", "a"]),
    errors.UnknownLabelError("no label 'x'.", ["x"], "Did you mean 'y'?"),
    errors.ConstraintError("row 3 lacks 'a'.", "Close it."),
    errors.UnknownDatasetError("no data set 'x'.", "Fetch it."),
    errors.CellError(3, "price", "numbers", "cheap"),
    errors.DataFormatError("not a number.", "some.csv", 3, "Remove it."),
    errors.DataFormatError("not a number.", None, 3),
    errors.ModelFileError("the file is damaged.", "some.tp", "Save it again."),
    errors.CapabilityError("PCTree cannot be exported.", "export", ["PCTForest", "Stack"]),
    errors.MissingExtraError("PyTorch is not installed.", 'pip install "truepath[torch]".'),
    RefusedError(422, "the request has no rows.", "Send some."),
]


def subclasses(kind):
    return {kind}.union(*(subclasses(other) for other in kind.__subclasses__()))


def test_every_kind_of_error_is_tried_here():
    assert {type(error) for error in ERRORS} == subclasses(errors.TruePathError)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_the_command_line_prints_one_line_with_problem_and_remedy(error):
    line = format_error(error)
    assert line.startswith("truepath: ")
    assert "\n" not in line
    assert " ".join(error.problem.split()) in line
    assert error.remedy in line
    assert error.where in line


def test_text_is_where_problem_and_remedy():
    assert str(ERRORS[0]) == "a is missing. Give it."
    assert str(errors.DataFormatError("not a number.", "some.csv", 3, "Remove it.")) == (
        "some.csv:3: not a number. Remove it."
    )
    assert str(errors.DataFormatError("not a number.", None, 3)) == "line 3: not a number."


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_pickling_keeps_the_fields(error):
    error.added = "by the code that passed it on"
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert vars(again) == vars(error)
    assert str(again) == str(error)


def test_fields_come_back_from_a_worker_process():
    with pytest.raises(errors.CycleError) as caught:
        Parallel(n_jobs=2, backend="loky")(delayed(Hierarchy.from_edges)([("a", "b"), ("b", "a")]) for _ in range(2))
    assert set(caught.value.cycle) == {"a", "b"}
    assert "cycle" in caught.value.problem
    assert "Remove one" in caught.value.remedy


OUR_BUG = "If your input is right, this is a bug in truepath; TRUEPATH_TRACEBACK=1 shows where."


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(2, "no such file", "x.csv"), "truepath: x.csv: no such file"),
        (ValueError("two\nlines"), "truepath: two lines"),
        (ImportError("needs skops"), "truepath: needs skops"),
        (KeyError("a"), f"truepath: KeyError: 'a' {OUR_BUG}"),
        (ValueError(), "truepath: ValueError:"),
    ],
)
def test_other_exceptions_are_printed_by_type(error, said):
    assert re.sub(r"\x1b\[\d*m", "", format_error(error)) == said


CUTS = (
    "partition",
    "rpartition",
    "split",
    "rsplit",
    "startswith",
    "endswith",
    "find",
    "index",
    "replace",
    "removeprefix",
)


def parsed_texts(tree):
    """Yield the lines where the text of a caught exception is cut, searched or compared."""
    for handler in ast.walk(tree):
        if not isinstance(handler, ast.ExceptHandler) or handler.name is None:
            continue

        def is_text(node, name=handler.name):
            of_name = isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("str", "repr")
            return of_name and isinstance(node.args[0], ast.Name) and node.args[0].id == name

        for node in ast.walk(handler):
            cut = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CUTS
            if (cut and is_text(node.func.value) and node.args) or (
                isinstance(node, ast.Subscript) and is_text(node.value)
            ):
                yield node.lineno
            if isinstance(node, ast.Compare) and any(map(is_text, [node.left, *node.comparators])):
                yield node.lineno


def test_no_error_text_is_parsed():
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "src").rglob("*.py"))
        for line in parsed_texts(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []
