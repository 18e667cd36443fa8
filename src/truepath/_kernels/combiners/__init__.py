"""Kernels of combiners: isotonic projections, and scores given which labels are allowed."""

from truepath._kernels.lazily import submodules_of

__getattr__ = submodules_of(__name__)
