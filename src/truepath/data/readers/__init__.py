"""Readers, one file per format, each from files to a :class:`~truepath.data.Dataset` or a hierarchy."""
