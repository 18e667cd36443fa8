"""Kernels of boosted trees for all labels at once."""

from truepath._kernels.lazily import submodules_of

__getattr__ = submodules_of(__name__)
