"""Small models to serve, a client that talks to an app in this process, and a server in a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import warnings
from contextlib import contextmanager

import pytest

from places import SOURCES
from truepath import HierarchicalClassifier
from truepath.serve import make_app

TEXTS = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"]
LABELS = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3]


@pytest.fixture(scope="session")
def model():
    """A model of texts."""
    return HierarchicalClassifier(cv=2).fit(TEXTS * 2, LABELS * 2)


@contextmanager
def client_of(model, settings=None):
    """Serve a model in this process, and wait until it is ready."""
    with client_of_app(make_app(model, settings)) as client:
        yield client


@contextmanager
def client_of_app(app):
    """Talk to an app in this process, once it is ready."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on the client's side: which version of httpx it would like better
        from starlette.testclient import TestClient

        with TestClient(app, raise_server_exceptions=False) as client:
            while client.get("/health").status_code == 503:
                time.sleep(0.01)
            yield client


@pytest.fixture(scope="session")
def client(model):
    with client_of(model) as client:
        yield client


def refused(answer, status):
    """Return the problem and the remedy of a refusal."""
    assert answer.status_code == status, answer.text
    said = answer.json()
    assert "Traceback" not in answer.text
    return said["error"] + " " + said.get("remedy", "")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def served(path, *options):
    """Run ``truepath serve`` and yield its process and port; its log is in ``process.log``."""
    port, log = free_port(), path.with_suffix(".log")
    command = [sys.executable, "-m", "truepath", "serve", str(path), "--port", str(port), *options]
    with open(log, "w") as file:
        process = subprocess.Popen(command, stderr=file, env={**os.environ, "PYTHONPATH": str(SOURCES)})
    process.log = log
    try:
        while not _answers(port):
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
        yield process, port
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait()


def _answers(port):
    """Say whether a server answers: on a busy machine its start may take minutes."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health"):
            return True
    except OSError:
        return False
