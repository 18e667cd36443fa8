"""Ontologies with what gene function needs beside the graph: aspects, names of terms, retired ids."""
