"""``truepath serve`` as a process: slow clients, several workers, the log, and a stop that finishes what is begun."""

from __future__ import annotations

import json
import re
import signal
import socket
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from commands import refusal_of
from truepath.errors import MissingExtraError
from truepath.serve import make_app

from .conftest import TEXTS, served

pytestmark = pytest.mark.slow  # processes


@pytest.fixture(scope="module")
def path(model, tmp_path_factory):
    model.save(file := tmp_path_factory.mktemp("served") / "model.tp")
    return file


@pytest.fixture(scope="module")
def server(path):
    """Two workers, started once; the last test stops them."""
    with served(path, "--workers", "2", "--read-seconds", "2.5") as (process, port):
        while level(port, "ready") < 2:
            time.sleep(0.05)
        yield process, port


def predict(port, texts):
    body = json.dumps({"texts": texts}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/predict", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["predictions"]


def level(port, name):
    """Return a level that the server reports, summed over its workers."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        found = re.search(rf"(?m)^truepath_{name} (\S+)", answer.read().decode())
    return 0.0 if found is None else float(found[1])


def read_all(connection):
    found = b""
    while part := connection.recv(65536):
        found += part
    return found


def test_slow_and_broken_connections_are_refused_while_others_are_answered(server):
    port = server[1]
    slow = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(20)]
    for k, connection in enumerate(slow):
        if k % 2:
            connection.sendall(b"POST /predict HTTP/1.1\r\nhost: localhost\r\n")  # a head without an end
        elif k % 4:
            connection.sendall(
                b"POST /predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"
            )  # half a body
    assert predict(port, TEXTS[:1])[0]["labels"]
    for connection in slow:
        answer = read_all(connection)
        assert answer.startswith(b"HTTP/1.1 408 "), answer
        assert b"2.5 seconds" in answer
        connection.close()
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(b"hello?\r\n\r\n")
        answer = read_all(connection)
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert b'{"error"' in answer


HEALTH = b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"


@pytest.mark.parametrize(
    ("later", "status"),
    [
        (b"GET /health HTTP/1.1\r\nhost", b"408"),  # the head of a second request without an end
        (b"hello?\r\n\r\n", b"400"),
        (HEALTH.replace(b"host: localhost", b"host: localhost\r\nconnection: close"), b"200"),
    ],
)
def test_a_connection_that_goes_on_is_watched_as_well(server, later, status):
    with socket.create_connection(("127.0.0.1", server[1]), timeout=60) as connection:
        connection.sendall(HEALTH + HEALTH)  # two at once
        found = b""
        while found.count(b'"ready"') < 2:
            found += (part := connection.recv(65536))
            assert part, found  # it ends only if it is refused
        connection.sendall(later)
        assert read_all(connection).startswith(b"HTTP/1.1 " + status)


def test_a_head_may_not_arrive_a_byte_at_a_time(server):
    begun = time.perf_counter()
    with socket.create_connection(("127.0.0.1", server[1]), timeout=60) as connection, suppress(OSError):
        for byte in HEALTH:
            connection.sendall(bytes([byte]))
            time.sleep(0.25)
    assert time.perf_counter() - begun < 0.25 * len(HEALTH)  # it was not sent to its end


def test_several_workers_share_the_counts(server):
    port, counted = server[1], 0
    with ThreadPoolExecutor(8) as pool:
        before = len(list(pool.map(lambda i: predict(port, [TEXTS[i % 6]]), range(60))))
    deadline = time.monotonic() + 60
    while counted < before and time.monotonic() < deadline:
        time.sleep(0.3)
        urllib.request.urlopen(f"http://127.0.0.1:{port}/health").close()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            found = re.search(r'requests_total{path="/predict",status="200"} (\d+)', answer.read().decode())
        counted = 0 if found is None else int(found[1])
    assert counted >= before


def test_a_stop_finishes_what_is_under_way_and_the_log_is_json(server):
    texts = [f"{text} {i}" for i in range(1500) for text in TEXTS]
    process, port = server
    with ThreadPoolExecutor(1) as pool:
        under_way = pool.submit(predict, port, texts)
        while not level(port, "waiting_rows") and not under_way.done():
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert len(under_way.result()) == len(texts)
    assert process.wait() == 0
    lines = [json.loads(line) for line in process.log.read_text().splitlines()]
    request = [line for line in lines if line.get("path") == "/predict"][-1]
    assert (request["status"], request["rows"], request["level"]) == (200, len(texts), "info")


def test_what_cannot_be_served_is_one_line(path, tmp_path, monkeypatch, model):
    (tmp_path / "no.tp").write_text("no model")
    assert "no.tp" in refusal_of("serve", tmp_path / "no.tp")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"127.0.0.1:{port}" in refusal_of("serve", path, "--port", port)
    monkeypatch.setattr("truepath.serve.app.find_spec", lambda name: None)
    assert "truepath[serve]" in refusal_of("serve", path)
    with pytest.raises(MissingExtraError):
        make_app(model)
