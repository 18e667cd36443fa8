"""``truepath serve`` as a process while its model files are replaced, and its terminal is closed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

from places import SOURCES
from truepath import HierarchicalClassifier

from .asking import ask, get, is_up, level, log_of, post, wait_for, workers_of
from .conftest import LABELS, TEXTS, free_port, served

pytestmark = pytest.mark.slow  # processes


@pytest.fixture(scope="module")
def other():
    return HierarchicalClassifier(cv=2).fit(TEXTS * 2, [[f"new/{label[0]}"] for label in LABELS] * 2)


@pytest.fixture
def path(model, tmp_path):
    model.save(file := tmp_path / "m.tp")
    return file


def replace(path, content):
    (part := path.with_suffix(".part")).write_bytes(content)
    part.replace(path)


def messages(process):
    return [line["message"] for line in log_of(process)]


class Asking(threading.Thread):
    """Asks until told to stop; ``seen`` is what it got, with whether the new model had answered anybody before."""

    new = threading.Event()

    def __init__(self, port, first):
        super().__init__(daemon=True)
        self.port, self.first, self.is_over, self.seen, self.trouble = port, first, False, [], []
        self.start()

    def run(self):
        try:
            while not self.is_over:
                had_new = self.new.is_set()
                status, headers, body = ask(self.port, post({"texts": TEXTS * 20}, more="connection: close\r\n"))
                version = headers.get("x-model-version")
                self.seen.append((status, had_new, version, body))
                if status == 200 and version != self.first:
                    self.new.set()
        except Exception as error:
            self.trouble.append(error)


@pytest.mark.parametrize("workers", [1, 2])
def test_under_load_each_answer_is_of_one_model_and_none_of_the_old_after_the_new(path, other, tmp_path, workers):
    other.save(tmp_path / "next.tp")
    with served(path, "--workers", str(workers), "--wait-seconds", "60") as (process, port):
        wait_for(lambda: level(port, "ready") == workers)
        first = get(port, "/model")[1]["x-model-version"]
        Asking.new.clear()
        asking = [Asking(port, first) for _ in range(4)]
        wait_for(lambda: all(one.seen or one.trouble for one in asking))
        counted = level(port, "rows_total")
        replace(path, (tmp_path / "next.tp").read_bytes())
        wait_for(lambda: Asking.new.is_set() or any(one.trouble for one in asking))
        n_then = [len(one.seen) for one in asking]
        wait_for(lambda: all(len(one.seen) > n + 3 or one.trouble for one, n in zip(asking, n_then)))
        for one in asking:
            one.is_over = True
            one.join()
        assert [one.trouble for one in asking] == [[]] * 4
        seen = [answer for one in asking for answer in one.seen]
        assert {status for status, *_ in seen} == {200}
        answers = {}
        for _, had_new, version, body in seen:
            assert not (had_new and version == first)
            answers.setdefault(version, set()).add(body)
        assert {version: len(bodies) for version, bodies in answers.items()} == dict.fromkeys(answers, 1)
        assert len(answers) == 2
        assert b"new/" not in answers.pop(first).pop()
        assert b"new/" in answers.popitem()[1].pop()
        assert level(port, "rows_total") > counted
        assert "the model was replaced" in messages(process)
        wait_for(lambda: messages(process).count("the model before has answered its last request") == workers)
        assert level(port, "ready") == workers


@pytest.mark.parametrize("workers", [1, 2])
def test_a_bad_file_is_not_taken_and_a_hangup_asks_for_another_look(path, other, tmp_path, workers):
    other.save(tmp_path / "next.tp")
    good = (tmp_path / "next.tp").read_bytes()
    with served(path, "--workers", str(workers), "--no-watch") as (process, port):
        wait_for(lambda: level(port, "ready") == workers)
        before, processes = get(port, "/model")[1]["x-model-version"], workers_of(process.pid)
        for content in (b"no model", good[: len(good) // 2], good[:-1] + bytes([good[-1] ^ 1])):
            n = messages(process).count("the new model file is not taken; the one before is served")
            replace(path, content)
            process.send_signal(signal.SIGHUP)
            wait_for(
                lambda n=n: messages(process).count("the new model file is not taken; the one before is served") > n
            )
            assert get(port, "/model")[1]["x-model-version"] == before
            assert ask(port, post({"texts": TEXTS}))[0] == 200
        said = [line["problem"] for line in log_of(process) if "problem" in line]
        assert len(said) == 3
        assert all(str(path) in problem and "truepath-serve" not in problem for problem in said), said
        replace(path, good)
        process.send_signal(signal.SIGHUP)
        wait_for(lambda: get(port, "/model")[1]["x-model-version"] != before)
        assert b"new/" in ask(port, post({"texts": TEXTS}))[2]
        process.send_signal(signal.SIGHUP)
        wait_for(lambda: "the model file is the one that is served" in messages(process))
        assert sorted(workers_of(process.pid)) == sorted(processes)  # no process was started anew
    assert process.returncode == 0


def test_several_models_are_replaced_one_by_one(path, other, tmp_path):
    other.save(tmp_path / "b.tp")
    with served(path, f"zwei={tmp_path / 'b.tp'}", "--workers", "2") as (_, port):
        wait_for(lambda: level(port, "ready") == 2)
        versions = {one["name"]: one["version"] for one in json.loads(get(port, "/models")[2])["models"]}
        assert list(versions) == ["m", "zwei"]
        replace(tmp_path / "b.tp", path.read_bytes())
        wait_for(lambda: get(port, "/models/zwei")[1]["x-model-version"] != versions["zwei"])
        assert get(port, "/models/zwei")[1]["x-model-version"] == versions["m"]  # the same bytes
        assert get(port, "/model")[1]["x-model-version"] == versions["m"]
        one, other_ = (ask(port, post({"texts": TEXTS}, path=at))[2] for at in ("/predict", "/models/zwei/predict"))
        assert one == other_


def test_a_worker_that_is_started_anew_serves_the_new_file(path, other, tmp_path):
    other.save(tmp_path / "next.tp")
    with served(path, "--workers", "2") as (process, port):
        wait_for(lambda: level(port, "ready") == 2)
        first = get(port, "/model")[1]["x-model-version"]
        replace(path, (tmp_path / "next.tp").read_bytes())
        wait_for(lambda: get(port, "/model")[1]["x-model-version"] != first)
        old = workers_of(process.pid)
        for worker in old:
            os.kill(worker, signal.SIGKILL)
        wait_for(
            lambda: len(set(workers_of(process.pid)) - set(old)) == 2 and is_up(port) and level(port, "ready") == 2
        )
        assert {get(port, "/model")[1]["x-model-version"] != first for _ in range(20)} == {True}


IN_TERMINAL = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(int(sys.argv[1]), termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-m", "truepath", "serve", *sys.argv[2:]])
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_server_ends_with_its_terminal(path, workers):
    pytest.importorskip("termios")
    master, slave = os.openpty()
    port, log = free_port(), path.with_suffix(".terminal.log")
    command = [sys.executable, "-c", IN_TERMINAL, str(slave), str(path), "--port", str(port), "--workers", workers]
    surroundings = {**os.environ, "PYTHONPATH": str(SOURCES)}
    restore = signal.getsignal(signal.SIGHUP)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it would be ignored, here and in what is started
    try:
        with open(log, "w") as file:
            process = subprocess.Popen(command, stderr=file, stdin=slave, env=surroundings, pass_fds=[slave])
    finally:
        signal.signal(signal.SIGHUP, restore)
    try:
        os.close(slave)
        wait_for(lambda: process.poll() is not None or is_up(port))
        assert process.poll() is None, log.read_text()
        os.close(master)
        assert process.wait() == 0, log.read_text()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
