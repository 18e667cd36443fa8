"""Decoders whose every label path ends in a leaf (Bi & Kwok), and those that pick leaves."""
