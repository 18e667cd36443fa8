"""Where things lie, seen from any test."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
SOURCES = ROOT / "src"
GOLDEN = TESTS / "golden"
SHARED_DATA = ROOT.parent / "shared" / "data"
