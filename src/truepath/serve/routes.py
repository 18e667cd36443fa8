"""The operations of a server; each is short, the work is done by the service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from truepath import __version__
from truepath.files.strict_json import dump_json
from truepath.serve.described import (
    ExplainAnswer,
    HierarchyAnswer,
    ModelAnswer,
    ModelsAnswer,
    PredictAnswer,
    Status,
    answer,
    refusals,
)
from truepath.serve.logs import log_seldom
from truepath.serve.pages import PAGE_FILES, PICTURES, show_hierarchy, write_operations
from truepath.serve.refusals import INTERNAL_ERROR, RefusedError, respond, shown
from truepath.serve.requests import ExplainRequest, PredictRequest
from truepath.serve.service import ModelService
from truepath.serve.settings import ServeSettings
from truepath.serve.shelf import Shelf

JSON = "application/json"
#: The header that names the release of the model that has answered
VERSION = "x-model-version"
#: Below this are the operations of a model by its name
NAMED = "/models/{name}"
#: Bytes of an answer that are handed over at a time
PIECE = 1 << 16
Labels = Annotated[Sequence[str], Query(description="Only these labels, with their ancestors.")]
Form = Annotated[str, Query(description="json, svg or dot.")]
#: What OpenAPI says of answers that are not always JSON, or no refusal
_TEXT: Any = {"schema": {"type": "string"}}
_PICTURED: Any = {200: {**answer(HierarchyAnswer)[200], "content": {kind: _TEXT for kind in PICTURES.values()}}}
_COUNTS: Any = {200: {"description": "Counts, as Prometheus reads them.", "content": {"text/plain": _TEXT}}}
_NOT_READY: Any = {503: {"description": "The model is not ready yet.", "model": Status}}


def build_routes(make_shelf: Callable[[], Shelf], names: Sequence[str], settings: ServeSettings) -> FastAPI:
    """Return the app for models of some names; the shelf is made when the event loop runs, and warmed up."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        log_seldom(asyncio.get_running_loop())
        shelf = app.state.shelf = make_shelf()
        shelf.start()
        yield
        shelf.close()

    about = "Label sets that live in a tree or a DAG and respect it, from a model of truepath."
    pages: dict[str, Any] = {"docs_url": None, "redoc_url": None}  # FastAPI's own fetch scripts from elsewhere
    pages |= {"redirect_slashes": False}  # its target would be made of what the sender says of host and scheme
    app = FastAPI(title="truepath", version=__version__, description=about, lifespan=lifespan, **pages)
    _answer_errors(app)
    _add_operations(app, "")
    _add_operations(app, NAMED, names)
    _add_probes(app)
    _add_pages(app)
    if settings.origins:
        app.add_middleware(CORSMiddleware, allow_origins=list(settings.origins), allow_headers=["content-type"])
    return app


def _shelf(request: Request) -> Shelf:
    found: Shelf = request.app.state.shelf
    return found


def _using(request: Request) -> AbstractContextManager[ModelService]:
    """Hold on to the model that a request names, or to the first."""
    return _shelf(request).using(request.path_params.get("name"))


def _said_by(service: ModelService) -> dict[str, str]:
    """Return the header that says which release has answered."""
    return {VERSION: service.version} if service.version else {}


def _takes(kind: Any) -> dict[str, Any]:
    """Describe a body that the service reads itself."""
    schema = kind.model_json_schema()
    return {"requestBody": {"required": True, "content": {JSON: {"schema": schema}}}}


def _body(request: Request) -> bytes:
    """Return the body, which the guard has read."""
    said = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if said != JSON:
        problem = f"the body must be {JSON}, not {shown(said) if said else 'of unknown type'}."
        raise RefusedError(415, problem, f"Send content-type: {JSON}.")
    packed = request.headers.get("content-encoding", "identity")
    if packed.lower() != "identity":
        raise RefusedError(415, f"the body must not be packed, as {shown(packed)} says it is.", "Send it as it is.")
    body: bytes = request.scope["truepath_body"]
    return body


def _add_operations(app: FastAPI, prefix: str, names: Sequence[str] = ()) -> None:
    """Add what a model does: of the first one without a prefix, else of the one that is named."""
    posted, asked = refusals(400, 401, 408, 413, 415, 422, 500, 503), refusals(400, 401, 422, 500, 503)
    known: dict[str, Any] = {}
    if names:
        posted, asked = posted | refusals(404), asked | refusals(404)
        about = {"description": "The name of the model.", "schema": {"type": "string", "enum": list(names)}}
        known = {"parameters": [{"name": "name", "in": "path", "required": True, **about}]}

    @app.post(
        f"{prefix}/predict", openapi_extra=_takes(PredictRequest) | known, responses=answer(PredictAnswer) | posted
    )
    async def predict(request: Request) -> Response:
        """Label rows: the most specific labels of each, and the probabilities of all its labels."""
        with _using(request) as service:
            parts, done = await service.predict(_body(request), request.scope)
        return _Parts(parts, done, _said_by(service))

    @app.post(
        f"{prefix}/explain", openapi_extra=_takes(ExplainRequest) | known, responses=answer(ExplainAnswer) | posted
    )
    async def explain(request: Request) -> Response:
        """Explain the labels of one row: scores, thresholds and margins, and the words or columns that caused them."""
        with _using(request) as service:
            found = await service.explain(_body(request))
        return Response(found, headers=_said_by(service), media_type=JSON)

    @app.get(f"{prefix}/hierarchy", openapi_extra=known, responses=_PICTURED | asked)
    async def hierarchy(request: Request, labels: Labels = (), format: Form = "json") -> Response:
        """Return the labels and their parents: all, or some with their ancestors; also as a picture."""
        with _using(request) as service:
            content, kind = await run_in_threadpool(show_hierarchy, service.model.hierarchy_, labels, format)
        return Response(content, headers=_said_by(service), media_type=kind)

    @app.get(prefix or "/model", openapi_extra=known, responses=answer(ModelAnswer) | asked)
    async def model(request: Request) -> Response:
        """Describe the model: what rows it takes, how many labels it has, how it decides."""
        with _using(request) as service:
            return Response(dump_json(service.describe()), headers=_said_by(service), media_type=JSON)


def _add_probes(app: FastAPI) -> None:
    @app.get("/models", responses=answer(ModelsAnswer) | refusals(400, 401, 500, 503))
    async def models(request: Request) -> Response:
        """List the models by name, with their versions and addresses; the first answers requests that name none."""
        return Response(dump_json(_shelf(request).list_models()), media_type=JSON)

    @app.get("/live", responses=answer(Status) | refusals(400, 500))
    async def live(request: Request) -> Response:
        """Say that the process is there and answers, whatever else: the probe for liveness."""
        return Response(dump_json({"status": "alive"}), media_type=JSON)

    @app.get("/health", responses=answer(Status) | refusals(400, 500) | _NOT_READY)
    async def health(request: Request) -> Response:
        """Say whether all models are loaded and warm: 200 if so, 503 before. The probe for readiness."""
        is_ready = _shelf(request).is_ready
        said = dump_json({"status": "ready" if is_ready else "warming up"})
        return Response(said, 200 if is_ready else 503, media_type=JSON)

    @app.get("/metrics", response_class=PlainTextResponse, responses=_COUNTS | refusals(400, 401, 500))
    def metrics(request: Request) -> Response:
        """Count requests, rows and times, in the text format of Prometheus."""
        return Response(_shelf(request).counts.write(), media_type=CONTENT_TYPE_LATEST)


class _Parts(Response):
    """An answer that is sent piece by piece, as fast as the client reads: it is held once, and never copied whole."""

    def __init__(self, parts: Sequence[bytes], done: Callable[[], None], headers: dict[str, str]):
        length = {"content-length": str(sum(map(len, parts)))}
        super().__init__(None, headers=headers | length, media_type=JSON)
        self.parts, self.done = parts, done

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, and say so when that is done or given up."""
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            for part in self.parts:
                for start in range(0, len(part), PIECE):
                    body = part[start : start + PIECE]
                    await send({"type": "http.response.body", "body": body, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self.done()


def _add_pages(app: FastAPI) -> None:
    @app.get("/docs", include_in_schema=False)
    async def operations() -> Response:
        return Response(write_operations(app.openapi()), media_type="text/html; charset=utf-8")

    for path, (name, media_type) in PAGE_FILES.items():
        app.add_api_route(path, _file(name, media_type), include_in_schema=False)


def _file(name: str, media_type: str) -> Callable[[], Any]:
    from importlib import resources

    content = resources.files("truepath.serve").joinpath("page", name).read_bytes()

    async def give() -> Response:
        return Response(content, media_type=media_type, headers={"cache-control": "no-cache"})

    return give


def _answer_errors(app: FastAPI) -> None:
    """Let the routes' own errors be JSON of the same shape as all refusals."""

    @app.exception_handler(HTTPException)
    async def refuse_other(request: Request, error: HTTPException) -> Response:
        path, method = shown(request.url.path), shown(request.scope.get("truepath_method", request.method))
        found = {404: f"there is no operation {path}.", 405: f"{path} does not take {method}."}
        headers = {name.lower(): value for name, value in (error.headers or {}).items()}
        if headers.get("allow") == "GET":
            headers["allow"] = "GET, HEAD"  # the guard answers HEAD
        problem = found.get(error.status_code, str(error.detail))
        return respond(RefusedError(error.status_code, problem, "See /docs."), headers)

    @app.exception_handler(RefusedError)
    async def refuse(request: Request, error: RefusedError) -> Response:
        return respond(error)

    @app.exception_handler(Exception)
    async def respond_internal_error(request: Request, error: Exception) -> Response:
        way = f"Tell whoever runs it the number of the request: {request.scope.get('truepath_id')}."
        return respond(RefusedError(500, INTERNAL_ERROR, way))  # the guard logs it

    @app.exception_handler(RequestValidationError)
    async def refuse_invalid(request: Request, error: RequestValidationError) -> Response:
        field = shown(str(error.errors()[0]["loc"][-1]))
        return respond(RefusedError(422, f"{field} is not what this operation takes.", "See /docs."))
