"""A graph of ONNX operators while it is written: every step returns the name of what it makes.

Numbers are float64 unless a model itself computes with less, so that scores are the model's to the last digits and
compare with thresholds in the same way.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truepath.errors import MissingExtraError, TruePathError

__all__ = ["Graph", "import_onnx"]

#: A protobuf file cannot be larger
MOST_BYTES = 2**31 - 2**20


def import_onnx() -> Any:
    """Return the ``onnx`` package, or say how to get it."""
    try:
        import onnx
    except ImportError as error:
        raise MissingExtraError(
            "models are exported with onnx, which is not installed.", 'Install it with pip install "truepath[onnx]".'
        ) from error
    return onnx


class Graph:
    """Operators and constants in the order in which they are added."""

    def __init__(self) -> None:
        self.onnx = import_onnx()
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.n_bytes = 0

    def constant(self, values: Any, dtype: Any = None) -> str:
        """Add an array; return its name."""
        array = np.ascontiguousarray(values, dtype)
        self.n_bytes += array.nbytes
        if self.n_bytes > MOST_BYTES:
            raise TruePathError(
                f"the model takes {self.n_bytes / 2**30:.1f} GiB as an ONNX file, which can have 2 at most.",
                "Fit it with fewer words, trees or labels, or serve it with truepath serve.",
            )
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(array.reshape(np.shape(values)), name))
        return name

    def add(self, operator: str, *inputs: str, domain: str = "", output: str | None = None, **attributes: Any) -> str:
        """Add an operator; return the name of its output."""
        name = output or f"{operator.lower()}_{len(self.nodes)}"
        node = self.onnx.helper.make_node(operator, inputs, [name], name=name, domain=domain, **attributes)
        self.nodes.append(node)
        return name

    def cast(self, values: str, kind: str) -> str:
        """Turn numbers into ``"DOUBLE"``, ``"FLOAT"``, ``"INT64"`` or ``"BOOL"``."""
        return self.add("Cast", values, to=getattr(self.onnx.TensorProto, kind))

    def columns(self, values: str, at: Any) -> str:
        """Take these columns."""
        return self.add("Gather", values, self.constant(at, np.int64), axis=1)

    def scatter(self, values: str, at: Any, updates: str, reduction: str) -> str:
        """Reduce ``updates``, one column per entry of ``at``, into these columns by ``"min"`` or ``"max"``."""
        shape = self.add("Shape", updates)
        places = self.add("Expand", self.constant(np.asarray(at)[None, :], np.int64), shape)
        return self.add("ScatterElements", values, places, updates, axis=1, reduction=reduction)
