"""``python -m attnmt`` is the command ``attnmt``."""

from attnmt.cli import main

main()
