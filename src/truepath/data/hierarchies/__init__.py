"""Hierarchies in files of their own, one file per format, found by one registry."""
