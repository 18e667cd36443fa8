"""Critical-difference diagrams: the layout once, drawn by matplotlib or written as SVG."""
