"""What a server refuses, each with its status and a sentence; others are answered meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import ExitStack

import pytest
from prometheus_client.parser import text_string_to_metric_families

from truepath import HierarchicalClassifier
from truepath.errors import TruePathError
from truepath.serve import ServeSettings, answers
from truepath.serve.batching import Batcher, Piece
from truepath.serve.metrics import ServerCounts
from truepath.serve.rows import RowForm
from truepath.serve.threads import WorkThreads

from .conftest import client_of, refused

PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}

#: Requests that are refused: what is sent, the status, and words of the refusal
REFUSED = {
    "no body": ({"content": b""}, 400, ["no body"]),
    "half a body": ({"content": b'{"texts": ["a'}, 400, ["not JSON"]),
    "not UTF-8": ({"content": b'{"texts": ["\xff"]}'}, 400, ["not JSON"]),
    "a list": ({"json": ["a"]}, 422, ["object"]),
    "nothing to label": ({"json": {}}, 422, ["texts or rows"]),
    "no rows": ({"json": {"texts": []}}, 422, ["no rows"]),
    "both": ({"json": {"texts": ["a"], "rows": [[1]]}}, 422, ["texts or rows"]),
    "other rows": ({"json": {"rows": [[1]]}}, 422, ["takes texts"]),
    "an unknown field": ({"json": {"texts": ["a"], "topp": 3}}, 422, ["'topp'", "top"]),
    "a number as text": ({"json": {"texts": [1]}}, 422, ["texts.0", "string"]),
    "top 0": ({"json": {"texts": ["a"], "top": 0}}, 422, ["top"]),
    "an unknown word": ({"json": {"texts": ["a"], "top": 1, "among": "some"}}, 422, ["among"]),
    "two ways to compete": ({"json": {"texts": ["a"], "top": 1, "per": "level", "among": "leaves"}}, 422, ["among"]),
    "coverage of a model without": ({"json": {"texts": ["a"], "coverage": 0.9}}, 422, ["no coverage"]),
    "coverage 2": ({"json": {"texts": ["a"], "coverage": 2}}, 422, ["coverage"]),
    "an unknown label": ({"json": {"texts": ["a"], "thresholds": {"oat": 1}}}, 422, ["'oat'"]),
    "a falling threshold": ({"json": {"texts": ["a"], "threshold": 0.1, "thresholds": {"plant": 0.9}}}, 422, ["falls"]),
    "another type": ({"content": b"a", "headers": {"content-type": "text/plain"}}, 415, ["application/json"]),
    "too many rows": ({"json": {"texts": ["a"] * 51}}, 413, ["51", "at most 50"]),
    "nested without end": ({"content": b'{"texts": ' + b"[" * 15_000}, 400, ["not JSON"]),
    "too many bytes": ({"json": {"texts": ["a" * 30_000]}}, 413, ["20,000 bytes"]),
}


@pytest.fixture(scope="module")
def strict(model):
    with client_of(model, ServeSettings(max_rows=50, max_body=20_000, origins=("https://example.org",))) as client:
        yield client


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_says_what_is_wrong(strict, case):
    request, status, words = REFUSED[case]
    said = refused(strict.post("/predict", **{"headers": {"content-type": "application/json"}, **request}), status)
    assert [word for word in words if word not in said] == [], said


def test_other_addresses_and_methods_are_refused_in_the_same_shape(strict):
    assert "/nowhere" in refused(strict.get("/nowhere"), 404)
    wrong = strict.get("/predict")
    assert "GET" in refused(wrong, 405)
    assert wrong.headers["allow"] == "POST"
    assert "format" in refused(strict.get("/hierarchy", params={"format": "pdf"}), 422)


def test_a_body_without_a_length_is_cut_off_at_the_limit(strict):
    def endless():
        for _ in range(200):
            yield b" " * 1000

    refused(strict.post("/predict", content=endless(), headers={"content-type": "application/json"}), 413)


def test_a_mistake_of_ours_tells_clients_nothing(model, monkeypatch):
    with client_of(model) as client:
        monkeypatch.setattr(HierarchicalClassifier, "label_and_score", lambda *_: {}["secret"])
        assert "secret" not in refused(client.post("/predict", json={"texts": ["a"]}), 500)
        monkeypatch.undo()
        assert client.post("/predict", json={"texts": ["a"]}).status_code == 200


def test_answers_are_limited_too(client, monkeypatch):
    monkeypatch.setattr("truepath.serve.service.MOST_SCORES", 100)
    request = {"texts": ["a"] * 30, "scores": True}
    assert "30 rows with 5 scores" in refused(client.post("/predict", json=request), 413)
    huge = {"texts": ["a"], "top": 10**9, "per": "level"}
    assert client.post("/predict", json=huge).status_code == 200
    assert "from 1 to 1000000000" in refused(client.post("/predict", json={**huge, "top": 10**18}), 422)


def test_only_the_request_at_fault_fails(model, monkeypatch):
    found = HierarchicalClassifier.label_and_score

    def picky(model, X):
        if "bad" in X:
            raise TruePathError("bad is no text.", "Send another.")
        return found(model, X)

    monkeypatch.setattr(HierarchicalClassifier, "label_and_score", picky)
    with client_of(model) as client:
        assert "bad is no text. Send another." in refused(client.post("/predict", json={"texts": ["bad"]}), 422)
    batcher = Batcher(answers.Answerer(model, RowForm(model)), ServerCounts(), threads=1, batch_rows=8, max_waiting=8)
    pieces = [Piece([text], answers.AnswerOptions(model), None) for text in ("good", "bad", "better")]
    first, second, third = batcher._run(pieces)
    assert isinstance(second, TruePathError)
    assert b"labels" in first
    assert b"labels" in third
    batcher.close()


def test_a_slow_prediction_is_given_up_and_a_busy_server_says_so(model, monkeypatch):
    found, go = HierarchicalClassifier.label_and_score, threading.Event()

    def wait(*given):
        go.wait(60)
        return found(*given)

    settings = ServeSettings(answer_seconds=1.5, max_waiting=3, threads=1)
    with client_of(model, settings) as client:
        monkeypatch.setattr(HierarchicalClassifier, "label_and_score", wait)
        held = threading.Thread(target=client.post, args=("/predict",), kwargs={"json": {"texts": ["a"] * 3}})
        held.start()
        while client.get("/metrics").text.find("truepath_waiting_rows 3") < 0:
            time.sleep(0.01)
        busy = client.post("/predict", json={"texts": ["a"]})
        assert "3 rows are waiting" in refused(busy, 503)
        assert busy.headers["retry-after"] == "1"
        held.join()
        assert "1.5 seconds" in refused(client.post("/predict", json={"texts": ["a"]}), 503)
        go.set()
        assert client.get("/health").status_code == 200


def test_no_other_origin_may_read_answers_unless_named(strict, client):
    for one, allowed in ((client, None), (strict, "https://example.org")):
        answer = one.get("/health", headers={"origin": "https://example.org"})
        assert answer.headers.get("access-control-allow-origin") == allowed
    assert "access-control-allow-origin" not in strict.get("/health", headers={"origin": "https://b.org"}).headers


def test_pages_may_load_nothing_from_elsewhere(client):
    for path in ("/", "/docs", "/page.css", "/page.js", "/openapi.json"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "http://" not in answer.text.replace("http://www.w3.org/2000/svg", "")
        assert "https://" not in answer.text


def test_operations_are_described(client):
    described = client.get("/openapi.json").json()
    of_models = {"/predict", "/explain", "/hierarchy"}
    named = {"/models/{name}", *(f"/models/{{name}}{path}" for path in of_models)}
    assert set(described["paths"]) == {*of_models, *named, "/model", "/models", "/live", "/health", "/metrics"}
    assert "min_score" in json.dumps(described["paths"]["/predict"])
    assert "GET /hierarchy" in client.get("/docs").text


def counted(text):
    """Return the samples of an answer to /metrics, as Prometheus reads them: by name and labels in order."""
    families = text_string_to_metric_families(text)
    return {(s.name, *map(s.labels.get, sorted(s.labels))): s.value for family in families for s in family.samples}


def test_counts_are_in_the_format_of_prometheus(model):
    with client_of(model) as client:
        client.post("/predict", json={"texts": ["a", "b"]})
        client.post("/predict", json={})
        answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    found = counted(answer.text)
    assert found["truepath_requests_total", "/predict", "200"] == 1
    assert found["truepath_requests_total", "/predict", "422"] == 1
    assert found["truepath_request_seconds_count", "/predict"] == 2
    assert found["truepath_rows_total",] == 2
    assert found["truepath_batches_total",] == 3  # two of them to warm up
    assert found["truepath_waiting_rows",] == 0
    assert found["truepath_ready",] == 1


def test_large_counts_keep_their_digits():
    counts = ServerCounts()
    counts.rows.inc(1_000_000)
    counts.rows.inc(1)
    counts.seconds.labels("/predict").observe(1234567.25)
    found = counted(counts.write().decode())
    assert found["truepath_rows_total",] == 1_000_001
    assert found["truepath_request_seconds_sum", "/predict"] == 1234567.25


WORKER = """
import os, sys
from truepath.serve.metrics import ServerCounts
counts = ServerCounts()
counts.ready.set(1)
counts.waiting.set(2)
for _ in range(int(sys.argv[1])):
    counts.request("/predict", 200, 0.3)
counts.rows.inc(1_000_001)
print(counts.write().decode() + "# END", flush=True)
sys.stdin.read()
"""


def test_counts_of_workers_are_added_up_and_outlive_a_killed_one(tmp_path):
    def start(n):
        surroundings = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
        worker = subprocess.Popen([sys.executable, "-c", WORKER, str(n)], env=surroundings, text=True, **PIPES)
        return worker, counted("".join(iter(worker.stdout.readline, "# END\n")))

    with ExitStack() as stack:
        first, _ = start(2)
        stack.enter_context(first)
        second, found = start(1)
        stack.enter_context(second)
        assert found["truepath_requests_total", "/predict", "200"] == 3
        assert found["truepath_request_seconds_bucket", "0.25", "/predict"] == 0
        assert found["truepath_request_seconds_bucket", "+Inf", "/predict"] == 3
        assert found["truepath_rows_total",] == 2_000_002
        assert (found["truepath_ready",], found["truepath_waiting_rows",]) == (2, 4)
        first.kill()
        first.wait()
        third, found = start(4)
        stack.enter_context(third)
        assert found["truepath_requests_total", "/predict", "200"] == 7
        assert (found["truepath_ready",], found["truepath_waiting_rows",]) == (2, 4)  # of those that live
        for worker in (second, third):
            worker.kill()


def test_limits_are_above_zero():
    with pytest.raises(TruePathError, match="max_rows"):
        ServeSettings(max_rows=0)


def test_what_nobody_waits_for_does_not_keep_a_server_alive():
    pool = WorkThreads(2, "test")
    jobs = [pool.submit(pow, 2, k) for k in range(5)] + [pool.submit(int, "x")]
    assert [job.result(5) for job in jobs[:5]] == [1, 2, 4, 8, 16]
    with pytest.raises(ValueError, match="invalid literal"):
        jobs[5].result(5)
    assert all(thread.daemon for thread in threading.enumerate() if thread.name.startswith("test-"))
    pool.shutdown()
