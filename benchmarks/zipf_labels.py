"""Made-up texts with very many labels, whose frequencies follow Zipf's law: sparse rows, sparse labels.

Each label has words of its own and words it shares with the labels of its topic, 50 labels each. A row has one label
drawn with probability 1 / rank, and 2 more on average, half of them from the same topic; half of its 60 words are those
of its labels, a quarter those of their topics, a quarter common words drawn by Zipf's law.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

LABELS_OF_A_TOPIC = 50
OWN_WORDS, TOPIC_WORDS = 20, 40
MORE_LABELS = 2.0
WORDS_OF_A_ROW = 60


def draw_zipf(rng, n, size):
    """Return numbers below n, k with probability proportional to 1 / (k + 1)."""
    return np.searchsorted(np.cumsum(1.0 / np.arange(1, n + 1)), rng.random(size) * (1.0 / np.arange(1, n + 1)).sum())


def draw_labels(rng, n_rows, n_labels, label_of_rank):
    """Return rows and labels as pairs, ordered by row."""
    first = label_of_rank[draw_zipf(rng, n_labels, n_rows)]
    n_more = rng.poisson(MORE_LABELS, n_rows)
    row = np.repeat(np.arange(n_rows), n_more)
    near = first[row] // LABELS_OF_A_TOPIC * LABELS_OF_A_TOPIC + rng.integers(LABELS_OF_A_TOPIC, size=row.size)
    other = label_of_rank[draw_zipf(rng, n_labels, row.size)]
    more = np.where(rng.random(row.size) < 0.5, np.minimum(near, n_labels - 1), other)
    pairs = np.unique(np.concatenate([np.arange(n_rows), row]) * n_labels + np.concatenate([first, more]))
    return pairs // n_labels, pairs % n_labels


def make_zipf(n_rows, n_labels, n_test=5000, n_words=100_000, seed=0):
    """Return X, Y, X_test, Y_test: TF-IDF rows in float32 and boolean labels, all CSR."""
    rng = np.random.default_rng(seed)
    n_all = n_rows + n_test
    row, label = draw_labels(rng, n_all, n_labels, rng.permutation(n_labels))
    own = draw_zipf(rng, n_words, (n_labels, OWN_WORDS))
    own = np.where(rng.random(own.shape) < 0.5, own, rng.integers(n_words, size=own.shape)).astype(np.int32)
    shared = rng.integers(n_words, size=(n_labels // LABELS_OF_A_TOPIC + 1, TOPIC_WORDS)).astype(np.int32)
    start = np.searchsorted(row, np.arange(n_all + 1))
    of_row = np.repeat(np.arange(n_all), WORDS_OF_A_ROW)
    drawn = label[start[of_row] + (rng.random(of_row.size) * np.diff(start)[of_row]).astype(np.int64)]
    words = own[drawn, rng.integers(OWN_WORDS, size=of_row.size)]
    kind = rng.random(of_row.size)
    of_topic, common = (kind >= 0.5) & (kind < 0.75), kind >= 0.75
    words[of_topic] = shared[drawn[of_topic] // LABELS_OF_A_TOPIC, rng.integers(TOPIC_WORDS, size=of_topic.sum())]
    words[common] = draw_zipf(rng, n_words, common.sum())
    counts = sparse.coo_array((np.ones(of_row.size, np.float32), (of_row, words)), shape=(n_all, n_words)).tocsr()
    Y = sparse.csr_array((np.ones(label.size, bool), label.astype(np.int32), start), shape=(n_all, n_labels))
    X = sparse.csr_array(TfidfTransformer(sublinear_tf=True).fit(counts[:n_rows]).transform(counts), dtype=np.float32)
    return X[:n_rows], Y[:n_rows], X[n_rows:], Y[n_rows:]
