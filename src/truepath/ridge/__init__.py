"""Ridge regression of label matrices, on columns or on kernels of rows: what FAEL and the kernel learners share."""

from truepath.public import publish
from truepath.ridge.kernels import KERNELS
from truepath.ridge.regression import KernelRegression

__all__ = ["KERNELS", "KernelRegression"]

publish(__name__, __all__, globals())
