"""The one exception that a person is meant to read, and what a terminal shows of any error."""

import errno
import os
import re

# The codes of ASCII and Latin-1 but for tab and line feed, and marks that turn the writing's direction.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

# What torch, the system and the loader of libraries say where Python itself raises a MemoryError.
MEMORY = re.compile(
    "not enough memory|(can't|[Cc]annot) allocate memory|out of memory|"
    "failed to map segment|can't start new thread"
)
NO_MEMORY = "there is not enough memory; close other programs, or allow more (ulimit -v)"
# The disk is full, the user's quota used up, or a file longer than ulimit -f allows. SQLite, and what
# looks for a place for temporary files, say so in words of their own.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NO_SPACE = re.compile("disk is full|disk I/O error|[Nn]o usable temporary directory")
UNNAMED = "standard output, a cache or a temporary file"  # if the error does not say what is full
MORE_SPACE = "free some space, of caches and temporary files, too, or allow more"


class InputError(Exception):
    """Something is wrong with the input, the parameters or a file.

    The message names the place (file, line, key), what is wrong there and what to do. Stages and the
    command line print it without a traceback and exit with status 2. Whatever reads a file raises it if
    the file is missing or damaged, and so does what calls that; docstrings say what else is refused.
    """


def escaped(message: str) -> str:
    """Return a message whose names of keys and files cannot control a terminal: \\x1b for an escape."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), message)


def not_allowed(error: BaseException) -> str | None:
    """Say what the system does not allow, and the cure; None if an error is about something else."""
    if lacks_memory(error):
        return _memory_message(error)
    if lacks_space(error):
        place = getattr(error, "filename", None) or UNNAMED
        return f"{place}: {getattr(error, 'strerror', None) or error}; {MORE_SPACE}"
    if not isinstance(error, OSError) or error.filename is None:
        return None
    cure = "make sure that you may read and write it"
    if isinstance(error, FileNotFoundError) and os.sep not in str(error.filename):
        cure = f"if {error.filename} is a program, install it"
    return f"{error.filename}: {error.strerror}; {cure}"


def _memory_message(error: BaseException) -> str:
    """On a GPU torch says how much it asked for, and how much there was."""
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


def lacks_space(error: BaseException) -> bool:
    """Return whether an error says that a disk is full, or a file as long as it may be."""
    return getattr(error, "errno", None) in FULL or bool(NO_SPACE.search(str(error)))
