"""Decoders that return the label set of greatest expected measure, row by row."""
