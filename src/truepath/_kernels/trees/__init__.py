"""Kernels of predictive clustering trees."""

from truepath._kernels.lazily import submodules_of

__getattr__ = submodules_of(__name__)
