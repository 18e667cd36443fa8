"""Kernels of gene function: rows gathered from long tables, and scores filled in upwards."""

from truepath._kernels.lazily import submodules_of

__getattr__ = submodules_of(__name__)
