"""A web server on this machine that can break off, refuse, redirect and lie."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def serving(files):
    """Serve files, a mapping from path (with a slash in front) to content, while the block runs."""
    server = Mirror(files)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Mirror(ThreadingHTTPServer):
    """Serves files; ``breaks`` says after how many bytes the next answers end early."""

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = dict(files)
        self.breaks, self.asked, self.status = [], [], []
        self.ranges = True
        self.odd = {}  # headers that replace the right ones; None leaves one out
        self.redirect = None
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        mirror, asked = self.server, self.headers.get("Range")
        mirror.asked.append((self.path, asked))
        if mirror.status:
            return self.send_error(mirror.status.pop(0))
        if mirror.redirect:
            self.send_response(302)
            self.send_header("Location", mirror.redirect)
            self.end_headers()
            return None
        body = mirror.files.get(self.path)
        if body is None:
            return self.send_error(404)
        start = int(asked[6:-1]) if asked and mirror.ranges else 0
        if start and start >= len(body):
            return self.send_error(416)
        self.send_response(206 if start else 200)
        headers = {"Content-Length": str(len(body) - start)}
        headers |= {"Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"} if start else {}
        for name, value in {**headers, **mirror.odd}.items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        end = mirror.breaks.pop(0) if mirror.breaks else len(body)
        self.wfile.write(body[start : start + end])
