"""Kernels of the label sets of greatest expected measure."""

from truepath._kernels.lazily import submodules_of

__getattr__ = submodules_of(__name__)
