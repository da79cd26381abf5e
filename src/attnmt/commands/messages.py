"""What a command says on standard error, beside its result. A progress bar stays whole."""

import sys

from tqdm import tqdm

from attnmt.errors import escaped


def note(message: str) -> None:
    """Say what a person may want to know."""
    tqdm.write(f"note: {escaped(message)}", file=sys.stderr)


def warn(message: str) -> None:
    """Say what may make the result bad."""
    tqdm.write(f"warning: {escaped(message)}", file=sys.stderr)
