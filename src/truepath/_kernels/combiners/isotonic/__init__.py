"""The Euclidean projection on coherent scores: over trees, and over DAGs by maximum flows."""

from truepath._kernels.lazily import submodules_of

__getattr__ = submodules_of(__name__)
