"""What answers look like, for the description of the operations; the answers themselves are written elsewhere."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class Refusal(BaseModel):
    """What every refusal says."""

    error: str = Field(description="What is wrong.")
    remedy: str = Field(description="The way out.")


class BestLabel(BaseModel):
    """One of the best labels of a row."""

    label: str
    probability: float


class Prediction(BaseModel):
    """What is predicted for one row."""

    labels: list[str] = Field(description="The most specific labels.")
    probabilities: dict[str, float] = Field(description="Of all labels of the row, ancestors included.")
    top: list[BestLabel] = Field([], description="The best labels, if they were asked for.")
    scores: dict[str, float] = Field({}, description="The scores of all labels, if they were asked for.")


class PredictAnswer(BaseModel):
    """The answer to ``/predict``: one prediction for each row, in their order."""

    predictions: list[Prediction]


class ExplainedNode(BaseModel):
    """Why one label was predicted, or not."""

    node: int
    name: str
    short: str = Field(description="The name without that of a parent in front.")
    title: str = ""
    parents: list[str]
    depth: int
    predicted: bool
    learner_score: float
    score: float
    given_parent: float
    threshold: float | None = Field(description="Null if it is not finite: never, or always.")
    margin: float | None
    causes: dict[str, float] = Field(description="The words or columns that mattered most.")
    votes: dict[str, float]


class ExplainAnswer(BaseModel):
    """The answer to ``/explain``."""

    labels: list[str]
    decoder: str
    method: str
    nodes: list[ExplainedNode]


class ListedLabel(BaseModel):
    """A label of the hierarchy."""

    name: str
    title: str = ""
    parents: list[str]


class HierarchyAnswer(BaseModel):
    """The answer to ``/hierarchy``: parents come before children."""

    labels: list[ListedLabel]


class InputForm(BaseModel):
    """What rows the model takes."""

    kind: str
    columns: list[str]
    n_features: int | None
    wanted: str
    example: dict[str, Any]


class ModelAnswer(BaseModel):
    """The answer to ``/model`` and ``/models/NAME``."""

    name: str
    version: str = Field(description="Changes with the model file; empty for a model that comes from none.")
    input: InputForm
    labels: int
    levels: int
    is_tree: bool
    fitted_on: dict[str, str | int]
    decoder: str
    has_coverage: bool
    coverage: float | None
    threshold: float | None
    allowed_sets: list[str] = Field(description="Names of sets of labels that a request may allow.")
    limits: dict[str, int]


class ListedModel(BaseModel):
    """One of the models."""

    name: str
    version: str
    labels: int
    address: str = Field(description="Its operations are below this: ADDRESS/predict and so on.")


class ModelsAnswer(BaseModel):
    """The answer to ``/models``: the first answers requests that name no model."""

    models: list[ListedModel]


class Status(BaseModel):
    """Whether the server is there, or ready."""

    status: str


#: Statuses of refusals, and what they mean
REFUSALS = {
    400: "What is not HTTP, not JSON, or asks for a host that this server is not.",
    401: "The server wants a token, and there is none, or another.",
    404: "There is no such operation, or no such model.",
    405: "The operation does not take this method; Allow says which it takes.",
    408: "The head or the body took too long to arrive.",
    413: "More bytes or rows than are taken, or than the answer may have.",
    415: "A body that does not say that it is JSON.",
    422: "Fields, columns, labels or values that the model cannot take.",
    500: "An internal error; the log has the details.",
    503: "More requests than the server can answer, or it is about to stop; Retry-After says when to ask again.",
}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what OpenAPI says of refusals with these statuses."""
    return {status: {"description": REFUSALS[status], "model": Refusal} for status in sorted(statuses)}


def answer(kind: type[BaseModel]) -> dict[int | str, dict[str, Any]]:
    """Return what OpenAPI says of an answer in JSON."""
    return {200: {"description": str(kind.__doc__).replace("``", ""), "model": kind}}
