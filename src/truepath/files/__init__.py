"""Files: limits, unpacking, encodings, text and JSON, and writing that leaves the old file or the whole new one.

Limits say how much a reader takes from one file: real data stay below, damaged or hostile files meet them.

A compressed file of a megabyte can unpack to gigabytes, and twenty bytes can announce millions of labels. Readers
therefore stop at these limits, with an error that names the file, the limit and how to raise it: by the argument
``limits``, or for a whole session, command or plan by an environment variable such as ``TRUEPATH_MAX_BYTES``.
"""

from truepath.files.limits import Limits
from truepath.public import publish

__all__ = ["Limits"]

publish(__name__, __all__, globals())
