"""A loaded model that answers requests: rows checked, predicted in batches beside the event loop, explained."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, TypeVar

from truepath.hierarchy.matrices import DENSE_LIMIT
from truepath.serve.answers import Answerer, AnswerOptions, explain_as_json
from truepath.serve.batching import Batcher
from truepath.serve.decisions import decide_as_asked, has_coverage
from truepath.serve.metrics import ServerCounts
from truepath.serve.refusals import RefusedError, as_client_errors
from truepath.serve.requests import ExplainRequest, PredictRequest, read_request
from truepath.serve.rows import RowForm
from truepath.serve.settings import ServeSettings
from truepath.serve.threads import WorkThreads

if TYPE_CHECKING:
    from truepath.classifier import HierarchicalClassifier

logger = logging.getLogger("truepath.serve")

Result = TypeVar("Result")

#: Bodies beyond this are parsed in a thread
LARGE_BODY = 1 << 16
#: Scores that one answer may hold
MOST_SCORES = 5_000_000
#: Explanations that may wait
MOST_EXPLAINED = 32
#: Names of labels whose words make the text to warm up with
WARM_NAMES = 50


class ModelService:
    """Answers requests with one model; made inside a running event loop."""

    def __init__(self, model: HierarchicalClassifier, settings: ServeSettings, counts: ServerCounts):
        self.model, self.settings, self.counts = model, settings, counts
        self.form = RowForm(model)
        self.is_ready = False
        n_nodes = max(model.hierarchy_.n_nodes, 1)
        rows = max(1, min(settings.batch_rows, DENSE_LIMIT // (64 * n_nodes)))  # some matrices per batch fit well
        options: dict[str, Any] = {"threads": settings.threads, "batch_rows": rows, "mixes": self.form.mixes}
        self.batcher = Batcher(Answerer(model, self.form), counts, max_waiting=settings.max_waiting, **options)
        self.explainers = WorkThreads(1, "explain")
        self.n_explained = 0

    async def predict(self, body: bytes, scope: Any) -> bytes:
        """Return the answer to ``/predict``."""
        is_small = len(body) <= LARGE_BODY
        asked, rows = self._read_rows(body) if is_small else await asyncio.to_thread(self._read_rows, body)
        scope["truepath_rows"] = len(rows)
        with as_client_errors():
            wanted = AnswerOptions.of(self.model, asked)
        self._check_answer(len(rows), wanted)
        parts = await self._in_time(self.batcher.submit(rows, wanted))
        self.counts.rows.inc(len(rows))
        return b'{"predictions": [' + b", ".join(parts) + b"]}"

    def _read_rows(self, body: bytes) -> tuple[PredictRequest, list[Any]]:
        asked = read_request(PredictRequest, body)
        rows = self.form.check(asked.texts, asked.rows)
        limit = self.settings.max_rows
        if not rows:
            raise RefusedError(422, "the request has no rows.", self.form.wanted)
        if len(rows) > limit:
            problem = f"the request has {len(rows):,} rows; at most {limit:,} are taken."
            raise RefusedError(413, problem, "Send several requests.")
        return asked, rows

    def _check_answer(self, n_rows: int, wanted: AnswerOptions) -> None:
        """Refuse an answer with more scores than the server writes."""
        n_levels = self.model.hierarchy_.height if wanted.per == "level" else 1
        n_each = (self.model.hierarchy_.n_nodes if wanted.scores else 0) + (wanted.top or 0) * n_levels
        if n_rows * n_each > MOST_SCORES:
            problem = f"{n_rows:,} rows with {n_each:,} scores each are more than {MOST_SCORES:,}."
            raise RefusedError(413, problem, "Ask for fewer at a time.")

    async def explain(self, body: bytes) -> bytes:
        """Return the answer to ``/explain``."""
        asked = read_request(ExplainRequest, body)
        texts, rows = None if asked.text is None else [asked.text], None if asked.row is None else [asked.row]
        with as_client_errors():
            row = self.form.to_rows(self.form.check(texts, rows))
            model = decide_as_asked(self.model, asked.threshold, asked.thresholds, asked.coverage)
        if self.n_explained >= MOST_EXPLAINED:
            raise RefusedError(429, f"{MOST_EXPLAINED} explanations are waiting already.", "Try again later.")
        self.n_explained += 1
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self.explainers, explain_as_json, model, row, asked.n_others, asked.n_causes)
        work.add_done_callback(self._explained)
        return await self._in_time(work)

    def _explained(self, done: asyncio.Future[bytes]) -> None:
        self.n_explained -= 1
        if not done.cancelled():
            done.exception()  # of one that nobody waits for any more

    async def _in_time(self, work: Awaitable[Result]) -> Result:
        """Wait for an answer as long as is allowed; what the model rejects counts as an error of the request."""
        seconds = self.settings.answer_seconds
        try:
            with as_client_errors():
                return await asyncio.wait_for(work, seconds)
        except asyncio.TimeoutError:
            raise RefusedError(503, f"no answer within {seconds:g} seconds.", "Send fewer rows at a time.") from None

    async def warm_up(self) -> None:
        """Answer one row of our own, so that no client waits for a compilation; then be ready."""
        words = " ".join(str(name) for name in self.model.hierarchy_.names[:WARM_NAMES])
        rows = self.form.example(words)
        loop = asyncio.get_running_loop()
        try:
            for n in (1, 2):
                await self.batcher.submit(rows * n, AnswerOptions(self.model, top=1))
            await loop.run_in_executor(self.explainers, explain_as_json, self.model, self.form.to_rows(rows), 1, 1)
        except Exception as error:  # a model that cannot take such a row will say so to those who send one
            logger.warning("the model could not be warmed up", exc_info=error)
        self.is_ready = True
        self.counts.ready.set(1)

    def describe(self) -> dict[str, Any]:
        """Return what a client needs to know of the model."""
        model, h = self.model, self.model.hierarchy_
        return {
            "input": self.form.describe(),
            "labels": h.n_nodes,
            "levels": h.height,
            "is_tree": h.is_tree,
            "fitted_on": {"name": model.fitted_on_.name, "rows": model.fitted_on_.n_rows},
            "decoder": "learner" if model.decoder_ is None else type(model.decoder_).__name__,
            "has_coverage": has_coverage(model),
            "threshold": getattr(model.decoder_, "threshold_", None),
            "limits": {"body": self.settings.max_body, "rows": self.settings.max_rows},
        }

    def close(self) -> None:
        """End the threads."""
        self.batcher.close()
        self.explainers.shutdown()
