"""How much a reader takes from one file: limits that real data stay below and that damaged or hostile files meet.

A compressed file of a megabyte can unpack to gigabytes, and twenty bytes can announce millions of labels. Readers
therefore stop at these limits, with an error that names the file, the limit and how to raise it: by the argument
``limits``, or for a whole session, command or plan by a variable of the environment such as ``TRUEPATH_MAX_BYTES``.
"""

from truepath.files.text import Limits
from truepath.public import publish

__all__ = ["Limits"]

publish(__name__, __all__, globals())
