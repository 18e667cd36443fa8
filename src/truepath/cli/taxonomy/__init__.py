"""The commands about hierarchies that change: edit, diff, update."""
