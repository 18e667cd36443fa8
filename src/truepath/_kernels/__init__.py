"""Compiled loops: arrays of fixed type in, arrays out, in folders like the modules that call them.

``from truepath import _kernels`` costs nothing; ``_kernels.hierarchy.closure`` imports numba.
"""

from truepath._kernels.lazily import submodules_of

__getattr__ = submodules_of(__name__)
