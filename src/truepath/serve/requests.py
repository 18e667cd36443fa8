"""What requests hold, checked by pydantic; its errors become one clear sentence."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from truepath.serve.refusals import RefusedError

#: A cell of a row
Cell = str | bool | int | float | None
Row = dict[str, Cell] | list[Cell]
Share = Annotated[float, Field(gt=0, lt=1)]
Score = Annotated[float, Field(allow_inf_nan=False)]


class _Decided(BaseModel):
    """How labels are decided, where the request says it; else as the model does."""

    model_config = ConfigDict(extra="forbid")

    threshold: Score | None = Field(None, description="One threshold for all labels: those that score above it.")
    thresholds: dict[str, Score] | None = Field(
        None, description="Thresholds of some labels; the others keep the one above, or the model's."
    )
    coverage: Share | None = Field(
        None, description="Of a model with conformal label sets: the probability that a set holds all true labels."
    )


class PredictRequest(_Decided):
    """Rows to label: texts, or rows of columns or numbers, whichever the model was fitted on."""

    texts: list[str] | None = Field(None, description="Texts, for a model of texts.")
    rows: list[Row] | None = Field(None, description="Rows, as objects by column or as lists of values.")
    top: Annotated[int, Field(ge=1)] | None = Field(None, description="Also return this many best labels.")
    per: Literal["row", "level"] = Field("row", description="The best labels of each row, or of each level.")
    among: Literal["all", "leaves", "most-specific"] = Field("all", description="Which labels compete to be the best.")
    scores: bool = Field(False, description="Also return the scores of all labels.")
    min_score: Score = Field(0.0, description="Leave out scores below this.")


class ExplainRequest(_Decided):
    """One row to explain."""

    text: str | None = Field(None, description="A text, for a model of texts.")
    row: Row | None = Field(None, description="A row, as an object by column or as a list of values.")
    n_others: Annotated[int, Field(ge=0, le=200)] = Field(5, description="Labels to show that came closest.")
    n_causes: Annotated[int, Field(ge=0, le=50)] = Field(4, description="Words or columns to show for each label.")


class Refusal(BaseModel):
    """What every refusal says."""

    error: str
    remedy: str = ""


Kind = TypeVar("Kind", bound=BaseModel)


def read_request(kind: type[Kind], body: bytes) -> Kind:
    """Return a request, or say in one sentence what is wrong with it.

    Examples
    --------
    >>> read_request(PredictRequest, b'{"texts": ["a cat"], "top": 2}').top
    2
    """
    if not body:
        raise RefusedError(400, "the request has no body.", "Send a JSON object.")
    try:
        return kind.model_validate_json(body)
    except ValidationError as found:
        first, n = found.errors(include_url=False, include_input=False)[0], found.error_count()
        if first["type"] == "json_invalid":
            raise RefusedError(400, f"the body is not JSON: {first['ctx']['error']}.") from None
        more = f" (and {n - 1} more like this)" if n > 1 else ""
        raise RefusedError(422, f"{_describe(first)}{more}.", _fields(kind)) from None


def _describe(error: Any) -> str:
    """Return a validation error as a sentence that names the field."""
    place = ".".join(str(part) for part in error["loc"] if part not in ("dict[str,nullable[union]]",)) or "the body"
    if error["type"] == "extra_forbidden":
        return f"there is no field {place!r}"
    said = error["msg"]
    return f"{place}: {said[:1].lower()}{said[1:]}"


def _fields(kind: type[BaseModel]) -> str:
    return f"The fields are {', '.join(kind.model_fields)}."
