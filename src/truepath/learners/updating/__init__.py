"""Fitted learners under a changed hierarchy: what the change touches is fitted again, the rest stays as it is."""
