"""Labels in any form."""

from __future__ import annotations

import pytest

from truepath.adapters.labels import derive_hierarchy


@pytest.mark.parametrize("row", [None, 3.5, object(), {"a": 1}, [["a"]], ["a", None], [{"a"}]])
def test_what_is_no_label_is_named_with_its_row(row):
    with pytest.raises(TypeError, match=r"row 1 of y (is|holds) .*Write a name such as 'a'"):
        derive_hierarchy([["a/b"], row])
