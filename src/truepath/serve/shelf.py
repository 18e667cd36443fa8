"""The models of one worker, by name: each request gets the release that is current when it begins, and keeps it.

A model that was replaced answers the requests that it has begun, then its threads end and its memory is given back.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote_to_bytes

from truepath.english import did_you_mean
from truepath.errors import explain
from truepath.serve.connection import GuardedConnection
from truepath.serve.metrics import ServerCounts
from truepath.serve.refusals import RefusedError, shown
from truepath.serve.releases import Board
from truepath.serve.service import AnswerRoom, ModelService
from truepath.serve.settings import ServeSettings
from truepath.serve.threads import WorkThreads

if TYPE_CHECKING:
    from truepath.classifier import HierarchicalClassifier

logger = logging.getLogger("truepath.serve")

#: Seconds between two looks at what is wanted, and at the files
PAUSE, LOOK = 0.1, 0.5
#: Of the names of models, refusals list this many
LISTED = 20


@dataclass(frozen=True)
class Follow:
    """How a worker follows its supervisor.

    Attributes
    ----------
    board : Board
    load : callable
        ``load(k, release)`` returns a model from its copy.
    step : callable, optional
        What the only process of a server does for its supervisor, twice a second.
    """

    board: Board
    load: Callable[[int, int], HierarchicalClassifier]
    step: Callable[[], None] | None = None


class Shelf:
    """Holds the services of a worker; made inside a running event loop.

    Parameters
    ----------
    models : dict of str to HierarchicalClassifier
        The first answers requests that name none.
    settings : ServeSettings
    counts : ServerCounts
    releases : sequence of int
        Which release each model is; 0 for those that come from no file.
    follow : Follow, optional
    """

    def __init__(
        self,
        models: Mapping[str, HierarchicalClassifier],
        settings: ServeSettings,
        counts: ServerCounts,
        releases: Sequence[int] = (),
        follow: Follow | None = None,
    ):
        self.settings, self.counts, self.follow, self.room = settings, counts, follow, AnswerRoom()
        self.names = list(models)
        self.places = {name: k for k, name in enumerate(models)}
        self.services = [
            self._make(k, model, releases[k] if releases else 0) for k, model in enumerate(models.values())
        ]
        self.ready: dict[int, ModelService] = {}
        self.pool = WorkThreads(1, "load")
        self.tasks: list[asyncio.Task[None]] = []
        GuardedConnection.is_full = staticmethod(self.is_full)

    def _make(self, k: int, model: HierarchicalClassifier, release: int) -> ModelService:
        return ModelService(model, self.settings, self.counts, self.names[k], release, self.room)

    def start(self) -> None:
        """Warm the models up, and follow the supervisor."""
        self.tasks.append(asyncio.create_task(self._warm_up()))
        if self.follow is not None:
            self.tasks.append(asyncio.create_task(self._follow(self.follow)))
            if self.follow.step is not None:
                self.tasks.append(asyncio.create_task(self._step(self.follow.step)))

    async def _warm_up(self) -> None:
        for service in self.services:
            if (problem := await service.warm_up()) is not None:  # it will say so to those who send such a row
                logger.warning("the model could not be warmed up", exc_info=problem)
            self.counts.serves(service.name, service.version, 1)
        self.counts.ready.set(1)

    @property
    def is_ready(self) -> bool:
        """Whether all models are loaded and warm."""
        return all(service.is_ready for service in self.services)

    # ------------------------------------------------------------------------------ what requests get

    def current(self, name: str | None = None) -> ModelService:
        """Return what answers a request for a model, the first if none is named."""
        k = self._find(name)
        service = self.services[k]
        if self.follow is not None and self.follow.board.current(k) != service.release:
            self._switch(k, self.follow.board.current(k))
        return self.services[k]

    @contextmanager
    def using(self, name: str | None = None) -> Iterator[ModelService]:
        """Hold on to what answers a request, whatever is current when it ends."""
        service = self.current(name)
        service.n_users += 1
        try:
            yield service
        finally:
            service.n_users -= 1
            self._let_go(service)

    def _find(self, name: str | None) -> int:
        if name is None:
            return 0
        if name not in self.places:
            listed = ", ".join(map(shown, self.names[:LISTED])) + (", …" if len(self.names) > LISTED else "")
            way = did_you_mean(name[:100], self.names, f"The models are {listed}.")
            raise RefusedError(404, f"there is no model {shown(name)}.", way)
        return self.places[name]

    def is_full(self, name: bytes | None) -> bool:
        """Say whether a request for a prediction would be refused, by the name as it stands in its address."""
        k = 0 if name is None else self.places.get(unquote_to_bytes(name).decode("utf-8", "replace"))
        return k is not None and self.services[k].batcher.is_full()

    def list_models(self) -> dict[str, Any]:
        """Return the models with their addresses."""
        found = [self.current(name) for name in self.names]
        return {
            "models": [
                {
                    "name": service.name,
                    "version": service.version,
                    "labels": service.model.hierarchy_.n_nodes,
                    "address": f"/models/{quote(service.name, safe='')}",
                }
                for service in found
            ]
        }

    # ------------------------------------------------------------------------- from release to release

    def _switch(self, k: int, release: int) -> None:
        """Let the next release answer, if it is here."""
        if k not in self.ready or self.ready[k].release != release:
            return
        old, self.services[k] = self.services[k], self.ready.pop(k)
        self.counts.serves(old.name, old.version, 0)
        self.counts.serves(old.name, self.services[k].version, 1)
        old.is_replaced = True
        self._let_go(old)

    def _let_go(self, service: ModelService) -> None:
        """End a service that was replaced and has no requests any more."""
        if service.is_replaced and not service.n_users:
            service.is_replaced = False
            service.close()
            about = {"model": service.name, "version": service.version}
            logger.info("the model before has answered its last request", extra={"fields": about})

    async def _step(self, step: Callable[[], None]) -> None:
        while True:
            await asyncio.sleep(LOOK)
            try:
                await asyncio.get_running_loop().run_in_executor(self.pool, step)
            except Exception as error:  # a full disk, or no memory: the next look may do better
                logger.error("the model files could not be looked at", exc_info=error)

    async def _follow(self, follow: Follow) -> None:
        """Load what is wanted, report, and give up what is wanted no longer."""
        while True:
            await asyncio.sleep(PAUSE)
            for k, name in enumerate(self.names):
                service, board = self.current(name), follow.board
                current = board.current(k)
                needed = board.wanted(k) if service.release == current else current
                if k in self.ready and self.ready[k].release != needed:
                    self.ready.pop(k).close()
                if needed != service.release and not board.report_of(k, needed, os.getpid()).exists():
                    await self._prepare(follow, k, needed)

    async def _prepare(self, follow: Follow, k: int, release: int) -> None:
        problem = ""
        if k not in self.ready:
            service = None
            try:
                service = await asyncio.get_running_loop().run_in_executor(self.pool, self._load, follow, k, release)
                if (failure := await service.warm_up()) is not None:
                    raise failure
                self.ready[k] = service
            except Exception as error:
                problem = " ".join(explain(error)).strip()
                if service is not None:
                    service.close()
        try:
            follow.board.report(k, release, problem)
        except OSError as error:
            logger.error("a new model file could not be reported on", exc_info=error)

    def _load(self, follow: Follow, k: int, release: int) -> ModelService:
        return self._make(k, follow.load(k, release), release)

    def close(self) -> None:
        """End everything."""
        for task in self.tasks:
            task.cancel()
        self.counts.leave()
        for service in self.services:
            self.counts.serves(service.name, service.version, 0)
        for service in (*self.services, *self.ready.values()):
            service.close()
        self.pool.shutdown()
