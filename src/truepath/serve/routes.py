"""The operations of a server; each is short, the work is done by the service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException

from truepath import __version__
from truepath.serve.pages import PAGE_FILES, show_hierarchy, write_operations
from truepath.serve.refusals import INTERNAL_ERROR, RefusedError, respond
from truepath.serve.requests import ExplainRequest, PredictRequest, Refusal
from truepath.serve.service import ModelService
from truepath.serve.settings import ServeSettings

JSON = "application/json"
Labels = Annotated[Sequence[str], Query(description="Only these labels, with their ancestors.")]
Form = Annotated[str, Query(description="json, svg or dot.")]
REFUSED: Any = {"4XX": {"description": "What is wrong, and the way out.", "model": Refusal}}


def build_routes(make_service: Callable[[], ModelService], settings: ServeSettings) -> FastAPI:
    """Return the app; the service is made when the event loop runs, and warmed up."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service = app.state.service = make_service()
        warming = asyncio.create_task(service.warm_up())
        yield
        warming.cancel()
        service.counts.leave()
        service.close()

    about = "Label sets that live in a tree or a DAG and respect it, from a model of truepath."
    pages: dict[str, Any] = {"docs_url": None, "redoc_url": None}  # FastAPI's own fetch scripts from elsewhere
    app = FastAPI(title="truepath", version=__version__, description=about, lifespan=lifespan, **pages)
    _answer_errors(app)
    _add_operations(app)
    _add_pages(app)
    if settings.origins:
        app.add_middleware(CORSMiddleware, allow_origins=list(settings.origins), allow_headers=["content-type"])
    return app


def _service(request: Request) -> ModelService:
    found: ModelService = request.app.state.service
    return found


def _takes(kind: Any) -> dict[str, Any]:
    """Describe a body that the service reads itself."""
    schema = kind.model_json_schema()
    return {"requestBody": {"required": True, "content": {JSON: {"schema": schema}}}}


def _body(request: Request) -> bytes:
    """Return the body, which the guard has read."""
    said = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if said != JSON:
        problem = f"the body must be {JSON}, not {said or 'of unknown type'}."
        raise RefusedError(415, problem, f"Send content-type: {JSON}.")
    body: bytes = request.scope["truepath_body"]
    return body


def _add_operations(app: FastAPI) -> None:
    @app.post("/predict", openapi_extra=_takes(PredictRequest), responses=REFUSED)
    async def predict(request: Request) -> Response:
        """Label rows: the most specific labels of each, and the probabilities of all its labels."""
        return Response(await _service(request).predict(_body(request), request.scope), media_type=JSON)

    @app.post("/explain", openapi_extra=_takes(ExplainRequest), responses=REFUSED)
    async def explain(request: Request) -> Response:
        """Explain the labels of one row: scores, thresholds and margins, and the words or columns that caused them."""
        return Response(await _service(request).explain(_body(request)), media_type=JSON)

    @app.get("/hierarchy", responses=REFUSED)
    def hierarchy(request: Request, labels: Labels = (), format: Form = "json") -> Response:
        """Return the labels and their parents: all, or some with their ancestors; also as a picture."""
        return Response(*show_hierarchy(_service(request).model.hierarchy_, labels, format))

    @app.get("/model")
    async def model(request: Request) -> Any:
        """Describe the model: what rows it takes, how many labels it has, how it decides."""
        return _service(request).describe()

    @app.get("/health")
    async def health(request: Request) -> JSONResponse:
        """Say whether the model is loaded and warm: 200 if so, 503 before."""
        is_ready = _service(request).is_ready
        return JSONResponse({"status": "ready" if is_ready else "warming up"}, 200 if is_ready else 503)

    @app.get("/metrics")
    async def metrics(request: Request) -> Response:
        """Count requests, rows and times, in the text format of Prometheus."""
        return Response(_service(request).counts.write(), media_type=CONTENT_TYPE_LATEST)


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
    async def answer(request: Request, error: HTTPException) -> Response:
        found = {404: f"there is no {request.url.path}.", 405: f"{request.url.path} does not take {request.method}."}
        problem = found.get(error.status_code, str(error.detail))
        return respond(RefusedError(error.status_code, problem, "See /docs."), error.headers)

    @app.exception_handler(RefusedError)
    async def refuse(request: Request, error: RefusedError) -> Response:
        return respond(error, {"retry-after": "1"} if error.status == 429 else None)

    @app.exception_handler(Exception)
    async def respond_internal_error(request: Request, error: Exception) -> Response:
        return respond(RefusedError(500, INTERNAL_ERROR))  # the guard logs it

    @app.exception_handler(RequestValidationError)
    async def refuse_invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        problem = f"{first['loc'][-1]}: {first['msg'][:1].lower()}{first['msg'][1:]}."
        return respond(RefusedError(422, problem, "See /docs."))
