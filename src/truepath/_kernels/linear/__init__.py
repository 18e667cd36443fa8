"""Kernels of the linear learners."""

from truepath._kernels.lazily import submodules_of

__getattr__ = submodules_of(__name__)
