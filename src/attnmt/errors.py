"""The one exception that a person is meant to read, and how a terminal shows it."""

import re

# The codes of ASCII and Latin-1 but for tab and line feed, and marks that turn the writing's direction.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

# What torch, the system and the loader of libraries say where Python itself raises a MemoryError.
MEMORY = re.compile(
    "not enough memory|(can't|[Cc]annot) allocate memory|out of memory|"
    "failed to map segment|can't start new thread"
)
NO_MEMORY = "there is not enough memory; close other programs, or allow more (ulimit -v)"


class InputError(Exception):
    """Something is wrong with the input, the parameters or a file.

    The message names the place (file, line, key), what is wrong there and what to do. Stages and the
    command line print it without a traceback and exit with status 2.
    """


def escaped(message: str) -> str:
    """Return a message whose names of keys and files cannot control a terminal: \\x1b for an escape."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), message)


def memory_message(error: BaseException) -> str:
    """Return what to do about an error for which :func:`lacks_memory` is true.

    On a GPU torch says how much it asked for, and how much there was.
    """
    first_line = str(error).partition("\n")[0]
    if not re.search("CUDA|HIP", first_line):
        return NO_MEMORY
    return (
        f"{first_line} End other programs on this GPU, or train with ATTNMT_CUDA_GRAPHS=0; a smaller "
        f"batch_size, which changes results, is the last resort"
    )


def lacks_memory(error: BaseException) -> bool:
    """Return whether an error says that there is not enough memory."""
    return isinstance(error, MemoryError) or bool(MEMORY.search(str(error)))
