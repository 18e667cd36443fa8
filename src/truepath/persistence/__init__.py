"""Saving fitted estimators in a safe format, and loading them again."""

__all__: list[str] = []
