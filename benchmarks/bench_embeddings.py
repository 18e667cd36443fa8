"""Embeddings: the default beside its members alone, on dense float32 rows that stand for an encoder's.

Run as ``python benchmarks/bench_embeddings.py``. WordNet's glosses become 256 numbers each by latent semantic analysis
(no encoder is downloaded), 16,000 of the training rows are learned from, and AU(PRC) is that of all test rows.
One thread is used.
"""

from __future__ import annotations

import time

import numpy as np
from bench_text import open_wordnet
from data_folder import make_parser
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from truepath.learners import TableBlend
from truepath.metrics import auprc

N_ROWS, N_COLUMNS = 16_000, 256


def main():
    smallest = make_parser(__doc__).parse_args().smallest
    hierarchy, texts, Y, test_texts, Y_test = open_wordnet(smallest)
    words = TfidfVectorizer(min_df=2, sublinear_tf=True, dtype=np.float32)
    encoder = make_pipeline(words, TruncatedSVD(4 if smallest else N_COLUMNS, random_state=0), Normalizer())
    X, X_test = (rows.astype(np.float32) for rows in (encoder.fit_transform(texts), encoder.transform(test_texts)))
    rows = np.random.default_rng(0).permutation(len(texts))[:N_ROWS]
    begun = time.process_time()
    model = TableBlend(hierarchy=hierarchy, n_jobs=1, network=False, keep_held_out=True).fit(X[rows], Y[rows])
    seconds = time.process_time() - begun
    print("| member | weight | AU(PRC), held-out rows | AU(PRC), test rows |\n|---|---|---|---|")
    for tried, learner in zip(model.tried_, model.stack_.learners_):
        area = auprc(Y_test, learner.predict_proba(X_test), hierarchy)
        print(f"| {tried.name} | {tried.weight:.2f} | {tried.score:.3f} | {area:.3f} |")
    area = auprc(Y_test, model.predict_proba(X_test), hierarchy)
    print(f"| the default, fitted in {seconds:.0f} CPU s | | | {area:.3f} |")


if __name__ == "__main__":
    main()
