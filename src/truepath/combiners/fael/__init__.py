"""Final scores learned from those of all nodes: linear, with a kernel, or with weights tied along the hierarchy."""
