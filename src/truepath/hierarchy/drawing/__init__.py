"""Pictures of hierarchies: labels with their ancestors in layers, as SVG, as DOT, or on axes of matplotlib."""
