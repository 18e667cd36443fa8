"""``python -m truepath``: the command line."""

from truepath.cli import main

if __name__ == "__main__":
    main()
