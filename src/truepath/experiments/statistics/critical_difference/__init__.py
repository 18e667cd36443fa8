"""Critical-difference diagrams: placed and drawn once, shown by matplotlib or written as SVG."""
