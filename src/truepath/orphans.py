"""Worker processes that do not outlive the one that started them, however that ended.

A process that is killed can tell its workers nothing, and joblib's wait five minutes for the next job. So each worker
looks twice a second whether its parent is still there. (Linux can send a signal instead, but it does so when the
*thread* ends that started the worker, and workers are kept for other threads.)

Nothing of the package is imported here: a worker that starts looks for its parent first, and imports the rest after
that, which takes seconds.
"""

from __future__ import annotations

import os
from threading import Thread
from time import sleep

#: Seconds between two looks
PAUSE = 0.5
#: The processes that watch already: a forked one has other threads than its parent
_watching: set[tuple[int, int]] = set()


def end_with(parent: int) -> None:
    """End this process soon after another, its parent, has ended; on Windows nothing is done."""
    if os.name == "nt" or parent == os.getpid() or (pair := (os.getpid(), parent)) in _watching:
        return
    _watching.add(pair)
    is_child = os.getppid() == parent  # else a server forked it for the parent, or the parent is gone already
    Thread(target=_watch, args=(parent, is_child), name="truepath-orphans", daemon=True).start()


def _watch(parent: int, is_child: bool) -> None:
    while os.getppid() == parent if is_child else _exists(parent):
        sleep(PAUSE)
    os._exit(1)  # at once: nobody takes the result, and a job may be in the middle of anything


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True
