"""Several workers, which uvicorn starts, restarts and ends; here is what it leaves out at their end."""

from __future__ import annotations

import inspect
import logging
import multiprocessing
import os
import signal
import socket
from contextlib import suppress
from typing import Any

from uvicorn import Config, Server
from uvicorn.supervisors import Multiprocess

from truepath.errors import TruePathError
from truepath.serve.hangup import SIGHUP, Terminal
from truepath.serve.releases import Releases

logger = logging.getLogger("truepath.serve")

#: The exit code of a worker of uvicorn that could not start
FAILED_TO_START = 3
#: Seconds between two looks at a signal
LOOK = 0.2


class WorkerConfig(Config):
    """Settings of uvicorn for a worker: a process that the signals which it has obeyed do not kill at its end.

    uvicorn raises them once more when it has drained, before those whom it no longer waits for have got an answer. What
    comes before uvicorn listens to signals ends the worker at once: it has nobody to answer yet.
    """

    def configure_logging(self) -> None:
        """Set up the log, which is the first thing that a worker does."""
        super().configure_logging()
        if multiprocessing.parent_process() is not None:
            for number in (signal.SIGTERM, signal.SIGINT, *([] if SIGHUP is None else [SIGHUP])):
                signal.signal(number, self._end_unless_served)
            if hasattr(signal, "pthread_sigmask"):  # blocked for workers that are not told otherwise
                signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])

    def _end_unless_served(self, number: int, frame: Any) -> None:
        if not self.loaded and number != SIGHUP:  # loading is the first thing that uvicorn does with signals in hand
            os._exit(0)


class Workers(Multiprocess):
    """Processes that share a listening socket, and go from one release of a model to the next together."""

    releases: Releases
    terminal: Terminal

    @classmethod
    def of(cls, config: Config, listener: socket.socket, releases: Releases, terminal: Terminal) -> Workers:
        """Return workers for any version of uvicorn: older ones are told what a process runs."""
        target: dict[str, Any] = {}
        if "target" in inspect.signature(Multiprocess).parameters:
            target["target"] = Server(config).run
        if hasattr(config, "timeout_worker_healthcheck"):
            config.timeout_worker_healthcheck = 60  # a busy machine is no reason to end a worker
        found = cls(config, sockets=[listener], **target)
        found.releases, found.terminal = releases, terminal
        return found

    def run(self) -> bool:
        """Serve until told to stop; return whether the workers could be started."""
        others = set(multiprocessing.active_children())  # of whoever calls this from Python
        try:
            super().run()
        except OSError as problem:  # those that were started would serve on, and this process wait for them
            for worker in set(multiprocessing.active_children()) - others:
                worker.kill()
                worker.join()
            said = f"a worker process could not be started: {(problem.strerror or str(problem)).lower()}."
            raise TruePathError(said, "Ask for fewer --workers, or free memory or processes.") from problem
        return all(process.process.exitcode != FAILED_TO_START for process in self.processes)

    def keep_subprocess_alive(self) -> None:
        """Start workers again that have died, and look at the model files."""
        super().keep_subprocess_alive()
        alive = {process.process.pid for process in self.processes if process.process.pid is not None}
        try:
            self.releases.step(alive)
        except Exception as error:  # a full disk, or no memory: the next look may do better
            logger.error("the model files could not be looked at", exc_info=error)

    def handle_hup(self) -> None:
        """Look for new model files; end if the terminal was closed."""
        if self.terminal.is_gone():
            self.handle_term()
        else:
            self.releases.ask()

    def join_all(self) -> None:
        """Wait for the workers; pass on a second Ctrl-C that only this process got."""
        for process in self.processes:
            while process.process.is_alive():
                process.process.join(LOOK)
                if signal.SIGINT in self.signal_queue:
                    self.signal_queue.clear()
                    self._hurry()

    def _hurry(self) -> None:
        """Interrupt workers that finish what is under way."""
        for process in self.processes:
            if process.process.is_alive() and process.process.pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(process.process.pid, signal.SIGINT)
