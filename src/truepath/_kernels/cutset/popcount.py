"""Count the set bits of one 64-bit word, as the machine's own instruction."""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic


@intrinsic
def popcount(typing_context, word):
    """Return the number of set bits of an unsigned 64-bit word (LLVM's ``ctpop``, vectorised inside plain loops)."""
    if word != types.uint64:
        return None

    def emit(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), emit
