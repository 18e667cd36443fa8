"""Vocabularies as one array: to save and load a word at a time takes minutes where there are 100,000."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

__all__ = ["pack_words", "unpack_words"]


def pack_words(vectorizer: Any) -> Any:
    """Return a copy of a fitted vectorizer with its vocabulary as the bytes of its words in order, one per line.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> packed = pack_words(TfidfVectorizer().fit(["red apple", "green pea"]))
    >>> packed.vocabulary_.dtype, unpack_words(packed).get_feature_names_out().tolist()
    (dtype('uint8'), ['apple', 'green', 'pea', 'red'])
    """
    words = getattr(vectorizer, "vocabulary_", None)
    if not isinstance(words, dict) or any("\n" in word for word in words):
        return vectorizer
    packed = copy(vectorizer)
    lines = "\n".join(sorted(words, key=words.__getitem__))
    packed.vocabulary_ = np.frombuffer(lines.encode("utf-8"), np.uint8).copy()
    return packed


def unpack_words(vectorizer: Any) -> Any:
    """Return a vectorizer with its vocabulary as words again."""
    packed = getattr(vectorizer, "vocabulary_", None)
    if not isinstance(packed, np.ndarray):
        return vectorizer
    whole = copy(vectorizer)
    words = packed.astype(np.uint8).tobytes().decode("utf-8").split("\n")
    whole.vocabulary_ = {word: place for place, word in enumerate(words)}
    return whole
