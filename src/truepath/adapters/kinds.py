"""What rows look like: embeddings of an encoder, or texts in a script without blanks between words."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

#: Dense arrays of this many columns and more are taken as embeddings, if they are float32 or their rows have length 1
COLUMNS_OF_EMBEDDING = 64
#: How far from 1 such a length may be: numbers may have been written with few digits
LENGTH_TOLERANCE = 1e-3


#: The first texts show what script they are in
TEXTS_TO_SEE = 1000


#: Thai, Lao, Burmese, Khmer, Japanese and Chinese signs
_UNSPACED = re.compile("[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


def is_embedding(X: Any) -> bool:
    """Say whether rows look like what an encoder of texts or images gives: 64 columns or more, no value missing.

    They are float32, or of any float type and every row has length 1.

    Examples
    --------
    >>> import numpy as np
    >>> is_embedding(np.zeros((2, 384), np.float32)), is_embedding(np.zeros((2, 384))), is_embedding(["a text"])
    (True, False, False)
    >>> is_embedding(np.eye(2, 384))
    True
    """
    if not isinstance(X, np.ndarray) or X.dtype.kind != "f" or X.ndim != 2 or X.shape[1] < COLUMNS_OF_EMBEDDING:
        return False
    if X.dtype == np.float32:
        return bool(np.isfinite(X).all())
    squares = np.einsum("ij,ij->i", X, X)  # NaN where a value is missing
    return bool(squares.size and (np.abs(np.sqrt(squares) - 1) < LENGTH_TOLERANCE).all())


def is_unspaced(texts: Any) -> bool:
    """Say whether most letters of the first texts are of scripts that do not separate words by blanks.

    Examples
    --------
    >>> is_unspaced(["我喜欢吃苹果"]), is_unspaced(["I like apples"])
    (True, False)
    """
    seen = "".join(texts[:TEXTS_TO_SEE])
    return 2 * len(_UNSPACED.findall(seen)) > sum(sign.isalpha() for sign in seen)
