"""What the tests of trees and forests grow on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from truepath.data import make_hmc


@pytest.fixture(scope="module")
def problem():
    """Return a hierarchy, features and closed labels of 500 rows."""
    ds = make_hmc(500, 8, 30, random_state=0)
    part = ds["train"] if "train" in ds else ds[next(iter(ds))]
    return ds.hierarchy, np.asarray(part.X, float), sparse.csr_array(part.y)
