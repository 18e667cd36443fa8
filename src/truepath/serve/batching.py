"""Rows of concurrent requests are predicted together, in threads beside the event loop.

A batch takes what is waiting when a thread becomes free: no request waits for others to arrive, and the busier the
server, the larger the batches. A row's prediction does not depend on the other rows, so answers are the same as one by
one. The rows of a long request are queued as several pieces, between which others get their turn. If a batch fails, its
pieces are run one by one, so that only the one at fault gets the error.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from truepath.errors import CellError
from truepath.serve.metrics import ServerCounts
from truepath.serve.refusals import RefusedError
from truepath.serve.threads import WorkThreads

#: How much the last batch counts in what batches take
MEMORY = 0.3


@dataclass(eq=False)
class Piece:
    """Some rows of one request, what to make of them, and where the answer goes."""

    rows: list[Any]
    task: Any
    answer: asyncio.Future[Any]
    #: Until when its turn has to come; the later pieces of a request that has begun wait as long as it takes
    latest: float = inf


#: ``work([(rows, task), ...])``: the answers, in order; runs in a thread
Work = Callable[[Sequence[tuple[list[Any], Any]]], Sequence[Any]]


class Batcher:
    """Gathers pieces of requests into batches.

    Parameters
    ----------
    work : callable
    counts : ServerCounts
        Where batches and the rows that wait are counted.
    threads : int
        Batches at a time.
    batch_rows : int
        Rows of a batch, at most, and of a piece.
    max_waiting : int
        Rows that may wait.
    mixes : bool, default=True
        Whether pieces may share a batch.
    wait_seconds : float, default=inf
        How long rows may have to wait for their turn.
    """

    def __init__(
        self,
        work: Work,
        counts: ServerCounts,
        *,
        threads: int,
        batch_rows: int,
        max_waiting: int,
        mixes: bool = True,
        wait_seconds: float = inf,
    ):
        self.work, self.counts = work, counts
        self.batch_rows, self.max_waiting, self.mixes = batch_rows, max_waiting, mixes
        self.pool = WorkThreads(threads, "predict")
        self.wait_seconds, self.threads, self.batch_seconds = wait_seconds, threads, 0.0
        self.free = threads
        self.waiting: deque[Piece] = deque()
        self.n_waiting = 0

    def is_full(self) -> bool:
        """Say whether a request would have to wait too long for its turn, as long as the last batches took."""
        n_rows = sum(len(piece.rows) for piece in self.waiting)
        n_batches = n_rows / self.batch_rows if self.mixes else len(self.waiting)
        return n_batches * self.batch_seconds / self.threads > self.wait_seconds

    def check_wait(self) -> None:
        """Refuse a request that would have to wait too long."""
        if self.is_full():
            raise RefusedError(503, "too many rows are to be predicted first.", "Try again later.")

    async def submit(self, rows: list[Any], task: Any, took: Callable[[Any], None] = lambda answer: None) -> list[Any]:
        """Return the answers for the pieces that rows are cut into, in order; ``took`` sees each, and may refuse it."""
        self.check_wait()
        if self.n_waiting + len(rows) > self.max_waiting and self.n_waiting:
            problem = f"{self.n_waiting} rows are waiting already; the server takes no more than {self.max_waiting}."
            raise RefusedError(503, problem, "Try again later.")
        self._wait(len(rows))
        left = len(rows)
        try:
            found = []
            for start in range(0, len(rows), self.batch_rows):
                piece = rows[start : start + self.batch_rows]
                try:
                    found.append(await self._enqueue(piece, task, is_first=start == 0))
                except CellError as error:  # its row is that of the piece
                    error.row += start
                    raise
                took(found[-1])
                self._wait(-len(piece))
                left -= len(piece)
            return found
        finally:
            self._wait(-left)  # of a request that failed or was given up

    def _wait(self, n: int) -> None:
        self.n_waiting += n
        self.counts.waiting.inc(n)  # other models count there, too

    def _enqueue(self, rows: list[Any], task: Any, *, is_first: bool) -> asyncio.Future[Any]:
        piece = Piece(rows, task, asyncio.get_running_loop().create_future())
        if is_first:
            piece.latest = time.monotonic() + max(self.wait_seconds, 2 * self.batch_seconds)
        self.waiting.append(piece)
        self._start()
        return piece.answer

    def _start(self) -> None:
        """Give free threads what is waiting."""
        while self.free and (batch := self._gather()):
            self.free -= 1
            self.counts.batches.inc()
            running = asyncio.get_running_loop().run_in_executor(self.pool, self._run, batch)
            running.add_done_callback(lambda done, batch=batch: self._finish(batch, done))  # type: ignore[misc]

    def _gather(self) -> list[Piece]:
        """Take pieces off the queue until a batch is full; those that were given up are dropped."""
        batch: list[Piece] = []
        n_rows = 0
        now = time.monotonic()
        while self.waiting and (self.mixes or not batch):
            if self.waiting[0].answer.done():
                self.waiting.popleft()
            elif self.waiting[0].latest < now:  # batches have become slower since it came
                late = RefusedError(503, "the rows had to wait too long for their turn.", "Try again later.")
                self.waiting.popleft().answer.set_exception(late)
            elif batch and n_rows + len(self.waiting[0].rows) > self.batch_rows:
                break
            else:
                batch.append(self.waiting.popleft())
                n_rows += len(batch[-1].rows)
        return batch

    def _run(self, batch: list[Piece]) -> list[Any]:
        """Return the answers, or errors, of a batch; runs in a thread."""
        begun = time.perf_counter()
        try:
            return list(self.work([(piece.rows, piece.task) for piece in batch]))
        except Exception as error:
            if len(batch) == 1:
                return [error]
            return [answer for piece in batch for answer in self._run([piece])]
        finally:
            took = time.perf_counter() - begun
            self.batch_seconds += (took - self.batch_seconds) * (MEMORY if self.batch_seconds else 1.0)

    def _finish(self, batch: list[Piece], done: asyncio.Future[list[Any]]) -> None:
        self.free += 1
        failed = asyncio.CancelledError() if done.cancelled() else done.exception()
        answers = [failed] * len(batch) if failed is not None else done.result()
        for piece, answer in zip(batch, answers):
            if piece.answer.done():
                continue
            if isinstance(answer, BaseException):
                piece.answer.set_exception(answer)
            else:
                piece.answer.set_result(answer)
        self._start()

    def close(self) -> None:
        """End the threads; batches that are running are finished."""
        self.pool.shutdown()
