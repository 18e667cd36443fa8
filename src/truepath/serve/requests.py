"""What requests hold: counted first, then checked up to the first complaint, which becomes one clear sentence.

Lists of rows are left to :class:`~truepath.serve.rows.RowForm`, which knows what the model takes; the few other fields
are checked by pydantic. So a large body of mistakes costs no more than its reading.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SkipValidation, ValidationError
from pydantic_core import from_json

from truepath.english import did_you_mean
from truepath.serve.refusals import RefusedError, shown

#: A cell of a row
Cell = str | bool | int | float | None
Row = dict[str, Cell] | list[Cell]
Share = Annotated[float, Field(gt=0, lt=1)]
Score = Annotated[float, Field(allow_inf_nan=False)]

#: Lists and objects of a request that are no rows
MOST_OTHERS = 16
#: Bodies beyond this are counted before they are parsed
LARGE_BODY = 1 << 16
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)


class _Decided(BaseModel):
    """How labels are decided, where the request says it; else as the model does."""

    model_config = ConfigDict(extra="forbid", strict=True)

    threshold: Score | None = Field(None, description="One threshold for all labels: those that score above it.")
    thresholds: SkipValidation[dict[str, Score] | None] = Field(
        None, description="Thresholds of some labels; the others keep the one above, or the model's."
    )
    coverage: Share | None = Field(
        None, description="Of a model with conformal label sets: the probability that a set holds all true labels."
    )
    allowed: SkipValidation[list[str] | None] = Field(
        None,
        description="The labels that rows may have, each with all below it, or names of sets that the model keeps; all "
        "others score 0.",
    )
    priors: SkipValidation[dict[str, float] | None] = Field(
        None, description="Of a calibrated model: the shares that some labels have where the rows come from."
    )


class PredictRequest(_Decided):
    """Rows to label: texts, or rows of columns or numbers, whichever the model was fitted on."""

    texts: SkipValidation[list[str] | None] = Field(None, description="Texts, for a model of texts.")
    rows: SkipValidation[list[Row] | None] = Field(
        None, description="Rows, as objects by column or as lists of values."
    )
    top: Annotated[int, Field(ge=1)] | None = Field(None, description="Also return this many best labels.")
    per: Literal["row", "level"] = Field("row", description="The best labels of each row, or of each level.")
    among: Literal["all", "leaves", "most-specific"] = Field("all", description="Which labels compete to be the best.")
    scores: bool = Field(False, description="Also return the scores of all labels.")
    min_score: Score = Field(0.0, description="Leave out scores below this.")


class ExplainRequest(_Decided):
    """One row to explain."""

    text: SkipValidation[str | None] = Field(None, description="A text, for a model of texts.")
    row: SkipValidation[Row | None] = Field(None, description="A row, as an object by column or as a list of values.")
    n_others: Annotated[int, Field(ge=0, le=200)] = Field(5, description="Labels to show that came closest.")
    n_causes: Annotated[int, Field(ge=0, le=50)] = Field(4, description="Words or columns to show for each label.")


Kind = TypeVar("Kind", bound=BaseModel)


def read_request(kind: type[Kind], body: bytes, max_rows: int) -> Kind:
    """Return a request, or say in one sentence what is wrong with it.

    Examples
    --------
    >>> read_request(PredictRequest, b'{"texts": ["a cat"], "top": 2}', 10).top
    2
    """
    if not body:
        raise RefusedError(400, "the request has no body.", "Send a JSON object.")
    if len(body) > LARGE_BODY:
        _check_count(body, max_rows)
    try:
        asked = from_json(body, allow_inf_nan=False)
    except ValueError as problem:
        raise RefusedError(400, f"the body is not JSON: {problem}.", "Send a JSON object, in UTF-8.") from None
    if not isinstance(asked, dict):
        raise RefusedError(422, f"the body is {_article(asked)}, not an object.", _fields(kind))
    unknown = next((name for name in asked if name not in kind.model_fields), None)
    if unknown is not None:
        way = did_you_mean(unknown[:100], kind.model_fields, _fields(kind))
        raise RefusedError(422, f"there is no field {shown(unknown)}.", way)
    _check_numbers("thresholds", asked.get("thresholds"))
    _check_numbers("priors", asked.get("priors"))
    _check_allowed(asked.get("allowed"))
    try:
        return kind.model_validate(asked)
    except ValidationError as found:  # of a few small fields
        first = found.errors(include_url=False)[0]
        meaning = kind.model_fields[str(first["loc"][0])].description
        raise RefusedError(422, f"{_describe(first)}.", f"What it is for: {meaning}") from None


def _check_count(body: bytes, max_rows: int) -> None:
    """Refuse more lists and objects than rows may come, before memory is taken for them."""
    most, n = max_rows + MOST_OTHERS, _count_brackets(body)
    if n > most and n - sum(_count_brackets(text[0]) for text in _STRING.finditer(body)) > most:
        problem = f"the request has more lists and objects than rows may come, which is {max_rows:,}."
        raise RefusedError(413, problem, "Send several requests; a cell is a text, a number, true, false or null.")


def _count_brackets(body: bytes) -> int:
    return body.count(b"[") + body.count(b"{")


def _check_numbers(field: str, given: Any) -> None:
    """Refuse thresholds or shares that are not numbers by label."""
    remedy = 'Send an object such as {"a label": 0.5}.'
    if given is not None and not isinstance(given, dict):
        raise RefusedError(422, f"{field} is {_article(given)}, not an object.", remedy)
    for name, value in (given or {}).items():
        if not is_finite_number(value):
            raise RefusedError(422, f"{field}: that of {shown(name)} is {_article(value)}, not a number.", remedy)


def _check_allowed(given: Any) -> None:
    """Refuse allowed labels that are not a list of names."""
    remedy = 'Send a list of names such as ["a label"].'
    if given is not None and not isinstance(given, list):
        raise RefusedError(422, f"allowed is {_article(given)}, not a list.", remedy)
    for name in given or []:
        if not isinstance(name, str):
            raise RefusedError(422, f"allowed has {_article(name)}, not only names of labels.", remedy)


def is_finite_number(value: Any) -> bool:
    """Say whether a value of JSON is a number that a computer's numbers can hold; true and false are none.

    Examples
    --------
    >>> is_finite_number(1), is_finite_number(True), is_finite_number(10**400)
    (True, False, False)
    """
    try:
        return type(value) in (int, float) and isfinite(value)
    except OverflowError:  # an integer of hundreds of digits
        return False


def describe_value(value: Any) -> str:
    """Say what a value of JSON is, cut to what a message shows.

    Examples
    --------
    >>> describe_value([1]), describe_value("a"), describe_value(None)
    ('a list', "'a'", 'null')
    """
    kinds = {dict: "an object", list: "a list", type(None): "null"}
    if type(value) in kinds:
        return kinds[type(value)]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return shown(value)
    return str(value) if is_finite_number(value) and abs(value) < 1e30 else "a number that is too large"


def _article(value: Any) -> str:
    return "a text" if isinstance(value, str) else describe_value(value)


def _describe(error: Any) -> str:
    """Return what is wrong with a field, in the words that all refusals use."""
    said, limits = error["type"], error.get("ctx", {})
    words = {
        "int_type": "an integer",
        "float_type": "a number",
        "bool_type": "true or false",
        "finite_number": "a finite number",
        "literal_error": limits.get("expected"),
    }
    bounds = {"greater_than_equal": ("ge", "at least"), "less_than_equal": ("le", "at most")}
    bounds |= {"greater_than": ("gt", "above"), "less_than": ("lt", "below")}
    if said in bounds:
        key, word = bounds[said]
        words[said] = f"{word} {limits[key]:g}"
    return f"{error['loc'][0]} must be {words.get(said) or 'another value'}, not {describe_value(error['input'])}"


def _fields(kind: type[BaseModel]) -> str:
    return f"The fields are {', '.join(kind.model_fields)}."
