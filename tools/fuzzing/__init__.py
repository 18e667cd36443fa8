"""Random cases over the public surface: what is drawn, and what must hold; run by ``tools/fuzz.py``."""

from fuzzing import combining, decoding, hierarchies, learning, measuring, reading, typing_in  # noqa: F401
from fuzzing.checks import CHECKS, Check, RefusedError

__all__ = ["CHECKS", "Check", "RefusedError"]
