"""A loaded model that answers requests: rows checked, predicted in batches beside the event loop, explained."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from truepath.classifier.place import saved_sets
from truepath.errors import CellError
from truepath.hierarchy.matrices import DENSE_LIMIT
from truepath.serve.answers import Answerer, AnswerOptions, explain_as_json
from truepath.serve.batching import Batcher
from truepath.serve.decisions import decide_as_asked, find_place, has_coverage
from truepath.serve.metrics import ServerCounts
from truepath.serve.refusals import RefusedError, as_client_errors
from truepath.serve.releases import version_of
from truepath.serve.requests import LARGE_BODY, ExplainRequest, PredictRequest, read_request
from truepath.serve.rows import RowForm
from truepath.serve.settings import ServeSettings
from truepath.serve.threads import WorkThreads

if TYPE_CHECKING:
    from truepath.classifier import HierarchicalClassifier

Result = TypeVar("Result")

#: Scores that one answer may hold; each takes some 40 bytes
MOST_SCORES = 1_000_000
#: Bytes of an answer, of one that is made however busy the server is, and of all that are made or sent
MOST_ANSWER, SMALL_ANSWER, MOST_HELD = 32 << 20, 1 << 20, 64 << 20
#: Explanations that may wait
MOST_EXPLAINED = 32
#: Names of labels whose words make the text to warm up with
WARM_NAMES = 50


class AnswerRoom:
    """The bytes of all answers that a worker holds."""

    def __init__(self) -> None:
        self.n_bytes = 0


class _Held:
    """The bytes of an answer that a service holds until it is sent."""

    def __init__(self, room: AnswerRoom):
        self.room, self.n_bytes = room, 0

    def take(self, part: bytes) -> None:
        """Count a part; refuse what is too large, alone or beside others."""
        self.n_bytes += len(part)
        self.room.n_bytes += len(part)
        if self.n_bytes > MOST_ANSWER:
            raise RefusedError(413, f"the answer is larger than {MOST_ANSWER:,} bytes.", "Send fewer rows at a time.")
        if self.room.n_bytes > MOST_HELD and self.n_bytes > SMALL_ANSWER:
            raise RefusedError(503, "too many large answers wait to be read.", "Try again later.")

    def release(self) -> None:
        """Forget them."""
        self.room.n_bytes -= self.n_bytes
        self.n_bytes = 0


class ModelService:
    """Answers requests with one release of a model.

    Parameters
    ----------
    model : HierarchicalClassifier
    settings : ServeSettings
    counts : ServerCounts
    name : str
    release : int
        Which file the model comes from, see :mod:`truepath.serve.releases`; 0 if from none.
    room : AnswerRoom
        Shared by all models of a worker.
    """

    def __init__(
        self,
        model: HierarchicalClassifier,
        settings: ServeSettings,
        counts: ServerCounts,
        name: str,
        release: int,
        room: AnswerRoom,
    ):
        self.model, self.settings, self.counts, self.name, self.release = model, settings, counts, name, release
        self.room, self.n_users, self.is_replaced = room, 0, False
        self.form = RowForm(model)
        self.is_ready = False
        widest = max(model.hierarchy_.n_nodes, self.form.n_features or 1)
        rows = max(1, min(settings.batch_rows, DENSE_LIMIT // (64 * widest)))  # some matrices per batch fit well
        options: dict[str, Any] = {"threads": settings.threads, "batch_rows": rows, "mixes": self.form.mixes}
        options["wait_seconds"] = settings.wait_seconds
        self.batcher = Batcher(Answerer(model, self.form), counts, max_waiting=settings.max_waiting, **options)
        self.reader, self.explainers = WorkThreads(1, "read"), WorkThreads(1, "explain")
        self.n_explained = 0

    @property
    def version(self) -> str:
        """How the release is called; empty for a model that comes from no file."""
        return version_of(self.release) if self.release else ""

    async def predict(self, body: bytes, scope: Any) -> tuple[list[bytes], Callable[[], None]]:
        """Return the answer to ``/predict`` in parts, and what is called when it is sent or given up."""
        self.batcher.check_wait()
        asked, rows = await self._read(self._read_rows, body)
        scope["truepath_rows"] = len(rows)
        with as_client_errors():
            wanted = AnswerOptions.of(self.model, asked)
        self._check_answer(len(rows), wanted)
        held = _Held(self.room)
        try:
            parts = await self._in_time(self.batcher.submit(rows, wanted, held.take))
        except BaseException:
            held.release()
            raise
        self.counts.rows.inc(len(rows))
        whole = [b'{"predictions": [', *(b", " * (i > 0) + part for i, part in enumerate(parts)), b"]}"]
        return (whole if len(parts) > 1 else [b"".join(whole)]), held.release

    async def _read(self, read: Callable[[bytes], Result], body: bytes) -> Result:
        """Read a body, a large one in a thread: one after the other, so that no two take memory at the same time."""
        if len(body) <= LARGE_BODY:
            return read(body)
        return await asyncio.get_running_loop().run_in_executor(self.reader, read, body)

    def _read_rows(self, body: bytes) -> tuple[PredictRequest, list[Any]]:
        limit = self.settings.max_rows
        asked = read_request(PredictRequest, body, limit)
        for given in (asked.texts, asked.rows):  # counted before they are looked at
            if isinstance(given, list) and len(given) > limit:
                problem = f"the request has {len(given):,} rows; at most {limit:,} are taken."
                raise RefusedError(413, problem, "Send several requests.")
        rows = self.form.check(asked.texts, asked.rows)
        if not rows:
            raise RefusedError(422, "the request has no rows.", self.form.wanted)
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
        asked = await self._read(lambda body: read_request(ExplainRequest, body, 1), body)
        texts, rows = None if asked.text is None else [asked.text], None if asked.row is None else [asked.row]
        with as_client_errors():
            row = self.form.to_rows(self.form.check(texts, rows))
            model = decide_as_asked(self.model, asked.threshold, asked.thresholds, asked.coverage)
            find_place(model, asked.allowed, asked.priors)
        if self.n_explained >= MOST_EXPLAINED:
            raise RefusedError(503, f"{MOST_EXPLAINED} explanations are waiting already.", "Try again later.")
        self.n_explained += 1
        loop = asyncio.get_running_loop()
        place = {"allowed": asked.allowed, "priors": asked.priors}
        explain = partial(explain_as_json, model, row, asked.n_others, asked.n_causes, **place)
        work = loop.run_in_executor(self.explainers, explain)
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
        except CellError as error:
            raise RefusedError(422, self.form.locate(error), error.remedy) from error
        except asyncio.TimeoutError:
            raise RefusedError(503, f"no answer within {seconds:g} seconds.", "Send fewer rows at a time.") from None

    async def warm_up(self) -> Exception | None:
        """Answer one row of our own, so that no client waits for a compilation; return what went wrong, if anything."""
        words = " ".join(str(name) for name in self.model.hierarchy_.names[:WARM_NAMES])
        rows = self.form.example(words)
        loop = asyncio.get_running_loop()
        try:
            for n in (1, 2):
                await self.batcher.submit(rows * n, AnswerOptions(self.model, top=1))
            await loop.run_in_executor(self.explainers, explain_as_json, self.model, self.form.to_rows(rows), 1, 1)
        except Exception as error:
            return error
        finally:
            self.batcher.batch_seconds = 0.0  # the first batches compile
            self.is_ready = True
        return None

    def describe(self) -> dict[str, Any]:
        """Return what a client needs to know of the model."""
        model, h = self.model, self.model.hierarchy_
        return {
            "name": self.name,
            "version": self.version,
            "input": self.form.describe(),
            "labels": h.n_nodes,
            "levels": h.height,
            "is_tree": h.is_tree,
            "fitted_on": {"name": model.fitted_on_.name, "rows": model.fitted_on_.n_rows},
            "decoder": "learner" if model.decoder_ is None else type(model.decoder_).__name__,
            "has_coverage": has_coverage(model),
            "coverage": model.decoder_.coverage if has_coverage(model) else None,
            "threshold": getattr(model.decoder_, "threshold_", None),
            "allowed_sets": sorted(saved_sets(model)),
            "limits": {"body": self.settings.max_body, "rows": self.settings.max_rows},
        }

    def close(self) -> None:
        """End the threads."""
        self.batcher.close()
        self.reader.shutdown()
        self.explainers.shutdown()
