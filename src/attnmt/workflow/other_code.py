"""A project runs its own code, and not that of the folder from which it was copied."""

from pathlib import Path

import attnmt
from attnmt.errors import InputError

SOURCE = Path(attnmt.__file__).parent


def refuse_other_code() -> None:
    """Refuse to work in a project with the environment of another.

    A copied ``.venv`` still runs the code of the folder where it was made.

    Raises:
        InputError: naming both.
    """
    own = Path("src/attnmt")
    if (own / "__init__.py").exists() and not own.samefile(SOURCE):
        raise InputError(
            f"{own}: the code that runs is that of {SOURCE}, because .venv was made there; type make "
            f"setup here, then . .venv/bin/activate"
        )
