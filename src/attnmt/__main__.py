"""``python -m attnmt`` is the command ``attnmt``."""

from attnmt.cli import main

if __name__ == "__main__":
    main()
