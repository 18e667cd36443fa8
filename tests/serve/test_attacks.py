"""``truepath serve`` under attack as a process: too many, too slow, never reading, replaced, killed and cut off."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from places import SOURCES
from truepath import HierarchicalClassifier, Hierarchy

from .asking import HEALTH, ask, connect, get, is_up, level, log_of, post, read_answer, wait_for, workers_of
from .conftest import LABELS, TEXTS, free_port, served

pytestmark = pytest.mark.slow  # processes

TOKEN = "a-token-of-more-than-16"


@pytest.fixture(scope="module")
def path(model, tmp_path_factory):
    model.save(file := tmp_path_factory.mktemp("attacked") / "model.tp")
    return file


def test_many_new_connections_at_once_get_answers_or_503(path):
    with served(path) as (_, port), ExitStack() as stack:
        many = [stack.enter_context(connect(port)) for _ in range(900)]
        for connection in many:
            connection.sendall(post({"texts": TEXTS[:1]}))
        found = [read_answer(connection) for connection in many]
    statuses = Counter(status for status, _, _ in found)
    assert set(statuses) <= {200, 503}, statuses
    assert statuses[200] >= 100, statuses
    assert all(headers["retry-after"] == "1" for status, headers, _ in found if status == 503)


def test_beyond_all_connections_new_ones_get_503_and_silent_ones_make_room(path):
    with served(path, "--max-connections", "40") as (_, port), ExitStack() as stack:
        many = [stack.enter_context(connect(port)) for _ in range(120)]
        for connection in many:
            connection.sendall(HEALTH)
        found = Counter(read_answer(connection)[0] for connection in many)
        assert set(found) == {200, 503}, found
        assert found[200] >= 40, found
    with served(path, "--max-connections", "40") as (_, port), ExitStack() as stack:
        silent = [stack.enter_context(connect(port)) for _ in range(40)]
        time.sleep(1.5)  # longer than a connection may be silent where there is no room
        assert ask(port, HEALTH)[0] == 200
        status, headers, _ = read_answer(silent[0])
        assert (status, headers["retry-after"]) == (503, "1")


def test_requests_that_would_wait_too_long_get_503_at_once(path):
    texts = [f"{TEXTS[i % 6]} {i}" for i in range(3000)]
    with served(path, "--max-requests", "5") as (_, port), ExitStack() as stack:
        busy = [stack.enter_context(connect(port)) for _ in range(12)]
        for connection in busy:
            connection.sendall(post({"texts": texts}))
        found = [read_answer(connection) for connection in busy]
        assert ask(port, post({"texts": TEXTS}))[0] == 200  # nothing is left behind
        assert level(port, "waiting_rows") == 0
    statuses = Counter(status for status, _, _ in found)
    assert set(statuses) == {200, 503}, statuses
    whole = [json.loads(body)["predictions"] for status, _, body in found if status == 200]
    assert all(len(rows) == 3000 and rows == whole[0] for rows in whole)


def test_a_refused_upload_hears_why(path):
    """It is still sending when the server has seen enough; the answer must not get lost."""
    with served(path, "--max-body", "0.01") as (_, port):
        for _ in range(20):
            with connect(port) as connection:
                with suppress(OSError):
                    connection.sendall(post({"texts": ["x" * 3_000_000]}))
                assert read_answer(connection)[0] == 413


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """A model with labels of long names."""
    names = [f"{k:03}" * 40 for k in range(150)]
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = HierarchicalClassifier(GaussianNB(), hierarchy=Hierarchy.from_paths(names), cv=2)
    model.fit(X, [[names[i % 3]] for i in range(20)]).save(file := tmp_path_factory.mktemp("wide") / "model.tp")
    return file


def test_answers_that_nobody_reads_are_given_up(wide):
    request = post({"rows": [[0.5, 1]] * 1000, "scores": True})  # 20 MB of answer
    with served(wide, "--write-seconds", "1") as (process, port), ExitStack() as stack:
        for _ in range(3):
            connection = stack.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", port))
            connection.sendall(request)
        wait_for(lambda: any("nobody read" in line.get("latest", "") for line in log_of(process)))
        wait_for(lambda: process.log.read_text().count('"status": 499') == 3)
        assert ask(port, post({"rows": [[0, 1]]}))[0] == 200


def test_a_reader_that_is_slow_gets_it_all(wide):
    with served(wide) as (_, port), connect(port) as connection:
        connection.sendall(post({"rows": [[0.5, 1]] * 1000, "scores": True}))
        found = b""
        while b"\r\n\r\n" not in found or len(found.partition(b"\r\n\r\n")[2]) < int(
            re.search(rb"content-length: (\d+)", found)[1]
        ):
            found += connection.recv(200_000)
            time.sleep(0.01)
    assert len(json.loads(found.partition(b"\r\n\r\n")[2])["predictions"]) == 1000


def test_without_file_descriptors_it_waits_and_says_so_once_in_a_while(path):
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (90, 90)); "
    run = "import runpy; runpy.run_module('truepath', run_name='__main__', alter_sys=True)"
    port, log = free_port(), path.with_suffix(".few.log")
    command = [sys.executable, "-c", limit + run, "serve", str(path), "--port", str(port), "--max-connections", "500"]
    with open(log, "w") as file:
        process = subprocess.Popen(command, stderr=file, env={**os.environ, "PYTHONPATH": str(SOURCES)})
    try:
        wait_for(lambda: process.poll() is not None or is_up(port))
        assert process.poll() is None, log.read_text()
        with ExitStack() as stack:
            for _ in range(200):
                stack.enter_context(connect(port))
            time.sleep(4)
        wait_for(lambda: is_up(port))
        assert len(log.read_text().splitlines()) < 200
    finally:
        process.kill()
        process.wait()


def test_a_page_of_another_name_and_a_proxy_nobody_trusts_are_not_believed(path):
    with served(path, "--allow-host", "models.example.org", "--allow-host", "*.inside.example") as (process, port):
        said = {host: get(port, "/live", host=host)[0] for host in ["models.example.org", "MODELS.example.org:8000"]}
        said |= {host: get(port, "/live", host=host)[0] for host in ["a.inside.example", "localhost", "evil.example"]}
        assert list(said.values()) == [200, 200, 200, 200, 400], said
        get(port, "/live?forged", host="a.inside.example", x_forwarded_for="6.6.6.6", x_forwarded_proto="https")
    assert {line["client"] for line in log_of(process) if "client" in line} == {"127.0.0.1"}
    with served(path, "--trust-proxy", "127.0.0.0/8") as (process, port):
        for host in ("localhost", "127.0.0.1", "[::1]", f"localhost:{port}"):
            assert get(port, "/live", host=host)[0] == 200
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "localhost:x"):
            assert get(port, "/live", host=host)[0] == 400, host
        get(port, "/live", x_forwarded_for="6.6.6.6, 7.7.7.7")
    assert "7.7.7.7" in {line["client"] for line in log_of(process) if "client" in line}


def test_a_token_is_wanted_where_there_is_one(path, monkeypatch):
    monkeypatch.setenv("TRUEPATH_SERVE_TOKEN", TOKEN)
    monkeypatch.setenv("TRUEPATH_SERVE_MAX_ROWS", "7")
    with served(path) as (process, port):
        for path_ in ("/live", "/health", "/", "/docs"):
            assert get(port, path_)[0] == 200
        for path_ in ("/model", "/metrics", "/hierarchy", "/nowhere"):
            status, headers, _ = get(port, path_)
            assert (status, headers["www-authenticate"]) == (401, "Bearer")
        for wrong in (f"Basic {TOKEN}", f"Bearer {TOKEN}x", TOKEN, "Bearer", "Bearer ü"):
            assert get(port, "/model", authorization=wrong)[0] == 401
        assert get(port, "/model", authorization=f"Bearer {TOKEN}")[0] == 200
        assert get(port, "/model", authorization=f"bearer  {TOKEN}")[0] == 200
        right = f"authorization: Bearer {TOKEN}\r\n"
        assert ask(port, post({"texts": TEXTS[:1]}))[0] == 401
        assert ask(port, post({"texts": TEXTS[:1]}, more=right))[0] == 200
        assert ask(port, post({"texts": TEXTS * 2}, more=right))[0] == 413  # the limit of the environment
    assert TOKEN not in process.log.read_text()
    command = Path(f"/proc/{process.pid}/cmdline")
    assert not command.exists() or TOKEN not in command.read_text()


def test_requests_have_ids_in_answers_and_logs(path):
    with served(path) as (process, port):
        given = get(port, "/live", x_request_id="abc-1.2")[1]["x-request-id"]
        made = [get(port, "/live", x_request_id=bad)[1]["x-request-id"] for bad in ("a b", "x" * 101, "<a>", "")]
        early = ask(port, b"hello?\r\n\r\n")[1]["x-request-id"]
    assert given == "abc-1.2"
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in [*made, early])
    assert {given, *made} <= {line.get("request") for line in log_of(process)}


def test_a_replaced_file_is_not_served_beside_the_old_one(path, tmp_path):
    other = HierarchicalClassifier(cv=2).fit(TEXTS * 2, [[f"new/{label[0]}"] for label in LABELS] * 2)
    (served_file := tmp_path / "model.tp").write_bytes(path.read_bytes())
    with served(served_file, "--workers", "2", "--no-watch") as (process, port):
        wait_for(lambda: level(port, "ready") == 2)
        before = json.loads(ask(port, post({"texts": TEXTS}))[2])
        counted = get(port, "/metrics")[2].decode()
        other.save(served_file)
        old = workers_of(process.pid)
        os.kill(old[0], signal.SIGKILL)
        wait_for(lambda: len(set(workers_of(process.pid)) - set(old)) == 1 and level(port, "ready") == 2)
        os.kill(old[1], signal.SIGKILL)
        wait_for(lambda: len(set(workers_of(process.pid)) - set(old)) == 2 and level(port, "ready") == 2)
        assert [json.loads(ask(port, post({"texts": TEXTS}))[2]) for _ in range(10)] == [before] * 10
        after = get(port, "/metrics")[2].decode()
    for name in ('requests_total{path="/predict",status="200"}', "rows_total"):
        old_count, new_count = (
            float(re.search(rf"(?m)^truepath_{re.escape(name)} (\S+)", text)[1]) for text in (counted, after)
        )
        assert new_count >= old_count


@contextmanager
def hung(path, folder, *options):
    """Serve a model whose predictions take for ever after the first ones."""
    (folder / "sitecustomize.py").write_text(
        "import threading, truepath.serve.answers as answers\n"
        "found = answers.Answerer.__call__\n"
        "def wait(self, batch):\n"
        "    if any('forever' in str(row) for rows, _ in batch for row in rows):\n"
        "        threading.Event().wait()\n"
        "    return found(self, batch)\n"
        "answers.Answerer.__call__ = wait\n"
    )
    port, log = free_port(), folder / "hung.log"
    command = [sys.executable, "-m", "truepath", "serve", str(path), "--port", str(port), *options]
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(SOURCES)])}
    with open(log, "w") as file:
        process = subprocess.Popen(command, stderr=file, env=surroundings, start_new_session=True)
    process.log = log
    try:
        wait_for(lambda: process.poll() is not None or is_up(port))
        assert process.poll() is None, log.read_text()
        yield process, port
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def test_workers_that_are_told_to_end_before_they_listen_to_signals_end(path, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import os, pathlib, time, uvicorn\n"
        "def slowly(self, sockets=None):\n"
        f"    pathlib.Path({str(tmp_path)!r}, f'{{os.getpid()}}.begun').touch()\n"
        "    time.sleep(600)\n"
        "uvicorn.Server.run = slowly\n"
    )
    command = [sys.executable, "-m", "truepath", "serve", str(path), "--port", str(free_port()), "--workers", "2"]
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(SOURCES)])}
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=surroundings)
    wait_for(lambda: len(list(tmp_path.glob("*.begun"))) == 2 or process.poll() is not None)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 0


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("end", ["limit", "twice"])
def test_what_is_cut_off_hears_so_and_the_exit_code_says_it(path, tmp_path, workers, end):
    seconds = "1" if end == "limit" else "500"
    with hung(path, tmp_path, "--drain-seconds", seconds, "--workers", str(workers)) as (process, port):
        wait_for(lambda: level(port, "ready") == workers)  # or rows that warm a worker up wait behind those of the test
        found = []
        asking = [
            threading.Thread(target=lambda: found.append(ask(port, post({"texts": ["forever"]})))) for _ in range(3)
        ]
        for one in asking:
            one.start()
        wait_for(lambda: level(port, "waiting_rows") == 3)
        if end == "limit":
            process.send_signal(signal.SIGTERM)
        else:
            process.send_signal(signal.SIGINT)
            wait_for(lambda: "hutting down" in process.log.read_text())
            process.send_signal(signal.SIGINT)
        for one in asking:
            one.join()
        assert process.wait() == 1, process.log.read_text()
    assert [status for status, _, _ in found] == [503] * 3
    assert all("stopped" in json.loads(body)["error"] for _, _, body in found)
    assert "3 requests were cut off" in process.log.read_text()


def test_a_broken_client_in_the_middle_leaves_nothing(path):
    """Half a request and a reset, two hundred times."""
    with served(path) as (process, port):
        before = len(list(Path(f"/proc/{process.pid}/fd").iterdir()))
        for i in range(200):
            connection = connect(port)
            connection.sendall(post({"texts": TEXTS})[: 20 + i])
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        assert ask(port, post({"texts": TEXTS}))[0] == 200
        wait_for(lambda: len(list(Path(f"/proc/{process.pid}/fd").iterdir())) <= before + 2)
        assert [line for line in log_of(process) if line["level"] == "error"] == []
