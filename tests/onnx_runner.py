"""Runs an ONNX file where truepath cannot be imported: ``python onnx_runner.py model.onnx rows.npz answers.npz``.

Strings come as arrays of fixed-width text. The answers are ``scores`` and ``labels``.
"""

import sys


def main(model: str, rows: str, answers: str) -> None:
    """Ask a model for the scores and labels of rows."""
    import numpy as np
    import onnxruntime

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    with np.load(rows) as given:
        inputs = {name: given[name].astype(object) if given[name].dtype.kind == "U" else given[name] for name in given}
    scores, labels = session.run(["scores", "labels"], inputs)
    np.savez(answers, scores=scores, labels=labels)


if __name__ == "__main__":
    sys.modules["truepath"] = None  # an import is an error from here on
    main(*sys.argv[1:])
