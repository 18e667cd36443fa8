"""Kernels of readers: cutting text into cells, numbers, and words."""

from truepath._kernels.lazily import submodules_of

__getattr__ = submodules_of(__name__)
