"""Kernels of cutset networks: counts, Chow-Liu trees, inference."""

from truepath._kernels.lazily import submodules_of

__getattr__ = submodules_of(__name__)
