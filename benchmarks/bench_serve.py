"""The model server under load: requests per second, latencies and processor time per request, over the loopback.

    PYTHONPATH=src python benchmarks/bench_serve.py                  # 60 seconds at 300 requests per second
    PYTHONPATH=src python benchmarks/bench_serve.py --rate 0         # as many as the server takes

The default model for texts on the bundled pypi-topics, whose word counts are written out as texts. Requests of one text
each come at a fixed rate, over connections that stay open; the latency of a request is counted from the moment it was
due, so that a request that had to wait for a free connection counts as slow. The load generator is this process: it
shares the cores with the server. ``--mixed`` sends large, malformed and slow requests at the same time.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path

import numpy as np
from data_folder import make_parser
from scipy import sparse

from truepath import HierarchicalClassifier, load_dataset

TICKS = os.sysconf("SC_CLK_TCK")


def as_texts(X, words):
    """Write out word counts as texts, each word as often as it was counted."""
    X = sparse.csr_array(X)
    rows = zip(X.indptr[:-1], X.indptr[1:])
    return [" ".join(np.repeat(words[X.indices[a:b]], X.data[a:b].astype(int))) for a, b in rows]


def train(path):
    """Save the default model for texts; return texts to send."""
    ds = load_dataset("pypi-topics")
    words = np.asarray(ds.feature_names)
    model = HierarchicalClassifier(hierarchy=ds.hierarchy).fit(as_texts(ds.train.X, words), ds.train.y)
    model.save(path)
    return as_texts(ds.test.X, words)


def make_up(path):
    """Save a model of a few texts; return them."""
    texts = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"] * 4
    labels = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3] * 4
    HierarchicalClassifier(cv=2).fit(texts, labels).save(path)
    return texts


def start(model, port, workers):
    """Start the server; return its process once it is ready."""
    command = [sys.executable, "-m", "truepath", "serve", str(model), "--port", str(port), "--workers", str(workers)]
    process = subprocess.Popen([*command, "--quiet"], stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health") as answer:
                if answer.status == 200:
                    return process
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the server did not become ready")


def free_port():
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def family(pid):
    """Return a process and those it started."""
    found = [pid]
    for child in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(child.read_text().rpartition(")")[2].split()[1]) == pid:
                found += family(int(child.parent.name))
        except OSError:  # ended meanwhile
            continue
    return found


def cpu_seconds(pid):
    """Return the processor time of a process and of those it started."""
    used = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in family(pid)]
    return sum(int(fields[11]) + int(fields[12]) for fields in used) / TICKS


def encode(text, **options):
    """Return a request as bytes."""
    body = json.dumps({"texts": [text] if isinstance(text, str) else text, **options}).encode()
    head = f"POST /predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


async def ask(reader, writer, request):
    """Send one request; return the status of its answer."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head[9:12])
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
    await reader.readexactly(length)
    return status


async def send_at_a_rate(port, requests, rate, seconds, n_connections):
    """Send requests as they are due (as soon as possible for rate 0); return latencies and counts of statuses."""
    begun, latencies, statuses, n = time.perf_counter(), [], Counter(), 0

    async def connection():
        nonlocal n
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while True:
            due = begun + n / rate if rate else time.perf_counter()
            if due - begun > seconds:
                break
            request, n = requests[n % len(requests)], n + 1
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            statuses[await ask(reader, writer, request)] += 1
            latencies.append(time.perf_counter() - due)
        writer.close()

    await asyncio.gather(*(connection() for _ in range(n_connections)))
    return np.array(latencies), statuses, time.perf_counter() - begun


async def disturb(port, texts, seconds):
    """Send, over and over, what is large, too large, malformed, or slow; return counts of statuses."""
    statuses, end = Counter(), time.perf_counter() + seconds
    large = encode(texts[:200], top=5)
    too_large = (
        b"POST /predict HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9999999\r\n\r\n"
    )
    bad = b"POST /predict HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 3\r\n\r\n{{{"
    slow = [asyncio.create_task(dawdle(port, end)) for _ in range(20)]
    while time.perf_counter() < end:
        for request in (large, too_large, bad):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            statuses[await ask(reader, writer, request)] += 1
            writer.close()
        await asyncio.sleep(0.2)
    await asyncio.gather(*slow)
    return statuses


async def dawdle(port, end):
    """Send a byte of a head now and then, on one connection after another."""
    while time.perf_counter() < end:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /predict HTTP/1.1\r\n")
        for _ in range(12):
            if writer.is_closing() or time.perf_counter() > end:
                break
            await asyncio.sleep(1)
            writer.write(b"x")
        writer.close()


async def measure(port, process, texts, given):
    """Warm up, then send requests; print a line of the table."""
    requests = [encode(text) for text in texts]
    await send_at_a_rate(port, requests, given.rate, min(3, given.seconds), given.connections)
    own, used = resource.getrusage(resource.RUSAGE_SELF), cpu_seconds(process.pid)
    jobs = [send_at_a_rate(port, requests, given.rate, given.seconds, given.connections)]
    jobs += [disturb(port, texts, given.seconds)] if given.mixed else []
    (latencies, statuses, seconds), *others = await asyncio.gather(*jobs)
    now = resource.getrusage(resource.RUSAGE_SELF)
    sent = now.ru_utime + now.ru_stime - own.ru_utime - own.ru_stime
    p50, p99, worst = np.percentile(latencies, [50, 99, 100]) * 1e3
    rate = "as many as possible" if not given.rate else f"{given.rate:g}/s"
    print("| workers | asked | answered/s | p50 ms | p99 ms | worst ms | server CPU ms | sender CPU ms | statuses |")
    print("|---|---|---|---|---|---|---|---|---|")
    print(
        f"| {given.workers} | {rate} | {latencies.size / seconds:.0f} | {p50:.1f} | {p99:.1f} | {worst:.0f} "
        f"| {(cpu_seconds(process.pid) - used) / latencies.size * 1e3:.2f} | {sent / latencies.size * 1e3:.2f} "
        f"| {dict(statuses)} |"
    )
    for other in others:
        print(f"\nDisturbing requests at the same time: {dict(other)}")


def main():
    """Train, serve, measure, and stop the server by SIGTERM."""
    parser = make_parser(__doc__)
    parser.add_argument("--rate", type=float, default=300, help="requests per second; 0 for as many as possible")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--mixed", action="store_true", help="send large, malformed and slow requests as well")
    given = parser.parse_args()
    if given.smallest:
        given.seconds, given.rate, given.mixed = 0.5, 20, True
    with tempfile.TemporaryDirectory() as folder:
        texts, port = (make_up if given.smallest else train)(Path(folder) / "topics.tp"), free_port()
        process = start(Path(folder) / "topics.tp", port, given.workers)
        try:
            asyncio.run(measure(port, process, texts, given))
        finally:
            process.send_signal(signal.SIGTERM)
            print(f"\nEnded with code {process.wait(60)} after SIGTERM.")


if __name__ == "__main__":
    main()
