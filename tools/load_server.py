"""A server under ten times the load that it can answer: ``python tools/load_server.py [--seconds 60]``.

A model of texts is fitted and served by ``truepath serve``. First the capacity is measured: requests one after the
other over a few connections. Then requests come at ten times that rate, each over a connection of its own, whatever has
become of those before. Each answer is compared with what the server said while it was idle, to the byte; the rest must
be 503 with ``Retry-After``. Printed are one line of a table, and what of the aim was missed, if anything: nothing but
right answers and 503, 99 % of the answers within a second, memory below twice that of the idle server. The exit status
is 1 if something was. The sender shares the machine with the server; how far it fell behind its own plan is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

#: Words of a text: long ones cost the server more than the sender
LONG = 100
#: Requests with different texts
MANY = 20
#: Connections that measure the capacity
FEW = 4
#: The aim: seconds for 99 % of the answers, and times the idle memory
SLOWEST, LARGEST = 1.0, 2.0
STARTS, ENDS = ("ba", "ke", "li", "mo", "nu", "pra", "sto"), ("ran", "tel", "vin", "dor", "sk", "lum")
WORDS = [start + end for start in STARTS for end in ENDS]
HEAD = "POST /predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n"
COLUMNS = "workers, capacity/s, asked/s, answered/s, p50 ms, p99 ms, worst ms, 503, p99 ms of 503, other, wrong"


@dataclass
class Seen:
    """What came of the requests: seconds by status, and what was wrong."""

    seconds: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    wrong: list[str] = field(default_factory=list)
    late: float = 0.0

    def percentile(self, status: int, share: float) -> float:
        """Return a percentile of the seconds of one status."""
        found = sorted(self.seconds[status])
        return found[min(len(found) - 1, int(share * len(found)))] if found else float("nan")


def fit(path: Path) -> None:
    """Save a model of texts in some forty labels."""
    from truepath import HierarchicalClassifier

    rng = random.Random(0)
    texts, labels = [], []
    for i in range(600):
        top, below = i % 6, i % 30
        words = [WORDS[top], WORDS[6 + below], *rng.choices(WORDS, k=6)]
        texts.append(" ".join(words))
        labels.append([f"t{top}/b{below}"])
    HierarchicalClassifier(cv=2).fit(texts, labels).save(path)


def write_requests(n_rows: int) -> list[bytes]:
    """Return requests of some texts each."""
    rng, found = random.Random(1), []
    for _ in range(MANY):
        body = json.dumps({"texts": [" ".join(rng.choices(WORDS, k=LONG)) for _ in range(n_rows)], "top": 3}).encode()
        found.append(f"{HEAD}content-length: {len(body)}\r\n\r\n".encode() + body)
    return found


async def ask(port: int, request: bytes) -> tuple[int, bytes, bytes]:
    """Send one request over a connection of its own; return status, head and body, 0 if there was no answer."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError as problem:
        return 0, str(problem).encode(), b""
    try:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
        return int(head[9:12]), head.lower(), await reader.readexactly(length)
    except (OSError, EOFError) as problem:
        return 0, str(problem).encode(), b""
    finally:
        writer.close()


async def measure_capacity(port: int, requests: list[bytes], seconds: float) -> float:
    """Return how many requests are answered per second when a few clients ask one after the other."""
    end, n = time.perf_counter() + seconds, 0

    async def client(k: int) -> None:
        nonlocal n
        while time.perf_counter() < end:
            status, _, _ = await ask(port, requests[(n + k) % MANY])
            n += status == 200

    begun = time.perf_counter()
    await asyncio.gather(*(client(k) for k in range(FEW)))
    return n / (time.perf_counter() - begun)


async def overload(port: int, requests: list[bytes], right: list[bytes], rate: float, seconds: float) -> Seen:
    """Send requests at a rate, whatever becomes of them."""
    seen, begun, running = Seen(), time.perf_counter(), set()

    async def one(k: int) -> None:
        sent = time.perf_counter()
        status, head, body = await ask(port, requests[k])
        seen.seconds[status].append(time.perf_counter() - sent)
        if status == 200 and body != right[k]:
            seen.wrong.append("an answer differs from that of the idle server")
        elif status == 503 and b"retry-after: " not in head:
            seen.wrong.append("a 503 without Retry-After")
        elif status not in (200, 503):
            seen.wrong.append(f"{status} {head[:100]!r} {body[:100]!r}")

    for i in range(int(rate * seconds)):
        due = begun + i / rate
        if (left := due - time.perf_counter()) > 0:
            await asyncio.sleep(left)
        seen.late = max(seen.late, time.perf_counter() - due)
        task = asyncio.create_task(one(i % MANY))
        running.add(task)
        task.add_done_callback(running.discard)
    await asyncio.gather(*running)
    return seen


def family_of(process: int) -> list[int]:
    """Return a process and those that it started."""
    found, below = [process], defaultdict(list)
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            below[int(stat.read_text().rpartition(")")[2].split()[1])].append(int(stat.parent.name))
        except OSError:  # ended meanwhile
            continue
    for one in found:
        found += below[one]
    return found


def memory_of(process: int) -> int:
    """Return the resident megabytes of a process and of those it started."""
    total = 0
    for one in family_of(process):
        try:
            total += int(Path(f"/proc/{one}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            continue
    return total >> 20


def processor_of(process: int) -> float:
    """Return the seconds of the processor that a process and those it started have had."""
    ticks = 0
    for one in family_of(process):
        try:
            ticks += sum(map(int, Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[11:13]))
        except OSError:
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


async def watch(process: int, peak: list[int]) -> None:
    """Note the largest memory, twice a second."""
    while True:
        peak[0] = max(peak[0], memory_of(process))
        await asyncio.sleep(0.5)


def start(model: Path, port: int, workers: int) -> subprocess.Popen[bytes]:
    """Start the server; return its process once it is ready."""
    command = [sys.executable, "-m", "truepath", "serve", str(model), "--port", str(port), "--workers", str(workers)]
    process = subprocess.Popen([*command, "--quiet"], stderr=subprocess.DEVNULL)
    while process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health") as answer:
                if answer.status == 200:
                    return process
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server ended before it was ready")


async def run(port: int, process: int, given: argparse.Namespace) -> int:
    """Measure, print, and return the exit status."""
    requests = write_requests(given.rows)
    right = [(await ask(port, request))[2] for request in requests]
    idle, peak = memory_of(process), [0]
    capacity = await measure_capacity(port, requests, max(1.0, given.seconds / 6))
    watching = asyncio.create_task(watch(process, peak))
    rate = given.times * capacity
    begun, had, own = time.perf_counter(), processor_of(process), time.process_time()
    seen = await overload(port, requests, right, rate, given.seconds)
    wall = time.perf_counter() - begun
    had, own = (processor_of(process) - had) / wall, (time.process_time() - own) / wall
    watching.cancel()
    answered, refused = len(seen.seconds[200]), len(seen.seconds[503])
    n = sum(map(len, seen.seconds.values()))
    p99 = seen.percentile(200, 0.99)
    print(f"| {' | '.join(f'{COLUMNS}, idle MB, peak MB'.split(', '))} |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    print(
        f"| {given.workers} | {capacity:.1f} | {rate:.0f} | {answered / given.seconds:.1f} "
        f"| {seen.percentile(200, 0.5) * 1e3:.0f} | {p99 * 1e3:.0f} | {seen.percentile(200, 1) * 1e3:.0f} "
        f"| {refused / n:.0%} | {seen.percentile(503, 0.99) * 1e3:.0f} | {n - answered - refused} | {len(seen.wrong)} "
        f"| {idle} | {peak[0]} |"
    )
    said = f"{given.rows} texts per request; the sender was late by {seen.late:.2f} s at most"
    print(f"\n{said}; load {os.getloadavg()[0]:.1f}.")
    print(f"Of {os.cpu_count()} cores the server had {had:.2f}, the sender {own:.2f}.")
    missed = [f"wrong: {what}" for what in sorted(set(seen.wrong))[:5]]
    missed += ["no request was answered"] * (not answered)
    missed += [f"99 % of the answers took up to {p99:.2f} s"] * (p99 >= SLOWEST)
    missed += [f"memory grew from {idle} to {peak[0]} MB"] * (peak[0] >= LARGEST * idle)
    print("\n".join(missed) or "The aim is met.")
    return 1 if missed else 0


def main() -> None:
    """Fit, serve, measure, and stop the server by SIGTERM."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--times", type=float, default=10, help="times the capacity")
    parser.add_argument("--rows", type=int, default=60, help="texts of a request")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)  # a connection for each request that is under way
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 20_000)), hard))
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        fit(Path(folder) / "model.tp")
        process = start(Path(folder) / "model.tp", port, given.workers)
        try:
            status = asyncio.run(run(port, process.pid, given))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
    sys.exit(status)


if __name__ == "__main__":
    main()
