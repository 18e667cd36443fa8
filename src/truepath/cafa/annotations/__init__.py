"""Annotations: which targets have which terms, by what evidence, since when."""
