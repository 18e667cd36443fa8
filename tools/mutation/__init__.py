"""Mutants: small mistakes put into functions on purpose, to see whether a test notices."""
