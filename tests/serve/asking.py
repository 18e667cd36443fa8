"""Asking a server over plain sockets, and looking at its processes and its log."""

from __future__ import annotations

import json
import re
import socket
import time
from contextlib import suppress
from pathlib import Path

HEALTH = b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"


def post(body, path="/predict", more=""):
    """Return a request as bytes."""
    sent = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{more}"
    return f"{head}content-length: {len(sent)}\r\n\r\n".encode() + sent


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=120)


def read_answer(connection):
    """Return status, headers and body of one answer; the status is 0 if there is none."""
    found = b""
    while b"\r\n\r\n" not in found:
        part = connection.recv(65536)
        if not part:
            return 0, {}, b""
        found += part
    head, _, body = found.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    while len(body) < int(headers.get("content-length", 0)):
        part = connection.recv(65536)
        if not part:
            break
        body += part
    return int(lines[0].split()[1]), headers, body


def ask(port, request):
    with connect(port) as connection:
        connection.sendall(request)
        return read_answer(connection)


def get(port, path, **headers):
    """Return status, headers and body of a GET; ``_`` in names of headers stands for ``-``."""
    lines = {"host": "localhost", **{name.replace("_", "-"): value for name, value in headers.items()}}
    text = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return ask(port, f"GET {path} HTTP/1.1\r\n{text}connection: close\r\n\r\n".encode())


def level(port, name):
    found = re.search(rf"(?m)^truepath_{name} (\S+)", get(port, "/metrics")[2].decode())
    return 0.0 if found is None else float(found[1])


def children(pid):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found


def workers_of(pid):
    return [child for child in children(pid) if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def log_of(process):
    return [json.loads(line) for line in process.log.read_text().splitlines() if line.startswith("{")]


def wait_for(condition):
    while not condition():
        time.sleep(0.05)


def is_up(port):
    with suppress(OSError):
        return ask(port, HEALTH)[0] == 200
    return False
