"""Large vocabularies, cut or hashed: words and pairs of WordNet's glosses in fewer columns than there are of them.

Run as ``python benchmarks/bench_vocabulary.py``. One ``SparseLinear`` is fitted to the texts' TF-IDF weights, with all
words and pairs that occur twice, with the most frequent of them, and with all of them hashed into as many columns. The
AU(PRC) is that of test rows; a fit uses one thread.
"""

from __future__ import annotations

import time

import numpy as np
from bench_text import open_wordnet
from data_folder import make_parser
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

from truepath.learners import SparseLinear
from truepath.metrics import auprc

WORDS = {"strip_accents": "unicode", "ngram_range": (1, 2), "dtype": np.float32}
SIZES = (1 << 14, 1 << 16)


def cut(size=None):
    """Return TF-IDF weights of the most frequent words and pairs."""
    return TfidfVectorizer(sublinear_tf=True, min_df=2, max_features=size, **WORDS)


def hashed(size):
    """Return TF-IDF weights of columns that words and pairs share by chance."""
    counts = HashingVectorizer(n_features=size, norm=None, alternate_sign=False, **WORDS)
    return make_pipeline(counts, TfidfTransformer(sublinear_tf=True))


def main():
    smallest = make_parser(__doc__).parse_args().smallest
    hierarchy, texts, Y, test_texts, Y_test = open_wordnet(smallest)
    ways = [("all", cut())]
    for size in SIZES:
        ways += [("the most frequent", cut(size)), ("hashed", hashed(size))]
    print("| words and pairs | columns | entries per row | AU(PRC) | fit, CPU s |\n|---|---|---|---|---|")
    for name, words in ways:
        X, X_test = words.fit_transform(texts), words.transform(test_texts)
        begun = time.process_time()
        model = SparseLinear(hierarchy=hierarchy, n_jobs=1).fit(X, Y)
        seconds, area = time.process_time() - begun, auprc(Y_test, model.predict_proba(X_test), hierarchy)
        print(f"| {name} | {X.shape[1]:,} | {X.nnz / X.shape[0]:.0f} | {area:.3f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
